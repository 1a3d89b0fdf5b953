// How long a run of rows is, and whether a deviation is longer than the bursts were.
#include "fleet/detect/outlast.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "fleet/detect/tuning.h"

namespace lento::fleet {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

std::vector<float> rows(size_t quiet, size_t loud, size_t quiet_after, float size = 100) {
  std::vector<float> out(quiet, 1.0f);
  out.insert(out.end(), loud, size);
  out.insert(out.end(), quiet_after, -1.0f);
  return out;
}

TEST(UnbrokenRun, IsCountedInRows) {
  EXPECT_EQ(longest_run(rows(10, 7, 5), 100).rows, 7u);
  EXPECT_EQ(last_run(rows(10, 7, 5), 100).rows, 0u);
  EXPECT_EQ(last_run(rows(10, 7, 0), 100).rows, 7u);
  EXPECT_EQ(longest_run(rows(10, 0, 5), 100).rows, 0u);
  EXPECT_EQ(longest_run({}, 100).rows, 0u);
}

TEST(UnbrokenRun, HasTheSignOfTheDeviationAndAGoodPartOfIt) {
  EXPECT_EQ(longest_run(rows(4, 6, 4, -50), 100).rows, 0u);
  EXPECT_EQ(longest_run(rows(4, 6, 4, -50), -100).rows, 6u);
  EXPECT_EQ(longest_run(rows(4, 6, 4, 31), 100).rows, 6u);
  EXPECT_EQ(longest_run(rows(4, 6, 4, 29), 100).rows, 0u);
}

TEST(UnbrokenRun, OneRowBreaksItAndTwoMissingOnesDoNot) {
  std::vector<float> r = rows(10, 20, 0);
  r[18] = 0;
  EXPECT_EQ(longest_run(r, 100).rows, 11u);
  EXPECT_EQ(last_run(r, 100).rows, 11u);
  r[18] = r[19] = kNone;
  EXPECT_EQ(longest_run(r, 100).rows, 20u);
  r[20] = kNone;
  EXPECT_EQ(last_run(r, 100).rows, 9u);
  r = rows(10, 20, 0);
  r[28] = r[29] = kNone;  // nobody knows whether it goes on
  EXPECT_EQ(last_run(r, 100).rows, 18u);
}

TEST(UnbrokenRun, SaysWhenItMayHaveBegunBefore) {
  EXPECT_TRUE(longest_run(rows(0, 7, 5), 100).from_the_start);
  EXPECT_FALSE(longest_run(rows(1, 7, 5), 100).from_the_start);
  EXPECT_TRUE(last_run(rows(0, 7, 0), 100).from_the_start);
}

// Bursts of one length, one a machine and hour.
Outlast hourly(size_t length, int count = 10) {
  Outlast job;
  for (int i = 0; i < count; ++i)
    job.learn(rows(50, length, 100), 1, i);
  job.pass(count);
  return job;
}

TEST(Outlast, ChainsAreAsManyAsTheirRateAndLengthsMake) {
  // Of a minute each, the second may begin 45 to 61 s after the first: 16 s, 64 machines, 24 hours
  EXPECT_NEAR(hourly(60).chains_a_day(105, 1, 64, 0), 64 * 24 * 16.0 / 3600, 1e-9);
  EXPECT_NEAR(hourly(60).chains_a_day(105, 15, 64, 0), 64 * 24 * 30.0 / 3600, 1e-9);
  EXPECT_EQ(hourly(60).chains_a_day(121, 1, 64, 0), 0);
  EXPECT_EQ(hourly(40).chains_a_day(90, 1, 64, 0), 0);
  EXPECT_NEAR(hourly(60, 200).chains_a_day(105, 1, 64, 0), 64 * 24 * 16.0 / 3600, 1e-9);
}

TEST(Outlast, BurstsOfAMinuteAreReckonedWithBeforeAnyWasSeen) {
  EXPECT_GT(Outlast().chains_a_day(105, 1, 64, 0.5), 1e9);
  Outlast quiet;
  quiet.pass(10);
  EXPECT_NEAR(quiet.chains_a_day(105, 1, 64, 0.5), 0.25 * 64 * 24 * 16 / 3600 / 100, 1e-9);
  Outlast mixed = hourly(50, 1);  // with itself none, with one of a minute 6 s, two of a minute 16 s
  EXPECT_NEAR(mixed.chains_a_day(105, 1, 1, 0.5), 24 * (2 * 0.5 * 6 + 0.25 * 16) / 3600, 1e-9);
}

TEST(Outlast, LongerBurstsAskForMore) {
  Outlast job;
  job.learn(rows(50, 40, 100), 1, 0);
  EXPECT_EQ(job.needed_s(), 90);
  job.learn(rows(50, 80, 100, -9), 1, 1000);
  EXPECT_EQ(job.longest_s(), 80);
  EXPECT_EQ(job.needed_s(), 120);
  job.learn(rows(50, 10, 100), 1, 2000);
  EXPECT_NEAR(job.longest_s(), 80, 1e-3);
}

TEST(Outlast, WhatWasThereBeforeIsNoBurst) {
  Outlast job;
  job.learn(rows(0, 400, 150), 1, 0);
  EXPECT_EQ(job.longest_s(), 0);
  job.learn(std::vector<float>(300, 0.0f), 1, 0);
  EXPECT_EQ(job.longest_s(), 0);
}

TEST(Outlast, ForgetsByHalfInAMonth) {
  Outlast job;
  job.learn(rows(10, 100, 10), 1, 0);
  job.learn(rows(10, 1, 10), 1, int64_t(tuning::kExcursionHalfLife.value * 86400e3));
  EXPECT_NEAR(job.longest_s(), 50, 1e-6);
  Outlast restored;
  restored.restore(job.state());
  EXPECT_EQ(restored.state(), job.state());
  const std::vector<std::vector<double>> no_states{{}, {1, 2}, {-1, 2, 3}, {1, 0, 3, 4}};
  for (const std::vector<double>& bad : no_states) {
    restored.restore(bad);
    EXPECT_EQ(restored.state(), job.state());
  }
}

}  // namespace
}  // namespace lento::fleet
