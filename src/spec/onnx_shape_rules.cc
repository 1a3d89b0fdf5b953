// Infers the output shapes of ONNX operators. Each family of operators has one small function, and the table
// at the end names the family of each operator. A rule reads the operator and its input tensors, which are
// present up to the number that the family needs, and writes output shapes. Source: the ONNX operator
// specification.
#include "spec/onnx_shape_rules.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>

#include "spec/onnx_operators.h"
#include "spec/onnx_product_rules.h"
#include "spec/shape_math.h"

namespace lento::spec {

int64_t attribute_at(const std::vector<int64_t>& list, size_t i, int64_t fallback) {
  if (i < list.size())
    return list[i];
  return fallback;
}

std::pair<int64_t, int64_t> slice_bounds(int64_t start, int64_t end, int64_t extent) {
  const auto clamp = [extent](int64_t v) {
    return std::clamp<int64_t>(v < 0 ? v + extent : v, 0, extent);
  };
  return {clamp(std::max(start, -extent)), clamp(std::max(end, -extent))};
}

int64_t times(int64_t a, int64_t b, const Call& call) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    call.fail("sizes overflow");
  return product;
}

namespace {

using base::Error;

void same_as_first(const Call& call) {
  call.out().shape = call.shape(0);
}

void broadcast_all(const Call& call) {
  Shape shape = call.shape(0);
  for (size_t i = 1; i < call.op.inputs.size(); ++i)
    shape = broadcast(shape, call.shape(i), call.where);
  call.out().shape = shape;
}

void reshape(const Call& call) {
  const Shape& x = call.shape(0);
  std::vector<int64_t> wanted = call.list("shape", 1);
  const bool copies = call.op.integer("allowzero", 0) == 0;
  int64_t known = 1;
  int open = -1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t& size = wanted[i];
    if (size == 0 && copies && i < x.size())
      size = x[i];
    if (size == -1 && open < 0) {
      open = int(i);
      continue;
    }
    if (size < 1)
      call.fail("a target size of " + std::to_string(size));
    known = times(known, size, call);
  }
  const int64_t total = element_count(x);
  bool divides = true;
  if (open >= 0) {
    wanted[open] = total / known;
    divides = total % known == 0;
  }
  if (element_count(wanted) != total || !divides) {
    throw Error(
        call.where,
        to_string(x) + " does not reshape to " + to_string(wanted),
        "export the model with batch 1 or a dynamic batch");
  }
  call.out().shape = wanted;
}

void flatten(const Call& call) {
  const Shape& x = call.shape(0);
  const int64_t axis = call.op.integer("axis", 1);
  size_t cut = x.size();
  if (axis != int64_t(cut))
    cut = normal_axis(axis, x.size(), call.where);
  const Shape outer(x.begin(), x.begin() + cut);
  const Shape inner(x.begin() + cut, x.end());
  call.out().shape = {element_count(outer), element_count(inner)};
}

void squeeze(const Call& call) {
  const Shape& x = call.shape(0);
  std::vector<bool> drop(x.size(), false);
  const auto axes = call.list("axes", 1);
  for (const int64_t a : axes)
    drop[normal_axis(a, x.size(), call.where)] = true;
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool single = x[i] == 1;
    if (drop[i] && !single)
      call.fail("axis " + std::to_string(i) + " of " + to_string(x) + " is not 1");
    const bool goes = axes.empty() ? single : drop[i];
    if (!goes)
      shape.push_back(x[i]);
  }
  call.out().shape = shape;
}

void unsqueeze(const Call& call) {
  const auto axes = call.list("axes", 1);
  const size_t rank = call.shape(0).size() + axes.size();
  if (rank > kMaxRank)
    call.fail("more than 8 dimensions");
  std::vector<bool> fresh(rank, false);
  for (const int64_t a : axes) {
    const size_t at = normal_axis(a, rank, call.where);
    if (fresh[at])
      call.fail("an axis stands twice");
    fresh[at] = true;
  }
  Shape shape;
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (fresh[i])
      shape.push_back(1);
    else
      shape.push_back(call.shape(0)[next++]);
  }
  call.out().shape = shape;
}

void transpose(const Call& call) {
  const Shape& x = call.shape(0);
  std::vector<int64_t> axes(x.size());
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<int64_t> reversed(axes.rbegin(), axes.rend());
  const std::vector<int64_t> order = call.op.list("perm", reversed);
  const bool permutes = std::ranges::is_permutation(order, axes);
  if (!permutes)
    call.fail("perm is no order of the axes of " + to_string(x));
  Shape shape;
  for (const int64_t axis : order)
    shape.push_back(x[axis]);
  call.out().shape = shape;
}

