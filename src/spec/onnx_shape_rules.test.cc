// Each shape rule against the definition of its operator: counted element by element where that is possible.
#include "spec/onnx_shape_rules.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "base/test_error.h"
#include "spec/shape_math.h"

namespace lento::spec {
namespace {

using base::Rng;
using testing::HasSubstr;
using Integers = std::map<std::string, std::vector<int64_t>>;

// One operator applied to inputs of these shapes; an input with values is a constant.
class Applied {
 public:
  Applied(std::string type, const std::vector<Shape>& inputs, Integers integers = {}, size_t outputs = 1) {
    op_.type = std::move(type);
    op_.integers = std::move(integers);
    for (const Shape& shape : inputs) {
      op_.inputs.push_back(int(tensors_.size()));
      tensors_.push_back({"t", shape});
    }
    for (size_t i = 0; i < outputs; ++i) {
      op_.outputs.push_back(int(tensors_.size()));
      tensors_.push_back({"out"});
    }
  }
  Applied& values(const std::vector<int64_t>& values) {
    Tensor tensor{"v", {int64_t(values.size())}};
    tensor.has_values = tensor.constant = true;
    tensor.values = values;
    op_.inputs.push_back(int(tensors_.size()));
    tensors_.push_back(tensor);
    return *this;
  }
  Applied& absent() {
    op_.inputs.push_back(Operation::kAbsent);
    return *this;
  }
  Applied& text(const std::string& key, const std::string& value) {
    op_.texts[key] = value;
    return *this;
  }
  Shape shape(size_t output = 0) {
    run();
    return tensors_[size_t(op_.outputs[output])].shape;
  }
  std::string complaint() {
    return base::test::error_of([&] {
      run();
    });
  }

 private:
  void run() {
    const base::Location where{"m.onnx", 0, 0, "node"};
    const ShapeRule rule = shape_rule(op_.type);
    ASSERT_NE(rule, nullptr) << op_.type;
    rule({op_, tensors_, where});
  }
  Operation op_;
  std::vector<Tensor> tensors_;
};

Shape drawn(Rng& rng, size_t rank, uint64_t most = 6) {
  Shape shape(rank);
  for (int64_t& d : shape)
    d = int64_t(1 + rng.below(most));
  return shape;
}

TEST(Broadcast, EachAxisIsTheLargerOfBothFromTheEnd) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed, "broadcast");
    const Shape whole = drawn(rng, 1 + rng.below(4));
    Shape a = whole;
    Shape b(whole.begin() + long(rng.below(whole.size() + 1)), whole.end());
    for (int64_t& d : a)
      d = rng.below(2) && !b.empty() ? d : d;
    for (size_t i = 0; i < b.size(); ++i) {
      if (rng.below(3) == 0)
        b[i] = 1;
      else if (rng.below(3) == 0)
        a[whole.size() - b.size() + i] = 1;
    }
    Shape expected = a;
    for (size_t i = 0; i < b.size(); ++i)
      expected[a.size() - b.size() + i] = std::max(expected[a.size() - b.size() + i], b[i]);
    EXPECT_EQ(broadcast(a, b, {}), expected);
    EXPECT_EQ(broadcast(b, a, {}), expected);
  }
}

TEST(Broadcast, WhatDiffersAndIsNotOneIsRefused) {
  EXPECT_THAT(
      base::test::error_of([] {
        broadcast({2, 3}, {2}, {"m"});
      }),
      HasSubstr("m: error: 2x3 and 2 do not broadcast"));
  EXPECT_EQ(broadcast({}, {4, 5}, {}), (Shape{4, 5}));
}

TEST(CheckShape, BoundsOfRankAndElements) {
  const auto complaint = [](const Shape& shape) {
    return base::test::error_of([&] {
      check_shape(shape, {"m"});
    });
  };
  EXPECT_EQ(complaint({}), "no error");
  EXPECT_EQ(complaint(Shape(8, 2)), "no error");
  EXPECT_THAT(complaint(Shape(9, 1)), HasSubstr("a tensor of 9 dimensions"));
  EXPECT_EQ(complaint({int64_t{1} << 36}), "no error");
  EXPECT_EQ(complaint({int64_t{1} << 20, int64_t{1} << 16}), "no error");
  for (const Shape& bad :
       {Shape{(int64_t{1} << 36) + 1},
        Shape{int64_t{1} << 20, (int64_t{1} << 16) + 1},
        Shape{0},
        Shape{3, -1}})
    EXPECT_THAT(complaint(bad), HasSubstr("empty, negative or above 2^36 elements"));
}

