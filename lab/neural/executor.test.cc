// Operators against small cases computed by hand; the executor on models written by the test.
#include "lab/neural/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/test_error.h"
#include "lab/neural/operators.h"
#include "lab/neural/page.h"
#include "spec/test_onnx.h"

namespace lento::tile {
namespace {

using base::test::error_of;
using spec::Operation;
using spec::Shape;
using spec::TensorValue;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

TensorValue floats(const Shape& shape, const std::vector<float>& numbers) {
  return {shape, false, numbers, {}};
}
TensorValue counted(const Shape& shape, float from = 1) {
  TensorValue out = floats(shape, {});
  for (int64_t i = 0; i < spec::element_count(shape); ++i)
    out.floats.push_back(from + float(i));
  return out;
}
TensorValue integers(const std::vector<int64_t>& numbers) {
  return {{int64_t(numbers.size())}, true, {}, numbers};
}

TensorValue run(const std::string& type, const std::vector<TensorValue>& inputs, Operation op = {}) {
  op.type = type;
  Call call{op, {}, {"model.onnx", 0, 0, "node"}};
  for (const TensorValue& input : inputs)
    call.inputs.push_back(&input);
  return find_operator(type)(call);
}

Operation with(
    const std::map<std::string, std::vector<int64_t>>& attributes,
    const std::map<std::string, double>& numbers = {}) {
  Operation op;
  op.integers = attributes;
  op.numbers = numbers;
  return op;
}

TEST(Operators, ConvolutionPadsStridesAndAddsTheBias) {
  // 3 x 3 numbers 1..9, a 2 x 2 window of ones at stride 2 with padding 1: corners 1, 2+3, 4+7, 5+6+8+9.
  const TensorValue out =
      run("Conv",
          {counted({1, 1, 3, 3}), floats({1, 1, 2, 2}, {1, 1, 1, 1}), floats({1}, {10})},
          with({{"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}}));
  EXPECT_EQ(out.shape, (Shape{1, 1, 2, 2}));
  EXPECT_THAT(out.floats, ElementsAre(11, 15, 21, 38));
}

TEST(Operators, ConvolutionKeepsGroupsApart) {
  const TensorValue out =
      run("Conv", {counted({1, 2, 1, 2}), floats({2, 1, 1, 1}, {10, 100})}, with({{"group", {2}}}));
  EXPECT_THAT(out.floats, ElementsAre(10, 20, 300, 400));
}

TEST(Operators, OneByOneConvolutionMixesChannels) {
  // Five outputs: the block of four rows and the one left over.
  const TensorValue out = run("Conv", {counted({1, 2, 1, 2}), counted({5, 2, 1, 1})});
  EXPECT_THAT(out.floats, ElementsAre(7, 10, 15, 22, 23, 34, 31, 46, 39, 58));
}

TEST(Operators, DilatedConvolution) {
  const TensorValue out =
      run("Conv", {counted({1, 1, 1, 5}), floats({1, 1, 1, 2}, {1, 10})}, with({{"dilations", {1, 3}}}));
  EXPECT_THAT(out.floats, ElementsAre(41, 52));
}

TEST(Operators, TransposedConvolutionSpreadsEachNumber) {
  const TensorValue out =
      run("ConvTranspose",
          {floats({1, 1, 1, 2}, {1, 2}), floats({1, 1, 1, 3}, {1, 10, 100})},
          with({{"strides", {1, 2}}}));
  EXPECT_EQ(out.shape, (Shape{1, 1, 1, 5}));
  EXPECT_THAT(out.floats, ElementsAre(1, 10, 102, 20, 200));
}

TEST(Operators, MatrixProductRepeatsTheSecondMatrix) {
  const TensorValue out = run("MatMul", {counted({2, 1, 2}), counted({2, 2})});
  EXPECT_EQ(out.shape, (Shape{2, 1, 2}));
  EXPECT_THAT(out.floats, ElementsAre(7, 10, 15, 22));
}

TEST(Operators, ElementwiseBroadcasts) {
  EXPECT_THAT(run("Add", {counted({2, 2}), floats({2, 1}, {10, 20})}).floats, ElementsAre(11, 12, 23, 24));
  EXPECT_THAT(run("Sub", {counted({2}), counted({2, 2})}).floats, ElementsAre(0, 0, -2, -2));
  EXPECT_THAT(run("Mul", {counted({1, 2}), floats({}, {3})}).floats, ElementsAre(3, 6));
  EXPECT_THAT(run("Div", {integers({7, -8}), integers({2, 0})}).integers, ElementsAre(3, 0));
  EXPECT_THAT(run("Pow", {counted({3}), floats({}, {2})}).floats, ElementsAre(1, 4, 9));
}

TEST(Operators, ElementwiseFunctions) {
  const TensorValue in = floats({3}, {-4, 0, 9});
  EXPECT_THAT(run("Relu", {in}).floats, ElementsAre(0, 0, 9));
  EXPECT_THAT(run("Clip", {in}, with({}, {{"min", -1}, {"max", 6}})).floats, ElementsAre(-1, 0, 6));
  EXPECT_THAT(run("Clip", {in, floats({}, {1}), floats({}, {2})}).floats, ElementsAre(1, 1, 2));
  EXPECT_THAT(run("HardSigmoid", {in}).floats, ElementsAre(0, 0.5f, 1));
  EXPECT_THAT(run("Sigmoid", {floats({2}, {0, 100})}).floats, ElementsAre(0.5f, 1));
  EXPECT_THAT(run("Sqrt", {floats({2}, {4, 9})}).floats, ElementsAre(2, 3));
  EXPECT_THAT(run("Cast", {floats({2}, {-1.9f, 2.9f})}, with({{"to", {7}}})).integers, ElementsAre(-1, 2));
  EXPECT_THAT(run("Cast", {integers({3})}, with({{"to", {1}}})).floats, ElementsAre(3));
}

TEST(Operators, NormalisationAndMeans) {
  const auto one = [](float x) {
    return floats({1}, {x});
  };
  EXPECT_THAT(
      run("BatchNormalization",
          {floats({1, 1, 2}, {3, 5}), one(10), one(1), one(3), one(4)},
          with({}, {{"epsilon", 0}}))
          .floats,
      ElementsAre(1, 11));
  EXPECT_THAT(
      run("Softmax", {floats({1, 3}, {0, 0, std::log(2.0f)})}).floats,
      Pointwise(FloatNear(1e-6f), {0.25f, 0.25f, 0.5f}));
  const TensorValue mean = run("ReduceMean", {counted({2, 3})}, with({{"axes", {-1}}}));
  EXPECT_EQ(mean.shape, (Shape{2, 1}));
  EXPECT_THAT(mean.floats, ElementsAre(2, 5));
  EXPECT_THAT(run("GlobalAveragePool", {counted({1, 2, 1, 2})}).floats, ElementsAre(1.5f, 3.5f));
}

TEST(Operators, PoolsLeaveThePaddingOut) {
  const Operation window = with({{"kernel_shape", {2, 2}}, {"strides", {2, 2}}, {"pads", {1, 1, 0, 0}}});
  EXPECT_THAT(run("MaxPool", {counted({1, 1, 3, 3})}, window).floats, ElementsAre(1, 3, 7, 9));
  EXPECT_THAT(run("AveragePool", {counted({1, 1, 3, 3})}, window).floats, ElementsAre(1, 2.5f, 5.5f, 7));
}

TEST(Operators, Arrange) {
  Operation nearest;
  nearest.texts = {
      {"mode", "nearest"},
      {"coordinate_transformation_mode", "asymmetric"},
      {"nearest_mode", "floor"}};
  const TensorValue none = floats({0}, {});
  const TensorValue scales = floats({4}, {1, 1, 1, 2});
  EXPECT_THAT(run("Resize", {counted({1, 1, 1, 2}), none, scales}, nearest).floats, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(
      run("Concat", {counted({2, 1}), counted({2, 2}, 10)}, with({{"axis", {1}}})).floats,
      ElementsAre(1, 10, 11, 2, 12, 13));
  const Operation columns = with({{"starts", {1}}, {"ends", {INT64_MAX}}, {"axes", {1}}});
  EXPECT_THAT(run("Slice", {counted({2, 3})}, columns).floats, ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(
      run("Slice", {counted({5}), integers({-4}), integers({5}), integers({0}), integers({2})}).floats,
      ElementsAre(2, 4));
  EXPECT_THAT(run("Shape", {counted({2, 3})}).integers, ElementsAre(2, 3));
  EXPECT_EQ(run("Reshape", {counted({2, 6}), integers({0, -1, 3})}).shape, (Shape{2, 2, 3}));
  EXPECT_THAT(run("Transpose", {counted({2, 3})}).floats, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(run("Squeeze", {counted({1, 2, 1})}, with({{"axes", {2}}})).shape, (Shape{1, 2}));
}

TEST(Operators, RefuseWhatDoesNotFit) {
  EXPECT_THAT(
      error_of([] {
        run("Conv", {counted({1, 2, 3, 3}), counted({1, 1, 1, 1})});
      }),
      HasSubstr("model.onnx: node: error: the weights 1x1x1x1 do not fit the input 1x2x3x3"));
  EXPECT_THAT(
      error_of([] {
        run("Conv", {counted({1, 1, 1, 1}), counted({1, 1, 3, 3})});
      }),
      HasSubstr("larger"));
  EXPECT_THAT(
      error_of([] {
        run("MatMul", {counted({2, 3}), counted({2, 3})});
      }),
      HasSubstr("no product"));
  EXPECT_THAT(
      error_of([] {
        run("Add", {counted({2}), integers({1, 2})});
      }),
      HasSubstr("integers"));
  EXPECT_THAT(
      error_of([] {
        run("Add", {counted({2}), counted({3})});
      }),
      HasSubstr("do not broadcast"));
  EXPECT_THAT(
      error_of([] {
        run("Relu", {});
      }),
      HasSubstr("missing"));
  EXPECT_THAT(
      error_of([] {
        run("Reshape", {counted({4}), integers({3})});
      }),
      HasSubstr("does not become"));
  EXPECT_THAT(
      error_of([] {
        run("Softmax", {counted({2, 2})}, with({{"axis", {0}}}));
      }),
      HasSubstr("last axis"));
  EXPECT_THAT(
      error_of([] {
        run("Transpose", {counted({2, 2})}, with({{"perm", {0, 0}}}));
      }),
      HasSubstr("perm"));
  EXPECT_THAT(
      error_of([] {
        run("Resize", {counted({1, 1, 1, 1}), floats({0}, {}), floats({4}, {1, 1, 1e9f, 1})});
      }),
      HasSubstr("nearest"));
  EXPECT_THAT(
      error_of([] {
        run("Add", {counted({1, 1 << 15}), counted({1 << 15, 1})});
      }),
      HasSubstr("too large"));
}

TEST(Page, DrawsStrokesWhereTheyBelong) {
  const Picture picture = draw_text({"-", " -"}, 24, 18, 10);  // cells of 10 x 6 pixels, strokes 1 wide
  ASSERT_EQ(picture.ink.size(), 24u * 18u);
  const auto ink = [&](int y, int x) {
    return picture.ink[size_t(y * 18 + x)];
  };
  EXPECT_GT(ink(4, 3), 0.4f);  // row 3 of the grid, one row of margin above
  EXPECT_EQ(ink(0, 3), 0);
  EXPECT_EQ(ink(7, 3), 0);
  EXPECT_GT(ink(14, 9), 0.4f);
  EXPECT_EQ(ink(14, 3), 0);
  EXPECT_EQ(characters_in(320, 48), 11);
  const Picture blank = draw_text({" \x7f\xc3\xa9"}, 24, 48, 12);
  EXPECT_EQ(*std::ranges::max_element(blank.ink), 0);
}

spec::TrainedNetwork small_network() {
  spec::test::OnnxModel m;
  m.input("x", {0, 2}).output("y").floats("w", {2, 2}, {1, 2, 3, 4});
  m.node("MatMul", {"x", "w"}, {"p"}).node("Relu", {"p"}, {"y"});
  return spec::parse_trained_onnx(m.bytes(), "small.onnx");
}

TEST(Executor, RunsAModelAndShowsEachResult) {
  const spec::TrainedNetwork network = small_network();
  ASSERT_EQ(network.input_shapes, (std::vector<Shape>{{0, 2}}));
  std::vector<std::string> seen;
  const auto out = run_network(
      network,
      {floats({1, 2}, {1, -1})},
      [&](const Operation& op, const std::string& name, const TensorValue& v) {
        seen.push_back(op.type + " " + name + " " + std::to_string(v.floats[0]));
      });
  EXPECT_THAT(out.at(0).floats, ElementsAre(0, 0));
  EXPECT_THAT(seen, ElementsAre("MatMul p -2.000000", "Relu y 0.000000"));
}

TEST(Executor, NamesWhatItCannotRun) {
  EXPECT_THAT(
      error_of([] {
        run_network(small_network(), {});
      }),
      HasSubstr("takes 1 inputs"));
  EXPECT_THAT(
      error_of([] {
        run_network(small_network(), {counted({1, 3})});
      }),
      HasSubstr("small.onnx: node 'p' (MatMul)"));
  spec::test::OnnxModel m;
  m.input("x", {1, 2}).output("y").node("Einsum", {"x"}, {"y"});
  const auto unknown = spec::parse_trained_onnx(m.bytes(), "m.onnx");
  EXPECT_THAT(
      error_of([&] {
        run_network(unknown, {counted({1, 2})});
      }),
      HasSubstr("node 'y' (Einsum)"));
}

TEST(TrainedNetwork, RefusesModelsWithoutTheirNumbers) {
  spec::test::OnnxModel outside;
  outside.input("x", {1, 2}).output("y").linear("x", "y", 2, 2);
  EXPECT_THAT(
      error_of([&] {
        spec::parse_trained_onnx(outside.bytes(), "m.onnx");
      }),
      HasSubstr("initializer[0] 'y.w': error: the file holds 0 of 4 numbers"));
  spec::test::OnnxModel loose;
  loose.input("x", {1, 2}).output("y").node("Relu", {"z"}, {"y"});
  EXPECT_THAT(
      error_of([&] {
        spec::parse_trained_onnx(loose.bytes(), "m.onnx");
      }),
      HasSubstr("reads 'z'"));
  EXPECT_THAT(
      error_of([] {
        spec::parse_trained_onnx("no model", "m.onnx");
      }),
      HasSubstr("not an ONNX model"));
  const std::string whole = outside.bytes();
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(
        error_of([&] {
          spec::parse_trained_onnx(whole.substr(0, n), "m.onnx");
        }),
        "")
        << n;
}

}  // namespace
}  // namespace lento::tile