// True when two shapes differ in the axis of concatenation only.
bool fits_beside(const Shape& a, const Shape& b, size_t axis) {
  if (a.size() != b.size())
    return false;
  for (size_t d = 0; d < a.size(); ++d) {
    if (d != axis && a[d] != b[d])
      return false;
  }
  return true;
}

void concat(const Call& call) {
  Shape shape = call.shape(0);
  const size_t axis = normal_axis(call.op.integer("axis", 0), shape.size(), call.where);
  for (size_t i = 1; i < call.op.inputs.size(); ++i) {
    const Shape& x = call.shape(i);
    if (!fits_beside(shape, x, axis)) {
      const std::string both = to_string(shape) + " and " + to_string(x);
      call.fail("cannot join " + both + " along axis " + std::to_string(axis));
    }
    shape[axis] += x[axis];
  }
  call.out().shape = shape;
}

void split(const Call& call) {
  const Shape& x = call.shape(0);
  const size_t axis = normal_axis(call.op.integer("axis", 0), x.size(), call.where);
  std::vector<int64_t> sizes = call.list("split", 1);
  const auto parts = int64_t(call.op.outputs.size());
  if (sizes.empty()) {
    const int64_t size = (x[axis] + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i)
      sizes.push_back(std::min(size, x[axis] - i * size));
  }
  int64_t sum = 0;
  for (const int64_t size : sizes) {
    const bool inside = size > 0 && size <= x[axis];
    sum = inside ? sum + size : INT64_MIN / 2;
  }
  if (sum != x[axis] || sizes.size() != call.op.outputs.size())
    call.fail("the parts do not add up to axis " + std::to_string(axis) + " of " + to_string(x));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (call.op.outputs[i] < 0)
      continue;
    Shape shape = x;
    shape[axis] = sizes[i];
    call.out(i).shape = shape;
  }
}

void slice(const Call& call) {
  const Shape& x = call.shape(0);
  const auto starts = call.list("starts", 1);
  const auto ends = call.list("ends", 2);
  const auto steps = call.list("steps", 4);
  auto axes = call.list("axes", 3);
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(int64_t(i));
  }
  if (starts.size() != ends.size() || axes.size() != starts.size())
    call.fail("starts, ends and axes differ in number");
  Shape shape = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = normal_axis(axes[i], x.size(), call.where);
    const int64_t step = attribute_at(steps, i, 1);
    if (step == -1)
      continue;  // reversal keeps the shape when it takes the whole axis, as exporters do
    if (step < 1)
      call.fail("a step of " + std::to_string(step));
    const auto [from, to] = slice_bounds(starts[i], ends[i], x[axis]);
    if (to <= from)
      call.fail("an empty slice of axis " + std::to_string(axis) + " of " + to_string(x));
    shape[axis] = (to - from - 1) / step + 1;
  }
  call.out().shape = shape;
}

void gather(const Call& call) {
  const Shape& x = call.shape(0);
  const Shape& indices = call.shape(1);
  const size_t axis = normal_axis(call.op.integer("axis", 0), x.size(), call.where);
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  call.out().shape = shape;
}

void expand(const Call& call) {
  call.out().shape = broadcast(call.shape(0), call.values(1), call.where);
}

void tile(const Call& call) {
  Shape shape = call.shape(0);
  const auto& repeats = call.values(1);
  if (repeats.size() != shape.size())
    call.fail("repeats do not fit " + to_string(shape));
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] = times(shape[i], repeats[i], call);
  call.out().shape = shape;
}

void pad(const Call& call) {
  Shape shape = call.shape(0);
  const auto pads = call.list("pads", 1);
  if (pads.size() != 2 * shape.size())
    call.fail("pads do not fit " + to_string(shape));
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t before = pads[i];
    const int64_t after = pads[shape.size() + i];
    for (const int64_t padding : {before, after}) {
      if (padding > kMaxElements || padding < -kMaxElements)
        call.fail("pads are too large");
    }
    shape[i] += before + after;
  }
  call.out().shape = shape;
}

