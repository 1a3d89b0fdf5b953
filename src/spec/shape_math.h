// Arithmetic on tensor shapes: bounds, axes, broadcasting. For shape rules and for whoever runs operators.
#pragma once

#include "base/error.h"
#include "spec/network.h"

namespace lento::spec {

// Bounds that keep hostile files from exhausting memory.
inline constexpr size_t kMaxRank = 8;
inline constexpr int64_t kMaxElements = int64_t{1} << 36;
inline constexpr size_t kMaxValues = 4096;

// Throws at `where` unless 1 <= every extent and the product is at most kMaxElements.
void check_shape(const Shape& shape, const base::Location& where);

// `axis` counted from the end when negative; throws at `where` when outside [-rank, rank).
size_t normal_axis(int64_t axis, size_t rank, const base::Location& where);

// The shape that both broadcast to (NumPy rule); throws at `where` when there is none.
Shape broadcast(const Shape& a, const Shape& b, const base::Location& where);

// The axes of a Squeeze, Unsqueeze or Reduce: attribute or second input; empty when neither is given.
std::vector<int64_t> axes_of(const Operation& operation, const std::vector<Tensor>& tensors);

}  // namespace lento::spec
