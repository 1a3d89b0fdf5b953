// Iterates FailRank until the scores change by less than the tolerance (failrank.h has the equations).
#include "chip/paper/failrank.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace lento::chip {
namespace {

struct Arc {
  size_t from;
  size_t to;
  double weight;
};

// Returns the edges in the direction in which scores spread, with the weights that leave a node normalised.
std::vector<Arc> arcs_of(const RankGraph& graph, Direction direction) {
  std::vector<Arc> arcs;
  std::vector<double> out(graph.start.size());
  const auto add = [&](size_t from, size_t to, double traffic) {
    arcs.push_back({from, to, traffic});
    out[from] += traffic;
  };
  for (const RankGraph::Edge& e : graph.edges) {
    if (direction != Direction::Reversed)
      add(e.from, e.to, e.traffic);
    if (direction != Direction::Printed)
      add(e.to, e.from, e.traffic);
  }
  for (Arc& a : arcs)
    a.weight = out[a.from] > 0 ? a.weight / out[a.from] : 0;
  return arcs;
}

// Returns w(u, v) of each edge as defined in the paper: its share of the traffic that leaves u.
std::vector<double> shares(const RankGraph& graph) {
  std::vector<double> out(graph.start.size());
  std::vector<double> share;
  for (const RankGraph::Edge& e : graph.edges)
    out[e.from] += e.traffic;
  for (const RankGraph::Edge& e : graph.edges)
    share.push_back(out[e.from] > 0 ? e.traffic / out[e.from] : 0);
  return share;
}

std::vector<double> normalised(std::vector<double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (sum > 0)
    for (double& v : values)
      v /= sum;
  return values;
}

}  // namespace

RankResult fail_rank(const RankGraph& graph, const RankOptions& o) {
  LENTO_CHECK(o.lambda >= 0 && o.lambda < 1 && o.gamma >= 0 && o.gamma < 1, "FailRank would not converge");
  const std::vector<Arc> arcs = arcs_of(graph, o.direction);
  const std::vector<double> share = shares(graph);
  const std::vector<double> start = normalised(graph.start);
  RankResult r;
  r.nodes = start;
  for (const RankGraph::Edge& e : graph.edges)
    r.edges.push_back(e.start);
  std::vector<double> next(start.size());
  while (r.iterations() < o.most_iterations) {
    for (size_t v = 0; v < next.size(); ++v)
      next[v] = (1 - o.lambda) * start[v];
    for (const Arc& a : arcs)
      next[a.to] += o.lambda * a.weight * r.nodes[a.from];
    for (size_t e = 0; e < r.edges.size(); ++e) {
      const double kept = o.restart ? graph.edges[e].start : r.edges[e];
      r.edges[e] = o.alpha * share[e] + o.beta * r.nodes[graph.edges[e].from] + o.gamma * kept;
    }
    double error = 0;
    for (size_t v = 0; v < next.size(); ++v)
      error += std::abs(next[v] - r.nodes[v]);
    r.nodes.swap(next);
    r.errors.push_back(error);
    if (error < o.tolerance)
      break;
  }
  return r;
}

std::vector<double> softmax(const std::vector<double>& values, double temperature) {
  if (values.empty())
    return {};
  const double most = *std::ranges::max_element(values);
  std::vector<double> out;
  double sum = 0;
  for (const double v : values)
    sum += out.emplace_back(std::exp(temperature * (v - most)));
  for (double& v : out)
    v /= sum;
  return out;
}

}  // namespace lento::chip
