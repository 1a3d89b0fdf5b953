// What a verdict rests on, word by word.
#include "fleet/scan/covered.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::fleet {
namespace {

MetricSeries job(size_t steps, const std::vector<std::string>& metrics) {
  MetricSeries s;
  s.machines = {"a", "b", "c", "d"};
  s.metrics = metrics;
  s.steps = steps;
  s.values.assign(steps * metrics.size() * 4, 1);
  return s;
}

TEST(Covered, CountsPeriodMachinesMetricsAndSamples) {
  MetricSeries s = job(90, {"power"});
  EXPECT_EQ(
      covered_text(s, 1000),
      "90 s in steps of 1 s, 4 machines, 1 metric (power), 100 % of the samples there");
  for (size_t t = 0; t < 9; ++t)
    s.row(0, t)[1] = NAN;
  s.step_ms = 2000;
  EXPECT_EQ(
      covered_text(s, 2000),
      "180 s in steps of 2 s, 4 machines, 1 metric (power), 97.5 % of the samples there");
}

TEST(Covered, ColumnsOfALiveJobAreNotItsSteps) {
  MetricSeries s = job(90, {"power"});
  s.step_ms = 16'000;
  EXPECT_NE(covered_text(s, 1000).find("1440 s in steps of 1 s"), std::string::npos) << covered_text(s, 1000);
}

TEST(Covered, NamesThreeMetrics) {
  EXPECT_NE(covered_text(job(9, {"a", "b", "c"}), 1000).find("3 metrics (a, b, c),"), std::string::npos);
  EXPECT_NE(covered_text(job(9, {"a", "b", "c", "d"}), 1000).find("(a, b, c, ...),"), std::string::npos);
}

}  // namespace
}  // namespace lento::fleet
