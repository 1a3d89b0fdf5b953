// Arithmetic on tensor shapes. Products are compared with a bound before each multiplication, because extents
// come from files and could overflow.
#include "spec/shape_math.h"

namespace lento::spec {

using base::Error;
using base::Location;

void check_shape(const Shape& shape, const Location& where) {
  if (shape.size() > kMaxRank)
    throw Error(where, "a tensor of " + std::to_string(shape.size()) + " dimensions, at most 8 are possible");
  int64_t n = 1;
  for (const int64_t d : shape) {
    if (d < 1 || d > kMaxElements / n)
      throw Error(where, "a tensor of " + to_string(shape) + ": empty, negative or above 2^36 elements");
    n *= d;
  }
}

size_t normal_axis(int64_t axis, size_t rank, const Location& where) {
  const auto n = int64_t(rank);
  if (axis < -n || axis >= n)
    throw Error(
        where,
        "axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) + " dimensions");
  return size_t(axis < 0 ? axis + n : axis);
}

Shape broadcast(const Shape& a, const Shape& b, const Location& where) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const size_t shift = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t& x = out[shift + i];
    if (x == 1)
      x = shorter[i];
    else if (shorter[i] != 1 && shorter[i] != x)
      throw Error(where, to_string(a) + " and " + to_string(b) + " do not broadcast");
  }
  return out;
}

std::vector<int64_t> axes_of(const Operation& operation, const std::vector<Tensor>& tensors) {
  if (operation.integers.contains("axes"))
    return operation.list("axes");
  if (operation.inputs.size() > 1 && operation.inputs[1] >= 0)
    return tensors[operation.inputs[1]].values;
  return {};
}

}  // namespace lento::spec
