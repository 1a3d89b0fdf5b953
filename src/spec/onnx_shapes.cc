// One small function per family of operators; the table at the end names the family of each. A rule sees the
// operator, its input tensors (never absent up to the number that the family needs) and writes output shapes.
#include "spec/onnx_shapes.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace lento::spec {
namespace {

using base::Error;
using base::Location;

struct Call {
  const Operation& op;
  std::vector<Tensor>& tensors;
  const Location& where;

  bool has(size_t i) const { return i < op.inputs.size() && op.inputs[i] >= 0; }
  const Tensor& in(size_t i) const {
    if (!has(i)) throw Error(where, op.type + " needs " + std::to_string(i + 1) + " inputs");
    return tensors[op.inputs[i]];
  }
  const Shape& shape(size_t i) const { return in(i).shape; }
  Tensor& out(size_t i = 0) const { return tensors[op.outputs[i]]; }

  [[noreturn]] void fail(const std::string& message) const { throw Error(where, message); }
  void need_rank(size_t i, size_t rank) const {
    if (shape(i).size() < rank) {
      fail("input " + std::to_string(i) + " is " + to_string(shape(i)) + ", needed at least " +
           std::to_string(rank) + " dimensions");
    }
  }
  // Values of an integer input; throws when they are not constants of the file.
  const std::vector<int64_t>& values(size_t i) const {
    const Tensor& tensor = in(i);
    if (!tensor.has_values) fail("input '" + tensor.name + "' must be a constant for shapes to be known");
    return tensor.values;
  }
  // An attribute in old opsets, an input in new ones.
  std::vector<int64_t> list(const char* attribute, size_t input) const {
    if (op.integers.contains(attribute)) return op.list(attribute);
    return has(input) ? values(input) : std::vector<int64_t>{};
  }
};

int64_t times(int64_t a, int64_t b, const Call& call) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) call.fail("sizes overflow");
  return product;
}

void same_as_first(const Call& call) { call.out().shape = call.shape(0); }

void broadcast_all(const Call& call) {
  Shape shape = call.shape(0);
  for (size_t i = 1; i < call.op.inputs.size(); ++i) shape = broadcast(shape, call.shape(i), call.where);
  call.out().shape = shape;
}

int64_t attribute_at(const std::vector<int64_t>& list, size_t i, int64_t fallback) {
  return i < list.size() ? list[i] : fallback;
}

// Output extent of a window along spatial axis i of n.
int64_t window_extent(const Call& call, int64_t extent, int64_t kernel, size_t i, size_t n) {
  const auto strides = call.op.list("strides"), dilations = call.op.list("dilations"),
             pads = call.op.list("pads");
  const int64_t stride = attribute_at(strides, i, 1), dilation = attribute_at(dilations, i, 1);
  constexpr int64_t kLimit = 1 << 24;
  const int64_t before = attribute_at(pads, i, 0), after = attribute_at(pads, n + i, 0);
  if (stride < 1 || dilation < 1 || kernel < 1 || before < 0 || after < 0 || stride > kLimit ||
      dilation > kLimit || kernel > kLimit || before > kLimit || after > kLimit) {
    call.fail("strides, dilations and kernel must be positive and pads not negative");
  }
  const auto auto_pad = call.op.texts.find("auto_pad");
  if (auto_pad != call.op.texts.end() && auto_pad->second.starts_with("SAME"))
    return (extent + stride - 1) / stride;
  const int64_t room = extent + before + after - (dilation * (kernel - 1) + 1);
  if (room < 0)
    call.fail("the window of " + std::to_string(kernel) + " is larger than its input of " +
              std::to_string(extent));
  const bool up = call.op.integer("ceil_mode", 0) != 0;
  int64_t count = (up ? room + stride - 1 : room) / stride + 1;
  if (up && (count - 1) * stride >= extent + before) --count;  // no window starts in the padding behind
  return count;
}

