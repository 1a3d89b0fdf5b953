// Implements views: reshape, transpose, slice, pad and concat of values that exist as pieces of layer
// outputs. Each dimension is a list of digits of feature axes, so that most views only rearrange digits. A
// view that cannot be described returns nothing, and the caller adds a copying layer.
#include "chip/map/lower/view.h"

#include <algorithm>

namespace lento::chip {
namespace {

// Returns the number of positions that the digits can express.
int64_t count(const std::vector<Digit>& digits) {
  int64_t n = 1;
  for (const Digit& d : digits)
    n *= d.extent;
  return n;
}

// Returns the inclusive interval of values that a digit with `stride` takes over positions [r.start, r.end),
// or all its values when they wrap around.
Range digit_range(Range r, int64_t stride, int64_t extent) {
  const int64_t first = r.start / stride;
  const int64_t last = (r.end - 1) / stride;
  if (last - first + 1 >= extent)
    return {0, extent - 1};
  const int64_t a = first % extent;
  const int64_t b = last % extent;
  return a <= b ? Range{a, b} : Range{0, extent - 1};
}

// Joins neighbouring digits that together are one digit.
void merge(std::vector<Digit>& digits) {
  std::vector<Digit> out;
  for (const Digit& d : digits) {
    if (d.extent == 1)
      continue;
    if (!out.empty() && out.back().axis == d.axis && out.back().stride == d.stride * d.extent) {
      out.back() = {d.axis, d.stride, out.back().extent * d.extent};
    } else {
      out.push_back(d);
    }
  }
  digits = std::move(out);
}

// Returns the digit when dimension `dim` is exactly one digit and it is the most significant of its axis.
const Digit* top_digit(const Layout& layout, size_t dim) {
  if (layout.dims[dim].size() != 1)
    return nullptr;
  const Digit& d = layout.dims[dim].front();
  return d.stride * d.extent == layout.extents[d.axis] ? &d : nullptr;
}

// Keeps the part of each piece in [from, from + size) along one axis, and moves it down by `from`.
std::vector<Piece> cut(const std::vector<Piece>& pieces, int axis, int64_t from, int64_t size) {
  std::vector<Piece> out;
  for (Piece p : pieces) {
    const int64_t a = std::max(p.at[axis], from);
    const int64_t b = std::min(p.at[axis] + p.size[axis], from + size);
    if (a >= b)
      continue;
    p.from[axis] += a - p.at[axis];
    p.size[axis] = b - a;
    p.at[axis] = a - from;
    out.push_back(p);
  }
  return out;
}

}  // namespace

Layout default_layout(const spec::Shape& shape) {
  Layout layout;
  layout.dims.resize(shape.size());
  const auto put = [&](size_t dim, int axis) {
    // When the axis already has a dimension, the new one becomes its less significant part.
    if (shape[dim] == 1)
      return;
    for (auto& digits : layout.dims) {
      for (Digit& d : digits)
        d.stride *= d.axis == axis ? shape[dim] : 1;
    }
    layout.dims[dim] = {{axis, 1, shape[dim]}};
    layout.extents[axis] *= shape[dim];
  };
  const size_t n = shape.size();
  if (n == 1)
    put(0, 0);
  if (n == 2)
    put(0, 1), put(1, 0);
  if (n == 3)
    put(0, 1), put(1, 1), put(2, 0);
  if (n >= 4) {
    put(0, 0), put(1, 0);
    for (size_t d = 2; d + 1 < n; ++d)
      put(d, 1);
    put(n - 1, 2);
  }
  return layout;
}

Value whole(int source, const spec::Shape& shape) {
  const Layout layout = default_layout(shape);
  return {layout, {{source, {0, 0, 0}, {0, 0, 0}, layout.extents}}};
}

// Returns the range of each tensor dimension that a box of the layout covers.
std::vector<Range> dim_ranges(const Layout& layout, const Box& box) {
  std::vector<Range> out;
  out.reserve(layout.dims.size());
  for (const auto& digits : layout.dims) {
    Range range{0, 0};
    for (const Digit& d : digits) {
      const Range v = digit_range(box[d.axis], d.stride, d.extent);
      range = {range.start * d.extent + v.start, range.end * d.extent + v.end};
    }
    out.push_back({range.start, range.end + 1});
  }
  return out;
}

// Returns the smallest box of the layout that covers these ranges of the tensor.
Box box_of(const Layout& layout, const std::vector<Range>& dims) {
  Box box{{{0, 1}, {0, 1}, {0, 1}}};
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t weight = count(layout.dims[i]);
    for (const Digit& d : layout.dims[i]) {
      weight /= d.extent;
      const Range v = digit_range(dims[i], weight, d.extent);
      box[d.axis].start += v.start * d.stride;
      box[d.axis].end += v.end * d.stride;
    }
  }
  return box;
}

