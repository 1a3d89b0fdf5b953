#include "predict/time/serving/serving.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/time/rows/known_models.h"
#include "predict/time/serving/serving_step.h"

namespace lento::predict {
namespace {

ServingRun run_of(const char* model, int tensor) {
  ServingRun r;
  r.model = *known_model(model);
  r.decode.tensor = tensor;
  r.precision = Precision::Fp8;
  return r;
}

const System& h200() {
  return *find_shipped("h200");
}

ServingTime serve(const ServingRun& r, const ServingConstants& c = {}) {
  return predict_serving(h200(), "SGLang", r, c);
}

TEST(Serving, OneRequestAloneTakesItsPromptAndItsSteps) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.traffic.requests = 1;
  r.traffic.prompt = 1000;
  r.traffic.output = 101;
  const ServingTime t = serve(r);
  EXPECT_EQ(t.finished, 1);
  EXPECT_NEAR(t.request_s.p50, t.first_token_s.p50 + 100 * t.per_token_s.p50, 1e-9);
  EXPECT_NEAR(t.output_tokens_per_s, 101 / t.seconds, 1e-6);
}

TEST(Serving, AFixedNumberInFlightObeysLittlesLaw) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.traffic.together = 32;
  r.traffic.requests = 640;
  const ServingTime t = serve(r, {.first_s = 0});
  // Requests in flight = rate * time in the system; the ends hold fewer.
  EXPECT_NEAR(640 / t.seconds * t.request_s.p50, 32, 3);
}

TEST(Serving, MoreInFlightIsSlowerForEachAndFasterForAll) {
  double last_token = 0;
  double last_rate = 0;
  for (const int64_t together : {1, 8, 64, 256}) {
    ServingRun r = run_of("llama-3.1-70b", 4);
    r.traffic.together = together;
    r.traffic.requests = 3 * together;
    const ServingTime t = serve(r);
    EXPECT_GT(t.per_token_s.p50, last_token);
    EXPECT_GT(t.output_tokens_per_s, last_rate);
    last_token = t.per_token_s.p50;
    last_rate = t.output_tokens_per_s;
  }
}

TEST(Serving, TokensAreNeitherLostNorMade) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.traffic.together = 16;
  r.traffic.requests = 200;
  r.traffic.shortest = 1;
  const ServingTime t = serve(r);
  EXPECT_EQ(t.finished, 200);
  EXPECT_NEAR(t.output_tokens_per_s * t.seconds, 200.0 * 1024, 1);
  EXPECT_NEAR(t.input_tokens_per_s * t.seconds, 200.0 * 1024, 1);
}

TEST(Serving, TheSameSeedGivesTheSameBytes) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.traffic.per_s = 5;
  r.traffic.requests = 300;
  r.traffic.shortest = 0.5;
  const ServingTime a = serve(r);
  const ServingTime b = serve(r);
  EXPECT_EQ(a.seconds, b.seconds);
  r.traffic.seed = 2;
  EXPECT_NE(serve(r).seconds, a.seconds);
}

TEST(Serving, AQueueThatGrowsIsSaid) {
  ServingRun r = run_of("llama-3.1-70b", 1);
  r.traffic.per_s = 200;
  r.traffic.requests = 2000;
  EXPECT_FALSE(serve(r).keeps_up);
  r.traffic.per_s = 0.2;
  r.traffic.requests = 50;
  EXPECT_TRUE(serve(r).keeps_up);
}

TEST(Serving, ASmallCacheMakesRequestsWait) {
  ServingRun r = run_of("llama-3.1-70b", 1);  // 70 of 141 GB are weights
  r.traffic.together = 512;
  r.traffic.requests = 512;
  r.traffic.prompt = 16384;
  const ServingTime t = serve(r);
  EXPECT_TRUE(t.fits);
  EXPECT_GT(t.cache_share, 0.9);
  EXPECT_LT(t.mean_together, 256);
  EXPECT_GT(t.first_token_s.p99, 1.5 * t.first_token_s.p50);  // uniform waiting: 1.98
}

TEST(Serving, WeightsThatDoNotFitAreSaid) {
  const ServingTime t = serve(run_of("llama-3.1-405b", 1));
  EXPECT_FALSE(t.fits);
  EXPECT_EQ(t.finished, 0);
}