void convolution(const Call& call) {
  call.need_rank(0, 3);
  const Shape &x = call.shape(0), &w = call.shape(1);
  if (w.size() != x.size()) call.fail("weights are " + to_string(w) + ", the input " + to_string(x));
  const int64_t groups = call.op.integer("group", 1);
  if (groups < 1 || w[0] % groups != 0 || w[1] > kMaxElements / groups || w[1] * groups != x[1]) {
    call.fail("weights " + to_string(w) + " in " + std::to_string(groups) + " groups do not fit the input " +
              to_string(x));
  }
  Shape shape{x[0], w[0]};
  for (size_t i = 2; i < x.size(); ++i) shape.push_back(window_extent(call, x[i], w[i], i - 2, x.size() - 2));
  call.out().shape = shape;
}

void transposed_convolution(const Call& call) {
  call.need_rank(0, 3);
  const Shape &x = call.shape(0), &w = call.shape(1);
  const int64_t groups = call.op.integer("group", 1);
  if (w.size() != x.size() || w[0] != x[1] || groups < 1)
    call.fail("weights " + to_string(w) + " do not fit the input " + to_string(x));
  Shape shape{x[0], times(w[1], groups, call)};
  const auto strides = call.op.list("strides"), dilations = call.op.list("dilations"),
             pads = call.op.list("pads");
  const auto extra = call.op.list("output_padding"), given = call.op.list("output_shape");
  const size_t n = x.size() - 2;
  for (size_t i = 0; i < n; ++i) {
    const int64_t grown = times(x[i + 2] - 1, attribute_at(strides, i, 1), call) + attribute_at(extra, i, 0) +
                          times(w[i + 2] - 1, attribute_at(dilations, i, 1), call) + 1 -
                          attribute_at(pads, i, 0) - attribute_at(pads, n + i, 0);
    shape.push_back(attribute_at(given, i, grown));
  }
  call.out().shape = shape;
}

void pooling(const Call& call) {
  call.need_rank(0, 3);
  const Shape& x = call.shape(0);
  const auto kernel = call.op.list("kernel_shape");
  if (kernel.size() + 2 != x.size()) call.fail("kernel_shape does not fit the input " + to_string(x));
  Shape shape{x[0], x[1]};
  for (size_t i = 2; i < x.size(); ++i)
    shape.push_back(window_extent(call, x[i], kernel[i - 2], i - 2, kernel.size()));
  for (size_t i = 0; i < call.op.outputs.size(); ++i) {
    if (call.op.outputs[i] >= 0) call.out(i).shape = shape;
  }
}

void global_pooling(const Call& call) {
  call.need_rank(0, 3);
  Shape shape(call.shape(0).size(), 1);
  shape[0] = call.shape(0)[0];
  shape[1] = call.shape(0)[1];
  call.out().shape = shape;
}

void gemm(const Call& call) {
  const Shape &a = call.shape(0), &b = call.shape(1);
  if (a.size() != 2 || b.size() != 2)
    call.fail("Gemm needs two matrices, found " + to_string(a) + " and " + to_string(b));
  const bool ta = call.op.integer("transA", 0) != 0, tb = call.op.integer("transB", 0) != 0;
  if (a[ta ? 0 : 1] != b[tb ? 1 : 0])
    call.fail("inner sizes differ: " + to_string(a) + " and " + to_string(b));
  call.out().shape = {a[ta ? 1 : 0], b[tb ? 0 : 1]};
}

void matrix_product(const Call& call) {
  Shape a = call.shape(0), b = call.shape(1);
  if (a.empty() || b.empty()) call.fail("MatMul needs at least vectors");
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (a.back() != b[b.size() - 2]) call.fail("inner sizes differ: " + to_string(a) + " and " + to_string(b));
  Shape shape = broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2), call.where);
  if (!row) shape.push_back(a[a.size() - 2]);
  if (!column) shape.push_back(b.back());
  call.out().shape = shape;
}

void reshape(const Call& call) {
  const Shape& x = call.shape(0);
  std::vector<int64_t> wanted = call.list("shape", 1);
  int64_t known = 1;
  int open = -1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && call.op.integer("allowzero", 0) == 0 && i < x.size()) wanted[i] = x[i];
    if (wanted[i] == -1 && open < 0) {
      open = static_cast<int>(i);
    } else if (wanted[i] < 1) {
      call.fail("a target size of " + std::to_string(wanted[i]));
    } else {
      known = times(known, wanted[i], call);
    }
  }
  const int64_t total = element_count(x);
  if (open >= 0) wanted[open] = total / known;
  if (element_count(wanted) != total || (open >= 0 && total % known != 0)) {
    throw Error(call.where, to_string(x) + " does not reshape to " + to_string(wanted),
                "export the model with batch 1 or a dynamic batch");
  }
  call.out().shape = wanted;
}

