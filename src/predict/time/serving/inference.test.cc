// Serving without events: times of the passes, the cache and the weights in closed form.
#include "predict/time/serving/inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/test_error.h"
#include "predict/time/rows/known_models.h"

namespace lento::predict {
namespace {

using testing::HasSubstr;

InferenceRun run_of(int64_t batch, int64_t prompt, int64_t output) {
  InferenceRun r;
  r.model = *known_model("llama-3-8b");
  r.batch = batch;
  r.prompt = prompt;
  r.output = output;
  return r;
}

TEST(Inference, ARequestIsItsFirstTokenAndTheFurtherOnes) {
  const System h100 = read_system("h100");
  for (const int64_t output : {1, 2, 100}) {
    const InferenceTime t = predict_inference(h100, run_of(4, 512, output));
    EXPECT_NEAR(t.seconds, t.first_token_s + double(output - 1) * t.per_token_s, 1e-12);
    EXPECT_NEAR(t.tokens_per_s * t.seconds, 4.0 * double(output), 1e-6);
  }
}

TEST(Inference, AloneNobodyWaitsForOthersPrompts) {
  const System h100 = read_system("h100");
  const InferenceRun r = run_of(1, 512, 100);
  const InferenceTime t = predict_inference(h100, r);
  EXPECT_DOUBLE_EQ(t.first_token_s, forward_pass_s(h100, r, 1, 512, 512));
  EXPECT_DOUBLE_EQ(t.per_token_s, forward_pass_s(h100, r, 1, 1, 562));
  const InferenceTime eight = predict_inference(h100, run_of(8, 512, 100));
  EXPECT_NEAR(eight.per_token_s, forward_pass_s(h100, r, 8, 1, 562) + 7.0 / 100 * t.first_token_s, 1e-12);
}

TEST(Inference, TheCacheHoldsEveryRequest) {
  const System h100 = read_system("h100");
  const Transformer m = run_of(1, 1, 1).model;
  const double token = 2.0 * double(m.layers) * m.cache_values();
  EXPECT_DOUBLE_EQ(predict_inference(h100, run_of(7, 300, 20)).cache_bytes, 7 * 320 * token);
  InferenceRun tensor = run_of(7, 300, 20);
  tensor.tensor = 4;
  EXPECT_DOUBLE_EQ(predict_inference(h100, tensor).cache_bytes, 7 * 320 * token / 4);
  tensor.tensor = 32;  // eight key heads: each is there four times
  EXPECT_DOUBLE_EQ(predict_inference(h100, tensor).cache_bytes, 7 * 320 * token / 8);
  InferenceRun data = run_of(7, 300, 20);
  data.data = 2;  // the busiest replica has four
  EXPECT_DOUBLE_EQ(predict_inference(h100, data).cache_bytes, 4 * 320 * token);
}

// A number of requests that the stages do not divide: none is lost, none is made.
TEST(Inference, PipelinesHoldAllTheirRequests) {
  const System h100 = read_system("h100");
  const Transformer m = run_of(1, 1, 1).model;
  const double token = 2.0 * double(m.layers) * m.cache_values();
  InferenceRun r = run_of(1, 300, 20);
  r.pipeline = 4;
  double before = 0;
  for (int64_t batch = 1; batch <= 12; ++batch) {
    r.batch = batch;
    const InferenceTime t = predict_inference(h100, r);
    EXPECT_DOUBLE_EQ(t.cache_bytes, double(batch) * 320 * token / 4) << batch;
    EXPECT_GE(t.per_token_s, before) << batch;
    before = t.per_token_s;
  }
}

TEST(Inference, WeightsAreSharedByTensorAndPipeline) {
  const System h100 = read_system("h100");
  const InferenceRun r = run_of(1, 16, 16);
  const auto weights = [&](const InferenceRun& run) {
    const InferenceTime t = predict_inference(h100, run);
    return t.memory_bytes - t.cache_bytes - h100.chip.memory_reserve;
  };
  EXPECT_NEAR(weights(r), 2 * r.model.parameters(), 1);
  InferenceRun cut = r;
  cut.tensor = 2;
  cut.pipeline = 2;
  EXPECT_NEAR(weights(cut), 2 * r.model.parameters() / 4, 1);
  InferenceRun eight = r;
  eight.model.weight_bits = 4;
  const double ends = 2.0 * double(r.model.vocab * r.model.hidden);
  EXPECT_NEAR(weights(eight), (r.model.parameters() - ends) / 2 + 2 * ends, 1);
}

TEST(Inference, WhatDoesNotFitSaysSo) {
  const System h100 = read_system("h100");
  EXPECT_TRUE(predict_inference(h100, run_of(1, 512, 128)).fits);
  InferenceRun large = run_of(1, 512, 128);
  large.model = *known_model("llama-3-70b");
  EXPECT_FALSE(predict_inference(h100, large).fits);
  large.tensor = 4;
  EXPECT_TRUE(predict_inference(h100, large).fits);
  InferenceRun pass = run_of(2000, 8192, 1);
  pass.one_pass = true;
  EXPECT_FALSE(predict_inference(h100, pass).fits);
}

// Requests whose cache does not fit wait for those before them.
TEST(Inference, RequestsBeyondTheCacheComeInRounds) {
  const System h100 = read_system("h100");
  const InferenceTime many = predict_inference(h100, run_of(2000, 8192, 128));
  EXPECT_TRUE(many.fits);
  EXPECT_LT(many.memory_bytes, h100.chip.memory_bytes);
  EXPECT_LT(many.together, 100);
  const InferenceTime round = predict_inference(h100, run_of(many.together, 8192, 128));
  EXPECT_NEAR(many.seconds, std::ceil(2000.0 / double(many.together)) * round.seconds, 1e-6);
}

TEST(Inference, HandOversAreOnePerBoundaryOfStages) {
  System h100 = read_system("h100");
  InferenceRun r = run_of(1, 512, 1);
  r.pipeline = 4;
  const double whole = predict_inference(h100, r).first_token_s;
  const double alone = forward_pass_s(h100, r, 1, 512, 512);
  const double one =
      predict_collective(h100, {CollectiveOp::SendReceive, 4, 2.0 * 512 * double(r.model.hidden), 1}).seconds;
  EXPECT_NEAR(whole - alone, 3 * one, 1e-12);
}

TEST(Inference, OnePassTakesAllPromptsTogether) {
  const System h100 = read_system("h100");
  InferenceRun r = run_of(8, 256, 1);
  r.one_pass = true;
  EXPECT_DOUBLE_EQ(predict_inference(h100, r).seconds, forward_pass_s(h100, r, 8, 256, 256));
}

TEST(Inference, ImpossibleWaysAreRefused) {
  const System h100 = read_system("h100");
  const auto error = [&](const InferenceRun& r) {
    return base::test::error_of([&] {
      predict_inference(h100, r, {"here"});
    });
  };
  InferenceRun idle = run_of(2, 16, 16);
  idle.data = 3;
  EXPECT_THAT(error(idle), HasSubstr("leave some of 3 replicas idle"));
  InferenceRun heads = run_of(2, 16, 16);
  heads.tensor = 5;
  EXPECT_THAT(error(heads), HasSubstr("32 heads"));
  InferenceRun experts = run_of(2, 16, 16);
  experts.expert = 2;
  EXPECT_THAT(error(experts), HasSubstr("no experts"));
}

}  // namespace
}  // namespace lento::predict
