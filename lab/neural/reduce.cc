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
  constexpr int64_t kMost = 4096;
  const bool window = kernel >= 1 && kernel <= kMost && stride >= 1 && stride <= kMost;
  const bool padding = pads >= 0 && pads <= 2 * kMost;
  if (!window || !padding || extent + pads < kernel)
    call.refuse("the window does not fit the input");
  const bool up = call.op.integer("ceil_mode", 0) != 0;
  const int64_t rounding = up ? stride - 1 : 0;
  const int64_t room = extent + pads - kernel;
  return (room + rounding) / stride + 1;
}

// The part of a window that lies in the input.
struct Part {
  int64_t from = 0;
  int64_t to = 0;
  int64_t size() const {
    return to - from;
  }
};

Part part_of(int64_t at, int64_t stride, int64_t padding, int64_t kernel, int64_t extent) {
  const int64_t begin = at * stride - padding;
  return {std::max<int64_t>(0, begin), std::min(extent, begin + kernel)};
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
  const bool flat = kernel.size() == 2 && strides.size() == 2 && pads.size() == 4;
  const bool dense = dilations == std::vector<int64_t>{1, 1};
  const bool padded_by_rule = auto_pad != call.op.texts.end() && auto_pad->second != "NOTSET";
  if (!flat || !dense || padded_by_rule || *std::ranges::min_element(pads) < 0)
    call.refuse("only undilated windows of two dimensions with given padding are known");
  const int64_t height = in.shape[2];
  const int64_t width = in.shape[3];
  const int64_t rows_out = pooled_extent(call, height, kernel[0], strides[0], pads[0] + pads[2]);
  const int64_t columns_out = pooled_extent(call, width, kernel[1], strides[1], pads[1] + pads[3]);
  TensorValue out = call.make({in.shape[0], in.shape[1], rows_out, columns_out});
  size_t at = 0;
  for (int64_t plane = 0; plane < in.shape[0] * in.shape[1]; ++plane) {
    const float* source = in.floats.data() + plane * height * width;
    for (int64_t y = 0; y < rows_out; ++y) {
      const Part rows = part_of(y, strides[0], pads[0], kernel[0], height);
      for (int64_t x = 0; x < columns_out; ++x) {
        const Part columns = part_of(x, strides[1], pads[1], kernel[1], width);
        if (rows.size() <= 0 || columns.size() <= 0)
          call.refuse("a window lies in the padding only");
        const float* begin = source + rows.from * width + columns.from;
        out.floats[at++] = pool(begin, width, rows.size(), columns.size());
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
    const auto channel = [&](size_t input) {
      return call.inputs[input]->floats[c];
    };
    const float bias = channel(2);
    const float mean = channel(3);
    const float variance = channel(4);
    const float scale = channel(1) / std::sqrt(variance + epsilon);
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
    for (size_t i = 0; i < length; ++i) {
      to[i] = std::exp(from[i] - largest);
      sum += to[i];
    }
    for (size_t i = 0; i < length; ++i)
      to[i] /= sum;
  }
  return out;
}

TensorValue reduce_mean(const Call& call) {
  const TensorValue& in = call.floats(0);
  const size_t rank = in.shape.size();
  const bool all = !call.has(1) && !call.op.integers.contains("axes");
  const bool keep = call.op.integer("keepdims", 1) != 0;
  std::vector<bool> reduced(rank, all);
  for (const int64_t axis : call.list(1, "axes"))
    reduced[spec::normal_axis(axis, rank, call.where)] = true;
  Shape kept;
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    kept.push_back(reduced[i] ? 1 : in.shape[i]);
    if (!reduced[i] || keep)
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
