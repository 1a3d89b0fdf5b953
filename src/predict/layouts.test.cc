// Layouts that fit, in order, and questions that have none.
#include "predict/layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "predict/time/rows/known_models.h"

namespace lento::predict {
namespace {

Question training(const char* model, int64_t batch) {
  TrainingRun run;
  run.model = *known_model(model);
  run.sequence = 4096;
  run.global_batch = batch;
  return {run, {}, "megatron"};
}

TEST(Layouts, TheBestTenFitAndAreInOrder) {
  const System& h100 = *find_shipped("h100");
  const LayoutSearch found = best_layouts(h100, training("llama-3.1-70b", 256), 64);
  ASSERT_EQ(found.best.size(), 10u);
  EXPECT_GT(found.tried, found.fitting);
  EXPECT_GE(found.fitting, 10u);
  double last = 0;
  for (const Layout& layout : found.best) {
    EXPECT_GE(layout.seconds, last);
    last = layout.seconds;
    const auto& run = std::get<TrainingRun>(layout.question.what);
    EXPECT_EQ(run.devices(), 64) << layout.parallel;
    EXPECT_TRUE(expect_run(h100, layout.question)->fits) << layout.parallel;
  }
}

// 126 layers do not divide into 16 stages. Chunks and recomputation of some operators make it the fastest.
TEST(Layouts, StagesThatDoNotDivideChunksAndRecomputationAreSearched) {
  const System& h100 = *find_shipped("h100");
  Question asked = training("llama-3.1-405b", 2048);
  std::get<TrainingRun>(asked.what).sequence = 8192;
  const LayoutSearch found = best_layouts(h100, asked, 16384);
  ASSERT_FALSE(found.best.empty());
  TrainingRun known = std::get<TrainingRun>(asked.what);
  known.tensor = 8;
  known.pipeline = 16;
  known.data = 128;
  known.zero = 1;
  known.interleave = 7;
  known.sequence_parallel = true;
  known.recompute = Recompute::Operators;
  const auto e = expect_run(h100, {known, {}, "megatron"});
  ASSERT_TRUE(e->fits);
  EXPECT_LE(expect_run(h100, found.best[0].question)->seconds, e->seconds * (1 + 1e-9));
  for (size_t i = 1; i < found.best.size(); ++i)
    EXPECT_NE(found.best[i].split, found.best[i - 1].split);
}

TEST(Layouts, WhatFitsNowhereHasNone) {
  const LayoutSearch found = best_layouts(*find_shipped("a100"), training("llama-3.1-405b", 8), 8);
  EXPECT_EQ(found.fitting, 0u);
  EXPECT_TRUE(found.best.empty());
}

TEST(Layouts, AServedModelThatFitsOneDeviceIsReplicated) {
  InferenceRun run;
  run.model = *known_model("llama-3.1-8b");
  run.batch = 2048;
  run.prompt = 512;
  run.output = 256;
  const LayoutSearch found = best_layouts(*find_shipped("h100"), {run, {}, "vllm"}, 8);
  ASSERT_FALSE(found.best.empty());
  EXPECT_EQ(found.best[0].parallel, "dp=8");
}

// A mixture whose experts are spread over all replicas needs an eighth of the memory and reads fewer weights.
TEST(Layouts, ExpertsOfAServedMixtureAreSpreadAndTheListIsInOrder) {
  InferenceRun run;
  run.model = *known_model("deepseek-v3");
  run.batch = 256;
  const System& h200 = *find_shipped("h200");
  const LayoutSearch found = best_layouts(h200, {run, {}, "vllm"}, 16);
  ASSERT_FALSE(found.best.empty());
  EXPECT_TRUE(std::ranges::any_of(found.best, [](const Layout& layout) {
    return layout.parallel == "ep=16,dp=16";
  }));
  EXPECT_TRUE(std::ranges::any_of(found.best, [](const Layout& layout) {
    return layout.parallel == "tp=8,ep=8,dp=2";
  }));
  double last = 0;
  for (const Layout& layout : found.best) {
    const double seconds = expect_run(h200, layout.question)->seconds;
    EXPECT_GE(seconds, last) << layout.parallel;
    last = seconds;
  }
  InferenceRun spread = run;
  spread.data = spread.expert = 16;
  EXPECT_LE(
      expect_run(h200, found.best[0].question)->seconds,
      expect_run(h200, {spread, {}, "vllm v1"})->seconds * (1 + 1e-9));
}

TEST(Layouts, TheFewestDevicesThatFitAreFound) {
  const System& h100 = *find_shipped("h100");
  InferenceRun run;
  run.model = *known_model("llama-3.1-405b");
  const int devices = fewest_devices_that_fit(h100, {run, {}, "vllm"}, 1);
  EXPECT_EQ(devices, 16);
  EXPECT_FALSE(best_layouts(h100, {run, {}, "vllm"}, devices).best.empty());
  EXPECT_TRUE(best_layouts(h100, {run, {}, "vllm"}, devices / 2).best.empty());
  run.prompt = int64_t{1} << 23;
  run.model.kv_heads = 128;
  EXPECT_EQ(fewest_devices_that_fit(h100, {run, {}, "vllm"}, 1), 0);
}

TEST(Layouts, AllNamesANodeOrSoManyDevices) {
  const System& h100 = *find_shipped("h100");
  EXPECT_EQ(devices_of_all("all", h100), 8);
  EXPECT_EQ(devices_of_all("all=1024", h100), 1024);
  EXPECT_EQ(devices_of_all("tp=8", h100), 0);
  EXPECT_THROW(devices_of_all("all=0", h100), base::Error);
  EXPECT_THROW(devices_of_all("all=many", h100), base::Error);
  EXPECT_THROW(best_layouts(h100, {Gemm{1, 64, 64, 64, Precision::Bf16}, {}, {}}, 8), base::Error);
}

}  // namespace
}  // namespace lento::predict