void flatten(const Call& call) {
  const Shape& x = call.shape(0);
  const int64_t axis = call.op.integer("axis", 1);
  const size_t cut =
      axis == static_cast<int64_t>(x.size()) ? x.size() : normal_axis(axis, x.size(), call.where);
  call.out().shape = {element_count(Shape(x.begin(), x.begin() + cut)),
                      element_count(Shape(x.begin() + cut, x.end()))};
}

void squeeze(const Call& call) {
  const Shape& x = call.shape(0);
  std::vector<bool> drop(x.size(), false);
  const auto axes = call.list("axes", 1);
  for (const int64_t a : axes) drop[normal_axis(a, x.size(), call.where)] = true;
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (drop[i] && x[i] != 1) call.fail("axis " + std::to_string(i) + " of " + to_string(x) + " is not 1");
    if (!(axes.empty() ? x[i] == 1 : drop[i])) shape.push_back(x[i]);
  }
  call.out().shape = shape;
}

void unsqueeze(const Call& call) {
  const auto axes = call.list("axes", 1);
  const size_t rank = call.shape(0).size() + axes.size();
  if (rank > kMaxRank) call.fail("more than 8 dimensions");
  std::vector<bool> fresh(rank, false);
  for (const int64_t a : axes) {
    const size_t at = normal_axis(a, rank, call.where);
    if (fresh[at]) call.fail("an axis stands twice");
    fresh[at] = true;
  }
  Shape shape;
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i) shape.push_back(fresh[i] ? 1 : call.shape(0)[next++]);
  call.out().shape = shape;
}

void transpose(const Call& call) {
  const Shape& x = call.shape(0);
  std::vector<int64_t> order;
  for (size_t i = x.size(); i-- > 0;) order.push_back(static_cast<int64_t>(i));
  order = call.op.list("perm", order);
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Shape shape;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() != x.size() || sorted[i] != static_cast<int64_t>(i))
      call.fail("perm is no order of the axes of " + to_string(x));
    shape.push_back(x[order[i]]);
  }
  call.out().shape = shape;
}

void concat(const Call& call) {
  Shape shape = call.shape(0);
  const size_t axis = normal_axis(call.op.integer("axis", 0), shape.size(), call.where);
  for (size_t i = 1; i < call.op.inputs.size(); ++i) {
    const Shape& x = call.shape(i);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (x.size() != shape.size() || (d != axis && x[d] != shape[d])) {
        call.fail("cannot join " + to_string(shape) + " and " + to_string(x) + " along axis " +
                  std::to_string(axis));
      }
    }
    shape[axis] += x[axis];
  }
  call.out().shape = shape;
}

void split(const Call& call) {
  const Shape& x = call.shape(0);
  const size_t axis = normal_axis(call.op.integer("axis", 0), x.size(), call.where);
  std::vector<int64_t> sizes = call.list("split", 1);
  const auto parts = static_cast<int64_t>(call.op.outputs.size());
  if (sizes.empty()) {
    const int64_t size = (x[axis] + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i) sizes.push_back(std::min(size, x[axis] - i * size));
  }
  int64_t sum = 0;
  for (const int64_t s : sizes) sum = s > 0 && s <= x[axis] ? sum + s : INT64_MIN / 2;
  if (sum != x[axis] || sizes.size() != call.op.outputs.size())
    call.fail("the parts do not add up to axis " + std::to_string(axis) + " of " + to_string(x));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (call.op.outputs[i] < 0) continue;
    Shape shape = x;
    shape[axis] = sizes[i];
    call.out(i).shape = shape;
  }
}

// Start and end inside [0, extent] of one sliced axis with a positive step.
std::pair<int64_t, int64_t> slice_bounds(int64_t start, int64_t end, int64_t extent) {
  const auto clamp = [extent](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + extent : v, 0, extent); };
  return {clamp(std::max(start, -extent)), clamp(std::max(end, -extent))};
}

