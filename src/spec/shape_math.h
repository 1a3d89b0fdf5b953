// Arithmetic on tensor shapes (bounds, axes, broadcasting), for shape rules and for code that runs operators.
#pragma once

#include "base/error.h"
#include "spec/network.h"

namespace lento::spec {

// Bounds that keep hostile files from exhausting memory.
inline constexpr size_t kMaxRank = 8;
inline constexpr int64_t kMaxElements = int64_t{1} << 36;
inline constexpr size_t kMaxValues = 4096;

// Throws at `where` unless every extent is at least 1 and the product at most kMaxElements.
void check_shape(const Shape& shape, const base::Location& where);

// Returns the axis counted from the front. A negative `axis` counts from the end. Throws at `where` when it
// is outside [-rank, rank).
size_t normal_axis(int64_t axis, size_t rank, const base::Location& where);

// Returns the shape that both broadcast to (NumPy rule). Throws at `where` when there is none.
Shape broadcast(const Shape& a, const Shape& b, const base::Location& where);

// Returns the axes of a Squeeze, Unsqueeze or Reduce, from the attribute or the second input, or nothing when
// neither is given.
std::vector<int64_t> axes_of(const Operation& operation, const std::vector<Tensor>& tensors);

}  // namespace lento::spec
