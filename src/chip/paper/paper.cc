// Runs the tracer of the SLOTH paper: start scores from outliers of cores and links, FailRank, a softmax in
// each level, and the suspects above the reported share.
#include "chip/paper/paper.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "chip/paper/paper_cores.h"
#include "chip/paper/paper_links.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

struct LinkScore {
  double bandwidth = 0;    // bytes per cycle; 0: no transfer
  double healthy = 0;      // bytes per cycle of a healthy link
  double probability = 0;  // probability that the link is slow
};

class Tracer {
 public:
  Tracer(
      const Sketch& sketch,
      const spec::Chip& chip,
      const Program& program,
      const PaperOptions& options,
      const Sketch* profile)
      : chip_(chip),
        program_(program),
        options_(options),
        profile_(profile),
        grid_(chip) {
    seen_ = observe(sketch, chip, nullptr);
    out_.graph = communication_graph(program, grid_);
    out_.detection.run_cycles = seen_.run_cycles;
    links_ = score_links();
    outliers_ = core_outliers(seen_, options.deviation);
  }

  PaperResult run() {
    start_nodes();
    start_edges();
    out_.rank = fail_rank(out_.graph.rank, options_.rank);
    rank_components();
    return std::move(out_);
  }

 private:
  // Returns the estimated bandwidth of each link, bytes per cycle.
  std::vector<double> bandwidths(const Observations& seen) const {
    const double nominal = 1 / chip_.network.link_bytes_per_cycle;
    const LinkFit fit =
        fit_links(link_equations(seen, chip_), size_t(grid_.link_count()), nominal, options_.iterations);
    std::vector<double> out;
    for (const double theta : fit.cycles_per_byte)
      out.push_back(theta > 0 ? 1 / theta : 0);
    return out;
  }

  // Gives each link the probability that a healthy link is faster (slow_probability()).
  std::vector<LinkScore> score_links() const {
    const std::vector<double> now = bandwidths(seen_);
    std::vector<double> known;
    std::vector<double> healthy;
    for (const double b : now)
      if (b > 0)
        known.push_back(b);
    if (options_.reference == 2 && profile_ != nullptr)
      healthy = bandwidths(observe(*profile_, chip_, nullptr));
    const double usual =
        options_.reference == 0 ? chip_.network.link_bytes_per_cycle : evidence::median(known);
    std::vector<LinkScore> out(now.size());
    for (size_t l = 0; l < now.size(); ++l) {
      if (now[l] <= 0)
        continue;
      out[l] = {now[l], healthy.empty() || healthy[l] <= 0 ? usual : healthy[l], 0};
      out[l].probability = slow_probability(now[l], out[l].healthy, std::max(0.01, chip_.network.transit_cv));
    }
    return out;
  }

  // Gives cores whose outlier probability reaches PaperOptions::core_candidate this probability as start
  // score.
  void start_nodes() {
    std::map<int, int> level_of;  // level of each layer by its id
    for (const Program::Layer& layer : program_.layers)
      level_of[layer.id] = level_of_layer(program_, layer.id);
    for (const CoreOutlier& o : outliers_) {
      if (o.probability < options_.core_candidate)
        continue;
      for (size_t n = 0; n < out_.graph.nodes.size(); ++n) {
        const CommunicationGraph::Node& node = out_.graph.nodes[n];
        const bool in_level = o.layer < 0 || level_of[o.layer] == node.level;
        if (node.core != o.core || !in_level)
          continue;
        out_.graph.rank.start[n] = std::max(out_.graph.rank.start[n], o.probability);
      }
    }
  }

  // Gives links whose probability reaches PaperOptions::link_candidate this probability as start score.
  void start_edges() {
    for (size_t e = 0; e < out_.graph.edges.size(); ++e) {
      const int link = out_.graph.edges[e].link;
      if (link < 0)
        continue;
      const double p = links_[size_t(link)].probability;
      if (p >= options_.link_candidate)
        out_.graph.rank.edges[e].start = p;
    }
  }

  // Ranks the candidate components by their highest softmax share in any level.
  void rank_components() {
    std::map<Component, double> score;
    for (int level = 0; level < out_.graph.levels; ++level) {
      add_nodes(level, score);
      add_links(level, score);
    }
    std::vector<Suspect> all;
    for (const auto& [component, share] : score)
      all.push_back(suspect(component, share));
    std::ranges::stable_sort(all, [](const Suspect& a, const Suspect& b) {
      return a.score > b.score;
    });
    for (const Suspect& s : all)
      if (s.score >= options_.report)
        out_.detection.reported.push_back(s);
    if (all.size() > 10)
      all.resize(10);
    out_.detection.ranked = std::move(all);
  }