void slice(const Call& call) {
  const Shape& x = call.shape(0);
  const auto starts = call.list("starts", 1), ends = call.list("ends", 2), steps = call.list("steps", 4);
  auto axes = call.list("axes", 3);
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (starts.size() != ends.size() || axes.size() != starts.size())
    call.fail("starts, ends and axes differ in number");
  Shape shape = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = normal_axis(axes[i], x.size(), call.where);
    const int64_t step = attribute_at(steps, i, 1);
    if (step == -1) continue;  // reversal keeps the shape when it takes the whole axis, as exporters do
    if (step < 1) call.fail("a step of " + std::to_string(step));
    const auto [from, to] = slice_bounds(starts[i], ends[i], x[axis]);
    if (to <= from) call.fail("an empty slice of axis " + std::to_string(axis) + " of " + to_string(x));
    shape[axis] = (to - from - 1) / step + 1;
  }
  call.out().shape = shape;
}

void gather(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  const size_t axis = normal_axis(call.op.integer("axis", 0), x.size(), call.where);
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  call.out().shape = shape;
}

void expand(const Call& call) { call.out().shape = broadcast(call.shape(0), call.values(1), call.where); }

void tile(const Call& call) {
  Shape shape = call.shape(0);
  const auto& repeats = call.values(1);
  if (repeats.size() != shape.size()) call.fail("repeats do not fit " + to_string(shape));
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = times(shape[i], repeats[i], call);
  call.out().shape = shape;
}

void pad(const Call& call) {
  Shape shape = call.shape(0);
  const auto pads = call.list("pads", 1);
  if (pads.size() != 2 * shape.size()) call.fail("pads do not fit " + to_string(shape));
  for (size_t i = 0; i < shape.size(); ++i) {
    if (std::abs(pads[i]) > kMaxElements || std::abs(pads[shape.size() + i]) > kMaxElements)
      call.fail("pads are too large");
    shape[i] += pads[i] + pads[shape.size() + i];
  }
  call.out().shape = shape;
}

void resize(const Call& call) {
  Shape shape = call.shape(0);
  const size_t sizes_at = call.op.type == "Upsample" ? 9 : 3;
  if (call.has(sizes_at)) {
    call.out().shape = call.values(sizes_at);
    if (call.out().shape.size() != shape.size()) call.fail("sizes do not fit " + to_string(shape));
    return;
  }
  // Scales are numbers, not integers: kept by the reader as millionths under "scales".
  const auto scales = call.op.list("scales");
  if (scales.size() != shape.size()) call.fail("neither sizes nor scales are constants of the file");
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = times(shape[i], scales[i], call) / 1'000'000;
  call.out().shape = shape;
}

void reduce(const Call& call) {
  const Shape& x = call.shape(0);
  std::vector<bool> gone(x.size(), false);
  const auto axes = axes_of(call.op, call.tensors);
  const bool all = axes.empty() && call.op.integer("noop_with_empty_axes", 0) == 0;
  for (const int64_t a : axes) gone[normal_axis(a, x.size(), call.where)] = true;
  const bool keep = call.op.integer("keepdims", 1) != 0;
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!all && !gone[i])
      shape.push_back(x[i]);
    else if (keep)
      shape.push_back(1);
  }
  call.out().shape = shape;
}

void arg_reduce(const Call& call) {
  Shape shape = call.shape(0);
  const size_t axis = normal_axis(call.op.integer("axis", 0), shape.size(), call.where);
  if (call.op.integer("keepdims", 1))
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + axis);
  call.out().shape = shape;
}

void depth_to_space(const Call& call) {
  Shape s = call.shape(0);
  const int64_t b = call.op.integer("blocksize", 1);
  if (s.size() != 4 || b < 1 || b > 4096) call.fail("needs four dimensions and a block size");
  const bool spread = call.op.type == "DepthToSpace";
  if (spread ? s[1] % (b * b) != 0 : s[2] % b != 0 || s[3] % b != 0)
    call.fail("the block size does not divide " + to_string(s));
  call.out().shape = spread ? Shape{s[0], s[1] / (b * b), s[2] * b, s[3] * b}
                            : Shape{s[0], s[1] * b * b, s[2] / b, s[3] / b};
}

