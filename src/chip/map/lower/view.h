// The relation between the dimensions of an ONNX tensor and the channels, rows and columns of the layers that
// made it.
//
// A chip moves features of C x H x W. ONNX graphs reshape, transpose, split and join them without moving
// data. A Value therefore has a feature (C, H, W) made of pieces of layer outputs, and a layout: each ONNX
// dimension is a list of digits, major first, and a digit is a block of one feature axis. The part of every
// source that a consumer needs then follows from intervals alone. Where an interval does not stay an
// interval, the smallest one that holds it is taken, so that nothing needed is ever missing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "chip/map/mapping.h"
#include "spec/network.h"

namespace lento::chip {

using Box = std::array<Range, 3>;  // C, H, W of one sample
using Extents = std::array<int64_t, 3>;

// The value (position / stride) mod extent of positions along a feature axis.
struct Digit {
  int axis = 0;  // 0: C, 1: H, 2: W
  int64_t stride = 1;
  int64_t extent = 1;
  bool operator==(const Digit&) const = default;
};

// dims[d]: digits of dimension d, major first. A dimension of size 1 has none.
struct Layout {
  std::vector<std::vector<Digit>> dims;
  Extents extents{1, 1, 1};
  bool operator==(const Layout&) const = default;
};

// A box of a layer's output that becomes a box of a value: `size` elements (C, H, W) from the layer's element
// `from` on lie at the value's elements from `at` on.
struct Piece {
  int source = -1;  // layer, -1: network input
  Extents at{0, 0, 0};
  Extents from{0, 0, 0};
  Extents size{1, 1, 1};
  bool operator==(const Piece&) const = default;
};

struct Value {
  Layout layout;
  std::vector<Piece> pieces;
};

// Returns the default layout of a new result. Of four or more dimensions the first two are on C, the last is
// on W and the others are on H. Of fewer, the last is on C and the others are on H.
Layout default_layout(const spec::Shape& shape);
Value whole(int source, const spec::Shape& shape);  // the whole output of one layer in its default layout

std::vector<Range> dim_ranges(const Layout& layout, const Box& box);
Box box_of(const Layout& layout, const std::vector<Range>& dims);

// View operations return nothing when the result cannot be described as a view, and a copy is needed.
std::optional<Value> reshape(const Value& value, const spec::Shape& shape);
Value transpose(const Value& value, const std::vector<int64_t>& order);
std::optional<Value> slice(const Value& value, size_t dim, Range range);
std::optional<Value> pad(const Value& value, size_t dim, int64_t before, int64_t after);
// Joins operands along `dim`. A null operand stands for a constant of size `sizes[i]`.
std::optional<Value>
concat(const std::vector<const Value*>& operands, size_t dim, const std::vector<int64_t>& sizes);

}  // namespace lento::chip
