// Operators against their definitions, element by element over drawn shapes and numbers.
#include "lab/neural/operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace lento::tile {
namespace {

using base::Rng;
using spec::Operation;
using spec::Shape;
using spec::TensorValue;
using Integers = std::map<std::string, std::vector<int64_t>>;

TensorValue drawn(Rng& rng, const Shape& shape) {
  TensorValue out{shape, false, {}, {}};
  for (int64_t i = 0; i < spec::element_count(shape); ++i)
    out.floats.push_back(float(int(rng.below(17)) - 8));
  return out;
}

TensorValue integers(const std::vector<int64_t>& numbers) {
  return {{int64_t(numbers.size())}, true, {}, numbers};
}

TensorValue
run(const std::string& type, const std::vector<TensorValue>& inputs, const Integers& attributes = {}) {
  Operation op;
  op.type = type;
  op.integers = attributes;
  Call call{op, {}, {"model.onnx", 0, 0, "node"}};
  for (const TensorValue& input : inputs)
    call.inputs.push_back(&input);
  return find_operator(type)(call);
}

// The number at (n, c, y, x), 0 outside.
float at(const TensorValue& t, int64_t n, int64_t c, int64_t y, int64_t x) {
  if (y < 0 || x < 0 || y >= t.shape[2] || x >= t.shape[3])
    return 0;
  return t.floats[size_t(((n * t.shape[1] + c) * t.shape[2] + y) * t.shape[3] + x)];
}

TEST(Conv, IsTheSumOverItsWindow) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed, "conv");
    const auto groups = int64_t(1 + rng.below(2));
    const auto deep = int64_t(1 + rng.below(3));
    const int64_t filters = groups * int64_t(1 + rng.below(3));
    const auto kernel = int64_t(1 + rng.below(3));
    const auto stride = int64_t(1 + rng.below(2));
    const auto pad = int64_t(rng.below(2));
    const auto dilation = int64_t(1 + rng.below(2));
    const TensorValue x = drawn(rng, {2, groups * deep, 6, 7});
    const TensorValue w = drawn(rng, {filters, deep, kernel, kernel});
    const TensorValue b = drawn(rng, {filters});
    const Integers a{
        {"group", {groups}},
        {"strides", {stride, stride}},
        {"pads", {pad, pad, pad, pad}},
        {"dilations", {dilation, dilation}}};
    const TensorValue out = run("Conv", {x, w, b}, a);
    for (int64_t n = 0; n < 2; ++n) {
      for (int64_t k = 0; k < filters; ++k) {
        for (int64_t y = 0; y < out.shape[2]; ++y) {
          for (int64_t column = 0; column < out.shape[3]; ++column) {
            float sum = b.floats[size_t(k)];
            for (int64_t c = 0; c < deep; ++c) {
              for (int64_t i = 0; i < kernel * kernel; ++i) {
                const int64_t dy = i / kernel;
                const int64_t dx = i % kernel;
                const int64_t channel = k / (filters / groups) * deep + c;
                sum += at(w, k, c, dy, dx) * at(x,
                                                n,
                                                channel,
                                                y * stride - pad + dy * dilation,
                                                column * stride - pad + dx * dilation);
              }
            }
            ASSERT_EQ(at(out, n, k, y, column), sum) << seed;
          }
        }
      }
    }
  }
}

TEST(ConvTranspose, IsTheAdjointOfAConvolution) {
  // <conv(x), y> = <x, transposed(y)> for all x and y.
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed, "adjoint");
    const auto kernel = int64_t(1 + rng.below(3));
    const auto stride = int64_t(1 + rng.below(2));
    const auto pad = int64_t(rng.below(uint64_t(kernel)));
    const int64_t out_extent = 4;
    const int64_t extent = (out_extent - 1) * stride + kernel - 2 * pad;
    if (extent < 1)
      continue;
    const Integers a{{"strides", {stride, stride}}, {"pads", {pad, pad, pad, pad}}};
    const TensorValue x = drawn(rng, {1, 2, extent, extent});
    const TensorValue w = drawn(rng, {3, 2, kernel, kernel});
    const TensorValue y = drawn(rng, {1, 3, out_extent, out_extent});
    const TensorValue there = run("Conv", {x, w}, a);
    const TensorValue back = run("ConvTranspose", {y, w}, a);
    ASSERT_EQ(there.shape, y.shape);
    ASSERT_EQ(back.shape, x.shape);
    double left = 0;
    double right = 0;
    for (size_t i = 0; i < y.floats.size(); ++i)
      left += double(there.floats[i]) * double(y.floats[i]);
    for (size_t i = 0; i < x.floats.size(); ++i)
      right += double(back.floats[i]) * double(x.floats[i]);
    EXPECT_EQ(left, right) << seed;
  }
}

