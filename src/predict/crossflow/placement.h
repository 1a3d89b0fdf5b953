// Places the workers of a parallel job: four parallel dimensions laid on square packages of dim x dim nodes,
// in a chosen order, snake-wise, and computes how many logical edges share a physical link (the derate).
// Source: CrossFlow section 5.1 and the mapping helper of the released CrossFlow tool.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace lento::predict {

// Numbers of workers along the parallel dimensions: kp1 and kp2 (the two factors of kernel parallelism), dp
// (data) and lp (layers).
using ParallelShape = std::array<int, 4>;

// A permutation of the dimensions 0 (kp1), 1 (kp2), 2 (dp), 3 (lp). Workers that differ in the first one
// only are neighbours.
using DimensionOrder = std::array<int, 4>;

struct Derate {
  int inter = 0;                  // most logical edges over one link between packages
  int intra = 0;                  // over one link inside a package
  std::array<bool, 4> crosses{};  // which dimension leaves a package
};

// Returns all orders of the parallel dimensions that differ, those of size 1 last: at most 24.
std::vector<DimensionOrder> distinct_orders(const ParallelShape& shape);

// The result of place(), which routes rings along kp1, kp2 and dp and lines along lp, first along x and then
// along y. `fits` is false when the workers cannot be laid out in this order.
struct PlacementResult {
  bool fits = false;
  Derate derate;
};
PlacementResult place(const ParallelShape& shape, const DimensionOrder& order, int package_dim);

}  // namespace lento::predict