TEST(Serving, TwoPoolsKeepPromptsFromDelayingTokens) {
  ServingRun one = run_of("llama-3.1-70b", 4);
  one.traffic.together = 64;
  one.traffic.requests = 256;
  one.traffic.prompt = 8192;
  one.traffic.shortest = 0.8;
  ServingRun two = one;
  two.two_pools = true;
  two.prefill.tensor = 4;
  EXPECT_EQ(two.devices(), 8);
  EXPECT_LT(serve(two).step_s.p99, 0.5 * serve(one).step_s.p99);
}

TEST(Serving, AcceptedTokensShortenADecode) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.traffic.requests = 20;
  const double alone = serve(r).per_token_s.p50;
  r.accepted = 2;
  EXPECT_NEAR(serve(r).per_token_s.p50, alone / 2, 0.05 * alone);
}

TEST(Serving, CopiesShareTheLoad) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.traffic.together = 32;
  r.traffic.requests = 128;
  const double one = serve(r).output_tokens_per_s;
  r.decode.copies = 2;
  r.traffic.together = 64;
  r.traffic.requests = 256;
  EXPECT_NEAR(serve(r).output_tokens_per_s, 2 * one, 0.01 * one);
}

TEST(Serving, ImpossibleWaysAreRefused) {
  EXPECT_THROW(serve(run_of("llama-3.1-8b", 3)), base::Error);
  ServingRun many = run_of("mixtral-8x7b", 16);
  many.decode.expert = 16;
  EXPECT_THROW(serve(many), base::Error);
  ServingRun nothing = run_of("llama-3.1-8b", 1);
  nothing.traffic.output = 0;
  EXPECT_THROW(serve(nothing), base::Error);
}

TEST(Serving, AStepGrowsWithWhatItDoes) {
  const ServingRun r = run_of("deepseek-r1", 8);
  const StepTimes times(h200(), "SGLang", r, r.decode);
  const ServingConstants c;
  const double few = times.seconds({4, 1024, 0, 0}, c);
  EXPECT_LT(few, times.seconds({64, 1024, 0, 0}, c));
  EXPECT_LT(few, times.seconds({4, 131072, 0, 0}, c));
  EXPECT_LT(few, times.seconds({4, 1024, 4096, 4096}, c));
  // 671 G parameters in eight bits over eight devices, attention's and experts'
  EXPECT_NEAR(times.weight_bytes(), 671e9 / 8, 0.06 * 671e9 / 8);
  // A latent cache is not cut by heads.
  EXPECT_DOUBLE_EQ(times.cache_bytes_per_token(), 61 * 576.0);
}

TEST(Serving, ScalesOfBlocksChooseTheirOwnKernels) {
  const auto step = [](const ServingRun& r) {
    return StepTimes(h200(), "SGLang", r, r.decode).seconds({64, 1024, 0, 0}, {});
  };
  const ServingRun whole = run_of("qwen3-235b-a22b", 4);
  ServingRun blocks = whole;
  blocks.model.block_scales = true;
  ServingRun named = whole;
  named.precision = Precision::Fp8Block;
  EXPECT_NE(step(blocks), step(whole));
  EXPECT_EQ(step(named), step(blocks));
}

TEST(Serving, NamesOfModelsAreReadAsTablesSpellThem) {
  EXPECT_NEAR(known_model("LLAMA3_70B")->parameters(), 70.55e9, 0.1e9);
  EXPECT_NEAR(known_model("Llama-3.1-405B-FP8")->parameters(), 405.8e9, 1e9);
  EXPECT_NEAR(known_model("DeepSeekV3 (tokendrop)")->parameters(), 671e9, 3e9);
  EXPECT_NEAR(known_model("Qwen3_235B_a22B")->parameters(), 235e9, 1e9);
  EXPECT_NEAR(known_model("MPT-30b")->parameters(), 30e9, 0.6e9);
  EXPECT_FALSE(known_model("GPT-9"));
}

// Tokens that the last step yields beyond what was asked for leave with their request: contexts do not grow
// with the length of the simulation.
TEST(Serving, ALongSimulationIsTheSameLoad) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.accepted = 1.7;
  r.proposed = 1;
  r.traffic.per_s = 20;
  r.traffic.prompt = 200;
  r.traffic.output = 30;
  r.traffic.requests = 300;
  const ServingTime brief = serve(r);
  r.traffic.requests = 12000;
  const ServingTime lasting = serve(r);
  ASSERT_TRUE(lasting.keeps_up);
  EXPECT_NEAR(lasting.step_s.p50 / brief.step_s.p50, 1, 0.02);
  EXPECT_NEAR(lasting.request_s.p50 / brief.request_s.p50, 1, 0.05);
}

