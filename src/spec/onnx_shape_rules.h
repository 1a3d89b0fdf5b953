// The arguments of a shape rule and the lookup of rules by operator name. Internal to spec.
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
  // Returns the values of an integer input. Throws when they are no constants of the file.
  const std::vector<int64_t>& values(size_t i) const {
    const Tensor& tensor = in(i);
    if (!tensor.has_values)
      fail("input '" + tensor.name + "' must be a constant for shapes to be known");
    return tensor.values;
  }
  // Returns a list that old opsets keep in an attribute and new ones in an input.
  std::vector<int64_t> list(const char* attribute, size_t input) const {
    if (op.integers.contains(attribute))
      return op.list(attribute);
    if (has(input))
      return values(input);
    return std::vector<int64_t>{};
  }
};

using ShapeRule = void (*)(const Call&);

// Returns the rule of an operator type, or nullptr when there is none.
ShapeRule shape_rule(std::string_view type);

int64_t times(int64_t a, int64_t b, const Call& call);  // fails when it overflows

int64_t attribute_at(const std::vector<int64_t>& list, size_t i, int64_t fallback);

// Clamps start and end of a slice with a positive step to [0, extent].
std::pair<int64_t, int64_t> slice_bounds(int64_t start, int64_t end, int64_t extent);

// Computes the integer values of output 0 for the operators by which exporters compute shapes. Returns false
// for any other operator.
bool fold_values(const Call& call, std::vector<int64_t>& out);

}  // namespace lento::spec