TEST(MatMul, IsTheSumOverTheInnerSize) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed, "matmul");
    const auto m = int64_t(1 + rng.below(6));
    const auto k = int64_t(1 + rng.below(6));
    const auto n = int64_t(1 + rng.below(6));
    const TensorValue a = drawn(rng, {3, m, k});
    const TensorValue b = drawn(rng, {k, n});
    const TensorValue out = run("MatMul", {a, b});
    ASSERT_EQ(out.shape, (Shape{3, m, n}));
    for (int64_t s = 0; s < 3; ++s) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (int64_t l = 0; l < k; ++l)
            sum += a.floats[size_t((s * m + i) * k + l)] * b.floats[size_t(l * n + j)];
          ASSERT_EQ(out.floats[size_t((s * m + i) * n + j)], sum);
        }
      }
    }
  }
}

TEST(Pools, TakeTheLargestOrTheMeanOfTheWindow) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed, "pool");
    const auto kernel = int64_t(1 + rng.below(3));
    const auto stride = int64_t(1 + rng.below(2));
    const TensorValue x = drawn(rng, {1, 2, 6, 5});
    const Integers a{{"kernel_shape", {kernel, kernel}}, {"strides", {stride, stride}}};
    const TensorValue most = run("MaxPool", {x}, a);
    const TensorValue mean = run("AveragePool", {x}, a);
    for (int64_t c = 0; c < 2; ++c) {
      for (int64_t y = 0; y < most.shape[2]; ++y) {
        for (int64_t column = 0; column < most.shape[3]; ++column) {
          float largest = -100;
          float sum = 0;
          for (int64_t i = 0; i < kernel * kernel; ++i) {
            const float v = at(x, 0, c, y * stride + i / kernel, column * stride + i % kernel);
            largest = std::max(largest, v);
            sum += v;
          }
          ASSERT_EQ(at(most, 0, c, y, column), largest);
          ASSERT_NEAR(at(mean, 0, c, y, column), sum / float(kernel * kernel), 1e-5);
        }
      }
    }
  }
}

TEST(GlobalAveragePool, IsTheMeanOfAPlane) {
  Rng rng(1, "global");
  const TensorValue x = drawn(rng, {2, 3, 4, 5});
  const TensorValue out = run("GlobalAveragePool", {x});
  ASSERT_EQ(out.shape, (Shape{2, 3, 1, 1}));
  for (size_t plane = 0; plane < 6; ++plane) {
    float sum = 0;
    for (size_t i = 0; i < 20; ++i)
      sum += x.floats[plane * 20 + i];
    EXPECT_NEAR(out.floats[plane], sum / 20, 1e-5);
  }
}

TEST(Softmax, IsAShareOfExponentialsAlongItsAxis) {
  Rng rng(2, "softmax");
  const TensorValue x = drawn(rng, {3, 5});
  const TensorValue out = run("Softmax", {x}, {{"axis", {-1}}});
  for (size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (size_t i = 0; i < 5; ++i)
      sum += std::exp(double(x.floats[row * 5 + i]));
    double total = 0;
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(out.floats[row * 5 + i], std::exp(double(x.floats[row * 5 + i])) / sum, 1e-6);
      total += double(out.floats[row * 5 + i]);
    }
    EXPECT_NEAR(total, 1, 1e-6);
  }
  // Large numbers do not overflow, and a shift of all changes nothing.
  TensorValue shifted = x;
  for (float& v : shifted.floats)
    v += 500;
  const TensorValue same = run("Softmax", {shifted}, {{"axis", {-1}}});
  for (size_t i = 0; i < out.floats.size(); ++i)
    EXPECT_NEAR(same.floats[i], out.floats[i], 1e-6);
}

