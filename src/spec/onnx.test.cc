#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/test_error.h"
#include "spec/network.h"
#include "spec/test_onnx.h"

namespace lento::spec {
namespace {

// Outputs times reduced elements for Conv, Gemm and MatMul, else outputs.
int64_t multiply_adds(const Network& network, const Operation& operation) {
  const auto& out = network.tensors[operation.outputs.front()].shape;
  const int64_t outputs = element_count(out);
  if (operation.type == "Conv" || operation.type == "ConvTranspose") {
    const Shape& w = network.tensors[operation.inputs[1]].shape;
    const int64_t per_weight = element_count(w) / w[0];
    if (operation.type == "Conv")
      return outputs * per_weight;
    return element_count(network.tensors[operation.inputs[0]].shape) * per_weight;
  }
  if (operation.type == "MatMul")
    return outputs * network.tensors[operation.inputs[0]].shape.back();
  if (operation.type == "Gemm") {
    const Shape& a = network.tensors[operation.inputs[0]].shape;
    return outputs * (operation.integer("transA", 0) ? a[0] : a[1]);
  }
  return outputs;
}

using test::OnnxModel;
using ::testing::HasSubstr;

Network read(const OnnxModel& model, const OnnxOptions& options = {}) {
  base::ReadReport report;
  return parse_onnx(model.bytes(), "m.onnx", options, report);
}

std::string error_of(const OnnxModel& model) {
  return base::test::error_of([&] {
    read(model);
  });
}

Shape shape_of(const Network& network, const std::string& name) {
  for (const Tensor& t : network.tensors) {
    if (t.name == name)
      return t.shape;
  }
  return {};
}

TEST(Onnx, ShapesFollowFromInputsAndWeights) {
  const Network n = read(test::mobile_block());
  EXPECT_EQ(shape_of(n, "x"), (Shape{1, 3, 32, 32}));  // the open batch is one sample
  EXPECT_EQ(shape_of(n, "depthwise"), (Shape{1, 48, 16, 16}));
  EXPECT_EQ(shape_of(n, "squeeze"), (Shape{1, 48, 1, 1}));
  EXPECT_EQ(shape_of(n, "logits"), (Shape{1, 10}));
}

TEST(Onnx, ExportersComputeShapesAtRunTime) {
  // shape(x) -> gather 0 -> unsqueeze -> concat with 27 -> reshape, as dynamic exports write Flatten.
  OnnxModel m;
  m.input("x", {0, 3, 3, 3}).integers("zero", {0}).integers("rest", {27});
  m.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "zero"}, {"b"}, {{"axis", {0}, false}});
  m.node("Concat", {"b", "rest"}, {"target"}, {{"axis", {0}, false}})
      .node("Reshape", {"x", "target"}, {"y"})
      .output("y");
  const Network n = read(m);
  EXPECT_EQ(shape_of(n, "y"), (Shape{1, 27}));
  ASSERT_EQ(n.operations.size(), 1u);  // the arithmetic on constants is gone
  EXPECT_EQ(n.operations[0].type, "Reshape");
}

TEST(Onnx, MultiplyAddsOfKnownLayers) {
  const Network n = read(test::mobile_block());
  std::map<std::string, int64_t> found;
  for (const Operation& op : n.operations)
    found[op.name] = multiply_adds(n, op);
  EXPECT_EQ(found["stem"], 16 * 16 * 16 * 3 * 9);
  EXPECT_EQ(found["depthwise"], 48 * 16 * 16 * 9);
  EXPECT_EQ(found["logits"], 160);
}

TEST(Onnx, UnknownOperatorWithStatedShapeIsCounted) {
  OnnxModel m;
  m.input("x", {1, 4}).node("Mystery", {"x"}, {"y"}).stated("y", {1, 4}).output("y", {1, 4});
  base::ReadReport report;
  const Network n = parse_onnx(m.bytes(), "m.onnx", {}, report);
  EXPECT_TRUE(n.operations.at(0).shape_unknown_to_us);
  EXPECT_EQ(report.skipped, 1u);
}

