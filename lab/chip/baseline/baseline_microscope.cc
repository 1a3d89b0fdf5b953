// Microscope. Nodes are cores and links. An edge leads from a node to one that it depends on: from a core to
// the links that its inputs cross, from a link to the cores that send through it. A node is abnormal by the
// three-sigma rule on its own metric. From each abnormal node the method follows dependencies that are
// abnormal at the same time, and the last ones are the candidates. They are ranked by the correlation of
// their metric with the front end's, here the sum over all nodes, because a request passes all of them.
#include <algorithm>
#include <cmath>
#include <set>

#include "chip/paper/observations.h"
#include "evidence/sample.h"
#include "lab/chip/baseline/baselines.h"

namespace lento::chip {
namespace {

constexpr double kCoreDeviation = 0.03;   // octaves: noise of a window's compute time
constexpr double kLeastDeviation = 0.05;  // octaves: of a link's window

struct Node {
  Component component;
  Samples metric;
  std::set<size_t> depends_on;
  std::vector<bool> abnormal = {};  // by window
  // first and past the last of them
  size_t begin = 0;
  size_t end = 0;
};

class Graph {
 public:
  Graph(const Observations& seen, const Observations* healthy, const Grid& grid, double sigmas)
      : seen_(seen),
        sigmas_(sigmas) {
    for (int core = 0; core < seen.cores; ++core)
      add({{Part::Core, core, -1}, slowness_of(seen, core), {}}, 0, kCoreDeviation);
    for (int id = 0; id < grid.link_count(); ++id) {
      const Component link = link_component(grid, id);
      if (grid.link(id).from == link.index)
        add_link(link, healthy);
    }
    connect(grid);
    front_end_ = front_end();
  }

  std::vector<Suspect> candidates(double correlation) const {
    std::vector<Suspect> out;
    for (const Node& node : nodes_) {
      if (node.end == 0 || std::ranges::any_of(node.depends_on, [&](size_t d) {
            return explains(nodes_[d], node);
          }))
        continue;
      Suspect s = suspect_over(seen_, node.component, node.begin, node.end);
      s.factor = std::exp2(node.metric[node.begin].octaves);
      s.score = score_at(std::max(0.0, correlated(node)), correlation);
      out.push_back(s);
    }
    return out;
  }

 private:
  // Returns whether the cause is abnormal in at least half of the windows in which the node is.
  static bool explains(const Node& cause, const Node& node) {
    size_t both = 0;
    size_t all = 0;
    for (size_t b = node.begin; b < node.end; ++b) {
      all += node.abnormal[b];
      both += node.abnormal[b] && cause.abnormal[b];
    }
    return 2 * both >= all;
  }

  void add(Node node, double mean, double deviation) {
    node.abnormal.resize(node.metric.size());
    for (size_t b = 0; b < node.metric.size(); ++b) {
      const Sample& s = node.metric[b];
      node.abnormal[b] = s.count > 0 && s.octaves - mean > sigmas_ * deviation;
      if (!node.abnormal[b])
        continue;
      if (node.end == 0)
        node.begin = b;
      node.end = b + 1;
    }
    nodes_.push_back(std::move(node));
  }

  // Adds a link with mean and deviation over the windows of a healthy run, or of this run when there is none.
  void add_link(const Component& link, const Observations* healthy) {
    const Samples usual = latency_through(healthy != nullptr ? *healthy : seen_, link);
    std::vector<double> values;
    for (const Sample& s : usual)
      if (s.count > 0)
        values.push_back(s.octaves);
    const double deviation = std::sqrt(evidence::variance(values));
    add({link, latency_through(seen_, link), {}},
        evidence::mean(values),
        std::max(kLeastDeviation, deviation));
  }

  size_t find(const Component& c) const {
    return size_t(
        std::ranges::find_if(
            nodes_,
            [&](const Node& n) {
              return n.component == c;
            }) -
        nodes_.begin());
  }

  void connect(const Grid& grid) {
    for (size_t r = 0; r < seen_.paths.size(); ++r) {
      const Row& row = seen_.cells.rows[r];
      for (const int id : seen_.paths[r].links()) {
        const size_t link = find(link_component(grid, id));
        const bool message = row.pattern.kind == chip::ProbeKind::Message;
        const auto core = size_t(row.core);
        if (row.pattern.kind == chip::ProbeKind::Write) {
          nodes_[link].depends_on.insert(core);
          continue;
        }
        nodes_[core].depends_on.insert(link);
        if (message)
          nodes_[link].depends_on.insert(row.pattern.subject);
      }
    }
  }

  std::vector<double> front_end() const {
    std::vector<double> sum(seen_.bins());
    for (const Node& node : nodes_)
      for (size_t b = 0; b < sum.size(); ++b)
        if (node.metric[b].count > 0)
          sum[b] += node.metric[b].octaves;
    return sum;
  }

  // Returns Pearson's correlation over the windows in which the node has records.
  double correlated(const Node& node) const {
    double n = 0;
    double x = 0;
    double y = 0;
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (size_t b = 0; b < node.metric.size(); ++b) {
      if (node.metric[b].count <= 0)
        continue;
      const double u = node.metric[b].octaves;
      const double v = front_end_[b];
      n += 1;
      x += u;
      y += v;
      xx += u * u;
      yy += v * v;
      xy += u * v;
    }
    const double spread = (n * xx - x * x) * (n * yy - y * y);
    if (spread > 0)
      return (n * xy - x * y) / std::sqrt(spread);
    return 0;
  }

  const Observations& seen_;
  double sigmas_;
  std::vector<Node> nodes_;
  std::vector<double> front_end_;
};

}  // namespace

std::vector<Parameter> microscope_parameters() {
  return {
      {"sigmas", 40, 0.1, 1000, "deviations from which a window is abnormal"},
      {"correlation", 0.01, 0.001, 1, "with the front end from which a candidate is reported"}};
}

MethodResult judge_by_microscope(const MethodCall& call) {
  const Profile profile(call.detect);
  const Observations seen = observe(call.sketch, call.chip, profile.sketch());
  Observations healthy;
  if (profile.sketch() != nullptr)
    healthy = observe(*profile.sketch(), call.chip, profile.sketch());
  const Grid grid(call.chip);
  const Graph graph(seen, profile.sketch() != nullptr ? &healthy : nullptr, grid, call["sigmas"]);
  return ranked_result(graph.candidates(call["correlation"]), 0.5, seen.run_cycles);
}

}  // namespace lento::chip
