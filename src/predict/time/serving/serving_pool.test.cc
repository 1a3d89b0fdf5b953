#include "predict/time/serving/serving_pool.h"

#include <gtest/gtest.h>

#include "predict/time/rows/known_models.h"

namespace lento::predict {
namespace {

ServingRun run_with(bool attention_by_request) {
  ServingRun r;
  r.model = *known_model("deepseek-v3");
  r.precision = Precision::Fp8;
  r.two_pools = true;
  r.prefill.tensor = r.prefill.expert = 8;
  r.prefill.attention_by_request = attention_by_request;
  r.decode = r.prefill;
  return r;
}

// When prompts of 2,048 tokens that arrive at time 0 are done, one an entry.
std::vector<double> done(const StepTimes& times, size_t prompts, double chunk, double engines) {
  PrefillPool pool(times, {}, chunk, engines, 0);
  for (size_t i = 0; i < prompts; ++i)
    pool.submit({0, 2048, i});
  std::vector<double> out(prompts);
  while (pool.next_begin() < 1e9) {
    for (const PrefillPool::Done& d : pool.begun(pool.next_begin()))
      out[d.request] = d.time;
  }
  return out;
}

TEST(PrefillPool, PromptsTakenTogetherAreDoneTogether) {
  const ServingRun r = run_with(false);
  const StepTimes times(read_system("h200"), "SGLang", r, r.prefill);
  const auto t = done(times, 8, 8192, 1);
  for (const size_t i : {1, 2, 3}) {
    EXPECT_EQ(t[i], t[0]);
    EXPECT_EQ(t[4 + i], t[4]);
  }
  EXPECT_NEAR(t[4] / t[0], 2, 1e-9);
  EXPECT_LT(t[0], 4.2 * done(times, 1, 8192, 1)[0]);
}

// Each device works on a prompt of its own: eight take little longer than one.
TEST(PrefillPool, WithDataAttentionOnePromptLeavesDevicesIdle) {
  const ServingRun r = run_with(true);
  const StepTimes times(read_system("h200"), "SGLang", r, r.prefill);
  const double one = done(times, 1, 2048, 1)[0];
  const auto eight = done(times, 8, 2048, 1);
  EXPECT_EQ(eight.front(), eight.back());
  EXPECT_LT(eight.back(), 3 * one);
  EXPECT_GT(done(times, 9, 2048, 1).back(), eight.back());
  const ServingRun cut = run_with(false);
  EXPECT_GT(one, 1.5 * done(StepTimes(read_system("h200"), "SGLang", cut, cut.prefill), 1, 2048, 1)[0]);
}

TEST(PrefillPool, EnginesShareTheQueueAndDecodersShareAnEngine) {
  const ServingRun r = run_with(false);
  const StepTimes times(read_system("h200"), "SGLang", r, r.prefill);
  const double one = done(times, 1, 2048, 1)[0];
  EXPECT_NEAR(done(times, 2, 2048, 2).back(), one, 1e-12);
  EXPECT_NEAR(done(times, 2, 2048, 1).back(), 2 * one, 1e-9);
  // Prompts of three other decoders come between.
  EXPECT_GT(done(times, 2, 2048, 0.25).back(), 3.5 * one);
}

TEST(PrefillPool, NothingBeginsBeforeItArrives) {
  const ServingRun r = run_with(false);
  const StepTimes times(read_system("h200"), "SGLang", r, r.prefill);
  PrefillPool pool(times, {}, 8192, 1, 0.5);
  pool.submit({3, 1024, 7});
  EXPECT_EQ(pool.next_begin(), 3);
  EXPECT_TRUE(pool.begun(2.9).empty());
  const auto begun = pool.begun(3);
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun[0].request, 7U);
  EXPECT_GT(begun[0].time, 3.5);
  EXPECT_TRUE(pool.begun(1e9).empty());
}

}  // namespace
}  // namespace lento::predict