TEST(Transpose, MovesEachNumberToItsPlace) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed, "transpose");
    const Shape shape{int64_t(1 + rng.below(4)), int64_t(1 + rng.below(4)), int64_t(1 + rng.below(4))};
    const TensorValue x = drawn(rng, shape);
    std::vector<int64_t> order{0, 1, 2};
    std::swap(order[0], order[rng.below(3)]);
    std::swap(order[1], order[1 + rng.below(2)]);
    const TensorValue out = run("Transpose", {x}, {{"perm", order}});
    int64_t i[3];
    for (i[0] = 0; i[0] < shape[0]; ++i[0]) {
      for (i[1] = 0; i[1] < shape[1]; ++i[1]) {
        for (i[2] = 0; i[2] < shape[2]; ++i[2]) {
          const int64_t from = (i[0] * shape[1] + i[1]) * shape[2] + i[2];
          const int64_t to = (i[order[0]] * out.shape[1] + i[order[1]]) * out.shape[2] + i[order[2]];
          ASSERT_EQ(out.floats[size_t(to)], x.floats[size_t(from)]);
        }
      }
    }
  }
}

TEST(Concat, LaysTensorsEndToEnd) {
  Rng rng(3, "concat");
  const TensorValue a = drawn(rng, {2, 3});
  const TensorValue b = drawn(rng, {2, 4});
  const TensorValue out = run("Concat", {a, b}, {{"axis", {1}}});
  ASSERT_EQ(out.shape, (Shape{2, 7}));
  for (size_t row = 0; row < 2; ++row) {
    for (size_t i = 0; i < 7; ++i)
      EXPECT_EQ(out.floats[row * 7 + i], i < 3 ? a.floats[row * 3 + i] : b.floats[row * 4 + i - 3]);
  }
}

TEST(ReshapeAndSqueeze, KeepNumbersInTheirOrder) {
  Rng rng(4, "reshape");
  const TensorValue x = drawn(rng, {2, 1, 6});
  const TensorValue out = run("Reshape", {x, integers({3, -1})});
  EXPECT_EQ(out.shape, (Shape{3, 4}));
  EXPECT_EQ(out.floats, x.floats);
  const TensorValue flat = run("Squeeze", {x, integers({1})});
  EXPECT_EQ(flat.shape, (Shape{2, 6}));
  EXPECT_EQ(flat.floats, x.floats);
}

TEST(Slice, TakesEachStep) {
  Rng rng(5, "slice");
  const TensorValue x = drawn(rng, {10});
  for (int64_t start = 0; start < 5; ++start) {
    for (int64_t end = 6; end <= 10; ++end) {
      for (int64_t step = 1; step <= 3; ++step) {
        const TensorValue out =
            run("Slice", {x, integers({start}), integers({end}), integers({0}), integers({step})});
        std::vector<float> expected;
        for (int64_t i = start; i < end; i += step)
          expected.push_back(x.floats[size_t(i)]);
        EXPECT_EQ(out.floats, expected);
      }
    }
  }
}

TEST(ReduceMean, IsTheMeanOverItsAxes) {
  Rng rng(6, "mean");
  const TensorValue x = drawn(rng, {3, 4});
  const TensorValue rows = run("ReduceMean", {x}, {{"axes", {1}}, {"keepdims", {0}}});
  ASSERT_EQ(rows.shape, (Shape{3}));
  for (size_t r = 0; r < 3; ++r) {
    float sum = 0;
    for (size_t i = 0; i < 4; ++i)
      sum += x.floats[r * 4 + i];
    EXPECT_NEAR(rows.floats[r], sum / 4, 1e-6);
  }
  EXPECT_EQ(run("ReduceMean", {x}, {{"axes", {0}}}).shape, (Shape{1, 4}));
}

TEST(FindOperator, KnowsNothingElse) {
  EXPECT_EQ(find_operator("Einsum"), nullptr);
  EXPECT_EQ(find_operator(""), nullptr);
}

}  // namespace
}  // namespace lento::tile