std::optional<Value> reshape(const Value& value, const spec::Shape& shape) {
  std::vector<Digit> rest;
  for (auto it = value.layout.dims.rbegin(); it != value.layout.dims.rend(); ++it) {
    for (auto d = it->rbegin(); d != it->rend(); ++d)
      rest.push_back(*d);
  }  // the most significant digit comes last
  Value out = value;
  out.layout.dims.assign(shape.size(), {});
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t n = shape[i];
    while (n > 1) {
      if (rest.empty())
        return std::nullopt;
      Digit d = rest.back();
      rest.pop_back();
      if (n % d.extent == 0) {
        n /= d.extent;
      } else if (d.extent % n == 0) {
        rest.push_back({d.axis, d.stride, d.extent / n});
        d = {d.axis, d.stride * (d.extent / n), n};
        n = 1;
      } else {
        return std::nullopt;
      }
      out.layout.dims[i].push_back(d);
    }
    merge(out.layout.dims[i]);
  }
  return out;
}

Value transpose(const Value& value, const std::vector<int64_t>& order) {
  Value out = value;
  for (size_t i = 0; i < order.size(); ++i)
    out.layout.dims[i] = value.layout.dims[order[i]];
  return out;
}

// Returns a view of a range of one dimension, or nothing when the layout does not allow one.
std::optional<Value> slice(const Value& value, size_t dim, Range range) {
  if (range.start == 0 && range.end == count(value.layout.dims[dim]))
    return value;
  const Digit* top = top_digit(value.layout, dim);
  if (!top)
    return std::nullopt;
  Value out = value;
  const int axis = top->axis;
  out.layout.extents[axis] = range.size() * top->stride;
  out.pieces = cut(value.pieces, axis, range.start * top->stride, out.layout.extents[axis]);
  out.layout.dims[dim].front().extent = range.size();
  merge(out.layout.dims[dim]);
  return out;
}

// Returns a view with zeros before and after in one dimension, or nothing.
std::optional<Value> pad(const Value& value, size_t dim, int64_t before, int64_t after) {
  if (before == 0 && after == 0)
    return value;
  const Digit* top = top_digit(value.layout, dim);
  if (!top || before < 0 || after < 0)
    return std::nullopt;
  Value out = value;
  for (Piece& p : out.pieces)
    p.at[top->axis] += before * top->stride;
  out.layout.extents[top->axis] += (before + after) * top->stride;
  out.layout.dims[dim].front().extent += before + after;
  return out;
}

// Returns a view of several tensors joined in one dimension, or nothing.
std::optional<Value>
concat(const std::vector<const Value*>& operands, size_t dim, const std::vector<int64_t>& sizes) {
  const auto model = std::ranges::find_if(operands, [dim](const Value* v) {
    return v && top_digit(v->layout, dim);
  });
  if (model == operands.end())
    return std::nullopt;
  Value out{(*model)->layout, {}};
  Digit& joined = out.layout.dims[dim].front();
  const int axis = joined.axis;
  int64_t at = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (const Value* v = operands[i]) {
      // The layout of the operand must equal that of `model`, which the result takes, except for its size
      // along the joined dimension.
      Layout expected = out.layout;
      expected.dims[dim].front().extent = sizes[i];
      merge(expected.dims[dim]);
      expected.extents[axis] = sizes[i] * joined.stride;
      if (v->layout != expected)
        return std::nullopt;
      for (Piece p : v->pieces) {
        p.at[axis] += at * joined.stride;
        out.pieces.push_back(p);
      }
    }
    at += sizes[i];
  }
  joined.extent = at;
  out.layout.extents[axis] = at * joined.stride;
  return out;
}

}  // namespace lento::chip
