#include "predict/time/graph.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "predict/time/gemm.h"

namespace lento::predict {
namespace {

using spec::Operation;

// x[1,8,16,16] -> Conv 3x3 to 32 channels -> Relu -> Flatten -> Gemm to 10.
spec::Network small_network() {
  spec::Network n;
  n.name = "small";
  n.tensors = {
      {"x", {1, 8, 16, 16}, 4, false, false, {}},
      {"w", {32, 8, 3, 3}, 4, true, false, {}},
      {"c", {1, 32, 16, 16}, 4, false, false, {}},
      {"r", {1, 32, 16, 16}, 4, false, false, {}},
      {"f", {1, 8192}, 4, false, false, {}},
      {"v", {8192, 10}, 4, true, false, {}},
      {"y", {1, 10}, 4, false, false, {}}};
  n.operations = {
      {"conv", "Conv", {0, 1}, {2}, {}, {}, {}, false},
      {"relu", "Relu", {2}, {3}, {}, {}, {}, false},
      {"flat", "Flatten", {3}, {4}, {}, {}, {}, false},
      {"head", "Gemm", {4, 5}, {6}, {}, {}, {}, false}};
  n.inputs = {0};
  n.outputs = {6};
  return n;
}

TEST(Graph, AConvolutionIsAnImplicitProductAndTheReluRunsInIt) {
  const GraphRun run = lower_graph(small_network(), 4, Precision::Fp16);
  ASSERT_EQ(run.kernels.size(), 2U);
  const Gemm& conv = run.kernels[0].gemm;
  EXPECT_EQ(conv.m, 4 * 256);
  EXPECT_EQ(conv.n, 32);
  EXPECT_EQ(conv.k, 72);
  EXPECT_DOUBLE_EQ(run.kernels[0].bytes, 2 * (4 * 2048.0 + 2304 + 4 * 8192.0));
  EXPECT_EQ(run.kernels[1].gemm.k, 8192);
  EXPECT_DOUBLE_EQ(run.parameters, 2304 + 81920);
}

TEST(Graph, SizesFollowTheBatchWhateverWasExported) {
  spec::Network four = small_network();
  for (spec::Tensor& t : four.tensors) {
    if (!t.constant)
      t.shape[0] = 4;
  }
  for (const int64_t batch : {1, 3, 4, 6, 8}) {
    const GraphRun a = lower_graph(four, batch, Precision::Fp16);
    const GraphRun b = lower_graph(small_network(), batch, Precision::Fp16);
    EXPECT_EQ(a.kernels, b.kernels) << batch;
    EXPECT_EQ(a.activations, b.activations) << batch;
  }
}

TEST(Graph, TrainingTakesTwoMoreProductsForEachAndAnExchange) {
  System a100 = read_system("a100");
  a100.stack.overlap = 0;
  GraphRun run = lower_graph(small_network(), 4096, Precision::Fp16);
  const GraphTime forward = predict_graph(a100, run);
  run.training = true;
  const GraphTime one = predict_graph(a100, run);
  run.replicas = 64;
  const GraphTime many = predict_graph(a100, run);
  EXPECT_GT(one.seconds, 2.5 * forward.seconds);
  EXPECT_GT(many.exchange_s, 0);
  EXPECT_NEAR(many.seconds, one.seconds + many.exchange_s, 1e-12);
}

TEST(Graph, GradientsHideBehindTheBackwardPassAsFarAsTheStackSays) {
  System a100 = read_system("a100");
  GraphRun run = lower_graph(small_network(), 64, Precision::Fp16);
  run.training = true;
  run.replicas = 64;
  a100.stack.overlap = 0;
  const GraphTime bare = predict_graph(a100, run);
  a100.stack.overlap = 0.1;
  EXPECT_NEAR(predict_graph(a100, run).exchange_s, bare.exchange_s - 0.1 * bare.backward_s, 1e-12);
}

TEST(Graph, AnUnknownSizeIsRefusedAtItsOperation) {
  spec::Network n = small_network();
  n.tensors[2].shape[2] = 0;
  EXPECT_THROW(lower_graph(n, 1, Precision::Fp16), base::Error);
}

}  // namespace
}  // namespace lento::predict
