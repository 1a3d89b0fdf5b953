// The steps of the paper's method one at a time: bounds, planes, scores, moments, and what a model remembers.
#include "fleet/minder/windows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "fleet/minder/lstm_vae.h"
#include "fleet/minder/priority.h"

namespace lento::fleet {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

MetricSeries series(size_t machines, size_t steps, size_t metrics = 1) {
  MetricSeries s;
  s.steps = steps;
  for (size_t m = 0; m < machines; ++m)
    s.machines.push_back("n" + std::to_string(m));
  for (size_t k = 0; k < metrics; ++k)
    s.metrics.push_back("metric" + std::to_string(k));
  s.values.assign(metrics * steps * machines, 0);
  return s;
}

TEST(Bounds, AreTheSmallestAndLargestValueOfTheirMetric) {
  MetricSeries s = series(3, 4, 2);
  s.row(0, 2)[1] = -7;
  s.row(0, 3)[0] = 9;
  s.row(1, 0)[0] = 100;
  s.row(0, 1)[2] = kNone;
  const Bounds b = bounds_of(s, 0);
  EXPECT_EQ(b.low, -7);
  EXPECT_EQ(b.high, 9);
  EXPECT_EQ(bounds_of(s, 1).high, 100);
}

TEST(Bounds, OfAConstantAndOfNothingAreOneApart) {
  MetricSeries s = series(2, 3);
  for (float& v : s.values)
    v = 5;
  EXPECT_EQ(bounds_of(s, 0).low, 5);
  EXPECT_EQ(bounds_of(s, 0).high, 6);
  for (float& v : s.values)
    v = kNone;
  EXPECT_EQ(bounds_of(s, 0).low, 0);
  EXPECT_EQ(bounds_of(s, 0).high, 1);
}

TEST(Plane, IsNormalisedAndAMissingSampleTakesTheLastValue) {
  MetricSeries s = series(3, 3);
  for (size_t t = 0; t < 3; ++t) {
    s.row(0, t)[0] = float(10 * t);
    s.row(0, t)[1] = t == 0 ? kNone : 20.0f;
    s.row(0, t)[2] = t == 0 ? 5.0f : kNone;
  }
  const Plane p = normalised_plane(s, 0, {0, 20});
  EXPECT_EQ(p.stride, 16u);
  EXPECT_EQ(padded(16), 16u);
  EXPECT_EQ(padded(17), 32u);
  EXPECT_FLOAT_EQ(p.x[0], 0);
  EXPECT_FLOAT_EQ(p.x[16], 0.5f);
  EXPECT_FLOAT_EQ(p.x[32], 1);
  EXPECT_FLOAT_EQ(p.x[1], 0.5f);  // nothing before it: the middle
  EXPECT_FLOAT_EQ(p.x[17], 1);
  EXPECT_FLOAT_EQ(p.x[2], 0.25f);
  EXPECT_FLOAT_EQ(p.x[34], 0.25f);
}

TEST(MetricIndex, NamesTheNearestWhenThereIsNone) {
  const MetricSeries s = series(1, 1, 2);
  EXPECT_EQ(metric_index(s, "metric1"), 1u);
  try {
    metric_index(s, "metrik1");
    FAIL();
  } catch (const base::Error& e) {
    EXPECT_NE(std::string(e.what()).find("metric1"), std::string::npos);
  }
}

TEST(Candidate, OneAmongEqualsReachesTheCapOfItsScore) {
  for (const size_t n : {4, 10, 64}) {
    std::vector<float> sums(n, 3);
    sums[2] = 50;
    const Candidate c = candidate_of(sums.data(), n);
    EXPECT_EQ(c.machine, 2u);
    EXPECT_NEAR(c.z, double(n - 1) / std::sqrt(double(n)), 1e-4) << n;
  }
  const std::vector<float> flat(8, 1);
  EXPECT_NEAR(candidate_of(flat.data(), 8).z, 0, 1e-3);
}

TEST(Candidate, IsTheStandardScoreOfTheLargest) {
  const std::vector<float> sums{1, 2, 3, 4, 10};
  // mean 4, variance (9 + 4 + 1 + 0 + 36) / 4
  EXPECT_NEAR(candidate_of(sums.data(), 5).z, 6 / std::sqrt(12.5), 1e-5);
}

TEST(Pivots, AreDifferentMachinesAlwaysTheSame) {
  const std::vector<size_t> some = draw_pivots(100, 20);
  EXPECT_EQ(some.size(), 20u);
  EXPECT_EQ(std::set<size_t>(some.begin(), some.end()).size(), 20u);
  EXPECT_LT(*std::ranges::max_element(some), 100u);
  EXPECT_EQ(draw_pivots(100, 20), some);
  EXPECT_EQ(draw_pivots(5, 64).size(), 5u);
  EXPECT_GT(*std::ranges::max_element(some), 50u);  // drawn from all, not the first
}

TEST(Moments, OfEqualMachinesAreEqualAndAnOddOneIsFar) {
  std::vector<Plane> planes;
  base::Rng rng(1, "moments");
  for (int k = 0; k < 2; ++k) {
    Plane p{16, {}};
    p.x.assign(20 * 16, 0.5f);
    for (size_t t = 0; t < 20; ++t) {
      for (size_t m = 0; m < 12; ++m)
        p.x[t * 16 + m] = float(0.5 + rng.normal(0, 0.01) + (m == 7 && k == 1 ? 0.4 : 0));
    }
    planes.push_back(std::move(p));
  }
  std::vector<float> e;
  const size_t rows = embed_moments(planes, 3, 12, e);
  ASSERT_GE(rows, 1u);
  ASSERT_LE(rows, 8u);
  ASSERT_GE(e.size(), rows * 16);
  const auto distance = [&](size_t a) {
    double sum = 0;
    for (size_t b = 0; b < 12; ++b) {
      double square = 0;
      for (size_t r = 0; r < rows; ++r)
        square += std::pow(e[r * 16 + a] - e[r * 16 + b], 2);
      sum += std::sqrt(square);
    }
    return sum;
  };
  for (size_t m = 0; m < 12; ++m)
    EXPECT_TRUE(m == 7 || distance(m) < distance(7)) << m;
}

TEST(TrainMetric, RemembersNameAndBoundsAndComesBackFromItsFile) {
  MetricSeries s = series(4, 200, 2);
  base::Rng rng(2, "train");
  for (size_t t = 0; t < 200; ++t) {
    for (size_t m = 0; m < 4; ++m)
      s.row(1, t)[m] = float(50 + 10 * std::sin(double(t) / 5) + rng.normal(0, 1));
  }
  s.row(1, 10)[2] = 12;
  s.row(1, 11)[2] = 93;
  TrainOptions o;
  o.windows = 2000;
  o.epochs = 3;
  FleetModel model;
  model.metrics.push_back(train_metric(s, 1, o));
  EXPECT_EQ(model.metrics[0].metric, "metric1");
  EXPECT_EQ(model.metrics[0].low, 12);
  EXPECT_EQ(model.metrics[0].high, 93);
  EXPECT_GT(model.metrics[0].mse, 0);
  model.metrics[0].threshold = 2.5;
  const base::Json json = to_json(model);
  const FleetModel back = model_from_json(json, "file");
  EXPECT_EQ(back.metrics[0].low, 12);
  EXPECT_EQ(back.metrics[0].high, 93);
  EXPECT_EQ(back.metrics[0].threshold, 2.5);
  EXPECT_EQ(back.metrics[0].parameters, model.metrics[0].parameters);
  std::string text = base::write_json(json);
  text.replace(text.find("2.5"), 3, "2.6");
  EXPECT_THROW(model_from_json(base::parse_json(text, "file"), "file"), base::Error);
}

TEST(TrainMetric, TooFewSamplesAreRefused) {
  EXPECT_THROW(train_metric(series(1, 3), 0, {}), base::Error);
}

// Metric 1 tells faults from the rest, metric 0 and 2 are noise.
std::vector<PrioritySample> samples(size_t count) {
  base::Rng rng(3, "priority");
  std::vector<PrioritySample> out;
  for (size_t i = 0; i < count; ++i) {
    PrioritySample s;
    s.faulty = i % 2 == 1;
    s.group = i / 10;
    s.z = {
        float(rng.uniform(0, 3)),
        float(s.faulty ? rng.uniform(2, 4) : rng.uniform(0, 1.9)),
        float(rng.uniform(0, 3))};
    out.push_back(std::move(s));
  }
  return out;
}

TEST(Priority, TheMetricThatTellsStandsFirstWithAllTheGain) {
  const std::vector<MetricUse> uses = prioritise(samples(400));
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].metric, 1u);
  EXPECT_EQ(uses[0].level, 0u);
  EXPECT_NEAR(uses[0].gain, 0.5, 1e-6);  // Gini's impurity of halves
  EXPECT_GT(uses[0].threshold, 1.85);
  EXPECT_LT(uses[0].threshold, 2.05);
}

