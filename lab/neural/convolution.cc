// Convolutions and matrix products, all by one blocked matrix product.
//
// A convolution copies the windows under a strip of output rows into a matrix (im2col) of at most kStrip
// numbers and multiplies the weights with it; 1x1 with stride 1 needs no copy. A transposed convolution
// multiplies first and adds the products to where they belong.
#include <algorithm>

#include "lab/neural/operators.h"
#include "spec/shape_math.h"

namespace lento::tile {
namespace {

using spec::Shape;
using spec::TensorValue;

constexpr size_t kStrip = size_t{1} << 22;
constexpr size_t kColumns = 1024;

// c[m][n] += a[m][k] b[k][n]; rows of b and c are `row_b` and `row_c` apart. Four rows of a at a time, so
// that a row of b is read once for them; blocks of columns stay in the cache.
void multiply_add(
    size_t m,
    size_t n,
    size_t k,
    const float* a,
    const float* b,
    size_t row_b,
    float* c,
    size_t row_c) {
  for (size_t from = 0; from < n; from += kColumns) {
    const size_t width = std::min(kColumns, n - from);
    size_t i = 0;
    for (; i + 4 <= m; i += 4) {
      float* c0 = c + i * row_c + from;
      float* c1 = c0 + row_c;
      float* c2 = c1 + row_c;
      float* c3 = c2 + row_c;
      for (size_t p = 0; p < k; ++p) {
        const float* row = b + p * row_b + from;
        const float a0 = a[i * k + p];
        const float a1 = a[(i + 1) * k + p];
        const float a2 = a[(i + 2) * k + p];
        const float a3 = a[(i + 3) * k + p];
        for (size_t j = 0; j < width; ++j) {
          const float x = row[j];
          c0[j] += a0 * x;
          c1[j] += a1 * x;
          c2[j] += a2 * x;
          c3[j] += a3 * x;
        }
      }
    }
    for (; i < m; ++i) {
      float* c0 = c + i * row_c + from;
      for (size_t p = 0; p < k; ++p) {
        const float* row = b + p * row_b + from;
        const float a0 = a[i * k + p];
        for (size_t j = 0; j < width; ++j)
          c0[j] += a0 * row[j];
      }
    }
  }
}

// The geometry of a convolution over N x C x H x W; one-dimensional extents have index 0 for rows.
struct Window {
  int64_t kernel[2];
  int64_t stride[2];
  int64_t dilation[2];
  int64_t begin[2];
  int64_t end[2];
};

Window window_of(const Call& call, const Shape& kernel) {
  const auto pad = call.op.texts.find("auto_pad");
  if (pad != call.op.texts.end() && pad->second != "NOTSET")
    call.refuse("auto_pad '" + pad->second.substr(0, 20) + "' is not known");
  const auto strides = call.op.list("strides", {1, 1});
  const auto dilations = call.op.list("dilations", {1, 1});
  const auto pads = call.op.list("pads", {0, 0, 0, 0});
  if (kernel.size() != 2 || strides.size() != 2 || dilations.size() != 2 || pads.size() != 4)
    call.refuse("only windows of two dimensions are known");
  Window w{};
  for (size_t i = 0; i < 2; ++i) {
    w.kernel[i] = kernel[i];
    w.stride[i] = strides[i];
    w.dilation[i] = dilations[i];
    w.begin[i] = pads[i];
    w.end[i] = pads[i + 2];
    const auto outside = [](int64_t v, int64_t low) {
      return v < low || v > 4096;
    };
    if (outside(w.kernel[i], 1) || outside(w.stride[i], 1) || outside(w.dilation[i], 1) ||
        outside(w.begin[i], 0) || outside(w.end[i], 0))
      call.refuse("a window's extent, stride, dilation or padding is outside 0..4096");
  }
  return w;
}

// Copies the windows of output rows [from, to) of `channels` planes into rows of the matrix.
void take_windows(
    const float* in,
    const Shape& shape,
    int64_t channels,
    const Window& w,
    int64_t from,
    int64_t to,
    int64_t width,
    std::vector<float>& matrix) {
  const int64_t height = shape[2];
  const int64_t columns = shape[3];
  float* out = matrix.data();
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t r = 0; r < w.kernel[0]; ++r) {
      for (int64_t s = 0; s < w.kernel[1]; ++s) {
        for (int64_t y = from; y < to; ++y) {
          const int64_t row = y * w.stride[0] - w.begin[0] + r * w.dilation[0];
          const bool inside = row >= 0 && row < height;
          const float* line = in + (c * height + (inside ? row : 0)) * columns;
          for (int64_t x = 0; x < width; ++x) {
            const int64_t column = x * w.stride[1] - w.begin[1] + s * w.dilation[1];
            *out++ = inside && column >= 0 && column < columns ? line[column] : 0;
          }
        }
      }
    }
  }
}