  // Raises the score of each core to its softmax share in one level.
  void add_nodes(int level, std::map<Component, double>& score) const {
    std::vector<double> values;
    std::vector<size_t> at;
    for (size_t n = 0; n < out_.graph.nodes.size(); ++n) {
      if (out_.graph.nodes[n].level != level || out_.graph.nodes[n].core < 0)
        continue;
      values.push_back(out_.rank.nodes[n]);
      at.push_back(n);
    }
    const std::vector<double> share = softmax(values, options_.temperature);
    for (size_t i = 0; i < at.size(); ++i) {
      if (out_.graph.rank.start[at[i]] <= 0)
        continue;
      double& best = score[{Part::Core, out_.graph.nodes[at[i]].core, -1}];
      best = std::max(best, share[i]);
    }
  }

  // Raises the score of each link to its softmax share in one level.
  void add_links(int level, std::map<Component, double>& score) const {
    // Both directions of a link are one component.
    std::map<Component, double> value;
    std::map<Component, double> start;
    for (size_t e = 0; e < out_.graph.edges.size(); ++e) {
      if (out_.graph.edges[e].level != level || out_.graph.edges[e].link < 0)
        continue;
      const Component c = link_component(grid_, out_.graph.edges[e].link);
      value[c] = std::max(value[c], out_.rank.edges[e]);
      start[c] = std::max(start[c], out_.graph.rank.edges[e].start);
    }
    std::vector<double> values;
    for (const auto& [c, v] : value)
      values.push_back(v);
    const std::vector<double> share = softmax(values, options_.link_temperature);
    size_t i = 0;
    for (const auto& [c, v] : value) {
      if (start[c] > 0)
        score[c] = std::max(score[c], share[i]);
      ++i;
    }
  }

  // Describes a ranked component: times, factor and evidence.
  Suspect suspect(const Component& component, double share) const {
    Suspect s;
    s.component = component;
    s.score = s.strength = share;
    s.end = seen_.run_cycles;
    if (component.part == Part::Core) {
      describe_core(s);
    } else {
      describe_link(s);
    }
    s.evidence.push_back({"share of the FailRank score in its level", share, "", "softmax"});
    return s;
  }

  // Describes a core by its worst outlier, with the time of the slow stretch when there is one.
  void describe_core(Suspect& s) const {
    const CoreOutlier* worst = nullptr;
    for (const CoreOutlier& o : outliers_) {
      if (o.core != s.component.index)
        continue;
      const bool better = worst == nullptr || std::pair(o.layer < 0, o.probability) >
                                                  std::pair(worst->layer < 0, worst->probability);
      if (better)
        worst = &o;
    }
    if (worst == nullptr)
      return;
    s.factor = 1 / worst->performance;
    s.begin = worst->begin;
    s.end = worst->end;
    s.evidence.push_back(
        {"performance against its group",
         worst->performance,
         "share of the mean",
         worst->layer < 0 ? "sketch, compute episodes" : "sketch, compute entries"});
  }

  // Adds factor and evidence of a link.
  void describe_link(Suspect& s) const {
    for (int id = 0; id < grid_.link_count(); ++id) {
      const LinkScore& link = links_[size_t(id)];
      if (link.bandwidth <= 0 || !(link_component(grid_, id) == s.component))
        continue;
      s.factor = std::max(s.factor, link.healthy / link.bandwidth);
    }
    s.evidence.push_back({"inferred bandwidth below what it should be", s.factor, "x", "EM over transfers"});
  }

  const spec::Chip& chip_;
  const Program& program_;
  const PaperOptions& options_;
  const Sketch* profile_;
  Grid grid_;
  Observations seen_;
  std::vector<LinkScore> links_;
  std::vector<CoreOutlier> outliers_;
  PaperResult out_;
};

// Returns the change of the node scores (RankResult::errors) by iteration, with the bound 2 lambda^k
// (failrank.h).
finding::Figure convergence(const RankResult& rank, const RankOptions& options) {
  finding::SeriesFigure figure;
  figure.x_name = "iteration";
  figure.y_name = "L1 norm of the change";
  figure.log_y = true;
  finding::SeriesFigure::Line measured{"measured", {}, {}};
  finding::SeriesFigure::Line bound{"bound 2 lambda^k", {}, {}};
  bound.dashed = true;
  for (size_t k = 0; k < rank.errors.size(); ++k) {
    measured.x.push_back(double(k + 1));
    measured.y.push_back(std::max(rank.errors[k], 1e-12));
    bound.x.push_back(double(k + 1));
    bound.y.push_back(2 * std::pow(options.lambda, double(k + 1)));
  }
  figure.lines = {measured, bound};
  return {
      "FailRank convergence",
      std::to_string(rank.iterations()) + " iterations until the change is below " +
          base::format_number(options.tolerance) + ".",
      figure};
}

