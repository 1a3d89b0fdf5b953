// The simulated store: what it answers depends on the time asked for, not on how it is asked.
#include "lab/fleet/sim_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.h"

namespace lento::fleet {
namespace {

constexpr int64_t kMinute = 60'000;

class Store : public testing::Test {
 protected:
  void SetUp() override {
    base::Rng rng(5, "machines");
    store_.add_machines(8, rng);
    clock_.steady = kSimStart + 20 * kMinute;
  }
  MetricSeries read(int64_t begin, int64_t end) {
    base::ReadReport report;
    return store_.read(begin, end, 1000, report);
  }
  // Values by time and machine.
  std::map<std::pair<int64_t, std::string>, float> values(int64_t begin, int64_t end) {
    const MetricSeries s = read(begin, end);
    std::map<std::pair<int64_t, std::string>, float> out;
    for (size_t t = 0; t < s.steps; ++t) {
      for (size_t m = 0; m < s.machines.size(); ++m) {
        if (!std::isnan(s.at(0, t, m)))
          out[{s.time_ms(t), s.machines[m]}] = s.at(0, t, m);
      }
    }
    return out;
  }

  SimClock clock_;
  SimStore store_{clock_, 11};
};

TEST_F(Store, TheSameMinuteIsTheSameHoweverItIsAsked) {
  const auto whole = values(kSimStart, kSimStart + 10 * kMinute);
  EXPECT_GT(whole.size(), 8U * 590);
  size_t seen = 0;
  for (int64_t begin = kSimStart + 10'000; begin < kSimStart + 9 * kMinute; begin += 47'000) {
    const auto part = values(begin, begin + 30'000);
    for (const auto& [key, value] : part) {
      // At a window's edges a step may be filled from the only sample that is in it.
      if (key.first < begin + 5000 || key.first > begin + 25'000)
        continue;
      ++seen;
      ASSERT_TRUE(whole.contains(key));
      EXPECT_EQ(whole.at(key), value);
    }
  }
  EXPECT_GT(seen, 1000U);
}

TEST_F(Store, ASlowMachineDoesFifteenPercentLess) {
  const auto healthy = values(kSimStart, kSimStart + 10 * kMinute);
  store_.machines[3].slow = {{kSimStart + 4 * kMinute, kSimStart + 6 * kMinute}};
  const auto slow = values(kSimStart, kSimStart + 10 * kMinute);
  ASSERT_EQ(healthy.size(), slow.size());
  int lower = 0;
  for (const auto& [key, value] : healthy) {
    const float now = slow.at(key);
    if (now == value)
      continue;
    ++lower;
    EXPECT_EQ(key.second, store_.machines[3].name);
    EXPECT_NEAR(now / value, 0.85, 1e-6);
  }
  EXPECT_NEAR(lower, 120, 2);
}

TEST_F(Store, WhoIsDownHasNoSamplesAndIsNotUp) {
  store_.machines[2].down = {{kSimStart + kMinute, kSimStart + 30 * kMinute}};
  store_.machines[5].present.end = kSimStart + kMinute;
  const auto all = values(kSimStart + 2 * kMinute, kSimStart + 10 * kMinute);
  for (const auto& [key, value] : all) {
    EXPECT_NE(key.second, store_.machines[2].name);
    EXPECT_NE(key.second, store_.machines[5].name);
  }
  const auto targets = store_.targets();
  ASSERT_TRUE(targets.has_value());
  EXPECT_EQ(targets->size(), 7U);
  for (const Target& t : *targets)
    EXPECT_EQ(t.up, t.machine != store_.machines[2].name) << t.machine;
  store_.knows_up = false;
  EXPECT_TRUE(store_.targets()->empty());
}

TEST_F(Store, AnOutageAnswersNothingAndLeavesAGap) {
  store_.outage = {kSimStart + 5 * kMinute, kSimStart + 6 * kMinute};
  clock_.steady = kSimStart + 5 * kMinute;
  EXPECT_THROW(read(kSimStart, kSimStart + kMinute), base::Error);
  EXPECT_THROW(store_.now_ms(), base::Error);
  EXPECT_FALSE(store_.targets().has_value());
  clock_.steady = kSimStart + 6 * kMinute;
  EXPECT_EQ(store_.now_ms(), clock_.steady);
  const auto all = values(kSimStart + 4 * kMinute, clock_.steady);
  for (const auto& [key, value] : all)
    EXPECT_LT(key.first, kSimStart + 5 * kMinute + 6000);  // no further than a sample fills
}

TEST_F(Store, ADelayHidesTheNewestSamples) {
  store_.delay = 30'000;
  const auto all = values(clock_.steady - kMinute, clock_.steady);
  ASSERT_FALSE(all.empty());
  EXPECT_LE(all.rbegin()->first.first, clock_.steady - 30'000 + 6000);
  EXPECT_GE(all.rbegin()->first.first, clock_.steady - 32'000);
}

TEST_F(Store, AHalfIsTheSameForOneTimeAndAnotherForTheNext) {
  store_.halves = {kSimStart, INT64_MAX};
  std::set<std::vector<std::string>> halves;
  size_t named = 0;
  for (int i = 0; i < 20; ++i) {
    clock_.steady += 5000;
    const auto once = read(clock_.steady - kMinute, clock_.steady).machines;
    EXPECT_EQ(read(clock_.steady - kMinute, clock_.steady).machines, once);
    halves.insert(once);
    named += once.size();
  }
  EXPECT_GT(halves.size(), 10U);
  EXPECT_GT(named, 50U);
  EXPECT_LT(named, 110U);
}

TEST(SimAlerts, AFiringAlertCountsOnceUntilItIsResolved) {
  SimClock clock;
  SimAlerts sink(clock);
  Alert alert;
  alert.labels = {{"alertname", "Slow"}, {"machine", "n10"}};
  alert.ends_ms = clock.steady + 60'000;
  EXPECT_TRUE(sink.send({alert}));
  sink.send({alert});
  EXPECT_EQ(sink.told.size(), 1U);
  EXPECT_EQ(sink.told[0].machine, "n10");
  EXPECT_EQ(sink.told[0].kind, "Slow");
  Alert other = alert;
  other.labels.back() = {"machine", "n11"};
  sink.send({alert, other});
  EXPECT_EQ(sink.told.size(), 2U);
  alert.ends_ms = clock.steady;
  sink.send({alert});
  EXPECT_EQ(sink.told.size(), 2U);  // resolved: nothing new
  alert.ends_ms = clock.steady + 1;
  sink.send({alert});
  EXPECT_EQ(sink.told.size(), 3U);
}

TEST(SimHooks, EveryStartIsRememberedAndEndsOnce) {
  SimHooks hooks;
  hooks.start({"n10", "job", {}});
  hooks.start({"n11", "job", {}});
  EXPECT_EQ(hooks.ran, (std::vector<std::string>{"n10", "n11"}));
  EXPECT_EQ(hooks.ended().size(), 2U);
  EXPECT_TRUE(hooks.ended().empty());
}

}  // namespace
}  // namespace lento::fleet
