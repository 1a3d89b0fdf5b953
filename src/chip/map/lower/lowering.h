// The state of lower(): operators of a network become layers and views of their values. Internal to chip/map.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "chip/map/lower/layer_graph.h"

namespace lento::chip {

inline DimRule same(size_t dim) {
  return {DimRule::Kind::Same, int(dim)};
}

// Puts `channel` on C, the last of the other dimensions on W (when several are not 1) and the rest on H.
Layout channel_layout(const spec::Shape& shape, size_t channel);

class Lowering {
 public:
  Lowering(const spec::Network& network, const std::string& file)
      : net_(network),
        file_(file) {
  }

  LayerGraph run();

 private:
  using Network = spec::Network;
  using Operation = spec::Operation;
  using RuleKind = DimRule::Kind;
  using Shape = spec::Shape;
  using Rule = void (Lowering::*)(const Operation&);

  const Shape& shape(int tensor) const {
    return net_.tensors[tensor].shape;
  }
  bool active(const Operation& op, size_t i) const {
    return i < op.inputs.size() && op.inputs[i] >= 0 && values_[op.inputs[i]].has_value();
  }
  const Value& value(const Operation& op, size_t i) const {
    return *values_[op.inputs[i]];
  }
  const Shape& in_shape(const Operation& op, size_t i) const {
    return shape(op.inputs[i]);
  }
  const Shape& out_shape(const Operation& op) const {
    return shape(op.outputs[0]);
  }
  void find_producers();
  // Returns the operation that makes input i of `op` when that operation has the given type, else nullptr.
  const Operation* maker(const Operation& op, size_t i, std::string_view type) const;
  // Returns tensor x when `op` is the division that ends (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps),
  // else -1.
  int normalized_input(const Operation& op) const;
  std::vector<bool> reachable();
  void lower_operation(size_t i);
  // Returns whether operators of this type are lowered even when their first input is a constant. All others
  // need an activation there.
  static bool takes_constant_first(std::string_view type);
  void add_layer(Layer layer, const Operation& op, size_t output = 0);
  // Returns the rules of an operand that is broadcast to `out`.
  static std::vector<DimRule> broadcast_rules(const Shape& operand, const Shape& out);
  std::vector<DimRule> all_same(const Shape& of) const;
  size_t axis(const Operation& op, int64_t fallback, size_t rank) const;
  std::vector<int64_t> constants(const Operation& op, const char* attribute, size_t input) const;
  base::Location at(const Operation& op) const;
  void generic(const Operation& op);
  void copy_outputs();
  static const std::unordered_map<std::string_view, Rule>& rules();

  // Operators that become no layer (lower_views.cc).
  void fold(const Operation& op) {
    values_[op.outputs[0]] = value(op, 0);
  }
  void view(
      const Operation& op,
      const std::optional<Value>& viewed,
      const std::vector<DimRule>& otherwise,
      size_t output = 0);
  void lower_reshape(const Operation& op);
  void lower_transpose(const Operation& op);
  void lower_split(const Operation& op);
  void lower_slice(const Operation& op);
  void lower_pad(const Operation& op);
  void lower_concat(const Operation& op);
  void lower_gather(const Operation& op);
  void lower_depth_to_space(const Operation& op);

  // Operators that become layers (lower_layers.cc). An element-wise operator whose activations are all the
  // same value, of the output's shape, is part of the layer before it. Any other one is a layer.
  void elementwise(const Operation& op);
  // Adds a layer in which every output needs all positions along the dimensions from `first` on.
  void normalize(const Operation& op, int input, size_t first);
  void softmax(const Operation& op);
  void layer_normalization(const Operation& op) {
    normalize(op, op.inputs[0], axis(op, -1, in_shape(op, 0).size()));
  }
  void channel_normalization(const Operation& op) {
    normalize(op, op.inputs[0], 1);
  }
  void instance_normalization(const Operation& op);
  static int64_t item(const std::vector<int64_t>& list, size_t i, int64_t fallback) {
    return i < list.size() ? list[i] : fallback;
  }
  DimRule window(const Operation& op, size_t i, int64_t kernel) const;
  static Layout spatial_layout(const Shape& shape) {
    return shape.size() == 3 ? channel_layout(shape, 1) : default_layout(shape);
  }
  void convolve(const Operation& op, int64_t depth, DimRule::Kind spatial);
  void convolution(const Operation& op);
  void transposed_convolution(const Operation& op);
  void pool(const Operation& op);
  void global_pool(const Operation& op);
  void reduce(const Operation& op);
  // Returns factor `side` (0 or 1) of a matrix product. Batch dimensions broadcast, `kept` is the dimension
  // that survives, and the other is reduced.
  Operand factor(const Operation& op, size_t side, size_t kept, size_t out_dim) const;
  // Adds a matrix product. `a` and `b` select the surviving one of the last two dimensions of each factor
  // (rows of A, columns of B).
  void product(const Operation& op, size_t a, size_t b);
  void matrix_product(const Operation& op);
  void gemm(const Operation& op);
  void resize(const Operation& op);

  const Network& net_;
  const std::string& file_;
  LayerGraph graph_;
  std::vector<std::optional<Value>> values_;  // of activations, by tensor
  std::vector<int> producer_;
};

}  // namespace lento::chip
