// The operators of the executor: each makes one result from its inputs or throws base::Error at the node.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "spec/trained.h"

namespace lento::tile {

inline constexpr int64_t kMaxLiveElements = int64_t{1} << 28;

struct Call {
  const spec::Operation& op;
  std::vector<const spec::TensorValue*> inputs;  // nullptr: not given
  base::Location where;

  bool has(size_t i) const {
    return i < inputs.size() && inputs[i] != nullptr;
  }
  const spec::TensorValue& input(size_t i) const;   // throws when it is not given
  const spec::TensorValue& floats(size_t i) const;  // throws when it holds integers
  // The numbers of input i, or of attribute `name` when there is no such input.
  std::vector<int64_t> list(size_t i, const std::string& name, std::vector<int64_t> fallback = {}) const;
  float number(size_t i, const std::string& name, double fallback) const;
  [[noreturn]] void refuse(const std::string& what) const;
  void check_planes(const spec::TensorValue& in) const;  // refuses what is not N x C x H x W

  // Returns a zeroed result. Throws when it is too large to keep.
  spec::TensorValue make(const spec::Shape& shape, bool integer = false) const;
};

using Operator = spec::TensorValue (*)(const Call&);

// Returns the operator, or nullptr for an unsupported type.
Operator find_operator(const std::string& type);

// elementwise.cc
spec::TensorValue add(const Call& call);
spec::TensorValue subtract(const Call& call);
spec::TensorValue multiply(const Call& call);
spec::TensorValue divide(const Call& call);
spec::TensorValue power(const Call& call);
spec::TensorValue square_root(const Call& call);
spec::TensorValue relu(const Call& call);
spec::TensorValue sigmoid(const Call& call);
spec::TensorValue hard_sigmoid(const Call& call);
spec::TensorValue clip(const Call& call);
spec::TensorValue cast(const Call& call);

// convolution.cc
spec::TensorValue convolution(const Call& call);
spec::TensorValue transposed_convolution(const Call& call);
spec::TensorValue matrix_product(const Call& call);

// reduce.cc
spec::TensorValue batch_normalization(const Call& call);
spec::TensorValue softmax(const Call& call);
spec::TensorValue reduce_mean(const Call& call);
spec::TensorValue global_average_pool(const Call& call);
spec::TensorValue average_pool(const Call& call);
spec::TensorValue max_pool(const Call& call);

// arrange.cc
spec::TensorValue resize(const Call& call);
spec::TensorValue concat(const Call& call);
spec::TensorValue slice(const Call& call);
spec::TensorValue shape_of(const Call& call);
spec::TensorValue reshape(const Call& call);
spec::TensorValue transpose(const Call& call);
spec::TensorValue squeeze(const Call& call);

}  // namespace lento::tile
