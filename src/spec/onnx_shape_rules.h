// What one shape rule sees of an operator, and the rules by operator name. Internal to spec.
#pragma once

#include <string_view>

#include "base/error.h"
#include "spec/network.h"

namespace lento::spec {

struct Call {
  const Operation& op;
  std::vector<Tensor>& tensors;
  const base::Location& where;

  bool has(size_t i) const {
    return i < op.inputs.size() && op.inputs[i] >= 0;
  }
  const Tensor& in(size_t i) const {
    if (!has(i))
      throw base::Error(where, op.type + " needs " + std::to_string(i + 1) + " inputs");
    return tensors[op.inputs[i]];
  }
  const Shape& shape(size_t i) const {
    return in(i).shape;
  }
  Tensor& out(size_t i = 0) const {
    return tensors[op.outputs[i]];
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw base::Error(where, message);
  }
  void need_rank(size_t i, size_t rank) const {
    if (shape(i).size() < rank) {
      fail(
          "input " + std::to_string(i) + " is " + to_string(shape(i)) + ", needed at least " +
          std::to_string(rank) + " dimensions");
    }
  }
  // Values of an integer input; throws when they are not constants of the file.
  const std::vector<int64_t>& values(size_t i) const {
    const Tensor& tensor = in(i);
    if (!tensor.has_values)
      fail("input '" + tensor.name + "' must be a constant for shapes to be known");
    return tensor.values;
  }
  // An attribute in old opsets, an input in new ones.
  std::vector<int64_t> list(const char* attribute, size_t input) const {
    if (op.integers.contains(attribute))
      return op.list(attribute);
    if (has(input))
      return values(input);
    return std::vector<int64_t>{};
  }
};

using ShapeRule = void (*)(const Call&);

// nullptr: no rule for the type.
ShapeRule shape_rule(std::string_view type);

int64_t times(int64_t a, int64_t b, const Call& call);  // fails when it overflows

int64_t attribute_at(const std::vector<int64_t>& list, size_t i, int64_t fallback);

// Start and end inside [0, extent] of one sliced axis with a positive step.
std::pair<int64_t, int64_t> slice_bounds(int64_t start, int64_t end, int64_t extent);

// The integer values of output 0 where exporters compute with them; false: not known.
bool fold_values(const Call& call, std::vector<int64_t>& out);

}  // namespace lento::spec