finding::Figure level_table(const PaperResult& r, const Grid& grid) {
  finding::TableFigure table;
  table.columns = {"level", "node or link", "traffic, bytes", "start score", "FailRank score"};
  struct Line {
    double score;
    std::vector<std::string> cells;
  };
  std::vector<Line> lines;
  const auto number = [](double v) {
    return base::format_number(v, 3);
  };
  for (size_t n = 0; n < r.graph.nodes.size(); ++n) {
    const auto& node = r.graph.nodes[n];
    if (r.rank.nodes[n] <= 0)
      continue;
    lines.push_back(
        {r.rank.nodes[n],
         {std::to_string(node.level),
          node.core < 0 ? "DRAM" : grid.core_name(node.core),
          "",
          number(r.graph.rank.start[n]),
          number(r.rank.nodes[n])}});
  }
  for (size_t e = 0; e < r.graph.edges.size(); ++e) {
    const auto& edge = r.graph.edges[e];
    if (edge.link < 0 || r.graph.rank.edges[e].start <= 0)
      continue;
    lines.push_back(
        {r.rank.edges[e],
         {std::to_string(edge.level),
          grid.link_name(edge.link),
          number(r.graph.rank.edges[e].traffic),
          number(r.graph.rank.edges[e].start),
          number(r.rank.edges[e])}});
  }
  std::ranges::stable_sort(lines, [](const Line& a, const Line& b) {
    return a.score > b.score;
  });
  if (lines.size() > 20)
    lines.resize(20);
  for (Line& line : lines)
    table.rows.push_back(std::move(line.cells));
  return {
      "Communication graph",
      "Highest scores over all levels, nodes and links that are candidates.",
      table};
}

}  // namespace

PaperResult trace_root_cause(
    const Sketch& sketch,
    const spec::Chip& chip,
    const Program& program,
    const PaperOptions& options,
    const Sketch* profile) {
  return Tracer(sketch, chip, program, options, profile).run();
}

std::vector<Parameter> paper_parameters() {
  const PaperOptions d;
  return {
      {"deviation", d.deviation, 0.001, 10, "of a healthy core's performance, over its mean"},
      {"core_candidate", d.core_candidate, 0, 1, "probability from which a core is a candidate"},
      {"link_candidate", d.link_candidate, 0, 1, "probability from which a link is a candidate"},
      {"temperature", d.temperature, 0, 1e6, "of the softmax over cores"},
      {"link_temperature", d.link_temperature, 0, 1e6, "of the softmax over links"},
      {"report", d.report, 0, 1, "share of its level from which a candidate is reported"},
      {"reference", double(d.reference), 0, 2, "healthy bandwidth: 0 chip file, 1 median link, 2 profile"},
      {"direction", 0, 0, 2, "of FailRank: 0 printed, 1 reversed, 2 symmetric"},
      {"restart", 0, 0, 1, "link score: 0 as printed, 1 keeps its start"},
      {"lambda", d.rank.lambda, 0, 0.99, "share of a score that comes from neighbours"},
  };
}

// Runs the paper's method on a sketch. It needs one router for each core.
MethodResult judge_by_paper(const MethodCall& call) {
  if (call.chip.interconnect) {
    MethodResult none;
    none.detection.unjudged =
        "the paper's graph has one router a core, joined x first; this chip is otherwise";
    return none;
  }
  PaperOptions o;
  o.deviation = call["deviation"];
  o.core_candidate = call["core_candidate"];
  o.link_candidate = call["link_candidate"];
  o.temperature = call["temperature"];
  o.link_temperature = call["link_temperature"];
  o.report = call["report"];
  o.reference = int(call["reference"]);
  o.rank.direction = static_cast<Direction>(int(call["direction"]));
  o.rank.restart = call["restart"] >= 0.5;
  o.rank.lambda = call["lambda"];
  const Profile profile(o.reference == 2 ? call.detect : DetectOptions{});
  PaperResult r = trace_root_cause(call.sketch, call.chip, call.program, o, profile.sketch());
  MethodResult out;
  out.figures = {convergence(r.rank, o.rank), level_table(r, Grid(call.chip))};
  out.numbers = {{"failrank_iterations", r.rank.iterations()}};
  for (size_t k = 0; k < r.rank.errors.size(); ++k)
    if (r.rank.errors[k] > 0)
      out.numbers["failrank_error_" + std::to_string(k + 1)] = r.rank.errors[k];
  out.detection = std::move(r.detection);
  return out;
}

}  // namespace lento::chip