TEST(NormalAxis, CountsFromEitherEnd) {
  for (size_t rank = 1; rank <= 5; ++rank) {
    for (size_t axis = 0; axis < rank; ++axis) {
      EXPECT_EQ(normal_axis(int64_t(axis), rank, {}), axis);
      EXPECT_EQ(normal_axis(int64_t(axis) - int64_t(rank), rank, {}), axis);
    }
    for (const int64_t outside : {int64_t(rank), -int64_t(rank) - 1}) {
      EXPECT_THAT(
          base::test::error_of([&] {
            normal_axis(outside, rank, {"m"});
          }),
          HasSubstr("axis " + std::to_string(outside)));
    }
  }
}

TEST(Times, RefusesWhatOverflows) {
  const Operation op;
  std::vector<Tensor> tensors;
  const base::Location where{"m"};
  const Call call{op, tensors, where};
  EXPECT_EQ(times(int64_t{1} << 31, int64_t{1} << 31, call), int64_t{1} << 62);
  EXPECT_THAT(
      base::test::error_of([&] {
        times(int64_t{1} << 32, int64_t{1} << 31, call);
      }),
      HasSubstr("sizes overflow"));
}

// How many windows fit, by placing them one after the other.
int64_t
windows(int64_t extent, int64_t kernel, int64_t stride, int64_t before, int64_t after, int64_t dilation) {
  int64_t count = 0;
  for (int64_t at = -before; at + dilation * (kernel - 1) < extent + after; at += stride)
    ++count;
  return count;
}

TEST(Conv, CountsTheWindowsThatFit) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed, "conv");
    const int64_t groups = int64_t(1 + rng.below(3));
    const int64_t channels = groups * int64_t(1 + rng.below(3));
    const int64_t filters = groups * int64_t(1 + rng.below(3));
    Shape expected{2, filters};
    Shape x{2, channels};
    Shape w{filters, channels / groups};
    Integers a{{"group", {groups}}};
    std::vector<int64_t> after;
    for (int i = 0; i < 2; ++i) {
      const auto kernel = int64_t(1 + rng.below(3));
      const auto dilation = int64_t(1 + rng.below(2));
      const auto stride = int64_t(1 + rng.below(3));
      const auto extent = int64_t(5 + rng.below(9));
      const auto pad = int64_t(rng.below(3));
      after.push_back(int64_t(rng.below(3)));
      x.push_back(extent);
      w.push_back(kernel);
      a["strides"].push_back(stride);
      a["dilations"].push_back(dilation);
      a["pads"].push_back(pad);
      expected.push_back(windows(extent, kernel, stride, pad, after.back(), dilation));
    }
    a["pads"].insert(a["pads"].end(), after.begin(), after.end());
    EXPECT_EQ(Applied("Conv", {x, w}, a).shape(), expected) << seed;
  }
}

TEST(Conv, SamePaddingDividesTheExtent) {
  for (int64_t extent = 1; extent <= 12; ++extent) {
    for (int64_t stride = 1; stride <= 4; ++stride) {
      Applied conv("Conv", {{1, 1, extent}, {1, 1, 3}}, {{"strides", {stride}}});
      EXPECT_EQ(conv.text("auto_pad", "SAME_UPPER").shape()[2], (extent + stride - 1) / stride);
    }
  }
}

TEST(Conv, WhatDoesNotFitIsRefused) {
  const std::pair<Applied, const char*> cases[] = {
      {Applied("Conv", {{1, 3, 8, 8}, {4, 2, 3, 3}}), "do not fit the input 1x3x8x8"},
      {Applied("Conv", {{1, 3, 8, 8}, {4, 3, 3}}), "weights are 4x3x3"},
      {Applied("Conv", {{1, 3, 8, 8}, {4, 3, 9, 9}}), "larger than its input of 8"},
      {Applied("Conv", {{1, 4, 8, 8}, {3, 2, 3, 3}}, {{"group", {2}}}), "do not fit"},
      {Applied("Conv", {{1, 4, 8, 8}, {4, 4, 3, 3}}, {{"group", {0}}}), "do not fit"},
      {Applied("Conv", {{1, 4, 8, 8}, {4, 4, 3, 3}}, {{"strides", {0, 1}}}), "must be positive"},
      {Applied("Conv", {{1, 4, 8, 8}, {4, 4, 3, 3}}, {{"pads", {-1, 0, 0, 0}}}), "must be positive"},
      {Applied("Conv", {{1, 4}, {4, 4}}), "needed at least 3 dimensions"},
      {Applied("Conv", {{1, 4, 8}}), "needs 2 inputs"}};
  for (auto [applied, text] : cases)
    EXPECT_THAT(applied.complaint(), HasSubstr(text));
}

