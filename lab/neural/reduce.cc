// Normalisation, pooling and means.
#include <algorithm>
#include <cmath>

#include "lab/neural/operators.h"
#include "spec/shape_math.h"

namespace lento::tile {
namespace {

using spec::Shape;
using spec::TensorValue;

int64_t pooled_extent(const Call& call, int64_t extent, int64_t kernel, int64_t stride, int64_t pads) {
  const bool bounded = kernel >= 1 && kernel <= 4096 && stride >= 1 && stride <= 4096 && pads >= 0 &&
                       pads <= 8192 && extent + pads >= kernel;
  if (!bounded)
    call.refuse("the window does not fit the input");
  const bool up = call.op.integer("ceil_mode", 0) != 0;
  return (extent + pads - kernel + (up ? stride - 1 : 0)) / stride + 1;
}

// pool(begin, row length, rows, columns) of the part of each window that lies in the input.
template <class F>
TensorValue pooled(const Call& call, F pool) {
  const TensorValue& in = call.floats(0);
  call.check_planes(in);
  const auto kernel = call.op.list("kernel_shape");
  const auto strides = call.op.list("strides", {1, 1});
  const auto pads = call.op.list("pads", {0, 0, 0, 0});
  const auto dilations = call.op.list("dilations", {1, 1});
  const auto auto_pad = call.op.texts.find("auto_pad");
  if (kernel.size() != 2 || strides.size() != 2 || pads.size() != 4 ||
      dilations != std::vector<int64_t>{1, 1} || *std::ranges::min_element(pads) < 0 ||
      (auto_pad != call.op.texts.end() && auto_pad->second != "NOTSET"))
    call.refuse("only undilated windows of two dimensions with given padding are known");
  const int64_t height = in.shape[2];
  const int64_t width = in.shape[3];
  TensorValue out = call.make(
      {in.shape[0],
       in.shape[1],
       pooled_extent(call, height, kernel[0], strides[0], pads[0] + pads[2]),
       pooled_extent(call, width, kernel[1], strides[1], pads[1] + pads[3])});
  size_t at = 0;
  for (int64_t plane = 0; plane < in.shape[0] * in.shape[1]; ++plane) {
    const float* source = in.floats.data() + plane * height * width;
    for (int64_t y = 0; y < out.shape[2]; ++y) {
      const int64_t top = y * strides[0] - pads[0];
      const int64_t y0 = std::max<int64_t>(0, top);
      const int64_t y1 = std::min(height, top + kernel[0]);
      for (int64_t x = 0; x < out.shape[3]; ++x) {
        const int64_t left = x * strides[1] - pads[1];
        const int64_t x0 = std::max<int64_t>(0, left);
        const int64_t x1 = std::min(width, left + kernel[1]);
        if (y0 >= y1 || x0 >= x1)
          call.refuse("a window lies in the padding only");
        out.floats[at++] = pool(source + y0 * width + x0, width, y1 - y0, x1 - x0);
      }
    }
  }
  return out;
}

}  // namespace

TensorValue batch_normalization(const Call& call) {
  const TensorValue& in = call.floats(0);
  if (in.shape.size() < 2 || in.size() == 0)
    call.refuse("the input has no channels");
  const auto channels = size_t(in.shape[1]);
  for (size_t i = 1; i <= 4; ++i)
    if (call.floats(i).size() != channels)
      call.refuse("one number a channel is needed");
  const float epsilon = call.number(call.inputs.size(), "epsilon", 1e-5);
  TensorValue out = call.make(in.shape);
  const size_t plane = in.size() / size_t(in.shape[0]) / channels;
  for (size_t from = 0; from < in.size(); from += plane) {
    const size_t c = from / plane % channels;
    const float scale = call.inputs[1]->floats[c] / std::sqrt(call.inputs[4]->floats[c] + epsilon);
    const float mean = call.inputs[3]->floats[c];
    const float bias = call.inputs[2]->floats[c];
    for (size_t i = from; i < from + plane; ++i)
      out.floats[i] = (in.floats[i] - mean) * scale + bias;
  }
  return out;
}

TensorValue softmax(const Call& call) {
  const TensorValue& in = call.floats(0);
  if (in.shape.empty() || in.size() == 0)
    call.refuse("the input is empty");
  const size_t rank = in.shape.size();
  if (spec::normal_axis(call.op.integer("axis", -1), rank, call.where) != rank - 1)
    call.refuse("softmax is known along the last axis only");
  TensorValue out = call.make(in.shape);
  const auto length = size_t(in.shape.back());
  for (size_t at = 0; at < in.size(); at += length) {
    const float* from = in.floats.data() + at;
    float* to = out.floats.data() + at;
    const float largest = *std::max_element(from, from + length);
    float sum = 0;
    for (size_t i = 0; i < length; ++i)
      sum += to[i] = std::exp(from[i] - largest);
    for (size_t i = 0; i < length; ++i)
      to[i] /= sum;
  }
  return out;
}

TensorValue reduce_mean(const Call& call) {
  const TensorValue& in = call.floats(0);
  const size_t rank = in.shape.size();
  std::vector<bool> reduced(rank, !call.has(1) && !call.op.integers.contains("axes"));
  for (const int64_t axis : call.list(1, "axes"))
    reduced[spec::normal_axis(axis, rank, call.where)] = true;
  Shape kept;
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    kept.push_back(reduced[i] ? 1 : in.shape[i]);
    if (!reduced[i] || call.op.integer("keepdims", 1) != 0)
      shape.push_back(kept.back());
  }
  TensorValue out = call.make(shape);
  if (in.size() == 0)
    return out;
  std::vector<double> sums(out.size());
  for (size_t i = 0; i < in.size(); ++i) {
    size_t rest = i;
    size_t at = 0;
    size_t step = 1;
    for (size_t axis = rank; axis-- > 0;) {
      const auto extent = size_t(in.shape[axis]);
      if (!reduced[axis]) {
        at += rest % extent * step;
        step *= extent;
      }
      rest /= extent;
    }
    sums[at] += in.floats[i];
  }
  const double count = double(in.size()) / double(out.size());
  for (size_t i = 0; i < sums.size(); ++i)
    out.floats[i] = float(sums[i] / count);
  return out;
}

TensorValue global_average_pool(const Call& call) {
  const TensorValue& in = call.floats(0);
  call.check_planes(in);
  TensorValue out = call.make({in.shape[0], in.shape[1], 1, 1});
  const auto plane = size_t(in.shape[2] * in.shape[3]);
  for (size_t i = 0; i < out.size(); ++i) {
    double sum = 0;
    for (size_t j = 0; j < plane; ++j)
      sum += in.floats[i * plane + j];
    out.floats[i] = float(sum / double(plane));
  }
  return out;
}

TensorValue average_pool(const Call& call) {
  if (call.op.integer("count_include_pad", 0) != 0)
    call.refuse("count_include_pad is not known");
  return pooled(call, [](const float* in, int64_t row, int64_t rows, int64_t columns) {
    float sum = 0;
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x)
        sum += in[y * row + x];
    return sum / float(rows * columns);
  });
}

TensorValue max_pool(const Call& call) {
  return pooled(call, [](const float* in, int64_t row, int64_t rows, int64_t columns) {
    float largest = in[0];
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x)
        largest = std::max(largest, in[y * row + x]);
    return largest;
  });
}

}  // namespace lento::tile
