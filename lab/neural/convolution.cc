// Convolutions and matrix products, all by one blocked matrix product.
//
// A convolution copies the windows under a strip of output rows into a matrix (im2col) of at most kStrip
// numbers and multiplies the weights with it. A 1x1 convolution with stride 1 needs no copy. A transposed
// convolution multiplies first and adds the products at their places in the output.
#include <algorithm>
#include <array>

#include "lab/neural/operators.h"
#include "spec/shape_math.h"

namespace lento::tile {
namespace {

using spec::Shape;
using spec::TensorValue;

constexpr size_t kStrip = size_t{1} << 22;
constexpr size_t kColumns = 1024;

// Rows of numbers, `row` apart.
struct Matrix {
  const float* data;
  size_t row;
};
struct Output {
  float* data;
  size_t row;
};
// m x k times k x n.
struct Extents {
  size_t m;
  size_t n;
  size_t k;
};

// Four rows of a at a time, so that a row of b is read once for them.
void multiply_add_four(const Extents& of, const float* a, Matrix b, Output c) {
  float* c0 = c.data;
  float* c1 = c0 + c.row;
  float* c2 = c1 + c.row;
  float* c3 = c2 + c.row;
  for (size_t p = 0; p < of.k; ++p) {
    const float* row = b.data + p * b.row;
    const float* column = a + p;
    const float a0 = column[0];
    const float a1 = column[of.k];
    const float a2 = column[2 * of.k];
    const float a3 = column[3 * of.k];
    for (size_t j = 0; j < of.n; ++j) {
      const float x = row[j];
      c0[j] += a0 * x;
      c1[j] += a1 * x;
      c2[j] += a2 * x;
      c3[j] += a3 * x;
    }
  }
}

void multiply_add_one(const Extents& of, const float* a, Matrix b, Output c) {
  for (size_t p = 0; p < of.k; ++p) {
    const float* row = b.data + p * b.row;
    const float factor = a[p];
    for (size_t j = 0; j < of.n; ++j)
      c.data[j] += factor * row[j];
  }
}

// Computes c[m][n] += a[m][k] b[k][n]. Rows of `a` have no gaps, and blocks of columns stay in the cache.
void multiply_add(const Extents& of, const float* a, Matrix b, Output c) {
  for (size_t from = 0; from < of.n; from += kColumns) {
    const Matrix part{b.data + from, b.row};
    const Extents block{of.m, std::min(kColumns, of.n - from), of.k};
    size_t i = 0;
    for (; i + 4 <= of.m; i += 4)
      multiply_add_four(block, a + i * of.k, part, {c.data + i * c.row + from, c.row});
    for (; i < of.m; ++i)
      multiply_add_one(block, a + i * of.k, part, {c.data + i * c.row + from, c.row});
  }
}

// The geometry of a window along rows or along columns.
struct Along {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t begin = 0;
  int64_t end = 0;

