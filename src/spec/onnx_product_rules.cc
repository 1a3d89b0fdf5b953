// Infers the shapes of convolutions, pools and matrix products. Extents follow the ONNX specification,
// including its rule that no window may start in the padding after the input.
#include "spec/onnx_product_rules.h"

#include <algorithm>
#include <initializer_list>

#include "spec/shape_math.h"

namespace lento::spec {
namespace {

// Throws base::Error when sizes of a window are out of range.
void check_window(
    std::initializer_list<int64_t> positive,
    std::initializer_list<int64_t> pads,
    const Call& call) {
  constexpr int64_t kLimit = 1 << 24;
  const auto outside = [](int64_t low) {
    return [low](int64_t v) {
      return v < low || v > kLimit;
    };
  };
  const bool bad = std::ranges::any_of(positive, outside(1)) || std::ranges::any_of(pads, outside(0));
  if (bad)
    call.fail("strides, dilations and kernel must be positive and pads not negative");
}

bool all_within(const std::vector<int64_t>& list, int64_t low) {
  return std::ranges::all_of(list, [low](int64_t v) {
    return v >= low && v <= kMaxElements;
  });
}

// Returns the output extent of a window along spatial axis i of n.
int64_t window_extent(const Call& call, int64_t extent, int64_t kernel, size_t i, size_t n) {
  const auto strides = call.op.list("strides");
  const auto dilations = call.op.list("dilations");
  const auto pads = call.op.list("pads");
  const int64_t stride = attribute_at(strides, i, 1);
  const int64_t dilation = attribute_at(dilations, i, 1);
  const int64_t before = attribute_at(pads, i, 0);
  const int64_t after = attribute_at(pads, n + i, 0);
  check_window({stride, dilation, kernel}, {before, after}, call);
  const auto auto_pad = call.op.texts.find("auto_pad");
  if (auto_pad != call.op.texts.end() && auto_pad->second.starts_with("SAME"))
    return (extent + stride - 1) / stride;
  const int64_t covered = dilation * (kernel - 1) + 1;
  const int64_t room = extent + before + after - covered;
  if (room < 0) {
    const std::string window = "the window of " + std::to_string(kernel);
    call.fail(window + " is larger than its input of " + std::to_string(extent));
  }
  const bool up = call.op.integer("ceil_mode", 0) != 0;
  const int64_t rounding = up ? stride - 1 : 0;
  int64_t count = (room + rounding) / stride + 1;
  if (up && (count - 1) * stride >= extent + before)
    --count;  // no window starts in the padding behind
  return count;
}

}  // namespace

void convolution(const Call& call) {
  call.need_rank(0, 3);
  const Shape& x = call.shape(0);
  const Shape& w = call.shape(1);
  if (w.size() != x.size())
    call.fail("weights are " + to_string(w) + ", the input " + to_string(x));
  const int64_t groups = call.op.integer("group", 1);
  const int64_t outputs = w[0];
  const int64_t channels = w[1];
  const bool parts = groups >= 1 && outputs % groups == 0;
  if (!parts || channels > kMaxElements / groups || channels * groups != x[1]) {
    const std::string weights = "weights " + to_string(w) + " in " + std::to_string(groups);
    call.fail(weights + " groups do not fit the input " + to_string(x));
  }
  Shape shape{x[0], outputs};
  const size_t spatial = x.size() - 2;
  for (size_t i = 0; i < spatial; ++i)
    shape.push_back(window_extent(call, x[i + 2], w[i + 2], i, spatial));
  call.out().shape = shape;
}

void transposed_convolution(const Call& call) {
  call.need_rank(0, 3);
  const Shape& x = call.shape(0);
  const Shape& w = call.shape(1);
  const int64_t groups = call.op.integer("group", 1);
  if (w.size() != x.size() || w[0] != x[1] || groups < 1)
    call.fail("weights " + to_string(w) + " do not fit the input " + to_string(x));
  Shape shape{x[0], times(w[1], groups, call)};
  const auto strides = call.op.list("strides");
  const auto dilations = call.op.list("dilations");
  const auto pads = call.op.list("pads");
  const auto extra = call.op.list("output_padding");
  const auto given = call.op.list("output_shape");
  for (const auto* list : {&pads, &extra}) {
    if (!all_within(*list, 0))
      call.fail("pads and output_padding must be neither negative nor huge");
  }
  for (const auto* list : {&strides, &dilations}) {
    if (!all_within(*list, 1))
      call.fail("strides and dilations must be positive and not huge");
  }
  const size_t n = x.size() - 2;
  for (size_t i = 0; i < n; ++i) {
    const int64_t stride = attribute_at(strides, i, 1);
    const int64_t dilation = attribute_at(dilations, i, 1);
    const int64_t before = attribute_at(pads, i, 0);
    const int64_t after = attribute_at(pads, n + i, 0);
    const int64_t starts = times(x[i + 2] - 1, stride, call) + attribute_at(extra, i, 0);
    const int64_t covered = times(w[i + 2] - 1, dilation, call) + 1;
    const int64_t grown = starts + covered - before - after;
    shape.push_back(attribute_at(given, i, grown));
  }
  call.out().shape = shape;
}

void pooling(const Call& call) {
  call.need_rank(0, 3);
  const Shape& x = call.shape(0);
  const auto kernel = call.op.list("kernel_shape");
  if (kernel.size() + 2 != x.size())
    call.fail("kernel_shape does not fit the input " + to_string(x));
  Shape shape{x[0], x[1]};
  for (size_t i = 0; i < kernel.size(); ++i)
    shape.push_back(window_extent(call, x[i + 2], kernel[i], i, kernel.size()));
  for (size_t i = 0; i < call.op.outputs.size(); ++i) {
    if (call.op.outputs[i] >= 0)
      call.out(i).shape = shape;
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
  const Shape& a = call.shape(0);
  const Shape& b = call.shape(1);
  if (a.size() != 2 || b.size() != 2)
    call.fail("Gemm needs two matrices, found " + to_string(a) + " and " + to_string(b));
  const bool ta = call.op.integer("transA", 0) != 0;
  const bool tb = call.op.integer("transB", 0) != 0;
  Shape left = a;
  Shape right = b;
  if (ta)
    std::ranges::reverse(left);
  if (tb)
    std::ranges::reverse(right);
  if (left[1] != right[0])
    call.fail("inner sizes differ: " + to_string(a) + " and " + to_string(b));
  call.out().shape = {left[0], right[1]};
}

void matrix_product(const Call& call) {
  Shape a = call.shape(0);
  Shape b = call.shape(1);
  if (a.empty() || b.empty())
    call.fail("MatMul needs at least vectors");
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row)
    a.insert(a.begin(), 1);
  if (column)
    b.push_back(1);
  if (a.back() != b[b.size() - 2])
    call.fail("inner sizes differ: " + to_string(a) + " and " + to_string(b));
  const Shape batch_a(a.begin(), a.end() - 2);
  const Shape batch_b(b.begin(), b.end() - 2);
  Shape shape = broadcast(batch_a, batch_b, call.where);
  if (!row)
    shape.push_back(a[a.size() - 2]);
  if (!column)
    shape.push_back(b.back());
  call.out().shape = shape;
}

}  // namespace lento::spec
