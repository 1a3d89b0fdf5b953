// Operators that move numbers and compute none.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/neural/operators.h"
#include "spec/shape_math.h"

namespace lento::tile {
namespace {

using spec::Shape;
using spec::TensorValue;

// Returns the same numbers in another shape.
TensorValue reshaped(const Call& call, const TensorValue& in, Shape shape) {
  const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, [](int64_t a, int64_t b) {
    if (a > kMaxLiveElements)
      return a;
    return a * b;
  });
  if (size_t(count) != in.size() || count < 0)
    call.refuse(spec::to_string(in.shape) + " does not become " + spec::to_string(shape));
  TensorValue out = in;
  out.shape = std::move(shape);
  return out;
}

// Returns out[i] = in[index(i)]. `offset` is where the result starts in the input, strides[axis] is the
// distance of a step.
TensorValue gathered(
    const Call& call,
    const TensorValue& in,
    const Shape& shape,
    size_t offset,
    const std::vector<size_t>& strides) {
  TensorValue out = call.make(shape, in.integer);
  const auto copy = [&](const auto& from, auto& to) {
    std::vector<int64_t> index(shape.size(), 0);
    size_t source = offset;
    for (auto& number : to) {
      number = from[source];
      for (size_t axis = shape.size(); axis-- > 0;) {
        source += strides[axis];
        if (++index[axis] < shape[axis])
          break;
        source -= size_t(index[axis]) * strides[axis];
        index[axis] = 0;
      }
    }
  };
  if (in.integer)
    copy(in.integers, out.integers);
  else
    copy(in.floats, out.floats);
  return out;
}

std::vector<size_t> strides_of(const Shape& shape) {
  std::vector<size_t> out(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    out[axis - 1] = out[axis] * size_t(shape[axis]);
  return out;
}

// Returns the height and width of the output of a Resize.
Shape resized(const Call& call, const Shape& in) {
  Shape shape = in;
  if (call.has(3) && call.inputs[3]->size() > 0) {
    shape = call.list(3, "sizes");
  } else {
    const TensorValue& scales = call.floats(2);
    if (scales.size() != in.size())
      call.refuse("one scale an axis is needed");
    for (size_t i = 0; i < in.size(); ++i) {
      const double extent = std::floor(double(in[i]) * double(scales.floats[i]));
      if (!(extent >= 1 && extent <= 1 << 20))
        call.refuse("a scaled extent is outside 1 to 2^20");
      shape[i] = int64_t(extent);
    }
  }
  if (shape.size() != 4 || in.size() != 4 || shape[0] != in[0] || shape[1] != in[1])
    call.refuse("only height and width of N x C x H x W can be resized");
  return shape;
}

}  // namespace

TensorValue resize(const Call& call) {
  const TensorValue& in = call.floats(0);
  const auto text = [&](const std::string& key, const std::string& fallback) {
    const auto found = call.op.texts.find(key);
    if (found == call.op.texts.end())
      return fallback;
    return found->second;
  };
  const std::string mode = text("mode", "nearest");
  const std::string places = text("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = text("nearest_mode", "round_prefer_floor");
  if (mode != "nearest" || places != "asymmetric" || rounding != "floor")
    call.refuse("only nearest, asymmetric, floor is known");
  TensorValue out = call.make(resized(call, in.shape));
  if (in.size() == 0)
    call.refuse("the input is empty");
  const int64_t height = out.shape[2];
  const int64_t width = out.shape[3];
  const int64_t planes = in.shape[0] * in.shape[1];
  const int64_t rows = in.shape[2];
  const int64_t columns = in.shape[3];
  size_t at = 0;
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (int64_t y = 0; y < height; ++y) {
      const int64_t row = plane * rows + y * rows / height;
      const float* source = in.floats.data() + row * columns;
      for (int64_t x = 0; x < width; ++x)
        out.floats[at++] = source[x * columns / width];
    }
  }
  return out;
}

TensorValue concat(const Call& call) {
  const TensorValue& first = call.input(0);
  const size_t axis = spec::normal_axis(call.op.integer("axis", 0), first.shape.size(), call.where);
  Shape shape = first.shape;
  shape[axis] = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    Shape part = call.input(i).shape;
    if (part.size() != shape.size() || call.inputs[i]->integer != first.integer)
      call.refuse("the inputs differ in rank or in type");
    shape[axis] += part[axis];
    part[axis] = shape[axis];
    if (part != shape)
      call.refuse("the inputs differ outside the axis");
  }
  TensorValue out = call.make(shape, first.integer);
  if (out.size() == 0)
    return out;
  size_t outer = 1;
  size_t at = 0;
  for (size_t i = 0; i < axis; ++i)
    outer *= size_t(shape[i]);
  for (size_t row = 0; row < outer; ++row) {
    for (const TensorValue* part : call.inputs) {
      const size_t length = part->size() / outer;
      const auto copy = [&](const auto& from, auto& to) {
        const auto* source = from.data() + row * length;
        std::copy_n(source, length, to.data() + at);
      };
      if (out.integer)
        copy(part->integers, out.integers);
      else
        copy(part->floats, out.floats);
      at += length;
    }
  }
  return out;
}