TEST(ConvTranspose, IsTheInverseOfAConvolution) {
  // The convolution of its output has the shape of its input when strides leave no rest.
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed, "transposed");
    const auto kernel = int64_t(1 + rng.below(4));
    const auto stride = int64_t(1 + rng.below(3));
    const auto pad = int64_t(rng.below(uint64_t(kernel)));
    const auto extent = int64_t(2 + rng.below(8));
    const auto dilation = int64_t(1 + rng.below(2));
    const Integers a{{"strides", {stride}}, {"pads", {pad, 0}}, {"dilations", {dilation}}};
    const Shape grown = Applied("ConvTranspose", {{1, 4, extent}, {4, 5, kernel}}, a).shape();
    EXPECT_EQ(grown[1], 5);
    if (grown[2] < 1)
      continue;
    EXPECT_EQ(Applied("Conv", {grown, {4, 5, kernel}}, a).shape(), (Shape{1, 4, extent})) << seed;
  }
  EXPECT_EQ(
      Applied("ConvTranspose", {{1, 4, 3}, {4, 5, 2}}, {{"group", {2}}, {"output_padding", {1}}}).shape(),
      (Shape{1, 10, 5}));
  EXPECT_EQ(
      Applied("ConvTranspose", {{1, 4, 3}, {4, 5, 2}}, {{"output_shape", {9}}}).shape(),
      (Shape{1, 5, 9}));
}

TEST(ConvTranspose, HostileSizesAreRefused) {
  for (const char* key : {"pads", "output_padding", "strides", "dilations"}) {
    const int64_t bad = std::string(key) == "strides" || std::string(key) == "dilations" ? 0 : -1;
    EXPECT_THAT(
        Applied("ConvTranspose", {{1, 4, 3}, {4, 5, 2}}, {{key, {bad, bad}}}).complaint(),
        HasSubstr("huge"))
        << key;
    EXPECT_THAT(
        Applied("ConvTranspose", {{1, 4, 3}, {4, 5, 2}}, {{key, {INT64_MAX, INT64_MAX}}}).complaint(),
        HasSubstr("huge"))
        << key;
  }
}

TEST(Pool, ACeilingCountsTheLastPartOfAWindow) {
  for (int64_t extent = 3; extent <= 12; ++extent) {
    for (int64_t stride = 1; stride <= 3; ++stride) {
      for (const int64_t pad : {0, 1}) {
        int64_t count = 0;
        // A window counts when it begins inside the input or its padding before, and the one before it had
        // input left over.
        for (int64_t at = -pad; at < extent; at += stride) {
          ++count;
          if (at + 3 >= extent + pad)
            break;
        }
        const Integers a{
            {"kernel_shape", {3}},
            {"strides", {stride}},
            {"pads", {pad, pad}},
            {"ceil_mode", {1}}};
        EXPECT_EQ(Applied("MaxPool", {{1, 2, extent}}, a).shape(), (Shape{1, 2, count}))
            << extent << stride << pad;
      }
    }
  }
}

TEST(Pool, BothOutputsOfAMaximumHaveOneShape) {
  Applied pool("MaxPool", {{1, 2, 8, 8}}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}}, 2);
  EXPECT_EQ(pool.shape(0), (Shape{1, 2, 4, 4}));
  EXPECT_EQ(pool.shape(1), (Shape{1, 2, 4, 4}));
  EXPECT_THAT(
      Applied("MaxPool", {{1, 2, 8, 8}}, {{"kernel_shape", {2}}}).complaint(),
      HasSubstr("kernel_shape"));
  EXPECT_EQ(Applied("GlobalAveragePool", {{3, 7, 8, 9}}).shape(), (Shape{3, 7, 1, 1}));
}

