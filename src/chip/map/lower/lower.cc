// Lowers a Network to a LayerGraph. Each operator is lowered by a small function, and the table at the end
// names it.
//
// The work is driven by demand: only operations that an output depends on become layers. When a pattern is
// recognised as a whole (layer normalisation written out in seven operators), its pieces drop out.
#include <algorithm>
#include <span>

#include "chip/map/lower/lowering.h"
#include "spec/onnx_operators.h"

namespace lento::chip {

using base::Error;
using base::Location;
using spec::Operation;
using spec::Shape;

Layout channel_layout(const Shape& shape, size_t channel) {
  std::vector<size_t> rest;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != channel && shape[d] > 1)
      rest.push_back(d);
  }
  Layout layout;
  layout.dims.resize(shape.size());
  const auto put = [&](size_t d, int axis) {
    if (shape[d] > 1)
      layout.dims[d] = {{axis, layout.extents[axis], shape[d]}};
    layout.extents[axis] *= shape[d];
  };
  put(channel, 0);
  if (rest.size() > 1) {
    put(rest.back(), 2);
    rest.pop_back();
  }
  for (auto d = rest.rbegin(); d != rest.rend(); ++d)
    put(*d, 1);
  return layout;
}

// Lowers all operations that the outputs need to layers.
LayerGraph Lowering::run() {
  graph_.name = net_.name;
  values_.resize(net_.tensors.size());
  for (const int id : net_.inputs)
    values_[id] = whole(-1, shape(id));
  find_producers();
  const std::vector<bool> wanted = reachable();
  for (size_t i = 0; i < net_.operations.size(); ++i) {
    if (wanted[i])
      lower_operation(i);
  }
  if (graph_.layers.empty())
    copy_outputs();
  if (graph_.layers.empty())
    throw Error({file_}, "the network computes nothing from its inputs");
  return std::move(graph_);
}

// Finds the operation that produces each tensor.
void Lowering::find_producers() {
  producer_.assign(net_.tensors.size(), -1);
  for (size_t i = 0; i < net_.operations.size(); ++i) {
    for (const int id : net_.operations[i].outputs) {
      if (id >= 0)
        producer_[id] = int(i);
    }
  }
}

const Operation* Lowering::maker(const Operation& op, size_t i, std::string_view type) const {
  if (i >= op.inputs.size() || op.inputs[i] < 0 || producer_[op.inputs[i]] < 0)
    return nullptr;
  const Operation& made = net_.operations[producer_[op.inputs[i]]];
  return made.type == type ? &made : nullptr;
}

int Lowering::normalized_input(const Operation& op) const {
  if (op.type != "Div")
    return -1;
  const Operation* centred = maker(op, 0, "Sub");
  const Operation* root = maker(op, 1, "Sqrt");
  const Operation* sum = root ? maker(*root, 0, "Add") : nullptr;
  const Operation* variance = sum ? maker(*sum, 0, "ReduceMean") : nullptr;
  if (sum && !variance)
    variance = maker(*sum, 1, "ReduceMean");
  const Operation* mean = centred ? maker(*centred, 1, "ReduceMean") : nullptr;
  if (!variance || !mean || centred->inputs[0] != mean->inputs[0])
    return -1;
  const bool squared = maker(*variance, 0, "Pow") || maker(*variance, 0, "Mul");
  return squared ? centred->inputs[0] : -1;
}

// Returns which operations contribute to an output of the network. Those inside a normalisation that is
// recognised as a whole (normalized_input) do not count.
std::vector<bool> Lowering::reachable() {
  std::vector<bool> wanted(net_.operations.size(), false);
  std::vector<bool> needed(net_.tensors.size(), false);
  for (const int id : net_.outputs)
    needed[id] = true;
  for (size_t i = net_.operations.size(); i-- > 0;) {
    const Operation& op = net_.operations[i];
    for (const int id : op.outputs)
      wanted[i] = wanted[i] || (id >= 0 && needed[id]);
    if (!wanted[i])
      continue;
    const int x = normalized_input(op);
    if (x >= 0)
      needed[x] = true;
    for (const int id : op.inputs) {
      if (x < 0 && id >= 0)
        needed[id] = true;
    }
  }
  return wanted;
}

// Lowers one operation with the rule for its type, or as a generic layer. An operation on constants alone
// adds nothing.
void Lowering::lower_operation(size_t i) {
  const Operation& op = net_.operations[i];
  if (const int x = normalized_input(op); x >= 0 && values_[x])
    return normalize(op, x, shape(x).size() - 1);
  bool any = false;
  for (size_t k = 0; k < op.inputs.size(); ++k)
    any = any || active(op, k);
  if (!any)
    return;
  const auto rule = rules().find(op.type);
  if (op.shape_unknown_to_us || rule == rules().end())
    return generic(op);
  if (!active(op, 0) && !takes_constant_first(op.type))
    return generic(op);
  (this->*rule->second)(op);
}

bool Lowering::takes_constant_first(std::string_view type) {
  return rules().at(type) == &Lowering::elementwise || type == "Concat" || type == "Gather" ||
         type == "MatMul" || type == "Gemm";
}

void Lowering::add_layer(Layer layer, const Operation& op, size_t output) {
  layer.name = op.name;
  const int id = int(graph_.layers.size());
  values_[op.outputs[output]] = Value{layer.layout, {{id, {0, 0, 0}, {0, 0, 0}, layer.layout.extents}}};
  graph_.layers.push_back(std::move(layer));
}