TEST(Onnx, EveryErrorNamesItsNode) {
  EXPECT_THAT(
      error_of(OnnxModel().input("x", {1, 4}).node("Mystery", {"x"}, {"y"}).output("y")),
      HasSubstr("node[0] 'y' (Mystery): error: operator 'Mystery' is not known"));
  EXPECT_THAT(
      error_of(OnnxModel().input("x", {1, 4}).node("Relu", {"z"}, {"y"}).output("y")),
      HasSubstr("reads 'z', which nothing before it makes"));
  EXPECT_THAT(error_of(OnnxModel().input("x", {1, 4, 0}).output("x")), HasSubstr("--dim open=N"));
  EXPECT_THAT(
      error_of(OnnxModel().input("x", {1, 3, 8, 8}).conv("x", "y", {4, 5, 3, 3}).output("y")),
      HasSubstr("do not fit the input 1x3x8x8"));
  EXPECT_THAT(
      error_of(OnnxModel().input("x", {1, 3, 8, 8}).conv("x", "y", {4, 3, 9, 9}).output("y")),
      HasSubstr("larger than its input"));
  EXPECT_THAT(error_of(OnnxModel().input("x", {1, 1 << 30, 1 << 30}).output("x")), HasSubstr("above 2^36"));
  EXPECT_THAT(
      error_of(OnnxModel().input("x", {1, 4}).node("Add", {"x", "x"}, {"x"}).output("x")),
      HasSubstr("made twice"));
  const auto transposed = [](int64_t stride) {
    return OnnxModel()
        .input("x", {1, 3, 8, 8})
        .floats("w", {3, 4, 3, 3}, std::vector<float>(108))
        .node("ConvTranspose", {"x", "w"}, {"y"}, {{"strides", {stride, stride}, true}})
        .output("y");
  };
  EXPECT_EQ(error_of(transposed(2)), "no error");
  EXPECT_THAT(error_of(transposed(0)), HasSubstr("strides and dilations must be positive"));
  EXPECT_THAT(error_of(transposed(int64_t{1} << 62)), HasSubstr("strides and dilations must be positive"));
  OnnxModel nothing;
  nothing.integers("none", {}).integers("one", {1});
  EXPECT_THAT(error_of(nothing.node("Range", {"none", "one", "one"}, {"y"}).output("y")), HasSubstr("Range"));
  base::ReadReport report;
  EXPECT_THROW(parse_onnx("not a model", "m.onnx", {}, report), base::Error);
}

TEST(Onnx, OpenDimensionsTakeTheSizeGiven) {
  OnnxOptions options;
  options.dimensions["open"] = 7;
  EXPECT_EQ(
      shape_of(read(OnnxModel().input("x", {1, 4, 0}).node("Relu", {"x"}, {"y"}).output("y"), options), "y"),
      (Shape{1, 4, 7}));
}

TEST(Onnx, SizesOfDimensionsThatNoInputHasAreRefused) {
  OnnxOptions options;
  options.dimensions["open"] = 7;
  options.dimensions["opne"] = 7;
  const std::string text = base::test::error_of([&] {
    read(OnnxModel().input("x", {1, 4, 0}).node("Relu", {"x"}, {"y"}).output("y"), options);
  });
  EXPECT_THAT(text, HasSubstr("no input has a dimension of this name"));
  EXPECT_THAT(text, HasSubstr("did you mean 'open'?"));
}

TEST(Onnx, SharedModels) {
  const char* shared = std::getenv("LENTO_SHARED");
  const std::string folder = std::string(shared ? shared : "../shared") + "/models/";
  if (!std::ifstream(folder + "resnet50.onnx"))
    GTEST_SKIP() << "no models in " << folder;
  for (const auto& [name, million] :
       std::vector<std::pair<std::string, int>>{{"resnet50", 4089}, {"vgg19", 19632}, {"googlenet", 1498}}) {
    base::ReadReport report;
    const Network n = read_onnx(folder + name + ".onnx", {}, report);
    int64_t sum = 0;
    for (const Operation& op : n.operations) {
      if (op.type == "Conv" || op.type == "Gemm")
        sum += multiply_adds(n, op);
    }
    EXPECT_NEAR(double(sum) / 1e6, million, million * 0.01) << name;
    EXPECT_EQ(report.skipped, 0u);
  }
}

}  // namespace
}  // namespace lento::spec