TEST(Gemm, RowsOfOneColumnsOfTheOther) {
  for (int flags = 0; flags < 4; ++flags) {
    const int64_t ta = flags & 1;
    const int64_t tb = flags >> 1;
    const Shape a = ta ? Shape{5, 2} : Shape{2, 5};
    const Shape b = tb ? Shape{3, 5} : Shape{5, 3};
    const Integers integers{{"transA", {ta}}, {"transB", {tb}}};
    EXPECT_EQ(Applied("Gemm", {a, b}, integers).shape(), (Shape{2, 3}));
    EXPECT_THAT(Applied("Gemm", {a, {4, 4}}, integers).complaint(), HasSubstr("inner sizes differ"));
  }
  EXPECT_THAT(Applied("Gemm", {{2, 2, 2}, {2, 2}}).complaint(), HasSubstr("two matrices"));
}

TEST(MatMul, FollowsTheRuleOfNumpy) {
  const std::tuple<Shape, Shape, Shape> cases[] = {
      {{2, 3}, {3, 4}, {2, 4}},
      {{3}, {3, 4}, {4}},
      {{2, 3}, {3}, {2}},
      {{3}, {3}, {}},
      {{7, 2, 3}, {3, 4}, {7, 2, 4}},
      {{7, 1, 2, 3}, {5, 3, 4}, {7, 5, 2, 4}},
      {{3}, {5, 3, 4}, {5, 4}}};
  for (const auto& [a, b, expected] : cases)
    EXPECT_EQ(Applied("MatMul", {a, b}).shape(), expected) << to_string(a) << " " << to_string(b);
  EXPECT_THAT(Applied("MatMul", {{2, 3}, {4, 2}}).complaint(), HasSubstr("inner sizes differ"));
  EXPECT_THAT(Applied("MatMul", {{}, {4, 2}}).complaint(), HasSubstr("at least vectors"));
}

TEST(Reshape, KeepsTheNumberOfElements) {
  EXPECT_EQ(Applied("Reshape", {{2, 3, 4}}).values({4, 6}).shape(), (Shape{4, 6}));
  EXPECT_EQ(Applied("Reshape", {{2, 3, 4}}).values({0, -1}).shape(), (Shape{2, 12}));
  EXPECT_EQ(Applied("Reshape", {{2, 3, 4}}).values({-1}).shape(), (Shape{24}));
  EXPECT_EQ(Applied("Reshape", {{2, 3, 4}}, {{"shape", {3, 8}}}).shape(), (Shape{3, 8}));
  for (const std::vector<int64_t>& bad : {std::vector<int64_t>{5, 5}, {-1, 7}, {24, 2}})
    EXPECT_THAT(Applied("Reshape", {{2, 3, 4}}).values(bad).complaint(), HasSubstr("does not reshape to"));
  for (const std::vector<int64_t>& bad : {std::vector<int64_t>{-1, -1}, {-2, 12}, {1, 1, 1, 0, 24}})
    EXPECT_THAT(Applied("Reshape", {{2, 3, 4}}).values(bad).complaint(), HasSubstr("a target size of"));
  EXPECT_THAT(
      Applied("Reshape", {{2, 3, 4}}, {{"allowzero", {1}}}).values({0, -1}).complaint(),
      HasSubstr("a target size of 0"));
}

TEST(Flatten, IsTwoDimensionsAtEveryCut) {
  const Shape x{2, 3, 4, 5};
  for (int64_t axis = -4; axis <= 4; ++axis) {
    const int64_t cut = axis < 0 ? axis + 4 : axis;
    const int64_t first = std::accumulate(x.begin(), x.begin() + cut, int64_t{1}, std::multiplies<>());
    EXPECT_EQ(Applied("Flatten", {x}, {{"axis", {axis}}}).shape(), (Shape{first, 120 / first})) << axis;
  }
  EXPECT_EQ(Applied("Flatten", {x}).shape(), (Shape{2, 60}));
}

