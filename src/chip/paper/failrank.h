// FailRank (SLOTH, III-D3): scores of nodes and edges spread over a weighted graph until they converge.
//
//   s'(v)    = (1 - lambda) s0(v) + lambda * sum over (u, v) of w(u, v) s(u)
//   l'(u, v) = alpha w(u, v) + beta s(u) + gamma l(u, v)
//
// s0 is normalised to sum 1. The weights out of a node sum to at most 1, so the map contracts by lambda in
// the L1 norm: with error_k = |s_k - s_(k-1)|, error_(k+1) <= lambda * error_k and error_k <= 2 lambda^k. At
// lambda 0.6 and tolerance 1e-4 it ends within 20 iterations, whatever the graph.
//
// As printed, l does not depend on its start value: its fixed point is (alpha w + beta s(u)) / (1 - gamma).
// With `restart`, gamma weighs l0 instead of l. Links are updated together with the nodes, and the iteration
// ends when the nodes have converged.
#pragma once

#include <cstddef>
#include <vector>

namespace lento::chip {

struct RankGraph {
  struct Edge {
    // Indices of nodes.
    size_t from = 0;
    size_t to = 0;
    double traffic = 0;  // bytes; an edge without traffic carries no score
    double start = 0;    // l0, 0..1
  };
  std::vector<double> start;  // s0 of each node, 0..1
  std::vector<Edge> edges;
};

enum class Direction : unsigned char {
  Printed,   // in the direction of the traffic: from sender to receiver
  Reversed,  // against the traffic: from victim to cause
  Symmetric  // both
};

struct RankOptions {
  double lambda = 0.6;
  double tolerance = 1e-4;
  double alpha = 0.1;
  double beta = 0.3;
  double gamma = 0.6;
  Direction direction = Direction::Printed;
  bool restart = false;
  int most_iterations = 1000;
};

struct RankResult {
  std::vector<double> nodes;   // s, sums to at most 1
  std::vector<double> edges;   // l
  std::vector<double> errors;  // error_k of the nodes, k from 1
  int iterations() const {
    return int(errors.size());
  }
};

// Precondition: lambda and gamma are in [0, 1), and edges refer to existing nodes.
RankResult fail_rank(const RankGraph& graph, const RankOptions& options = {});

// Returns exp(temperature x) over the sum of all, stable for any temperature. Empty for an empty input.
std::vector<double> softmax(const std::vector<double>& values, double temperature);

}  // namespace lento::chip
