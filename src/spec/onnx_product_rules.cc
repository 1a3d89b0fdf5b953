// Shapes of what slides a window over its input, and of matrix products.
#include "spec/onnx_product_rules.h"

#include "spec/shape_math.h"

namespace lento::spec {
namespace {

// Output extent of a window along spatial axis i of n.
int64_t window_extent(const Call& call, int64_t extent, int64_t kernel, size_t i, size_t n) {
  const auto strides = call.op.list("strides");
  const auto dilations = call.op.list("dilations");
  const auto pads = call.op.list("pads");
  const int64_t stride = attribute_at(strides, i, 1);
  const int64_t dilation = attribute_at(dilations, i, 1);
  constexpr int64_t kLimit = 1 << 24;
  const int64_t before = attribute_at(pads, i, 0);
  const int64_t after = attribute_at(pads, n + i, 0);
  if (stride < 1 || dilation < 1 || kernel < 1 || before < 0 || after < 0 || stride > kLimit ||
      dilation > kLimit || kernel > kLimit || before > kLimit || after > kLimit) {
    call.fail("strides, dilations and kernel must be positive and pads not negative");
  }
  const auto auto_pad = call.op.texts.find("auto_pad");
  if (auto_pad != call.op.texts.end() && auto_pad->second.starts_with("SAME"))
    return (extent + stride - 1) / stride;
  const int64_t room = extent + before + after - (dilation * (kernel - 1) + 1);
  if (room < 0)
    call.fail(
        "the window of " + std::to_string(kernel) + " is larger than its input of " + std::to_string(extent));
  const bool up = call.op.integer("ceil_mode", 0) != 0;
  int64_t count = (up ? room + stride - 1 : room) / stride + 1;
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
  if (groups < 1 || w[0] % groups != 0 || w[1] > kMaxElements / groups || w[1] * groups != x[1]) {
    call.fail(
        "weights " + to_string(w) + " in " + std::to_string(groups) + " groups do not fit the input " +
        to_string(x));
  }
  Shape shape{x[0], w[0]};
  for (size_t i = 2; i < x.size(); ++i)
    shape.push_back(window_extent(call, x[i], w[i], i - 2, x.size() - 2));
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
    for (const int64_t v : *list) {
      if (v < 0 || v > kMaxElements)
        call.fail("pads and output_padding must be neither negative nor huge");
    }
  }
  for (const auto* list : {&strides, &dilations}) {
    for (const int64_t v : *list) {
      if (v < 1 || v > kMaxElements)
        call.fail("strides and dilations must be positive and not huge");
    }
  }
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
  if (kernel.size() + 2 != x.size())
    call.fail("kernel_shape does not fit the input " + to_string(x));
  Shape shape{x[0], x[1]};
  for (size_t i = 2; i < x.size(); ++i)
    shape.push_back(window_extent(call, x[i], kernel[i - 2], i - 2, kernel.size()));
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
  if (a[ta ? 0 : 1] != b[tb ? 1 : 0])
    call.fail("inner sizes differ: " + to_string(a) + " and " + to_string(b));
  call.out().shape = {a[ta ? 1 : 0], b[tb ? 0 : 1]};
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
  Shape shape = broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2), call.where);
  if (!row)
    shape.push_back(a[a.size() - 2]);
  if (!column)
    shape.push_back(b.back());
  call.out().shape = shape;
}

}  // namespace lento::spec