TEST(SqueezeAndUnsqueeze, UndoEachOther) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed, "squeeze");
    const Shape x = drawn(rng, 1 + rng.below(4));
    std::vector<int64_t> axes;
    const size_t rank = x.size() + 2;
    axes.push_back(int64_t(rng.below(rank)));
    axes.push_back((axes[0] + 1 + int64_t(rng.below(rank - 1))) % int64_t(rank));
    if (rng.below(2))
      axes[1] -= int64_t(rank);
    const Shape wide = Applied("Unsqueeze", {x}).values(axes).shape();
    ASSERT_EQ(wide.size(), rank);
    EXPECT_EQ(element_count(wide), element_count(x));
    EXPECT_EQ(Applied("Squeeze", {wide}).values(axes).shape(), x);
    EXPECT_EQ(Applied("Squeeze", {wide}, {{"axes", axes}}).shape(), x);
  }
  EXPECT_EQ(Applied("Squeeze", {{1, 3, 1}}).shape(), (Shape{3}));
  EXPECT_THAT(Applied("Squeeze", {{2, 1}}).values({0}).complaint(), HasSubstr("is not 1"));
  EXPECT_THAT(Applied("Unsqueeze", {{2}}).values({0, 0}).complaint(), HasSubstr("stands twice"));
  EXPECT_THAT(Applied("Unsqueeze", {Shape(8, 1)}).values({0}).complaint(), HasSubstr("more than 8"));
}

TEST(Transpose, PutsEachAxisWhereItIsTold) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed, "transpose");
    const Shape x = drawn(rng, 1 + rng.below(4), 50);
    std::vector<int64_t> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[rng.below(i)]);
    const Shape out = Applied("Transpose", {x}, {{"perm", order}}).shape();
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(out[i], x[size_t(order[i])]);
    const Shape reversed = Applied("Transpose", {x}).shape();
    EXPECT_TRUE(std::equal(x.rbegin(), x.rend(), reversed.begin()));
  }
  for (const std::vector<int64_t>& bad : {std::vector<int64_t>{0, 0}, {0}, {0, 2}, {-1, 0}})
    EXPECT_THAT(
        Applied("Transpose", {{2, 3}}, {{"perm", bad}}).complaint(),
        HasSubstr("no order of the axes"));
}

TEST(ConcatAndSplit, UndoEachOther) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed, "concat");
    const Shape x = drawn(rng, 1 + rng.below(3));
    const auto axis = int64_t(rng.below(x.size()));
    std::vector<Shape> parts(1 + rng.below(4), x);
    std::vector<int64_t> sizes;
    for (Shape& part : parts) {
      part[size_t(axis)] = int64_t(1 + rng.below(5));
      sizes.push_back(part[size_t(axis)]);
    }
    const Integers a{{"axis", {rng.below(2) ? axis : axis - int64_t(x.size())}}};
    const Shape joined = Applied("Concat", parts, a).shape();
    EXPECT_EQ(joined[size_t(axis)], std::accumulate(sizes.begin(), sizes.end(), int64_t{0}));
    for (size_t i = 0; i < parts.size(); ++i)
      EXPECT_EQ(Applied("Split", {joined}, a, parts.size()).values(sizes).shape(i), parts[i]);
  }
  EXPECT_THAT(
      Applied("Concat", {{2, 3}, {3, 3}}, {{"axis", {1}}}).complaint(),
      HasSubstr("cannot join 2x3 and 3x3"));
  EXPECT_THAT(Applied("Concat", {{2, 3}, {2}}, {{"axis", {0}}}).complaint(), HasSubstr("cannot join"));
}

TEST(Split, WithoutSizesTheLastPartIsTheRest) {
  Applied split("Split", {{10}}, {}, 4);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(split.shape(i), (Shape{3}));
  EXPECT_EQ(split.shape(3), (Shape{1}));
  EXPECT_THAT(Applied("Split", {{2}}, {}, 3).complaint(), HasSubstr("do not add up"));
  EXPECT_THAT(Applied("Split", {{5}}, {}, 2).values({2, 2}).complaint(), HasSubstr("do not add up"));
  EXPECT_THAT(Applied("Split", {{5}}, {}, 2).values({6, -1}).complaint(), HasSubstr("do not add up"));
  EXPECT_THAT(Applied("Split", {{5}}, {}, 2).values({5}).complaint(), HasSubstr("do not add up"));
}

TEST(Slice, CountsTheElementsThatAreTaken) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    Rng rng(seed, "slice");
    const auto extent = int64_t(1 + rng.below(9));
    const int64_t start = int64_t(rng.below(30)) - 15;
    const int64_t end = int64_t(rng.below(30)) - 15;
    const auto step = int64_t(1 + rng.below(3));
    const auto bound = [&](int64_t v) {
      return std::min(extent, std::max<int64_t>(0, v < 0 ? v + extent : v));
    };
    int64_t taken = 0;
    for (int64_t i = bound(start); i < bound(end); i += step)
      ++taken;
    Applied slice("Slice", {{2, extent}});
    slice.values({start}).values({end}).values({1}).values({step});
    if (taken == 0) {
      EXPECT_THAT(slice.complaint(), HasSubstr("an empty slice")) << seed;
    } else {
      EXPECT_EQ(slice.shape(), (Shape{2, taken})) << seed;
    }
  }
}

