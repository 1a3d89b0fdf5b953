// Network -> LayerGraph. Each operator is lowered by a small function; the table at the end names it.
//
// The work is driven by demand: only operations that an output depends on become layers. So a pattern that is
// recognised as a whole (layer normalisation written out in seven operators) leaves its pieces behind.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/error.h"
#include "chip/map/layer_graph.h"

namespace lento::chip {
namespace {

using base::Error;
using base::Location;
using spec::Network;
using spec::Operation;
using spec::Shape;
using Kind = DimRule::Kind;

DimRule same(size_t dim) { return {Kind::Same, static_cast<int>(dim)}; }

// `channel` on C; of the others the last on W (when several are not 1) and the rest on H.
Layout channel_layout(const Shape& shape, size_t channel) {
  std::vector<size_t> rest;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != channel && shape[d] > 1) rest.push_back(d);
  }
  Layout layout;
  layout.dims.resize(shape.size());
  const auto put = [&](size_t d, int axis) {
    if (shape[d] > 1) layout.dims[d] = {{axis, layout.extents[axis], shape[d]}};
    layout.extents[axis] *= shape[d];
  };
  put(channel, 0);
  if (rest.size() > 1) {
    put(rest.back(), 2);
    rest.pop_back();
  }
  for (auto d = rest.rbegin(); d != rest.rend(); ++d) put(*d, 1);
  return layout;
}

class Lowering {
 public:
  Lowering(const Network& network, const std::string& file) : net_(network), file_(file) {}

  LayerGraph run() {
    graph_.name = net_.name;
    values_.resize(net_.tensors.size());
    for (const int id : net_.inputs) values_[id] = whole(-1, shape(id));
    find_producers();
    const std::vector<bool> wanted = reachable();
    for (size_t i = 0; i < net_.operations.size(); ++i) {
      if (wanted[i]) lower_operation(i);
    }
    if (graph_.layers.empty()) copy_outputs();
    if (graph_.layers.empty()) throw Error({file_}, "the network computes nothing from its inputs");
    return std::move(graph_);
  }

 private:
  using Rule = void (Lowering::*)(const Operation&);

  const Shape& shape(int tensor) const { return net_.tensors[tensor].shape; }
  bool active(const Operation& op, size_t i) const {
    return i < op.inputs.size() && op.inputs[i] >= 0 && values_[op.inputs[i]].has_value();
  }
  const Value& value(const Operation& op, size_t i) const { return *values_[op.inputs[i]]; }
  const Shape& in_shape(const Operation& op, size_t i) const { return shape(op.inputs[i]); }
  const Shape& out_shape(const Operation& op) const { return shape(op.outputs[0]); }

  void find_producers() {
    producer_.assign(net_.tensors.size(), -1);
    for (size_t i = 0; i < net_.operations.size(); ++i) {
      for (const int id : net_.operations[i].outputs) {
        if (id >= 0) producer_[id] = static_cast<int>(i);
      }
    }
  }

  // The operation that makes input i of `op` when it has the given type.
  const Operation* maker(const Operation& op, size_t i, std::string_view type) const {
    if (i >= op.inputs.size() || op.inputs[i] < 0 || producer_[op.inputs[i]] < 0) return nullptr;
    const Operation& made = net_.operations[producer_[op.inputs[i]]];
    return made.type == type ? &made : nullptr;
  }

  // x when `op` is the division that ends (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps), else -1.
  int normalized_input(const Operation& op) const {
    if (op.type != "Div") return -1;
    const Operation* centred = maker(op, 0, "Sub");
    const Operation* root = maker(op, 1, "Sqrt");
    const Operation* sum = root ? maker(*root, 0, "Add") : nullptr;
    const Operation* variance = sum ? maker(*sum, 0, "ReduceMean") : nullptr;
    if (sum && !variance) variance = maker(*sum, 1, "ReduceMean");
    const Operation* mean = centred ? maker(*centred, 1, "ReduceMean") : nullptr;
    if (!variance || !mean || centred->inputs[0] != mean->inputs[0]) return -1;
    const bool squared = maker(*variance, 0, "Pow") || maker(*variance, 0, "Mul");
    return squared ? centred->inputs[0] : -1;
  }