TensorValue slice(const Call& call) {
  const TensorValue& in = call.input(0);
  const std::vector<int64_t> starts = call.list(1, "starts");
  const std::vector<int64_t> ends = call.list(2, "ends");
  std::vector<int64_t> all(starts.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int64_t> axes = call.list(3, "axes", all);
  const std::vector<int64_t> ones(starts.size(), 1);
  const std::vector<int64_t> steps = call.has(4) ? call.list(4, "") : ones;
  for (const auto* list : {&ends, &axes, &steps}) {
    if (list->size() != starts.size())
      call.refuse("starts, ends, axes and steps differ in number");
  }
  Shape shape = in.shape;
  std::vector<size_t> strides = strides_of(in.shape);
  size_t offset = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t axis = spec::normal_axis(axes[i], shape.size(), call.where);
    if (steps[i] < 1 || steps[i] > kMaxLiveElements)
      call.refuse("steps must be 1 or more");
    const int64_t extent = in.shape[axis];
    const auto inside = [extent](int64_t v) {
      return std::clamp<int64_t>(v < 0 ? v + extent : v, 0, extent);
    };
    const int64_t from = inside(starts[i]);
    const int64_t to = inside(ends[i]);
    const int64_t taken = std::max<int64_t>(0, to - from);
    const int64_t step = steps[i];
    shape[axis] = (taken + step - 1) / step;
    offset += size_t(from) * strides[axis];
    strides[axis] *= size_t(step);
  }
  return gathered(call, in, shape, offset, strides);
}

TensorValue shape_of(const Call& call) {
  const TensorValue& in = call.input(0);
  TensorValue out;
  out.integer = true;
  out.shape = {int64_t(in.shape.size())};
  out.integers = in.shape;
  return out;
}

TensorValue reshape(const Call& call) {
  const TensorValue& in = call.input(0);
  Shape shape = call.list(1, "shape");
  if (shape.size() > spec::kMaxRank)
    call.refuse("too many dimensions");
  int64_t known = 1;
  size_t open = shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t& size = shape[i];
    if (size == 0 && i < in.shape.size())
      size = in.shape[i];
    const bool opens = size == -1;
    const bool second = opens && open != shape.size();
    if (size < -1 || size > kMaxLiveElements || second)
      call.refuse("a dimension is no size, or two are open");
    if (opens)
      open = i;
    else if (known <= kMaxLiveElements)
      known *= size;
  }
  if (open < shape.size())
    shape[open] = known > 0 ? int64_t(in.size()) / known : 0;
  return reshaped(call, in, std::move(shape));
}

TensorValue transpose(const Call& call) {
  const TensorValue& in = call.input(0);
  const size_t rank = in.shape.size();
  std::vector<int64_t> perm(rank);
  std::iota(perm.rbegin(), perm.rend(), 0);
  perm = call.op.list("perm", perm);
  std::vector<int64_t> sorted = perm;
  std::vector<int64_t> all(rank);
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    call.refuse("perm is no permutation of the axes");
  const std::vector<size_t> from = strides_of(in.shape);
  Shape shape;
  std::vector<size_t> strides;
  for (const int64_t axis : perm) {
    shape.push_back(in.shape[size_t(axis)]);
    strides.push_back(from[size_t(axis)]);
  }
  return gathered(call, in, shape, 0, strides);
}

TensorValue squeeze(const Call& call) {
  const TensorValue& in = call.input(0);
  const bool all = !call.has(1) && !call.op.integers.contains("axes");
  std::vector<bool> gone(in.shape.size(), false);
  for (size_t i = 0; all && i < gone.size(); ++i)
    gone[i] = in.shape[i] == 1;
  for (const int64_t axis : call.list(1, "axes"))
    gone[spec::normal_axis(axis, in.shape.size(), call.where)] = true;
  Shape shape;
  for (size_t i = 0; i < gone.size(); ++i) {
    const int64_t size = in.shape[i];
    if (!gone[i])
      shape.push_back(size);
    if (gone[i] && size != 1)
      call.refuse("a dimension that is not 1 cannot go");
  }
  return reshaped(call, in, std::move(shape));
}

}  // namespace lento::tile
