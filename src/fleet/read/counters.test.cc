#include "fleet/read/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace lento::fleet {
namespace {

using testing::ElementsAre;

MetricSeries table(
    const std::function<double(size_t, size_t)>& value,
    const std::string& name = "tokens_total") {
  MetricSeries s;
  s.machines = {"a", "b", "c", "d"};
  s.metrics = {name};
  s.step_ms = 10'000;
  s.steps = 60;
  for (size_t t = 0; t < s.steps; ++t) {
    for (size_t m = 0; m < 4; ++m)
      s.values.push_back(float(value(t, m)));
  }
  return s;
}

TEST(Counters, AResetHasNoRateAndARateNoAge) {
  MetricSeries s = table([](size_t t, size_t m) {
    return double(m == 2 && t >= 30 ? t - 30 : t + 1000 * m) * 100;
  });
  counters_to_rates(s);
  EXPECT_THAT(s.metrics, ElementsAre("rate(tokens_total)"));
  EXPECT_TRUE(std::isnan(s.at(0, 0, 0)));
  EXPECT_FLOAT_EQ(s.at(0, 1, 0), 10);
  EXPECT_TRUE(std::isnan(s.at(0, 30, 2)));
  EXPECT_FLOAT_EQ(s.at(0, 59, 2), 10);
  EXPECT_EQ(s.notes.size(), 1u);
}

TEST(Counters, AHoleCountsForItsTime) {
  MetricSeries s = table([](size_t t, size_t) {
    return t == 20 ? std::nan("") : 50.0 * double(t);
  });
  counters_to_rates(s);
  EXPECT_FLOAT_EQ(s.at(0, 21, 0), 5);
}

TEST(Counters, LevelsAndStepsOfFewRisesStay) {
  for (const auto& value : std::vector<std::function<double(size_t, size_t)>>{
           [](size_t t, size_t m) {
             return double((7 * t + m) % 5);
           },
           [](size_t t, size_t) {
             return double(t / 10);
           },
           [](size_t, size_t) {
             return 1.0;
           }}) {
    MetricSeries s = table(value, "tokens");
    counters_to_rates(s);
    EXPECT_THAT(s.metrics, ElementsAre("tokens"));
  }
}

TEST(Counters, ANameIsEnoughWhereNothingFalls) {
  const auto rare = [](size_t t, size_t m) {
    return 1e5 * double(m) + (m == 1 ? double(t / 10) : 0);
  };
  MetricSeries s = table(rare, "node_network_receive_errs_total");
  counters_to_rates(s);
  EXPECT_THAT(s.metrics, ElementsAre("rate(node_network_receive_errs_total)"));
  EXPECT_FLOAT_EQ(s.at(0, 20, 1), 0.1F);
  EXPECT_FLOAT_EQ(s.at(0, 20, 0), 0);
  MetricSeries falling = table([](size_t t, size_t m) {
    return double((7 * t + m) % 5);
  });
  counters_to_rates(falling);
  EXPECT_THAT(falling.metrics, ElementsAre("tokens_total"));
}

TEST(Counters, RisesInHalfOfTheStepsAreEnough) {
  MetricSeries s = table(
      [](size_t t, size_t m) {
        return 1e4 * double(m) + double(t / 2);
      },
      "retransmits");
  counters_to_rates(s);
  EXPECT_THAT(s.metrics, ElementsAre("rate(retransmits)"));
}

}  // namespace
}  // namespace lento::fleet