  std::vector<bool> reachable() {
    std::vector<bool> wanted(net_.operations.size(), false);
    std::vector<bool> needed(net_.tensors.size(), false);
    for (const int id : net_.outputs) needed[id] = true;
    for (size_t i = net_.operations.size(); i-- > 0;) {
      const Operation& op = net_.operations[i];
      for (const int id : op.outputs) wanted[i] = wanted[i] || (id >= 0 && needed[id]);
      if (!wanted[i]) continue;
      const int x = normalized_input(op);
      if (x >= 0) needed[x] = true;
      for (const int id : op.inputs) {
        if (x < 0 && id >= 0) needed[id] = true;
      }
    }
    return wanted;
  }

  void lower_operation(size_t i) {
    const Operation& op = net_.operations[i];
    if (const int x = normalized_input(op); x >= 0 && values_[x])
      return normalize(op, x, shape(x).size() - 1);
    bool any = false;
    for (size_t k = 0; k < op.inputs.size(); ++k) any = any || active(op, k);
    if (!any) return;
    const auto rule = rules().find(op.type);
    if (op.shape_unknown_to_us || rule == rules().end()) return generic(op);
    if (!active(op, 0) && !takes_constant_first(op.type)) return generic(op);
    (this->*rule->second)(op);
  }

  // Most operators act on their first input; these also on a constant one.
  static bool takes_constant_first(std::string_view type) {
    return rules().at(type) == &Lowering::elementwise || type == "Concat" || type == "Gather" ||
           type == "MatMul" || type == "Gemm";
  }

  void add_layer(Layer layer, const Operation& op, size_t output = 0) {
    layer.name = op.name;
    const int id = static_cast<int>(graph_.layers.size());
    values_[op.outputs[output]] = Value{layer.layout, {{id, {0, 0, 0}, {0, 0, 0}, layer.layout.extents}}};
    graph_.layers.push_back(std::move(layer));
  }

  // Rules of an operand that is broadcast to `out`.
  static std::vector<DimRule> broadcast_rules(const Shape& operand, const Shape& out) {
    std::vector<DimRule> list(operand.size());
    for (size_t d = 0; d < operand.size(); ++d) {
      const size_t at = d + out.size() - operand.size();
      if (operand[d] == out[at]) list[d] = same(at);
    }
    return list;
  }

  // ---- operators that become nothing --------------------------------------------------------------------

  void fold(const Operation& op) { values_[op.outputs[0]] = value(op, 0); }

  void view(const Operation& op, const std::optional<Value>& viewed, const std::vector<DimRule>& otherwise,
            size_t output = 0) {
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

  void lower_reshape(const Operation& op) {
    view(op, reshape(value(op, 0), out_shape(op)), std::vector<DimRule>(in_shape(op, 0).size()));
  }

  void lower_transpose(const Operation& op) {
    std::vector<int64_t> order;
    for (size_t d = in_shape(op, 0).size(); d-- > 0;) order.push_back(static_cast<int64_t>(d));
    values_[op.outputs[0]] = transpose(value(op, 0), op.list("perm", order));
  }

  std::vector<DimRule> all_same(const Shape& of) const {
    std::vector<DimRule> list;
    for (size_t d = 0; d < of.size(); ++d) list.push_back(same(d));
    return list;
  }

  size_t axis(const Operation& op, int64_t fallback, size_t rank) const {
    const int64_t a = op.integer("axis", fallback), n = static_cast<int64_t>(rank);
    if (a < -n || a >= n)
      throw Error(at(op),
                  "axis " + std::to_string(a) + " of a tensor with " + std::to_string(n) + " dimensions");
    return static_cast<size_t>(a < 0 ? a + n : a);
  }

  void lower_split(const Operation& op) {
    const size_t dim = axis(op, 0, in_shape(op, 0).size());
    int64_t at = 0;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      if (op.outputs[i] < 0) continue;
      const int64_t size = shape(op.outputs[i])[dim];
      auto list = all_same(in_shape(op, 0));
      list[dim] = {Kind::Window, static_cast<int>(dim), 1, -at, 1};
      view(op, slice(value(op, 0), dim, {at, at + size}), list, i);
      at += size;
    }
  }

