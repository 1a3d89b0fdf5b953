// Values that only rename data, against tensors of which every element remembers where it came from.
#include "chip/map/lower/view.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace lento::chip {
namespace {

using spec::Shape;

constexpr int64_t kNothing = -1;  // padding

int64_t size_of(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t s : shape)
    n *= s;
  return n;
}

// Element by element, row-major: the element of the source that stands there.
struct Tensor {
  Shape shape;
  std::vector<int64_t> from;
};

std::vector<int64_t> index_of(const Shape& shape, int64_t flat) {
  std::vector<int64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = flat % shape[d];
    flat /= shape[d];
  }
  return at;
}

int64_t flat_of(const Shape& shape, const std::vector<int64_t>& at) {
  int64_t flat = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    flat = flat * shape[d] + at[d];
  return flat;
}

// Where an element of a value lies in its feature, by the definition of digits.
Extents feature_position(const Layout& layout, const std::vector<int64_t>& at) {
  Extents position{0, 0, 0};
  for (size_t d = 0; d < at.size(); ++d) {
    int64_t rest = at[d];
    const auto& digits = layout.dims[d];
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      position[size_t(digit->axis)] += rest % digit->extent * digit->stride;
      rest /= digit->extent;
    }
    EXPECT_EQ(rest, 0);
  }
  return position;
}

// The element of the source's feature, flat, that a position of the value's feature is.
int64_t source_of(const Value& value, const Extents& position, const Extents& source_extents) {
  for (const Piece& p : value.pieces) {
    Extents at{};
    bool inside = true;
    for (size_t a = 0; a < 3; ++a) {
      at[a] = position[a] - p.at[a] + p.from[a];
      inside = inside && position[a] >= p.at[a] && position[a] < p.at[a] + p.size[a];
    }
    if (inside)
      return (at[0] * source_extents[1] + at[1]) * source_extents[2] + at[2];
  }
  return kNothing;
}

Tensor whole_tensor(const Shape& shape, const Layout& layout) {
  Tensor t{shape, {}};
  for (int64_t i = 0; i < size_of(shape); ++i) {
    const Extents at = feature_position(layout, index_of(shape, i));
    t.from.push_back((at[0] * layout.extents[1] + at[1]) * layout.extents[2] + at[2]);
  }
  return t;
}

void expect_same(const Value& value, const Tensor& tensor, const Extents& source, uint64_t seed) {
  ASSERT_EQ(value.layout.dims.size(), tensor.shape.size());
  for (int64_t i = 0; i < size_of(tensor.shape); ++i) {
    const Extents at = feature_position(value.layout, index_of(tensor.shape, i));
    for (size_t a = 0; a < 3; ++a)
      ASSERT_LT(at[a], value.layout.extents[a]) << seed;
    ASSERT_EQ(source_of(value, at, source), tensor.from[size_t(i)]) << seed << " element " << i;
  }
}

// Intervals of either side hold everything of the other that belongs to them.
void expect_ranges_cover(const Value& value, const Shape& shape, base::Rng& rng) {
  std::vector<Range> dims;
  for (const int64_t s : shape) {
    const auto a = int64_t(rng.below(uint64_t(s)));
    dims.push_back({a, a + 1 + int64_t(rng.below(uint64_t(s - a)))});
  }
  const Box box = box_of(value.layout, dims);
  const std::vector<Range> back = dim_ranges(value.layout, box);
  for (int64_t i = 0; i < size_of(shape); ++i) {
    const std::vector<int64_t> at = index_of(shape, i);
    bool wanted = true;
    for (size_t d = 0; d < at.size(); ++d)
      wanted = wanted && at[d] >= dims[d].start && at[d] < dims[d].end;
    const Extents position = feature_position(value.layout, at);
    bool inside = true;
    for (size_t a = 0; a < 3; ++a)
      inside = inside && position[a] >= box[a].start && position[a] < box[a].end;
    EXPECT_TRUE(inside || !wanted);
    for (size_t d = 0; d < at.size() && inside; ++d) {
      EXPECT_GE(at[d], back[d].start);
      EXPECT_LT(at[d], back[d].end);
    }
  }
}

Shape random_shape(base::Rng& rng) {
  Shape shape;
  for (uint64_t d = 0; d < 1 + rng.below(4); ++d)
    shape.push_back(int64_t(1 + rng.below(6)));
  return shape;
}

// Another shape of as many elements: two dimensions joined or one cut in two.
Shape reshaped(const Shape& shape, base::Rng& rng) {
  Shape out = shape;
  if (out.size() > 1 && rng.below(2)) {
    const size_t d = rng.below(out.size() - 1);
    out[d] *= out[d + 1];
    out.erase(out.begin() + long(d) + 1);
    return out;
  }
  const size_t d = rng.below(out.size());
  for (const int64_t part : {2, 3, 1}) {
    if (out[d] % part != 0)
      continue;
    out[d] /= part;
    out.insert(out.begin() + long(d), part);
    return out;
  }
  return out;
}

Tensor transposed(const Tensor& t, const std::vector<int64_t>& order) {
  Tensor out;
  for (const int64_t d : order)
    out.shape.push_back(t.shape[size_t(d)]);
  for (int64_t i = 0; i < size_of(out.shape); ++i) {
    const auto at = index_of(out.shape, i);
    std::vector<int64_t> from(at.size());
    for (size_t d = 0; d < at.size(); ++d)
      from[size_t(order[d])] = at[d];
    out.from.push_back(t.from[size_t(flat_of(t.shape, from))]);
  }
  return out;
}