std::vector<DimRule> Lowering::broadcast_rules(const Shape& operand, const Shape& out) {
  std::vector<DimRule> list(operand.size());
  for (size_t d = 0; d < operand.size(); ++d) {
    const size_t at = d + out.size() - operand.size();
    if (operand[d] == out[at])
      list[d] = same(at);
  }
  return list;
}

std::vector<DimRule> Lowering::all_same(const Shape& of) const {
  std::vector<DimRule> list;
  for (size_t d = 0; d < of.size(); ++d)
    list.push_back(same(d));
  return list;
}

// Returns the attribute `axis` of an operation, counted from the front, or `fallback` when it has none.
// Throws base::Error when a tensor of `rank` dimensions has no such axis.
size_t Lowering::axis(const Operation& op, int64_t fallback, size_t rank) const {
  const int64_t a = op.integer("axis", fallback);
  const int64_t n = int64_t(rank);
  if (a < -n || a >= n)
    throw Error(
        at(op),
        "axis " + std::to_string(a) + " of a tensor with " + std::to_string(n) + " dimensions");
  return size_t(a < 0 ? a + n : a);
}

std::vector<int64_t> Lowering::constants(const Operation& op, const char* attribute, size_t input) const {
  if (op.integers.contains(attribute))
    return op.list(attribute);
  return input < op.inputs.size() && op.inputs[input] >= 0 ? net_.tensors[op.inputs[input]].values
                                                           : std::vector<int64_t>{};
}

Location Lowering::at(const Operation& op) const {
  return {file_, 0, 0, "node '" + op.name.substr(0, 80) + "' (" + op.type.substr(0, 40) + ")"};
}

// Lowers an operation that no rule fits as an element-wise one with broadcasting. An input with more
// dimensions than the output is needed in full.
void Lowering::generic(const Operation& op) {
  ++graph_.generic;
  for (size_t o = 0; o < op.outputs.size(); ++o) {
    if (op.outputs[o] < 0)
      continue;
    const Shape& out = shape(op.outputs[o]);
    Layer layer;
    layer.kind = LayerKind::Elementwise;
    layer.layout = default_layout(out);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!active(op, i))
        continue;
      const Shape& in = in_shape(op, i);
      auto list = in.size() <= out.size() ? broadcast_rules(in, out) : std::vector<DimRule>(in.size());
      layer.operands.push_back({value(op, i), list, false});
    }
    add_layer(std::move(layer), op, o);
  }
}

// Adds a copying layer for each output that is a view of an input. Called when no operation became a layer.
void Lowering::copy_outputs() {
  for (const int id : net_.outputs) {
    if (!values_[id])
      continue;
    Layer layer;
    layer.name = net_.tensors[id].name;
    layer.kind = LayerKind::Elementwise;
    layer.layout = values_[id]->layout;
    layer.operands = {{*values_[id], all_same(shape(id)), false}};
    graph_.layers.push_back(std::move(layer));
  }
}

// Returns the lowering rule of each operation type.
const std::unordered_map<std::string_view, Lowering::Rule>& Lowering::rules() {
  using Names = std::initializer_list<std::string_view>;
  static const auto* table = [] {
    auto* t = new std::unordered_map<std::string_view, Rule>;
    const auto add = [t](Rule rule, std::span<const std::string_view> names) {
      for (const auto name : names)
        (*t)[name] = rule;
    };
    add(&Lowering::elementwise, spec::unary_operators());
    add(&Lowering::elementwise, spec::binary_operators());
    add(&Lowering::elementwise, Names{"Expand"});
    add(&Lowering::fold, Names{"Identity", "Dropout", "BatchNormalization"});
    add(&Lowering::lower_reshape, Names{"Reshape", "Flatten", "Squeeze", "Unsqueeze"});
    add(&Lowering::lower_transpose, Names{"Transpose"});
    add(&Lowering::lower_split, Names{"Split"});
    add(&Lowering::lower_slice, Names{"Slice"});
    add(&Lowering::lower_pad, Names{"Pad"});
    add(&Lowering::lower_concat, Names{"Concat"});
    add(&Lowering::lower_gather, Names{"Gather"});
    add(&Lowering::lower_depth_to_space, Names{"DepthToSpace", "SpaceToDepth"});
    add(&Lowering::softmax, Names{"Softmax", "LogSoftmax", "Hardmax", "LpNormalization", "CumSum"});
    add(&Lowering::layer_normalization, Names{"LayerNormalization", "SimplifiedLayerNormalization"});
    add(&Lowering::channel_normalization, Names{"GroupNormalization", "MeanVarianceNormalization", "LRN"});
    add(&Lowering::instance_normalization, Names{"InstanceNormalization"});
    add(&Lowering::convolution, Names{"Conv"});
    add(&Lowering::transposed_convolution, Names{"ConvTranspose"});
    add(&Lowering::pool, Names{"MaxPool", "AveragePool", "LpPool"});
    add(&Lowering::global_pool, Names{"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"});
    add(&Lowering::reduce, spec::reductions());
    add(&Lowering::reduce, Names{"ArgMax", "ArgMin"});
    add(&Lowering::matrix_product, Names{"MatMul"});
    add(&Lowering::gemm, Names{"Gemm"});
    add(&Lowering::resize, Names{"Resize", "Upsample"});
    return t;
  }();
  return *table;
}

LayerGraph lower(const spec::Network& network, const std::string& file) {
  return Lowering(network, file).run();
}

}  // namespace lento::chip