  // Returns the place in the input of tap `tap` of the window at `at`.
  int64_t place(int64_t at, int64_t tap) const {
    return at * stride - begin + tap * dilation;
  }
  int64_t covered() const {
    return (kernel - 1) * dilation + 1;
  }
  bool known() const {
    constexpr int64_t kMost = 4096;
    const auto inside = [](int64_t v, int64_t low) {
      return v >= low && v <= kMost;
    };
    const bool counts = inside(kernel, 1) && inside(stride, 1) && inside(dilation, 1);
    return counts && inside(begin, 0) && inside(end, 0);
  }
};

// The geometry of a convolution over N x C x H x W: rows, columns.
using Window = std::array<Along, 2>;

Window window_of(const Call& call, const Shape& kernel) {
  const auto pad = call.op.texts.find("auto_pad");
  if (pad != call.op.texts.end() && pad->second != "NOTSET")
    call.refuse("auto_pad '" + pad->second.substr(0, 20) + "' is not known");
  const auto strides = call.op.list("strides", {1, 1});
  const auto dilations = call.op.list("dilations", {1, 1});
  const auto pads = call.op.list("pads", {0, 0, 0, 0});
  const bool flat = kernel.size() == 2 && strides.size() == 2 && dilations.size() == 2;
  if (!flat || pads.size() != 4)
    call.refuse("only windows of two dimensions are known");
  Window w;
  for (size_t i = 0; i < 2; ++i) {
    Along& along = w[i];
    along.kernel = kernel[i];
    along.stride = strides[i];
    along.dilation = dilations[i];
    along.begin = pads[i];
    along.end = pads[i + 2];
    if (!along.known())
      call.refuse("a window's extent, stride, dilation or padding is outside 0..4096");
  }
  return w;
}

struct Plane {
  int64_t height;
  int64_t width;
};

// Copies the values of one input row under one tap of the window, along an output row. Values outside the
// plane are zero.
float*
take_row(const float* line, int64_t columns, const Along& along, int64_t tap, int64_t width, float* out) {
  for (int64_t x = 0; x < width; ++x) {
    const int64_t column = along.place(x, tap);
    const bool inside = line && column >= 0 && column < columns;
    *out++ = inside ? line[column] : 0;
  }
  return out;
}

// Copies the windows of output rows [from, to) of `channels` planes into rows of the matrix.
void take_windows(
    const float* in,
    const Plane& plane,
    int64_t channels,
    const Window& w,
    int64_t from,
    int64_t to,
    int64_t width,
    std::vector<float>& matrix) {
  const auto& [rows, columns] = w;
  float* out = matrix.data();
  for (int64_t c = 0; c < channels; ++c) {
    const float* image = in + c * plane.height * plane.width;
    for (int64_t r = 0; r < rows.kernel; ++r) {
      for (int64_t s = 0; s < columns.kernel; ++s) {
        for (int64_t y = from; y < to; ++y) {
          const int64_t row = rows.place(y, r);
          const bool inside = row >= 0 && row < plane.height;
          const float* line = inside ? image + row * plane.width : nullptr;
          out = take_row(line, plane.width, columns, s, width, out);
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
  const bool parts = groups >= 1 && outputs % groups == 0 && in.shape[1] % groups == 0;
  if (!parts || in.shape[1] / groups != channels) {
    const std::string sizes = spec::to_string(weights.shape);
    call.refuse("the weights " + sizes + " do not fit the input " + spec::to_string(in.shape));
  }
  Shape shape = {in.shape[0], outputs, 0, 0};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t room = in.shape[i + 2] + w[i].begin + w[i].end - w[i].covered();
    if (room < 0)
      call.refuse("the window is larger than the input");
    shape[i + 2] = room / w[i].stride + 1;
  }
  TensorValue out = call.make(shape);
  const auto& [rows, columns] = w;
  const int64_t height = shape[2];
  const int64_t width = shape[3];
  const Plane source_plane{in.shape[2], in.shape[3]};
  const int64_t depth = channels * rows.kernel * columns.kernel;
  if (depth > kMaxLiveElements / width)
    call.refuse("one row of windows is too large");
  const bool same_size = height == source_plane.height && width == source_plane.width;
  const bool every_place = rows.stride == 1 && columns.stride == 1 && rows.begin == 0 && columns.begin == 0;
  const bool plain = depth == channels && every_place && same_size;
  const int64_t in_numbers = source_plane.height * source_plane.width;
  const int64_t strip = std::clamp<int64_t>(int64_t(kStrip) / (depth * width), 1, height);
  const int64_t m = outputs / groups;
  const auto plane = size_t(height * width);
  std::vector<float> matrix(plain ? 0 : size_t(depth * width * strip));
  for (int64_t image = 0; image < shape[0]; ++image) {
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t first_channel = image * in.shape[1] + g * channels;
      const int64_t first_output = image * outputs + g * m;
      const float* source = in.floats.data() + first_channel * in_numbers;
      const float* weight = weights.floats.data() + g * m * depth;
      float* target = out.floats.data() + first_output * height * width;
      if (plain) {
        multiply_add({size_t(m), plane, size_t(depth)}, weight, {source, plane}, {target, plane});
        continue;
      }
      for (int64_t from = 0; from < height; from += strip) {
        const int64_t to = std::min(height, from + strip);
        const auto n = size_t((to - from) * width);
        take_windows(source, source_plane, channels, w, from, to, width, matrix);
        const Output part{target + from * width, plane};
        multiply_add({size_t(m), n, size_t(depth)}, weight, {matrix.data(), n}, part);
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
  for (size_t i = 0; i < 2; ++i) {
    const int64_t starts = (in.shape[i + 2] - 1) * w[i].stride;
    const int64_t cut = w[i].begin + w[i].end;
    shape[i + 2] = starts - cut + w[i].covered() + extra[i];
  }
  TensorValue out = call.make(shape);
  const auto channels = size_t(in.shape[1]);
  const auto plane = size_t(in.shape[2] * in.shape[3]);
  const auto& [along_rows, along_columns] = w;
  const int64_t area = along_rows.kernel * along_columns.kernel;
  const auto rows = size_t(weights.shape[1] * area);
  std::vector<float> turned(rows * channels);
  std::vector<float> row(plane);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < channels; ++c)
      turned[r * channels + c] = weights.floats[c * rows + r];
  for (int64_t image = 0; image < shape[0]; ++image) {
    const float* source = in.floats.data() + size_t(image) * channels * plane;
    for (size_t r = 0; r < rows; ++r) {
      std::ranges::fill(row, 0.0f);
      const float* turned_row = turned.data() + r * channels;
      multiply_add({1, plane, channels}, turned_row, {source, plane}, {row.data(), plane});
      const auto at = int64_t(r);
      const int64_t tap_y = at % area / along_columns.kernel;
      const int64_t tap_x = at % along_columns.kernel;
      const int64_t output = image * shape[1] + at / area;
      float* target = out.floats.data() + output * shape[2] * shape[3];
      for (size_t i = 0; i < plane; ++i) {
        const int64_t y = along_rows.place(int64_t(i) / in.shape[3], tap_y);
        const int64_t x = along_columns.place(int64_t(i) % in.shape[3], tap_x);
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
  shape.push_back(m);
  shape.push_back(n);
  TensorValue out = call.make(shape);
  const int64_t products = out.size() == 0 ? 0 : spec::element_count(batch);
  const int64_t step_a = batch_a == batch ? m * k : 0;
  const int64_t step_b = batch_b == batch ? k * n : 0;
  const Extents extents{size_t(m), size_t(n), size_t(k)};
  for (int64_t i = 0; i < products; ++i) {
    const float* left = a.floats.data() + i * step_a;
    const float* right = b.floats.data() + i * step_b;
    float* target = out.floats.data() + i * m * n;
    multiply_add(extents, left, {right, extents.n}, {target, extents.n});
  }
  return out;
}

}  // namespace lento::tile