// Elements [start, end) of a dimension; those outside the tensor are padding.
Tensor window(const Tensor& t, size_t dim, int64_t start, int64_t end) {
  Tensor out{t.shape, {}};
  out.shape[dim] = end - start;
  for (int64_t i = 0; i < size_of(out.shape); ++i) {
    auto at = index_of(out.shape, i);
    at[dim] += start;
    const bool inside = at[dim] >= 0 && at[dim] < t.shape[dim];
    out.from.push_back(inside ? t.from[size_t(flat_of(t.shape, at))] : kNothing);
  }
  return out;
}

TEST(View, ChainsOfViewsKeepEveryElement) {
  int steps = 0;
  int refused = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    base::Rng rng(seed, "views");
    const Shape shape = random_shape(rng);
    Value value = whole(0, shape);
    const Extents source = value.layout.extents;
    Tensor tensor = whole_tensor(shape, value.layout);
    expect_same(value, tensor, source, seed);
    for (int step = 0; step < 5; ++step) {
      const size_t dim = rng.below(tensor.shape.size());
      const int64_t extent = tensor.shape[dim];
      std::optional<Value> next;
      Tensor expected = tensor;
      switch (rng.below(4)) {
        case 0: {
          expected.shape = reshaped(tensor.shape, rng);
          next = reshape(value, expected.shape);
          break;
        }
        case 1: {
          std::vector<int64_t> order;
          for (size_t d = 0; d < tensor.shape.size(); ++d)
            order.push_back(int64_t(d));
          for (size_t i = order.size(); i-- > 1;)
            std::swap(order[i], order[rng.below(i + 1)]);
          expected = transposed(tensor, order);
          next = transpose(value, order);
          break;
        }
        case 2: {
          const auto start = int64_t(rng.below(uint64_t(extent)));
          const int64_t end = start + 1 + int64_t(rng.below(uint64_t(extent - start)));
          expected = window(tensor, dim, start, end);
          next = slice(value, dim, {start, end});
          break;
        }
        default: {
          const auto before = int64_t(rng.below(3));
          const auto after = int64_t(rng.below(3));
          expected = window(tensor, dim, -before, extent + after);
          next = pad(value, dim, before, after);
        }
      }
      ++steps;
      refused += !next;
      if (!next)
        continue;  // the data must be moved
      value = *next;
      tensor = expected;
      expect_same(value, tensor, source, seed);
      expect_ranges_cover(value, tensor.shape, rng);
    }
  }
  EXPECT_LT(refused, steps / 2);
}

TEST(View, WhatIsCutAndJoinedAgainIsWhole) {
  int joined = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    base::Rng rng(seed, "joins");
    const Shape shape = random_shape(rng);
    const Value value = whole(0, shape);
    const Tensor tensor = whole_tensor(shape, value.layout);
    const size_t dim = rng.below(shape.size());
    if (shape[dim] < 2)
      continue;
    const auto middle = int64_t(1 + rng.below(uint64_t(shape[dim] - 1)));
    const auto low = slice(value, dim, {0, middle});
    const auto high = slice(value, dim, {middle, shape[dim]});
    if (!low || !high)
      continue;
    const auto both = concat({&*low, &*high}, dim, {middle, shape[dim] - middle});
    if (!both)
      continue;
    ++joined;
    expect_same(*both, tensor, value.layout.extents, seed);
    // A constant in place of the first part leaves a hole there.
    const auto one = concat({nullptr, &*high}, dim, {middle, shape[dim] - middle});
    if (!one)
      continue;  // a single position says nothing of the axis
    Tensor holes = tensor;
    for (int64_t i = 0; i < size_of(shape); ++i) {
      if (index_of(shape, i)[dim] < middle)
        holes.from[size_t(i)] = kNothing;
    }
    expect_same(*one, holes, value.layout.extents, seed);
  }
  EXPECT_GT(joined, 30);
}

TEST(View, WhatMustBeMovedIsRefused) {
  const Value v = whole(0, {1, 6, 4, 4});
  EXPECT_FALSE(reshape(v, {4, 24}).has_value());  // cuts six channels in four
  EXPECT_FALSE(reshape(v, {1, 6, 4, 5}).has_value());
  EXPECT_FALSE(pad(v, 1, -1, 0).has_value());
  const auto rows = reshape(v, {24, 4});
  ASSERT_TRUE(rows.has_value());
  EXPECT_FALSE(slice(*rows, 0, {1, 7}).has_value());  // a part of two axes is no box
}

TEST(View, FreshResultsStandAsTheirRankSays) {
  EXPECT_EQ(default_layout({1, 3, 5, 7}).extents, (Extents{3, 5, 7}));
  EXPECT_EQ(default_layout({1, 5, 3}).extents, (Extents{3, 5, 1}));
  EXPECT_EQ(default_layout({5, 3}).extents, (Extents{3, 5, 1}));
  EXPECT_EQ(default_layout({9}).extents, (Extents{9, 1, 1}));
  EXPECT_EQ(default_layout({2, 3, 4, 5, 6}).extents, (Extents{6, 20, 6}));
  EXPECT_EQ(default_layout({}).extents, (Extents{1, 1, 1}));
}

}  // namespace
}  // namespace lento::chip
