// Lists every way to spread a job over its nodes: data, layer and kernel parallelism, and every distinct
// placement.
#pragma once

#include <vector>

#include "predict/crossflow/config.h"
#include "predict/crossflow/placement.h"

namespace lento::predict {

struct Strategy {
  Parallelism parallelism;
  DimensionOrder order{0, 1, 2, 3};
  Derate derate;
};

// Returns the divisors of `n` in ascending order.
std::vector<int> divisors(int n);

// Returns every way to write `nodes` as dp * lp * kp1 * kp2 (data, layer and the two factors of kernel
// parallelism, with lp at most the number of layers), for both ways to split a product (column-row,
// row-column), each with its placements on packages of dim x dim nodes. Placements that reduce the
// bandwidths of all links by the same factors are equivalent, and one of them is returned.
std::vector<Strategy> all_strategies(const CrossFlowConfig& config, int nodes, int package_dim);

// Returns the strategy that uses data parallelism alone.
Strategy data_parallel(int nodes, int package_dim);

// Writes parallelism, link sharing and package crossings of a strategy into a design point.
CrossFlowConfig with_strategy(CrossFlowConfig config, const Strategy& strategy, int package_dim);

std::vector<int> divisors(int n);  // ascending, of n >= 1

std::string to_string(const Strategy& strategy);  // "RC dp 32 lp 1 kp1 4 kp2 4, order kp1-dp-kp2-lp"

}  // namespace lento::predict