// Beyond the sizes that products are timed at, twice the tokens take twice as long.
TEST(Serving, StepsOfVeryManyTokensGrowWithThem) {
  const ServingRun r = run_of("llama-3.1-8b", 1);
  const StepTimes times(h200(), "SGLang", r, r.decode);
  ServingConstants c;
  c.step_s = c.layer_s = 0;
  double before = times.seconds({0, 0, 32768, 1}, c);
  for (double tokens = 65536; tokens <= 1 << 19; tokens *= 2) {
    const double seconds = times.seconds({0, 0, tokens, 1}, c);
    EXPECT_GT(seconds, 1.8 * before) << tokens;
    before = seconds;
  }
}

TEST(Serving, EveryRequestOfARandomLoadIsServedOnce) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    ServingRun r = run_of("llama-3.1-8b", 1);
    r.traffic.per_s = 5;
    r.traffic.requests = 100;
    r.traffic.shortest = 0.2;
    r.traffic.prompt = 500;
    r.traffic.output = 60;
    r.traffic.seed = seed;
    const ServingTime t = serve(r);
    EXPECT_EQ(t.finished, 100) << seed;
    EXPECT_GE(t.output_tokens_per_s * t.seconds, 100 * 12 - 1e-6);
    EXPECT_LE(t.output_tokens_per_s * t.seconds, 100 * 60 + 1e-6);
    EXPECT_LE(t.first_token_s.p50, t.first_token_s.p90);
    EXPECT_LE(t.request_s.p90, t.request_s.p99);
    EXPECT_GE(t.request_s.p50, t.first_token_s.p50);
    EXPECT_LE(t.cache_share, 1);
  }
}

// Requests come one by one once the first have left; each waits half a period on average.
TEST(Serving, AnEngineThatSeldomLooksLetsRequestsWait) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.traffic.together = 4;
  r.traffic.requests = 400;
  r.traffic.shortest = 0.5;
  const ServingTime often = serve(r);
  const ServingTime seldom = serve(r, {.look = 40});
  const double waited = (seldom.first_token_s.p50 - often.first_token_s.p50) / often.step_s.p50;
  EXPECT_GT(waited, 10);
  EXPECT_LT(waited, 30);
  EXPECT_NEAR(seldom.step_s.p50 / often.step_s.p50, 1, 0.05);
}

TEST(Serving, AnIdleEngineTakesARequestAtOnce) {
  ServingRun r = run_of("llama-3.1-8b", 1);
  r.traffic.requests = 20;
  EXPECT_EQ(serve(r, {.look = 40}).first_token_s.p99, serve(r).first_token_s.p99);
}

TEST(Serving, PromptsWaitForThoseOfOtherDevicesUnderDataAttentionOnly) {
  ServingRun r = run_of("deepseek-v3", 8);
  r.decode.expert = 8;
  r.traffic.together = 32;
  r.traffic.requests = 320;
  r.traffic.shortest = 0.5;
  EXPECT_EQ(serve(r, {.balance = 60}).first_token_s.p50, serve(r).first_token_s.p50);
  r.decode.attention_by_request = true;
  const ServingTime free = serve(r);
  const ServingTime held = serve(r, {.balance = 60});
  EXPECT_EQ(held.finished, 320);
  const double waited = (held.first_token_s.p50 - free.first_token_s.p50) / free.step_s.p50;
  EXPECT_GT(waited, 5);
  EXPECT_LT(waited, 75);
}

TEST(Serving, ConstantsOfNoChipStandBehindThoseOfAChip) {
  System unknown = h200();
  unknown.name = "nobody";
  unknown.similar_chip.clear();
  const ServingConstants own = serving_constants(h200(), "SGLang");
  const ServingConstants others = serving_constants(unknown, "SGLang");
  const ServingConstants any = serving_constants(unknown, "nothing");
  for (const ServingConstants& c : {own, others, any}) {
    EXPECT_GT(c.step_s, 0);
    EXPECT_GT(c.kernels, 0);
    EXPECT_GT(c.prefill, 0);
  }
  unknown.similar_chip = "h200";
  EXPECT_EQ(serving_constants(unknown, "SGLang").step_s, own.step_s);
}

}  // namespace
}  // namespace lento::predict
