#include "fleet/read/metric_series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/rng.h"

namespace lento::fleet {
namespace {

TEST(SeriesBuilder, FillsWithTheNearestSampleAndTiesGoToTheEarlier) {
  base::ReadReport report;
  SeriesBuilder b(report);
  const uint32_t k = b.metric("p");
  const uint32_t m = b.machine("a");
  for (const auto& [t, v] : {std::pair{0, 1.0}, {900, 2.0}, {3000, 3.0}})
    b.add({k, m, 0}, t, v, {});
  const MetricSeries s = b.build(
      {
          .step_ms = 1000,
          .fill_limit_s = 1.0,
      },
      {});
  ASSERT_EQ(s.steps, 4u);
  EXPECT_EQ(s.at(0, 0, 0), 1);
  EXPECT_EQ(s.at(0, 1, 0), 2);
  EXPECT_EQ(s.at(0, 2, 0), 3);  // 1000 ms to 3000 against 1100 ms to 900
  EXPECT_EQ(s.at(0, 3, 0), 3);
}

TEST(SeriesBuilder, LeavesWideGapsEmpty) {
  base::ReadReport report;
  SeriesBuilder b(report);
  const uint32_t k = b.metric("p");
  const uint32_t m = b.machine("a");
  b.add({k, m, 0}, 0, 1, {});
  b.add({k, m, 0}, 20'000, 2, {});
  const MetricSeries s = b.build({.step_ms = 1000}, {});
  EXPECT_EQ(s.at(0, 5, 0), 1);
  EXPECT_TRUE(std::isnan(s.at(0, 6, 0)));
  EXPECT_TRUE(std::isnan(s.at(0, 14, 0)));
  EXPECT_EQ(s.at(0, 15, 0), 2);
}

TEST(SeriesBuilder, ReducesDevicesAndRemembersWhichWasLowest) {
  base::ReadReport report;
  SeriesBuilder b(report);
  const uint32_t k = b.metric("util");
  const uint32_t m = b.machine("a");
  b.add({k, m, b.device("gpu0")}, 0, 90, {});
  b.add({k, m, b.device("gpu1")}, 0, 30, {});
  const MetricSeries s = b.build({}, {});
  EXPECT_EQ(s.metrics, (std::vector<std::string>{"util:min", "util:mean", "util:max"}));
  EXPECT_EQ(s.at(0, 0, 0), 30);
  EXPECT_EQ(s.at(1, 0, 0), 60);
  EXPECT_EQ(s.at(2, 0, 0), 90);
  EXPECT_EQ(s.devices[s.device_of.at(0)[0]], "gpu1");
  EXPECT_EQ(s.devices[s.device_of.at(2)[0]], "gpu0");
}

TEST(SeriesBuilder, SkipsAndCountsWhatCannotBe) {
  base::ReadReport report;
  SeriesBuilder b(report);
  const uint32_t k = b.metric("p");
  const uint32_t m = b.machine("a");
  b.add({k, m, 0}, 1000, 1, {});
  b.add({k, m, 0}, 1000, 1, {});
  b.add({k, m, 0}, 500, 1, {});
  b.add({k, m, 0}, 2000, NAN, {});
  EXPECT_EQ(report.taken, 1u);
  EXPECT_EQ(report.skipped, 3u);
  EXPECT_EQ(report.reasons.size(), 3u);
}

// A part of one series, told in this order of its times.
MetricSeries told(const std::vector<int64_t>& times, base::ReadReport& report) {
  SeriesBuilder b(report);
  b.begin_part_in_any_order();
  for (const int64_t t : times)
    b.add({b.metric("p"), b.machine("a"), 0}, t, double(t), {});
  return b.build({}, {});
}

TEST(SeriesBuilder, WithinAPartTimesMayFallInAnyOrder) {
  std::vector<int64_t> times;
  for (int64_t t = 0; t < 200; ++t)
    times.push_back(1000 * t);
  base::ReadReport report;
  const MetricSeries rising = told(times, report);
  std::ranges::reverse(times);
  EXPECT_EQ(told(times, report).values, rising.values);
  base::Rng rng(4, "order");
  for (size_t i = times.size(); i > 1; --i)
    std::swap(times[i - 1], times[rng.below(i)]);
  const MetricSeries shuffled = told(times, report);
  EXPECT_EQ(shuffled.values, rising.values);
  EXPECT_EQ(shuffled.newest_ms, rising.newest_ms);
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_EQ(report.taken, 600u);
}

TEST(SeriesBuilder, FarApartTimesInAnyOrderAreSorted) {
  constexpr int64_t kMonth = int64_t{30} * 86'400'000;
  base::ReadReport report;
  SeriesBuilder b(report);
  b.begin_part_in_any_order();
  for (const int64_t t : {3 * kMonth, int64_t{0}, kMonth, 2 * kMonth})
    b.add({b.metric("p"), b.machine("a"), 0}, t, double(t / kMonth), {});
  GridOptions grid;
  grid.step_ms = kMonth;
  EXPECT_EQ(b.build(grid, {}).values, (std::vector<float>{0, 1, 2, 3}));
}

TEST(SeriesBuilder, OfEqualTimesInAnyOrderTheFirstCounts) {
  base::ReadReport report;
  SeriesBuilder b(report);
  b.begin_part_in_any_order();
  const uint32_t k = b.metric("p");
  const uint32_t m = b.machine("a");
  for (const auto& [time, value] : {std::pair{2000, 1.0}, {1000, 2.0}, {2000, 3.0}, {0, 4.0}, {1000, 5.0}})
    b.add({k, m, 0}, time, value, {});
  EXPECT_EQ(b.build({}, {}).values, (std::vector<float>{4, 2, 1}));
  EXPECT_EQ(report.taken, 3u);
  EXPECT_EQ(report.skipped, 2u);
  EXPECT_EQ(report.reasons["second sample of a machine at the same time"], 2u);
}

TEST(SeriesBuilder, APartLiesAfterThoseBeforeIt) {
  base::ReadReport report;
  SeriesBuilder b(report);
  const uint32_t k = b.metric("p");
  const uint32_t m = b.machine("a");
  for (const auto& part : {std::vector<int64_t>{2000, 1000}, {4000, 1500, 3000}}) {
    b.begin_part_in_any_order();
    for (const int64_t t : part)
      b.add({k, m, 0}, t, double(t), {});
  }
  EXPECT_EQ(b.build({}, {}).values, (std::vector<float>{1000, 2000, 3000, 4000}));
  EXPECT_EQ(report.reasons["time runs backwards within one machine"], 1u);
}

// Machines a, b, c with a sample a second, and others that a test adds.
SeriesBuilder three_machines(base::ReadReport& report, int64_t seconds) {
  SeriesBuilder b(report);
  for (int64_t t = 0; t < seconds; ++t)
    for (const char* name : {"a", "b", "c"})
      b.add({b.metric("p"), b.machine(name), 0}, 1000 * t, double(t), {});
  return b;
}

TEST(SeriesBuilder, WhoIsSeenOnceIsNobody) {
  base::ReadReport report;
  SeriesBuilder b = three_machines(report, 10);
  b.add({b.metric("p"), b.machine("b~"), 0}, 4000, 1, {});
  b.add({b.metric("q"), b.machine("b~"), 0}, 4000, 1, {});
  b.set_label(b.machine("d"), "rack", "7");
  for (const int64_t t : {5, 6})
    b.add({b.metric("p"), b.machine("d"), 0}, 1000 * t, 50 + double(t), {});
  const MetricSeries s = b.build({}, {});
  EXPECT_EQ(s.machines, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(label(s, 3, "rack"), "7");
  EXPECT_EQ(s.at(0, 5, 3), 55);
  EXPECT_EQ(s.at(0, 9, 1), 9);
  EXPECT_EQ(report.reasons["of a machine that is seen once"], 2u);
  EXPECT_EQ(report.first_skip.path, "machine 'b~'");
  EXPECT_EQ(report.taken, 32u);
}

TEST(SeriesBuilder, OfAStreamOrAShortRecordingEveryMachineCounts) {
  for (const auto& [seconds, whole] : {std::pair{10, false}, {2, true}, {1, true}}) {
    base::ReadReport report;
    SeriesBuilder b = three_machines(report, seconds);
    b.add({b.metric("p"), b.machine("d"), 0}, 0, 1, {});
    EXPECT_EQ(b.build({.whole = whole}, {}).machines.size(), 4u) << seconds;
    EXPECT_EQ(report.skipped, 0u);
  }
}

TEST(SeriesBuilder, ANameThatIsNoneIsNoMachine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "machine name is empty"},
      {":9100", "machine name is empty"},
      {"../etc/cron.d", "machine name is a path"},
      {"/dev/sda", "machine name is a path"},
      {"gpu\x01", "machine name holds control characters or bytes that are no text"}};
  for (const auto& [name, reason] : wrong) {
    base::ReadReport report;
    SeriesBuilder b = three_machines(report, 5);
    for (int64_t t = 0; t < 5; ++t)
      b.add({b.metric("p"), b.machine(name), 0}, 1000 * t, 1, {});
    EXPECT_EQ(b.build({}, {}).machines.size(), 3u) << name;
    EXPECT_EQ(report.reasons[reason], 5u) << name;
  }
  base::ReadReport report;
  SeriesBuilder b(report);
  b.add({b.metric("p"), b.machine("/"), 0}, 0, 1, {});
  EXPECT_THROW(b.build({}, {}), base::Error);
}

TEST(SeriesBuilder, RefusesAPeriodThatCannotBeLaidOut) {
  base::ReadReport report;
  SeriesBuilder b(report);
  const uint32_t k = b.metric("p");
  const uint32_t m = b.machine("a");
  for (int t = 0; t < 5; ++t)
    b.add({k, m, 0}, 1000 * t, 1, {});
  b.add({k, m, 0}, int64_t{9'000'000'000'000'000}, 1, {});
  EXPECT_THROW(b.build({}, {}), base::Error);
}

// The value that the documentation of GridOptions promises: the nearest sample, the earlier of two.
float nearest(const std::vector<std::pair<int64_t, double>>& samples, int64_t at, double limit_ms) {
  double best = std::nan("");
  int64_t distance = INT64_MAX;
  for (const auto& [time, value] : samples) {
    const int64_t d = std::abs(time - at);
    if (d >= distance)
      continue;
    distance = d;
    best = value;
  }
  return double(distance) <= limit_ms ? float(best) : std::nanf("");
}

TEST(SeriesBuilder, EveryStepHoldsTheNearestSample) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    base::Rng rng(seed, "series");
    base::ReadReport report;
    SeriesBuilder builder(report);
    std::vector<std::pair<int64_t, double>> samples;
    int64_t time = 0;
    for (int i = 0; i < 40; ++i) {
      samples.emplace_back(time, double(rng.below(1000)));
      time += 800 + int64_t(rng.below(400));
    }
    const auto machine = builder.machine("m");
    const auto metric = builder.metric("power");
    for (const auto& [at, value] : samples)
      builder.add({metric, machine, 0}, at, value, {});
    GridOptions grid;
    grid.begin_ms = 0;
    grid.step_ms = 1000;
    const MetricSeries series = builder.build(grid, {});
    ASSERT_GT(series.steps, 30u);
    for (size_t step = 0; step < series.steps; ++step)
      EXPECT_EQ(series.at(0, step, 0), nearest(samples, series.time_ms(step), 5000)) << seed << " " << step;
  }
}

}  // namespace
}  // namespace lento::fleet