void add_bias(const Call& call, TensorValue& out) {
  if (!call.has(2))
    return;
  const TensorValue& bias = call.floats(2);
  const auto channels = size_t(out.shape[1]);
  const auto plane = size_t(out.shape[2] * out.shape[3]);
  if (bias.size() != channels)
    call.refuse("the bias does not have one number a channel");
  for (size_t i = 0; i < out.size(); ++i)
    out.floats[i] += bias.floats[i / plane % channels];
}

}  // namespace

TensorValue convolution(const Call& call) {
  const TensorValue& in = call.floats(0);
  const TensorValue& weights = call.floats(1);
  call.check_planes(in);
  call.check_planes(weights);
  const Window w = window_of(call, {weights.shape[2], weights.shape[3]});
  const int64_t groups = call.op.integer("group", 1);
  const int64_t outputs = weights.shape[0];
  const int64_t channels = weights.shape[1];
  if (groups < 1 || outputs % groups != 0 || in.shape[1] % groups != 0 || in.shape[1] / groups != channels)
    call.refuse(
        "the weights " + spec::to_string(weights.shape) + " do not fit the input " +
        spec::to_string(in.shape));
  Shape shape = {in.shape[0], outputs, 0, 0};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t room = in.shape[i + 2] + w.begin[i] + w.end[i] - (w.kernel[i] - 1) * w.dilation[i] - 1;
    if (room < 0)
      call.refuse("the window is larger than the input");
    shape[i + 2] = room / w.stride[i] + 1;
  }
  TensorValue out = call.make(shape);
  const int64_t height = shape[2];
  const int64_t width = shape[3];
  const int64_t depth = channels * w.kernel[0] * w.kernel[1];
  const int64_t plane_in = in.shape[2] * in.shape[3];
  const int64_t m = outputs / groups;
  const bool plain = depth == channels && w.stride[0] == 1 && w.stride[1] == 1 && height == in.shape[2] &&
                     width == in.shape[3] && w.begin[0] == 0 && w.begin[1] == 0;
  if (depth > kMaxLiveElements / width)
    call.refuse("one row of windows is too large");
  const int64_t strip = std::clamp<int64_t>(int64_t(kStrip) / (depth * width), 1, height);
  std::vector<float> matrix(plain ? 0 : size_t(depth * width * strip));
  for (int64_t image = 0; image < shape[0]; ++image) {
    for (int64_t g = 0; g < groups; ++g) {
      const float* source = in.floats.data() + (image * in.shape[1] + g * channels) * plane_in;
      const float* weight = weights.floats.data() + g * m * depth;
      float* target = out.floats.data() + (image * outputs + g * m) * height * width;
      const auto plane = size_t(height * width);
      if (plain) {
        multiply_add(size_t(m), plane, size_t(depth), weight, source, plane, target, plane);
        continue;
      }
      for (int64_t from = 0; from < height; from += strip) {
        const int64_t to = std::min(height, from + strip);
        const auto n = size_t((to - from) * width);
        take_windows(source, in.shape, channels, w, from, to, width, matrix);
        multiply_add(size_t(m), n, size_t(depth), weight, matrix.data(), n, target + from * width, plane);
      }
    }
  }
  add_bias(call, out);
  return out;
}