void resize(const Call& call) {
  Shape shape = call.shape(0);
  const size_t sizes_at = call.op.type == "Upsample" ? 9 : 3;
  if (call.has(sizes_at)) {
    call.out().shape = call.values(sizes_at);
    if (call.out().shape.size() != shape.size())
      call.fail("sizes do not fit " + to_string(shape));
    return;
  }
  // The reader keeps scales, which are no integers, as millionths under "scales".
  const auto scales = call.op.list("scales");
  if (scales.size() != shape.size())
    call.fail("neither sizes nor scales are constants of the file");
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] = times(shape[i], scales[i], call) / 1'000'000;
  call.out().shape = shape;
}

void reduce(const Call& call) {
  const Shape& x = call.shape(0);
  std::vector<bool> gone(x.size(), false);
  const auto axes = axes_of(call.op, call.tensors);
  const bool all = axes.empty() && call.op.integer("noop_with_empty_axes", 0) == 0;
  for (const int64_t a : axes)
    gone[normal_axis(a, x.size(), call.where)] = true;
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
  const Shape& x = call.shape(0);
  const int64_t block = call.op.integer("blocksize", 1);
  if (x.size() != 4 || block < 1 || block > 4096)
    call.fail("needs four dimensions and a block size");
  const int64_t area = block * block;
  const int64_t channels = x[1];
  const int64_t height = x[2];
  const int64_t width = x[3];
  const bool spread = call.op.type == "DepthToSpace";
  bool divides = height % block == 0 && width % block == 0;
  if (spread)
    divides = channels % area == 0;
  if (!divides)
    call.fail("the block size does not divide " + to_string(x));
  if (spread)
    call.out().shape = {x[0], channels / area, height * block, width * block};
  else
    call.out().shape = {x[0], channels * area, height / block, width / block};
}

void shape_of(const Call& call) {
  call.out().shape = {int64_t(call.shape(0).size())};
}
void constant_of_shape(const Call& call) {
  call.out().shape = call.values(0);
}
void range(const Call& call) {
  const auto one = [&](size_t i) {
    const auto values = call.values(i);
    if (values.size() != 1)
      call.fail("an end or step of a range must be one number");
    return values[0];
  };
  const int64_t from = one(0);
  const int64_t to = one(1);
  const int64_t step = one(2);
  int64_t length;
  const bool overflows = __builtin_sub_overflow(to, from, &length);
  const bool empty = step <= 0 || to <= from;
  if (empty || overflows || length > kMaxElements)
    call.fail("an empty or very long range");
  call.out().shape = {(length - 1) / step + 1};
}

using Names = std::initializer_list<std::string_view>;

const std::unordered_map<std::string_view, ShapeRule>& rules() {
  static const auto* table = [] {
    auto* t = new std::unordered_map<std::string_view, ShapeRule>;
    const auto add = [t](ShapeRule rule, std::span<const std::string_view> names) {
      for (const auto name : names)
        (*t)[name] = rule;
    };
    add(same_as_first, unary_operators());
    add(same_as_first,
        Names{
            "Identity",
            "Dropout",
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
            "CumSum",
            "ScatterND",
            "ScatterElements"});
    add(broadcast_all, binary_operators());
    add(pooling, Names{"MaxPool", "AveragePool", "LpPool"});
    add(global_pooling, Names{"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"});
    add(reduce, reductions());
    add(arg_reduce, Names{"ArgMax", "ArgMin"});
    add(convolution, Names{"Conv"});
    add(transposed_convolution, Names{"ConvTranspose"});
    add(gemm, Names{"Gemm"});
    add(matrix_product, Names{"MatMul"});
    add(reshape, Names{"Reshape"});
    add(flatten, Names{"Flatten"});
    add(squeeze, Names{"Squeeze"});
    add(unsqueeze, Names{"Unsqueeze"});
    add(transpose, Names{"Transpose"});
    add(concat, Names{"Concat"});
    add(split, Names{"Split"});
    add(slice, Names{"Slice"});
    add(gather, Names{"Gather"});
    add(expand, Names{"Expand"});
    add(tile, Names{"Tile"});
    add(pad, Names{"Pad"});
    add(resize, Names{"Resize", "Upsample"});
    add(depth_to_space, Names{"DepthToSpace", "SpaceToDepth"});
    add(shape_of, Names{"Shape"});
    add(constant_of_shape, Names{"ConstantOfShape"});
    add(range, Names{"Range"});
    return t;
  }();
  return *table;
}

}  // namespace

ShapeRule shape_rule(std::string_view type) {
  const auto found = rules().find(type);
  if (found == rules().end())
    return nullptr;
  return found->second;
}

}  // namespace lento::spec