  std::vector<int64_t> constants(const Operation& op, const char* attribute, size_t input) const {
    if (op.integers.contains(attribute)) return op.list(attribute);
    return input < op.inputs.size() && op.inputs[input] >= 0 ? net_.tensors[op.inputs[input]].values
                                                             : std::vector<int64_t>{};
  }

  void lower_slice(const Operation& op) {
    const Shape& in = in_shape(op, 0);
    const auto starts = constants(op, "starts", 1), steps = constants(op, "steps", 4);
    auto axes = constants(op, "axes", 3);
    std::optional<Value> viewed = value(op, 0);
    auto list = all_same(in);
    for (size_t i = 0; i < starts.size(); ++i) {
      const int64_t a = i < axes.size() ? axes[i] : static_cast<int64_t>(i);
      const size_t dim = static_cast<size_t>(a < 0 ? a + static_cast<int64_t>(in.size()) : a);
      const int64_t step = i < steps.size() ? steps[i] : 1;
      if (step < 1) {
        list[dim] = {};
        viewed.reset();
        continue;
      }
      const int64_t start = std::clamp<int64_t>(starts[i] < 0 ? starts[i] + in[dim] : starts[i], 0, in[dim]);
      list[dim] = {Kind::Window, static_cast<int>(dim), step, -start, 1};
      if (viewed)
        viewed = step == 1 ? slice(*viewed, dim, {start, start + out_shape(op)[dim]}) : std::nullopt;
    }
    view(op, viewed, list);
  }

  void lower_pad(const Operation& op) {
    const Shape& in = in_shape(op, 0);
    const auto pads = constants(op, "pads", 1);
    std::optional<Value> viewed = value(op, 0);
    auto list = all_same(in);
    for (size_t d = 0; d < in.size(); ++d) {
      list[d] = {Kind::Window, static_cast<int>(d), 1, pads[d], 1};
      if (viewed) viewed = pad(*viewed, d, pads[d], pads[in.size() + d]);
    }
    view(op, viewed, list);
  }