TEST(Slice, ExtremeBoundsDoNotOverflow) {
  EXPECT_EQ(slice_bounds(INT64_MIN, INT64_MAX, 5), (std::pair<int64_t, int64_t>{0, 5}));
  EXPECT_EQ(slice_bounds(INT64_MAX, INT64_MIN, 5), (std::pair<int64_t, int64_t>{5, 0}));
  EXPECT_EQ(slice_bounds(-2, -1, 5), (std::pair<int64_t, int64_t>{3, 4}));
  EXPECT_EQ(Applied("Slice", {{4, 6}}, {{"starts", {1}}, {"ends", {3}}}).shape(), (Shape{2, 6}));
  EXPECT_EQ(
      Applied("Slice", {{4}}).values({-1}).values({INT64_MIN}).values({0}).values({-1}).shape(),
      (Shape{4}));
  EXPECT_THAT(
      Applied("Slice", {{4}}).values({0}).values({4}).values({0}).values({0}).complaint(),
      HasSubstr("a step of 0"));
  EXPECT_THAT(Applied("Slice", {{4}}).values({0}).values({4, 4}).complaint(), HasSubstr("differ in number"));
}

TEST(Gather, PutsTheIndicesInPlaceOfTheAxis) {
  EXPECT_EQ(Applied("Gather", {{5, 6, 7}, {2, 3}}, {{"axis", {1}}}).shape(), (Shape{5, 2, 3, 7}));
  EXPECT_EQ(Applied("Gather", {{5, 6, 7}, {}}, {{"axis", {-1}}}).shape(), (Shape{5, 6}));
  EXPECT_EQ(Applied("Gather", {{5, 6}, {4}}).shape(), (Shape{4, 6}));
}

TEST(TileExpandPad, GrowAsTheyAreTold) {
  EXPECT_EQ(Applied("Tile", {{2, 3}}).values({4, 1}).shape(), (Shape{8, 3}));
  EXPECT_THAT(Applied("Tile", {{2, 3}}).values({4}).complaint(), HasSubstr("repeats do not fit 2x3"));
  EXPECT_THAT(Applied("Tile", {{2, 3}}).values({INT64_MAX, 1}).complaint(), HasSubstr("overflow"));
  EXPECT_EQ(Applied("Expand", {{3, 1}}).values({2, 1, 6}).shape(), (Shape{2, 3, 6}));
  EXPECT_EQ(Applied("Pad", {{4, 5}}).values({1, 0, 2, 3}).shape(), (Shape{7, 8}));
  EXPECT_EQ(Applied("Pad", {{4, 5}}, {{"pads", {-1, 0, 0, 1}}}).shape(), (Shape{3, 6}));
  EXPECT_THAT(Applied("Pad", {{4, 5}}).values({1, 0}).complaint(), HasSubstr("pads do not fit"));
  EXPECT_THAT(Applied("Pad", {{4}}).values({INT64_MAX, 1}).complaint(), HasSubstr("too large"));
}

TEST(Resize, BySizesOrByScales) {
  EXPECT_EQ(
      Applied("Resize", {{1, 3, 4, 4}}).absent().absent().values({1, 3, 9, 7}).shape(),
      (Shape{1, 3, 9, 7}));
  // Scales are kept as millionths.
  EXPECT_EQ(
      Applied("Resize", {{1, 3, 4, 5}}, {{"scales", {1000000, 1000000, 2000000, 500000}}}).shape(),
      (Shape{1, 3, 8, 2}));
  EXPECT_EQ(Applied("Upsample", {{4}}, {{"scales", {3000000}}}).shape(), (Shape{12}));
  EXPECT_THAT(Applied("Resize", {{4}}).complaint(), HasSubstr("neither sizes nor scales"));
  EXPECT_THAT(
      Applied("Resize", {{4}}).absent().absent().values({1, 2}).complaint(),
      HasSubstr("sizes do not fit"));
}