void shape_of(const Call& call) { call.out().shape = {static_cast<int64_t>(call.shape(0).size())}; }
void constant_of_shape(const Call& call) { call.out().shape = call.values(0); }
void range(const Call& call) {
  const int64_t from = call.values(0).at(0), to = call.values(1).at(0), step = call.values(2).at(0);
  if (step <= 0 || to <= from || to - from > kMaxElements) call.fail("an empty or very long range");
  call.out().shape = {(to - from - 1) / step + 1};
}

using Rule = void (*)(const Call&);

const std::unordered_map<std::string_view, Rule>& rules() {
  static const auto* table = [] {
    auto* t = new std::unordered_map<std::string_view, Rule>;
    const auto add = [t](Rule rule, std::initializer_list<std::string_view> names) {
      for (const auto name : names) (*t)[name] = rule;
    };
    add(same_as_first, {"Relu",
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
                        "Identity",
                        "Dropout",
                        "Cast",
                        "Softmax",
                        "LogSoftmax",
                        "Hardmax",
                        "BatchNormalization",
                        "InstanceNormalization",
                        "LayerNormalization",
                        "GroupNormalization",
                        "SimplifiedLayerNormalization",
                        "LpNormalization",
                        "MeanVarianceNormalization",
                        "LRN",
                        "Trilu",
                        "CumSum",
                        "QuantizeLinear",
                        "DequantizeLinear",
                        "ScatterND",
                        "ScatterElements",
                        "FastGelu",
                        "QuickGelu",
                        "BiasGelu"});
    add(broadcast_all, {"Add",
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
                        "BitShift"});
    add(pooling, {"MaxPool", "AveragePool", "LpPool"});
    add(global_pooling, {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"});
    add(reduce, {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                 "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"});
    add(arg_reduce, {"ArgMax", "ArgMin"});
    add(convolution, {"Conv"});
    add(transposed_convolution, {"ConvTranspose"});
    add(gemm, {"Gemm"});
    add(matrix_product, {"MatMul"});
    add(reshape, {"Reshape"});
    add(flatten, {"Flatten"});
    add(squeeze, {"Squeeze"});
    add(unsqueeze, {"Unsqueeze"});
    add(transpose, {"Transpose"});
    add(concat, {"Concat"});
    add(split, {"Split"});
    add(slice, {"Slice"});
    add(gather, {"Gather"});
    add(expand, {"Expand"});
    add(tile, {"Tile"});
    add(pad, {"Pad"});
    add(resize, {"Resize", "Upsample"});
    add(depth_to_space, {"DepthToSpace", "SpaceToDepth"});
    add(shape_of, {"Shape"});
    add(constant_of_shape, {"ConstantOfShape"});
    add(range, {"Range"});
    return t;
  }();
  return *table;
}

// Values of elementwise integer arithmetic; false when the operator is none.
bool combine(std::string_view type, int64_t a, int64_t b, int64_t& out) {
  const auto divide = [&] { return b == 0 || (a == INT64_MIN && b == -1) ? 0 : a / b; };
  if (type == "Add") return __builtin_add_overflow(a, b, &out), true;
  if (type == "Sub") return __builtin_sub_overflow(a, b, &out), true;
  if (type == "Mul") return __builtin_mul_overflow(a, b, &out), true;
  if (type == "Div") return out = divide(), true;
  if (type == "Max") return out = std::max(a, b), true;
  if (type == "Min") return out = std::min(a, b), true;
  if (type == "Equal") return out = a == b, true;
  return false;
}

std::vector<int64_t> slice_values(const Call& call) {
  const auto& x = call.values(0);
  const auto starts = call.list("starts", 1), ends = call.list("ends", 2), steps = call.list("steps", 4);
  const int64_t step = attribute_at(steps, 0, 1);
  if (step == -1) return {x.rbegin(), x.rend()};
  std::vector<int64_t> out;
  const auto [from, to] =
      slice_bounds(attribute_at(starts, 0, 0), attribute_at(ends, 0, 0), static_cast<int64_t>(x.size()));
  for (int64_t i = from; i < to && step > 0; i += step) out.push_back(x[i]);
  return out;
}

// The integer values of output 0 where exporters compute with them; false: not known.
bool fold_values(const Call& call, std::vector<int64_t>& out) {
  const std::string& type = call.op.type;
  if (type == "Shape") return out = call.shape(0), true;
  if (call.op.inputs.empty()) return false;
  for (size_t i = 0; i < call.op.inputs.size(); ++i) {
    if (call.has(i) && !call.in(i).has_values) return false;
  }
  if (type == "ConstantOfShape") {
    return out.assign(element_count(call.out().shape), call.op.integer("value", 0)), true;
  }
  if (type == "Range") {
    for (int64_t i = 0; i < call.out().shape[0]; ++i)
      out.push_back(call.values(0)[0] + i * call.values(2)[0]);
    return true;
  }
  const std::vector<int64_t> x = call.values(0);
  if (type == "Identity" || type == "Cast" || type == "Squeeze" || type == "Unsqueeze" || type == "Reshape" ||
      type == "Flatten" || type == "Floor" || type == "Ceil") {
    return out = x, true;
  }
  if (type == "Neg")
    return out = {},
           std::transform(x.begin(), x.end(), std::back_inserter(out),
                          [](int64_t v) { return v == INT64_MIN ? v : -v; }),
           true;
  if (type == "Concat") {
    for (size_t i = 0; i < call.op.inputs.size(); ++i)
      out.insert(out.end(), call.values(i).begin(), call.values(i).end());
    return true;
  }
  if (type == "Slice" && call.shape(0).size() == 1) return out = slice_values(call), true;
  if (type == "Gather" && call.shape(0).size() == 1) {
    for (const int64_t i : call.values(1)) {
      const int64_t at = i < 0 ? i + static_cast<int64_t>(x.size()) : i;
      if (at < 0 || at >= static_cast<int64_t>(x.size()))
        call.fail("index " + std::to_string(i) + " outside the " + std::to_string(x.size()) + " values");
      out.push_back(x[at]);
    }
    return true;
  }
  if (type == "Expand" && x.size() == 1) return out.assign(element_count(call.out().shape), x[0]), true;
  const auto at = [](const std::vector<int64_t>& v, size_t i) {
    return v.size() == 1 ? v[0] : i < v.size() ? v[i] : 0;
  };
  const size_t count = static_cast<size_t>(element_count(call.out().shape));
  if (type == "Where" && call.op.inputs.size() == 3) {
    for (size_t i = 0; i < count; ++i)
      out.push_back(at(x, i) ? at(call.values(1), i) : at(call.values(2), i));
    return true;
  }
  int64_t value;
  if (call.op.inputs.size() != 2 || !call.has(1) || !combine(type, 0, 1, value)) return false;
  for (size_t i = 0; i < count; ++i) {
    combine(type, at(x, i), at(call.values(1), i), value);
    out.push_back(value);
  }
  return true;
}

}  // namespace

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
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n)
    throw Error(where,
                "axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) + " dimensions");
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
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
  if (operation.integers.contains("axes")) return operation.list("axes");
  if (operation.inputs.size() > 1 && operation.inputs[1] >= 0) return tensors[operation.inputs[1]].values;
  return {};
}

bool infer_shapes(const Operation& operation, std::vector<Tensor>& tensors, const Location& where) {
  const auto rule = rules().find(operation.type);
  if (rule == rules().end()) return false;
  const Call call{operation, tensors, where};
  if (operation.inputs.empty()) throw Error(where, operation.type + " without inputs");
  rule->second(call);
  bool constant = true;
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    constant = constant && (!call.has(i) || call.in(i).constant);
  for (const int id : operation.outputs) {
    if (id < 0) continue;
    check_shape(tensors[id].shape, where);
    tensors[id].constant = constant || operation.type == "Shape";
    tensors[id].element_bytes = call.in(0).element_bytes;
  }
  Tensor& out = tensors[operation.outputs.front()];
  std::vector<int64_t> values;
  if (out.constant && element_count(out.shape) <= static_cast<int64_t>(kMaxValues) &&
      fold_values(call, values) && values.size() == static_cast<size_t>(element_count(out.shape))) {
    out.values = std::move(values);
    out.has_values = true;
  }
  return true;
}

}  // namespace lento::spec