TEST(Priority, FaultsOfTwoKindsNeedTwoMetricsTheCommonerFirst) {
  base::Rng rng(4, "priority");
  std::vector<PrioritySample> all;
  for (size_t i = 0; i < 600; ++i) {
    const size_t kind = i % 6;  // 0, 1: a fault of metric 2; 2: one of metric 0; else none
    PrioritySample s;
    s.group = i / 6;
    s.faulty = kind < 3;
    s.z = {float(rng.uniform(0, 1)), float(rng.uniform(0, 1)), float(rng.uniform(0, 1))};
    if (kind < 2)
      s.z[2] += 3;
    if (kind == 2)
      s.z[0] += 3;
    all.push_back(std::move(s));
  }
  const std::vector<MetricUse> uses = prioritise(all);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].metric, 2u);
  EXPECT_EQ(uses[1].metric, 0u);
  EXPECT_EQ(uses[1].level, 1u);
  // Halves: 1/2. Below the first split 1 of 4 is faulty: 3/8 of two thirds.
  EXPECT_NEAR(uses[0].gain, 0.5 - 0.375 * 2 / 3, 1e-6);
  EXPECT_NEAR(uses[1].gain, 0.375 * 2 / 3, 1e-6);
}

TEST(Priority, IsTheSameOverDrawsOfHalves) {
  const std::vector<MetricUse> uses = prioritise_stable(samples(400));
  ASSERT_FALSE(uses.empty());
  EXPECT_EQ(uses[0].metric, 1u);
  EXPECT_TRUE(prioritise({}).empty());
}

// What is added to all machines alike moves none of them.
TEST(Moments, DoNotDependOnTheLevelOfAll) {
  base::Rng rng(2, "moments.level");
  std::vector<Plane> planes(1, Plane{16, std::vector<float>(8 * 16)});
  for (float& x : planes[0].x)
    x = float(0.5 + rng.normal(0, 0.05));
  std::vector<float> before;
  const size_t rows = embed_moments(planes, 0, 12, before);
  for (float& x : planes[0].x)
    x += 0.25f;
  std::vector<float> after;
  ASSERT_EQ(embed_moments(planes, 0, 12, after), rows);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t m = 0; m < 12; ++m)
      EXPECT_NEAR(std::abs(before[r * 16 + m]), std::abs(after[r * 16 + m]), 1e-2) << r << " " << m;
  }
}

}  // namespace
}  // namespace lento::fleet