TEST(Reduce, DropsOrKeepsTheAxes) {
  const Shape x{2, 3, 4};
  EXPECT_EQ(Applied("ReduceMean", {x}, {{"axes", {1}}}).shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(Applied("ReduceMean", {x}, {{"axes", {-1}}, {"keepdims", {0}}}).shape(), (Shape{2, 3}));
  EXPECT_EQ(Applied("ReduceSum", {x}).values({0, 2}).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(Applied("ReduceMax", {x}).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(Applied("ReduceMax", {x}, {{"keepdims", {0}}}).shape(), (Shape{}));
  EXPECT_EQ(Applied("ReduceMax", {x}, {{"noop_with_empty_axes", {1}}}).shape(), x);
  EXPECT_EQ(Applied("ArgMax", {x}, {{"axis", {1}}}).shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(Applied("ArgMin", {x}, {{"axis", {-3}}, {"keepdims", {0}}}).shape(), (Shape{3, 4}));
}

TEST(DepthToSpace, AndBackKeepsTheShape) {
  for (int64_t b = 1; b <= 4; ++b) {
    const Shape x{2, 3 * b * b, 5, 7};
    const Shape spread = Applied("DepthToSpace", {x}, {{"blocksize", {b}}}).shape();
    EXPECT_EQ(spread, (Shape{2, 3, 5 * b, 7 * b}));
    EXPECT_EQ(Applied("SpaceToDepth", {spread}, {{"blocksize", {b}}}).shape(), x);
  }
  EXPECT_THAT(
      Applied("DepthToSpace", {{1, 3, 2, 2}}, {{"blocksize", {2}}}).complaint(),
      HasSubstr("does not divide"));
  EXPECT_THAT(
      Applied("SpaceToDepth", {{1, 3, 3, 2}}, {{"blocksize", {2}}}).complaint(),
      HasSubstr("does not divide"));
  EXPECT_THAT(
      Applied("SpaceToDepth", {{3, 3, 2}}, {{"blocksize", {2}}}).complaint(),
      HasSubstr("four dimensions"));
  EXPECT_THAT(
      Applied("SpaceToDepth", {{1, 1, 2, 2}}, {{"blocksize", {0}}}).complaint(),
      HasSubstr("block size"));
}

TEST(Range, CountsItsNumbers) {
  for (int64_t to = 1; to <= 12; ++to) {
    for (int64_t step = 1; step <= 4; ++step) {
      int64_t count = 0;
      for (int64_t v = 0; v < to; v += step)
        ++count;
      EXPECT_EQ(Applied("Range", {}).values({0}).values({to}).values({step}).shape(), (Shape{count}));
    }
  }
  for (const auto& [from, to, step] :
       {std::tuple{5, 5, 1}, std::tuple{6, 5, 1}, std::tuple{0, 5, 0}, std::tuple{0, 5, -1}})
    EXPECT_THAT(
        Applied("Range", {}).values({from}).values({to}).values({step}).complaint(),
        HasSubstr("an empty or very long range"));
  EXPECT_THAT(
      Applied("Range", {}).values({INT64_MIN}).values({INT64_MAX}).values({1}).complaint(),
      HasSubstr("very long range"));
  EXPECT_THAT(
      Applied("Range", {}).values({0, 1}).values({4}).values({1}).complaint(),
      HasSubstr("one number"));
}

TEST(Shape, IsAVectorOfTheRank) {
  EXPECT_EQ(Applied("Shape", {{4, 5, 6}}).shape(), (Shape{3}));
  EXPECT_EQ(Applied("ConstantOfShape", {}).values({2, 3}).shape(), (Shape{2, 3}));
}

TEST(Elementwise, KeepsOrBroadcasts) {
  for (const char* type : {"Relu", "Softmax", "LayerNormalization", "Cast", "BatchNormalization"})
    EXPECT_EQ(Applied(type, {{2, 3}, {9, 9}}).shape(), (Shape{2, 3})) << type;
  for (const char* type : {"Add", "Where", "Max", "Pow"})
    EXPECT_EQ(Applied(type, {{2, 1}, {3}, {1, 1}}).shape(), (Shape{2, 3})) << type;
}

TEST(ShapeRule, IsUnknownForUnknownTypes) {
  EXPECT_EQ(shape_rule("relu"), nullptr);
  EXPECT_EQ(shape_rule(""), nullptr);
}

TEST(Call, ValuesThatAreNoConstantsAreAskedFor) {
  EXPECT_THAT(
      Applied("Reshape", {{2, 3}, {2}}).complaint(),
      HasSubstr("must be a constant for shapes to be known"));
}

}  // namespace
}  // namespace lento::spec
