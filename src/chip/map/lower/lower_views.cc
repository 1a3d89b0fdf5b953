// Lowers the operators that become no layer because they rename, cut or join values. Where a view cannot be
// described, a copying layer is made.
#include <algorithm>

#include "chip/map/lower/lowering.h"

namespace lento::chip {

using base::Error;

// Sets the value of an output to `viewed`. When there is none, adds a layer that copies input 0, of which an
// output needs what `otherwise` says.
void Lowering::view(
    const Operation& op,
    const std::optional<Value>& viewed,
    const std::vector<DimRule>& otherwise,
    size_t output) {
  if (viewed) {
    values_[op.outputs[output]] = viewed;
    return;
  }
  Layer layer;
  layer.kind = LayerKind::Transpose;
  layer.layout = default_layout(shape(op.outputs[output]));
  layer.operands = {{value(op, 0), otherwise, false}};
  add_layer(std::move(layer), op, output);
}

void Lowering::lower_reshape(const Operation& op) {
  view(op, reshape(value(op, 0), out_shape(op)), std::vector<DimRule>(in_shape(op, 0).size()));
}

void Lowering::lower_transpose(const Operation& op) {
  std::vector<int64_t> order;
  for (size_t d = in_shape(op, 0).size(); d-- > 0;)
    order.push_back(int64_t(d));
  values_[op.outputs[0]] = transpose(value(op, 0), op.list("perm", order));
}

// Lowers a split into views of parts.
void Lowering::lower_split(const Operation& op) {
  const size_t dim = axis(op, 0, in_shape(op, 0).size());
  int64_t at = 0;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (op.outputs[i] < 0)
      continue;
    const int64_t size = shape(op.outputs[i])[dim];
    auto list = all_same(in_shape(op, 0));
    list[dim] = {RuleKind::Window, int(dim), 1, -at, 1};
    view(op, slice(value(op, 0), dim, {at, at + size}), list, i);
    at += size;
  }
}

// Lowers a slice.
void Lowering::lower_slice(const Operation& op) {
  const Shape& in = in_shape(op, 0);
  const auto starts = constants(op, "starts", 1);
  const auto steps = constants(op, "steps", 4);
  auto axes = constants(op, "axes", 3);
  std::optional<Value> viewed = value(op, 0);
  auto list = all_same(in);
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t a = i < axes.size() ? axes[i] : int64_t(i);
    const size_t dim = size_t(a < 0 ? a + int64_t(in.size()) : a);
    const int64_t step = i < steps.size() ? steps[i] : 1;
    if (step < 1) {
      list[dim] = {};
      viewed.reset();
      continue;
    }
    const int64_t start = std::clamp<int64_t>(starts[i] < 0 ? starts[i] + in[dim] : starts[i], 0, in[dim]);
    list[dim] = {RuleKind::Window, int(dim), step, -start, 1};
    if (viewed)
      viewed = step == 1 ? slice(*viewed, dim, {start, start + out_shape(op)[dim]}) : std::nullopt;
  }
  view(op, viewed, list);
}

// Lowers padding.
void Lowering::lower_pad(const Operation& op) {
  const Shape& in = in_shape(op, 0);
  const auto pads = constants(op, "pads", 1);
  std::optional<Value> viewed = value(op, 0);
  auto list = all_same(in);
  for (size_t d = 0; d < in.size(); ++d) {
    list[d] = {RuleKind::Window, int(d), 1, pads[d], 1};
    if (viewed)
      viewed = pad(*viewed, d, pads[d], pads[in.size() + d]);
  }
  view(op, viewed, list);
}

// Lowers a concatenation.
void Lowering::lower_concat(const Operation& op) {
  const size_t dim = axis(op, 0, out_shape(op).size());
  std::vector<const Value*> operands;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    operands.push_back(active(op, i) ? &value(op, i) : nullptr);
    sizes.push_back(in_shape(op, i)[dim]);
  }
  if (auto joined = concat(operands, dim, sizes)) {
    values_[op.outputs[0]] = std::move(joined);
    return;
  }
  Layer layer;
  layer.kind = LayerKind::Transpose;
  layer.layout = default_layout(out_shape(op));
  int64_t at = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    auto list = all_same(out_shape(op));
    list[dim] = {RuleKind::Window, int(dim), 1, at, 1};
    if (operands[i])
      layer.operands.push_back({*operands[i], list, false});
    at += sizes[i];
  }
  add_layer(std::move(layer), op);
}

// Lowers a gather: rows of a table, or a selection along a dimension.
void Lowering::lower_gather(const Operation& op) {
  if (!active(op, 0)) {  // rows of a table: the rows arrive from DRAM like a network input
    values_[op.outputs[0]] = whole(-1, out_shape(op));
    return;
  }
  const Shape& in = in_shape(op, 0);
  const size_t dim = axis(op, 0, in.size());
  const spec::Tensor& index = net_.tensors[op.inputs[1]];
  std::vector<DimRule> list(in.size());
  for (size_t d = 0; d < in.size(); ++d) {
    if (d != dim)
      list[d] = same(d < dim ? d : d + index.shape.size() - 1);
  }
  std::optional<Value> viewed;
  if (index.has_values && index.values.size() == 1) {
    const int64_t i = index.values[0] < 0 ? index.values[0] + in[dim] : index.values[0];
    if (i < 0 || i >= in[dim])
      throw Error(at(op), "index " + std::to_string(i) + " outside axis of " + std::to_string(in[dim]));
    viewed = slice(value(op, 0), dim, {i, i + 1});
    if (viewed)
      viewed = reshape(*viewed, out_shape(op));
  }
  view(op, viewed, list);
}

// Lowers moves of data between depth and space.
void Lowering::lower_depth_to_space(const Operation& op) {
  const Shape& s = in_shape(op, 0);
  const int64_t b = op.integer("blocksize", 1);
  std::optional<Value> v;
  if (op.type == "SpaceToDepth") {
    v = reshape(value(op, 0), {s[0], s[1], s[2] / b, b, s[3] / b, b});
    if (v)
      v = reshape(transpose(*v, {0, 3, 5, 1, 2, 4}), out_shape(op));
  } else if (const auto mode = op.texts.find("mode"); mode != op.texts.end() && mode->second == "CRD") {
    v = reshape(value(op, 0), {s[0], s[1] / (b * b), b, b, s[2], s[3]});
    if (v)
      v = reshape(transpose(*v, {0, 1, 4, 2, 5, 3}), out_shape(op));
  } else {
    v = reshape(value(op, 0), {s[0], b, b, s[1] / (b * b), s[2], s[3]});
    if (v)
      v = reshape(transpose(*v, {0, 3, 4, 1, 5, 2}), out_shape(op));
  }
  view(op, v, std::vector<DimRule>(s.size()));
}

}  // namespace lento::chip