TensorValue transposed_convolution(const Call& call) {
  const TensorValue& in = call.floats(0);
  const TensorValue& weights = call.floats(1);
  call.check_planes(in);
  call.check_planes(weights);
  const Window w = window_of(call, {weights.shape[2], weights.shape[3]});
  if (call.op.integer("group", 1) != 1 || call.op.integers.contains("output_shape") ||
      in.shape[1] != weights.shape[0])
    call.refuse("the weights do not fit the input, or groups or output_shape are given");
  const auto extra = call.op.list("output_padding", {0, 0});
  if (extra.size() != 2)
    call.refuse("output_padding needs two numbers");
  Shape shape = {in.shape[0], weights.shape[1], 0, 0};
  for (size_t i = 0; i < 2; ++i)
    shape[i + 2] = (in.shape[i + 2] - 1) * w.stride[i] - w.begin[i] - w.end[i] +
                   (w.kernel[i] - 1) * w.dilation[i] + extra[i] + 1;
  TensorValue out = call.make(shape);
  const auto channels = size_t(in.shape[1]);
  const auto plane = size_t(in.shape[2] * in.shape[3]);
  const auto rows = size_t(weights.shape[1] * w.kernel[0] * w.kernel[1]);
  std::vector<float> turned(rows * channels);
  std::vector<float> row(plane);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < channels; ++c)
      turned[r * channels + c] = weights.floats[c * rows + r];
  for (int64_t image = 0; image < shape[0]; ++image) {
    const float* source = in.floats.data() + size_t(image) * channels * plane;
    for (size_t r = 0; r < rows; ++r) {
      std::ranges::fill(row, 0.0f);
      multiply_add(1, plane, channels, turned.data() + r * channels, source, plane, row.data(), plane);
      const auto area = w.kernel[0] * w.kernel[1];
      const auto at = int64_t(r);
      const int64_t dy = at % area / w.kernel[1] * w.dilation[0] - w.begin[0];
      const int64_t dx = at % w.kernel[1] * w.dilation[1] - w.begin[1];
      float* target = out.floats.data() + (image * shape[1] + at / area) * shape[2] * shape[3];
      for (size_t i = 0; i < plane; ++i) {
        const int64_t y = int64_t(i) / in.shape[3] * w.stride[0] + dy;
        const int64_t x = int64_t(i) % in.shape[3] * w.stride[1] + dx;
        if (y >= 0 && y < shape[2] && x >= 0 && x < shape[3])
          target[y * shape[3] + x] += row[i];
      }
    }
  }
  add_bias(call, out);
  return out;
}

TensorValue matrix_product(const Call& call) {
  const TensorValue& a = call.floats(0);
  const TensorValue& b = call.floats(1);
  if (a.shape.size() < 2 || b.shape.size() < 2)
    call.refuse("vectors are not known, matrices are needed");
  const int64_t m = a.shape[a.shape.size() - 2];
  const int64_t k = a.shape.back();
  const int64_t n = b.shape.back();
  if (b.shape[b.shape.size() - 2] != k)
    call.refuse(
        "matrices " + spec::to_string(a.shape) + " and " + spec::to_string(b.shape) + " have no product");
  const Shape batch_a(a.shape.begin(), a.shape.end() - 2);
  const Shape batch_b(b.shape.begin(), b.shape.end() - 2);
  const Shape batch = spec::broadcast(batch_a, batch_b, call.where);
  if (batch_a != batch && spec::element_count(batch_a) != 1)
    call.refuse("the first input is repeated");
  if (batch_b != batch && spec::element_count(batch_b) != 1)
    call.refuse("the second input is repeated");
  Shape shape = batch;
  shape.push_back(m), shape.push_back(n);
  TensorValue out = call.make(shape);
  const int64_t products = out.size() == 0 ? 0 : spec::element_count(batch);
  const int64_t step_a = batch_a == batch ? m * k : 0;
  const int64_t step_b = batch_b == batch ? k * n : 0;
  for (int64_t i = 0; i < products; ++i)
    multiply_add(
        size_t(m),
        size_t(n),
        size_t(k),
        a.floats.data() + i * step_a,
        b.floats.data() + i * step_b,
        size_t(n),
        out.floats.data() + i * m * n,
        size_t(n));
  return out;
}

}  // namespace lento::tile
