// Lowers the operators that become layers: element-wise operations, normalisations, convolutions, pools,
// reductions and matrix products.
#include <algorithm>

#include "chip/map/lower/lowering.h"

namespace lento::chip {

using base::Error;

void Lowering::elementwise(const Operation& op) {
  const Value* first = nullptr;
  bool single = true;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (!active(op, i))
      continue;
    const Value& v = value(op, i);
    single = single && in_shape(op, i) == out_shape(op) &&
             (!first || (v.pieces == first->pieces && v.layout == first->layout));
    if (!first)
      first = &v;
  }
  if (single) {
    values_[op.outputs[0]] = *first;
    return;
  }
  Layer layer;
  layer.kind = LayerKind::Elementwise;
  layer.layout = default_layout(out_shape(op));
  for (size_t i = op.inputs.size(); i-- > 0;) {
    if (active(op, i) && in_shape(op, i) == out_shape(op))
      layer.layout = value(op, i).layout;
  }
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (active(op, i))
      layer.operands.push_back({value(op, i), broadcast_rules(in_shape(op, i), out_shape(op)), false});
  }
  add_layer(std::move(layer), op);
}

void Lowering::normalize(const Operation& op, int input, size_t first) {
  Layer layer;
  layer.kind = LayerKind::Elementwise;
  layer.layout = values_[input]->layout;
  auto list = all_same(shape(input));
  for (size_t d = first; d < list.size(); ++d)
    list[d] = {};
  layer.operands = {{*values_[input], list, false}};
  add_layer(std::move(layer), op);
}

// Lowers a softmax or another operation in which each output needs all positions along one axis (rules()).
void Lowering::softmax(const Operation& op) {
  const size_t dim = axis(op, -1, in_shape(op, 0).size());
  Layer layer;
  layer.kind = LayerKind::Elementwise;
  layer.layout = value(op, 0).layout;
  auto list = all_same(in_shape(op, 0));
  list[dim] = {};
  layer.operands = {{value(op, 0), list, false}};
  add_layer(std::move(layer), op);
}

void Lowering::instance_normalization(const Operation& op) {
  normalize(op, op.inputs[0], std::min<size_t>(2, in_shape(op, 0).size()));
}

// Returns the input positions in spatial dimension `i` that the window of a convolution or pool covers for an
// output position.
DimRule Lowering::window(const Operation& op, size_t i, int64_t kernel) const {
  const int64_t stride = item(op.list("strides"), i, 1);
  const int64_t reach = (kernel - 1) * item(op.list("dilations"), i, 1) + 1;
  int64_t before = item(op.list("pads"), i, 0);
  const auto automatic = op.texts.find("auto_pad");
  if (automatic != op.texts.end() && automatic->second.starts_with("SAME")) {
    const int64_t total =
        std::max<int64_t>(0, (out_shape(op)[i + 2] - 1) * stride + reach - in_shape(op, 0)[i + 2]);
    before = automatic->second == "SAME_LOWER" ? (total + 1) / 2 : total / 2;
  }
  return {RuleKind::Window, int(i + 2), stride, before, reach};
}

// Lowers a convolution. `depth` is the number of input channels that an output sums over.
void Lowering::convolve(const Operation& op, int64_t depth, RuleKind spatial) {
  const Shape &in = in_shape(op, 0), &w = in_shape(op, 1), &out = out_shape(op);
  const int64_t groups = op.integer("group", 1);
  Layer layer;
  layer.kind = LayerKind::Conv;
  layer.group_count = int(groups);
  layer.layout = spatial_layout(out);
  layer.depth = depth;
  std::vector<DimRule> list{same(0), {}};
  if (groups > 1)
    list[1] = {RuleKind::Groups, 1, 1, 0, 1, out[1] / groups, in[1] / groups};
  for (size_t i = 0; i + 2 < in.size(); ++i) {
    layer.window *= w[i + 2];
    list.push_back(window(op, i, w[i + 2]));
    list.back().kind = spatial;
  }
  layer.operands = {{value(op, 0), list, false}};
  add_layer(std::move(layer), op);
}

void Lowering::convolution(const Operation& op) {
  if (!active(op, 0))
    return generic(op);
  convolve(op, in_shape(op, 1)[1], RuleKind::Window);
}

void Lowering::transposed_convolution(const Operation& op) {
  if (!active(op, 0))
    return generic(op);
  convolve(op, in_shape(op, 0)[1] / op.integer("group", 1), RuleKind::Transposed);
}