  void lower_concat(const Operation& op) {
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
      list[dim] = {Kind::Window, static_cast<int>(dim), 1, at, 1};
      if (operands[i]) layer.operands.push_back({*operands[i], list, false});
      at += sizes[i];
    }
    add_layer(std::move(layer), op);
  }

  void lower_gather(const Operation& op) {
    if (!active(op, 0)) {  // rows of a table: the rows arrive from DRAM like a network input
      values_[op.outputs[0]] = whole(-1, out_shape(op));
      return;
    }
    const Shape& in = in_shape(op, 0);
    const size_t dim = axis(op, 0, in.size());
    const spec::Tensor& index = net_.tensors[op.inputs[1]];
    std::vector<DimRule> list(in.size());
    for (size_t d = 0; d < in.size(); ++d) {
      if (d != dim) list[d] = same(d < dim ? d : d + index.shape.size() - 1);
    }
    std::optional<Value> viewed;
    if (index.has_values && index.values.size() == 1) {
      const int64_t i = index.values[0] < 0 ? index.values[0] + in[dim] : index.values[0];
      if (i < 0 || i >= in[dim])
        throw Error(at(op), "index " + std::to_string(i) + " outside axis of " + std::to_string(in[dim]));
      viewed = slice(value(op, 0), dim, {i, i + 1});
      if (viewed) viewed = reshape(*viewed, out_shape(op));
    }
    view(op, viewed, list);
  }

  Location at(const Operation& op) const {
    return {file_, 0, 0, "node '" + op.name.substr(0, 80) + "' (" + op.type.substr(0, 40) + ")"};
  }

  void lower_depth_to_space(const Operation& op) {
    const Shape& s = in_shape(op, 0);
    const int64_t b = op.integer("blocksize", 1);
    std::optional<Value> v;
    if (op.type == "SpaceToDepth") {
      v = reshape(value(op, 0), {s[0], s[1], s[2] / b, b, s[3] / b, b});
      if (v) v = reshape(transpose(*v, {0, 3, 5, 1, 2, 4}), out_shape(op));
    } else if (const auto mode = op.texts.find("mode"); mode != op.texts.end() && mode->second == "CRD") {
      v = reshape(value(op, 0), {s[0], s[1] / (b * b), b, b, s[2], s[3]});
      if (v) v = reshape(transpose(*v, {0, 1, 4, 2, 5, 3}), out_shape(op));
    } else {
      v = reshape(value(op, 0), {s[0], b, b, s[1] / (b * b), s[2], s[3]});
      if (v) v = reshape(transpose(*v, {0, 3, 4, 1, 5, 2}), out_shape(op));
    }
    view(op, v, std::vector<DimRule>(s.size()));
  }

  // ---- operators that become layers ---------------------------------------------------------------------

  // Acts on single elements: folded when all it reads is one value, else an element-wise layer.
  void elementwise(const Operation& op) {
    const Value* first = nullptr;
    bool single = true;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!active(op, i)) continue;
      const Value& v = value(op, i);
      single = single && in_shape(op, i) == out_shape(op) &&
               (!first || (v.pieces == first->pieces && v.layout == first->layout));
      if (!first) first = &v;
    }
    if (single) {
      values_[op.outputs[0]] = *first;
      return;
    }
    Layer layer;
    layer.kind = LayerKind::Elementwise;
    layer.layout = default_layout(out_shape(op));
    for (size_t i = op.inputs.size(); i-- > 0;) {
      if (active(op, i) && in_shape(op, i) == out_shape(op)) layer.layout = value(op, i).layout;
    }
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (active(op, i))
        layer.operands.push_back({value(op, i), broadcast_rules(in_shape(op, i), out_shape(op)), false});
    }
    add_layer(std::move(layer), op);
  }

  // Every output needs all positions along the dimensions from `first` on.
  void normalize(const Operation& op, int input, size_t first) {
    Layer layer;
    layer.kind = LayerKind::Elementwise;
    layer.layout = values_[input]->layout;
    auto list = all_same(shape(input));
    for (size_t d = first; d < list.size(); ++d) list[d] = {};
    layer.operands = {{*values_[input], list, false}};
    add_layer(std::move(layer), op);
  }

  void softmax(const Operation& op) {
    const size_t dim = axis(op, -1, in_shape(op, 0).size());
    Layer layer;
    layer.kind = LayerKind::Elementwise;
    layer.layout = value(op, 0).layout;
    auto list = all_same(in_shape(op, 0));
    list[dim] = {};
    layer.operands = {{value(op, 0), list, false}};
    add_layer(std::move(layer), op);
  }

  void layer_normalization(const Operation& op) {
    normalize(op, op.inputs[0], axis(op, -1, in_shape(op, 0).size()));
  }
  void channel_normalization(const Operation& op) { normalize(op, op.inputs[0], 1); }

  void instance_normalization(const Operation& op) {
    normalize(op, op.inputs[0], std::min<size_t>(2, in_shape(op, 0).size()));
  }

  static int64_t item(const std::vector<int64_t>& list, size_t i, int64_t fallback) {
    return i < list.size() ? list[i] : fallback;
  }

  DimRule window(const Operation& op, size_t i, int64_t kernel) const {
    const int64_t stride = item(op.list("strides"), i, 1),
                  reach = (kernel - 1) * item(op.list("dilations"), i, 1) + 1;
    int64_t before = item(op.list("pads"), i, 0);
    const auto automatic = op.texts.find("auto_pad");
    if (automatic != op.texts.end() && automatic->second.starts_with("SAME")) {
      const int64_t total =
          std::max<int64_t>(0, (out_shape(op)[i + 2] - 1) * stride + reach - in_shape(op, 0)[i + 2]);
      before = automatic->second == "SAME_LOWER" ? (total + 1) / 2 : total / 2;
    }
    return {Kind::Window, static_cast<int>(i + 2), stride, before, reach};
  }

  static Layout spatial_layout(const Shape& shape) {
    return shape.size() == 3 ? channel_layout(shape, 1) : default_layout(shape);
  }

  void convolution(const Operation& op) {
    if (!active(op, 0)) return generic(op);
    const Shape &in = in_shape(op, 0), &w = in_shape(op, 1), &out = out_shape(op);
    const int64_t groups = op.integer("group", 1);
    Layer layer;
    layer.kind = LayerKind::Conv;
    layer.group_count = static_cast<int>(groups);
    layer.layout = spatial_layout(out);
    layer.depth = w[1];
    std::vector<DimRule> list{same(0), {}};
    if (groups > 1) list[1] = {Kind::Groups, 1, 1, 0, 1, out[1] / groups, in[1] / groups};
    for (size_t i = 0; i + 2 < in.size(); ++i) {
      layer.window *= w[i + 2];
      list.push_back(window(op, i, w[i + 2]));
    }
    layer.operands = {{value(op, 0), list, false}};
    add_layer(std::move(layer), op);
  }

  void transposed_convolution(const Operation& op) {
    if (!active(op, 0)) return generic(op);
    const Shape &in = in_shape(op, 0), &w = in_shape(op, 1), &out = out_shape(op);
    const int64_t groups = op.integer("group", 1);
    Layer layer;
    layer.kind = LayerKind::Conv;
    layer.group_count = static_cast<int>(groups);
    layer.layout = spatial_layout(out);
    layer.depth = in[1] / groups;
    std::vector<DimRule> list{same(0), {}};
    if (groups > 1) list[1] = {Kind::Groups, 1, 1, 0, 1, out[1] / groups, in[1] / groups};
    for (size_t i = 0; i + 2 < in.size(); ++i) {
      layer.window *= w[i + 2];
      DimRule rule = window(op, i, w[i + 2]);
      rule.kind = Kind::Transposed;
      list.push_back(rule);
    }
    layer.operands = {{value(op, 0), list, false}};
    add_layer(std::move(layer), op);
  }

  void pool(const Operation& op) {
    const auto kernel = op.list("kernel_shape");
    Layer layer;
    layer.kind = LayerKind::Pool;
    layer.layout = spatial_layout(out_shape(op));
    std::vector<DimRule> list{same(0), same(1)};
    for (size_t i = 0; i < kernel.size(); ++i) list.push_back(window(op, i, kernel[i]));
    layer.operands = {{value(op, 0), list, false}};
    add_layer(std::move(layer), op);
  }

  void global_pool(const Operation& op) {
    Layer layer;
    layer.kind = LayerKind::Pool;
    layer.layout = spatial_layout(out_shape(op));
    std::vector<DimRule> list(in_shape(op, 0).size());
    list[0] = same(0);
    list[1] = same(1);
    layer.operands = {{value(op, 0), list, false}};
    add_layer(std::move(layer), op);
  }

  void reduce(const Operation& op) {
    const Shape& in = in_shape(op, 0);
    const auto axes =
        op.type.starts_with("Arg") ? std::vector<int64_t>{op.integer("axis", 0)} : constants(op, "axes", 1);
    std::vector<bool> gone(in.size(), axes.empty());
    for (const int64_t a : axes) gone[a < 0 ? a + static_cast<int64_t>(in.size()) : a] = true;
    const bool keep = op.integer("keepdims", 1) != 0;
    Layer layer;
    layer.kind = LayerKind::Pool;
    std::vector<DimRule> list(in.size());
    size_t next = 0;
    for (size_t d = 0; d < in.size(); ++d) {
      if (!gone[d]) list[d] = same(next);
      if (keep || !gone[d]) ++next;
    }
    layer.layout = default_layout(out_shape(op));
    layer.operands = {{value(op, 0), list, false}};
    add_layer(std::move(layer), op);
  }

  // Factor `side` (0 or 1) of a matrix product: batch dimensions broadcast, `kept` is the dimension that
  // survives, the other is reduced.
  Operand factor(const Operation& op, size_t side, size_t kept, size_t out_dim) const {
    const Shape& s = in_shape(op, side);
    std::vector<DimRule> list = broadcast_rules(s, out_shape(op));
    list[s.size() - 1] = list[s.size() - 2] = DimRule{};
    list[kept] = same(out_dim);
    return {value(op, side), list, side == 1};
  }

  // `a` and `b`: which of the last two dimensions of each factor survives (rows of A, columns of B).
  void product(const Operation& op, size_t a, size_t b) {
    const Shape &sa = in_shape(op, 0), &out = out_shape(op);
    const size_t rows = out.size() - 2, columns = out.size() - 1;
    Layer layer;
    layer.depth = sa[a == sa.size() - 1 ? sa.size() - 2 : sa.size() - 1];
    if (active(op, 0)) layer.operands.push_back(factor(op, 0, a, rows));
    if (active(op, 1)) layer.operands.push_back(factor(op, 1, b, columns));
    const bool both = layer.operands.size() == 2;
    layer.weights_from_dram = !both;
    layer.operands.back().is_weight = both;
    layer.layout = both ? default_layout(out) : channel_layout(out, active(op, 0) ? columns : rows);
    layer.kind = !both && layer.layout.extents[1] * layer.layout.extents[2] == 1 ? LayerKind::FullyConnected
                                                                                 : LayerKind::Conv;
    add_layer(std::move(layer), op);
  }

  void matrix_product(const Operation& op) {
    const size_t na = in_shape(op, 0).size(), nb = in_shape(op, 1).size();
    if (na < 2 || nb < 2) return generic(op);
    product(op, na - 2, nb - 1);
  }

  void gemm(const Operation& op) {
    product(op, op.integer("transA", 0) ? 1 : 0, op.integer("transB", 0) ? 0 : 1);
  }

  void resize(const Operation& op) {
    const Shape &in = in_shape(op, 0), &out = out_shape(op);
    auto list = all_same(in);
    for (size_t d = 0; d < in.size(); ++d) {
      if (in[d] != out[d]) list[d] = {Kind::Scaled, static_cast<int>(d), 1, 0, 1, out[d], in[d]};
    }
    Layer layer;
    layer.kind = LayerKind::Elementwise;
    layer.layout = spatial_layout(out);
    layer.operands = {{value(op, 0), list, false}};
    add_layer(std::move(layer), op);
  }

  void generic(const Operation& op) {
    ++graph_.generic;
    for (size_t o = 0; o < op.outputs.size(); ++o) {
      if (op.outputs[o] < 0) continue;
      const Shape& out = shape(op.outputs[o]);
      Layer layer;
      layer.kind = LayerKind::Elementwise;
      layer.layout = default_layout(out);
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (!active(op, i)) continue;
        const Shape& in = in_shape(op, i);
        auto list = in.size() <= out.size() ? broadcast_rules(in, out) : std::vector<DimRule>(in.size());
        layer.operands.push_back({value(op, i), list, false});
      }
      add_layer(std::move(layer), op, o);
    }
  }

  void copy_outputs() {
    for (const int id : net_.outputs) {
      if (!values_[id]) continue;
      Layer layer;
      layer.name = net_.tensors[id].name;
      layer.kind = LayerKind::Elementwise;
      layer.layout = values_[id]->layout;
      layer.operands = {{*values_[id], all_same(shape(id)), false}};
      graph_.layers.push_back(std::move(layer));
    }
  }

  static const std::unordered_map<std::string_view, Rule>& rules() {
    static const auto* table = [] {
      auto* t = new std::unordered_map<std::string_view, Rule>;
      const auto add = [t](Rule rule, std::initializer_list<std::string_view> names) {
        for (const auto name : names) (*t)[name] = rule;
      };
      add(&Lowering::elementwise, {"Relu",
                                   "LeakyRelu",
                                   "Sigmoid",
                                   "Tanh",
                                   "Clip",
                                   "Elu",
                                   "Selu",
                                   "Celu",
                                   "HardSigmoid",
                                   "HardSwish",
                                   "Softplus",
                                   "Softsign",
                                   "Gelu",
                                   "FastGelu",
                                   "QuickGelu",
                                   "BiasGelu",
                                   "Mish",
                                   "ThresholdedRelu",
                                   "Erf",
                                   "Exp",
                                   "Log",
                                   "Sqrt",
                                   "Reciprocal",
                                   "Neg",
                                   "Abs",
                                   "Sign",
                                   "Floor",
                                   "Ceil",
                                   "Round",
                                   "Sin",
                                   "Cos",
                                   "Tan",
                                   "Not",
                                   "IsNaN",
                                   "IsInf",
                                   "Cast",
                                   "Trilu",
                                   "QuantizeLinear",
                                   "DequantizeLinear",
                                   "Add",
                                   "Sub",
                                   "Mul",
                                   "Div",
                                   "Pow",
                                   "PRelu",
                                   "Max",
                                   "Min",
                                   "Mean",
                                   "Sum",
                                   "Mod",
                                   "And",
                                   "Or",
                                   "Xor",
                                   "Equal",
                                   "Greater",
                                   "GreaterOrEqual",
                                   "Less",
                                   "LessOrEqual",
                                   "Where",
                                   "BitShift",
                                   "Expand"});
      add(&Lowering::fold, {"Identity", "Dropout", "BatchNormalization"});
      add(&Lowering::lower_reshape, {"Reshape", "Flatten", "Squeeze", "Unsqueeze"});
      add(&Lowering::lower_transpose, {"Transpose"});
      add(&Lowering::lower_split, {"Split"});
      add(&Lowering::lower_slice, {"Slice"});
      add(&Lowering::lower_pad, {"Pad"});
      add(&Lowering::lower_concat, {"Concat"});
      add(&Lowering::lower_gather, {"Gather"});
      add(&Lowering::lower_depth_to_space, {"DepthToSpace", "SpaceToDepth"});
      add(&Lowering::softmax, {"Softmax", "LogSoftmax", "Hardmax", "LpNormalization", "CumSum"});
      add(&Lowering::layer_normalization, {"LayerNormalization", "SimplifiedLayerNormalization"});
      add(&Lowering::channel_normalization, {"GroupNormalization", "MeanVarianceNormalization", "LRN"});
      add(&Lowering::instance_normalization, {"InstanceNormalization"});
      add(&Lowering::convolution, {"Conv"});
      add(&Lowering::transposed_convolution, {"ConvTranspose"});
      add(&Lowering::pool, {"MaxPool", "AveragePool", "LpPool"});
      add(&Lowering::global_pool, {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"});
      add(&Lowering::reduce,
          {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
           "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "ArgMax", "ArgMin"});
      add(&Lowering::matrix_product, {"MatMul"});
      add(&Lowering::gemm, {"Gemm"});
      add(&Lowering::resize, {"Resize", "Upsample"});
      return t;
    }();
    return *table;
  }

  const Network& net_;
  const std::string& file_;
  LayerGraph graph_;
  std::vector<std::optional<Value>> values_;  // of activations, by tensor
  std::vector<int> producer_;
};

}  // namespace

LayerGraph lower(const Network& network, const std::string& file) { return Lowering(network, file).run(); }

}  // namespace lento::chip
