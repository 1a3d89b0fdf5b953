#include "fleet/scan/explain.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "base/rng.h"

namespace lento::fleet {
namespace {

using testing::HasSubstr;

// Sixteen machines at four samples a minute; n5 loses a share of its power after an hour, n2 falls silent.
MetricSeries job(double kept, size_t silent_from = SIZE_MAX) {
  MetricSeries s;
  for (int m = 0; m < 16; ++m)
    s.machines.push_back("n" + std::to_string(m));
  s.labels.resize(16);
  s.metrics = {"power_w"};
  s.step_ms = 15'000;
  s.steps = 480;
  base::Rng rng(6, "explain");
  for (size_t t = 0; t < s.steps; ++t) {
    for (size_t m = 0; m < 16; ++m) {
      const double value = rng.normal(700, 20) * (m == 5 && t >= 240 ? kept : 1);
      s.values.push_back(m == 2 && t >= silent_from ? NAN : float(value));
    }
  }
  return s;
}

ScanOptions month() {
  ScanOptions o;
  o.budget = {1, 30 * 86400.0};
  return o;
}

TEST(Explain, ShowsTheLooksBetweenTheChangeAndTheAlert) {
  const finding::Diagnosis d = explain(job(0.85), "n5", month());
  EXPECT_THAT(d.verdict, HasSubstr("n5 was named at "));
  EXPECT_THAT(d.verdict, HasSubstr("power_w began to change"));
  ASSERT_GE(d.facts.size(), 3u);
  EXPECT_THAT(d.facts.back().second, testing::EndsWith(": named"));
  EXPECT_THAT(d.facts[1].second, testing::Not(testing::EndsWith(": named")));
}

TEST(Explain, SaysHowNearAMachineCame) {
  EXPECT_THAT(explain(job(1), "n5", month()).verdict, HasSubstr("was never named: at most it reached 0."));
}

TEST(Explain, OfASilentMachineIsItsLastSample) {
  EXPECT_THAT(explain(job(1, 300), "n2", month()).verdict, HasSubstr("its last sample came at 4485 s"));
}

TEST(Explain, NeedsAMachineOfTheRecordAndAPast) {
  EXPECT_THROW(explain(job(1), "n99", month()), base::Error);
  MetricSeries brief = job(1);
  brief.steps = 10;
  brief.values.resize(160);
  EXPECT_EQ(explain(brief, "n5", month()).outcome, finding::Outcome::CannotJudge);
}

TEST(Explain, AnAlertOutsideTheRecordIsAnError) {
  MetricSeries series = job(1);
  series.begin_ms = 1'795'860'000'000;
  EXPECT_THROW(require_time(series, series.begin_ms - 1), base::Error);
  EXPECT_NO_THROW(require_time(series, series.begin_ms + 60'000));
  EXPECT_THROW(require_time(series, series.time_ms(series.steps) + 60'000), base::Error);
}

}  // namespace
}  // namespace lento::fleet