// Lowers a pooling operation with a window.
void Lowering::pool(const Operation& op) {
  const auto kernel = op.list("kernel_shape");
  Layer layer;
  layer.kind = LayerKind::Pool;
  layer.layout = spatial_layout(out_shape(op));
  std::vector<DimRule> list{same(0), same(1)};
  for (size_t i = 0; i < kernel.size(); ++i)
    list.push_back(window(op, i, kernel[i]));
  layer.operands = {{value(op, 0), list, false}};
  add_layer(std::move(layer), op);
}

// Lowers pooling over whole images.
void Lowering::global_pool(const Operation& op) {
  Layer layer;
  layer.kind = LayerKind::Pool;
  layer.layout = spatial_layout(out_shape(op));
  std::vector<DimRule> list(in_shape(op, 0).size());
  list[0] = same(0);
  list[1] = same(1);
  layer.operands = {{value(op, 0), list, false}};
  add_layer(std::move(layer), op);
}

// Lowers a reduction over some axes.
void Lowering::reduce(const Operation& op) {
  const Shape& in = in_shape(op, 0);
  const auto axes =
      op.type.starts_with("Arg") ? std::vector<int64_t>{op.integer("axis", 0)} : constants(op, "axes", 1);
  std::vector<bool> gone(in.size(), axes.empty());
  for (const int64_t a : axes)
    gone[a < 0 ? a + int64_t(in.size()) : a] = true;
  const bool keep = op.integer("keepdims", 1) != 0;
  Layer layer;
  layer.kind = LayerKind::Pool;
  std::vector<DimRule> list(in.size());
  size_t next = 0;
  for (size_t d = 0; d < in.size(); ++d) {
    if (!gone[d])
      list[d] = same(next);
    if (keep || !gone[d])
      ++next;
  }
  layer.layout = default_layout(out_shape(op));
  layer.operands = {{value(op, 0), list, false}};
  add_layer(std::move(layer), op);
}

Operand Lowering::factor(const Operation& op, size_t side, size_t kept, size_t out_dim) const {
  const Shape& s = in_shape(op, side);
  std::vector<DimRule> list = broadcast_rules(s, out_shape(op));
  list[s.size() - 1] = list[s.size() - 2] = DimRule{};
  list[kept] = same(out_dim);
  return {value(op, side), list, side == 1};
}

void Lowering::product(const Operation& op, size_t a, size_t b) {
  const Shape &sa = in_shape(op, 0), &out = out_shape(op);
  const size_t rows = out.size() - 2, columns = out.size() - 1;
  Layer layer;
  layer.depth = sa[a == sa.size() - 1 ? sa.size() - 2 : sa.size() - 1];
  if (active(op, 0))
    layer.operands.push_back(factor(op, 0, a, rows));
  if (active(op, 1))
    layer.operands.push_back(factor(op, 1, b, columns));
  const bool both = layer.operands.size() == 2;
  layer.weights_from_dram = !both;
  layer.operands.back().is_weight = both;
  layer.layout = both ? default_layout(out) : channel_layout(out, active(op, 0) ? columns : rows);
  layer.kind = !both && layer.layout.extents[1] * layer.layout.extents[2] == 1 ? LayerKind::FullyConnected
                                                                               : LayerKind::Conv;
  add_layer(std::move(layer), op);
}

void Lowering::matrix_product(const Operation& op) {
  const size_t na = in_shape(op, 0).size(), nb = in_shape(op, 1).size();
  if (na < 2 || nb < 2)
    return generic(op);
  product(op, na - 2, nb - 1);
}

void Lowering::gemm(const Operation& op) {
  product(op, op.integer("transA", 0) ? 1 : 0, op.integer("transB", 0) ? 0 : 1);
}

// Lowers a change of image size.
void Lowering::resize(const Operation& op) {
  const Shape &in = in_shape(op, 0), &out = out_shape(op);
  auto list = all_same(in);
  for (size_t d = 0; d < in.size(); ++d) {
    if (in[d] != out[d])
      list[d] = {RuleKind::Scaled, int(d), 1, 0, 1, out[d], in[d]};
  }
  Layer layer;
  layer.kind = LayerKind::Elementwise;
  layer.layout = spatial_layout(out);
  layer.operands = {{value(op, 0), list, false}};
  add_layer(std::move(layer), op);
}

}  // namespace lento::chip
