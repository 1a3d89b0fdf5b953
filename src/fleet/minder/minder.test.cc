// The paper's rule of continuity, and what it refuses.
#include "fleet/minder/minder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/test_error.h"
#include "fleet/read/test_series.h"

namespace lento::fleet {
namespace {

// One candidate a character: its machine, '.' under the threshold.
std::optional<size_t> verdict(const std::string& windows, size_t needed, double threshold = 1) {
  std::vector<Candidate> candidates;
  for (const char c : windows)
    candidates.push_back(c == '.' ? Candidate{0, 0.5f} : Candidate{uint32_t(c - '0'), 1.5f});
  return first_verdict(candidates, threshold, needed);
}

TEST(FirstVerdict, IsTheEndOfTheFirstRunOfOneMachine) {
  EXPECT_EQ(verdict("..333", 3), 4u);
  EXPECT_EQ(verdict("333333", 3), 2u);
  EXPECT_FALSE(verdict("33.33", 3));
  EXPECT_FALSE(verdict("33433", 3));
  EXPECT_EQ(verdict("3343444", 3), 6u);
  EXPECT_EQ(verdict(".0..", 1), 1u);
  EXPECT_FALSE(verdict("", 1));
}

// Machine 0 under the threshold is no run of machine 0.
TEST(FirstVerdict, WhatIsUnderTheThresholdEndsARun) {
  EXPECT_FALSE(verdict("00.0", 3));
  EXPECT_EQ(verdict("00.000", 3), 5u);
  EXPECT_FALSE(verdict("000", 3, 1.5));  // at the threshold is not over it
  EXPECT_EQ(verdict("000", 3, 1.49), 2u);
}

TEST(Minder, RefusesWhatItCannotJudge) {
  FleetModel model;
  model.metrics.resize(1);
  model.metrics[0].metric = "power";
  MinderOptions o;
  o.metrics = {"clock"};
  EXPECT_NE(
      base::test::error_of([&] {
        minder(test::job(8, 40, {"power"}), model, o);
      }).find("none of the model's metrics"),
      std::string::npos);
  EXPECT_NE(
      base::test::error_of([&] {
        minder(test::job(3, 40, {"power"}), model, {});
      }).find("at least 4 machines"),
      std::string::npos);
}

// The samples as they are: no model is asked, so distances are those of the data.
TEST(Minder, OverRawSamplesNeedsNoTraining) {
  FleetModel model;
  model.metrics.resize(1);
  model.metrics[0].metric = "power";
  MinderOptions o;
  o.embedding = Embedding::Raw;
  o.threshold = 3;
  EXPECT_FALSE(minder(test::job(32, 600, {"power"}), model, o));
  const auto v = minder(test::job(32, 600, {"power"}, {{9, 0, 200, 0.5}}), model, o);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->machine, 9u);
  EXPECT_EQ(v->metric, "power");
  EXPECT_NEAR(double(v->step), 200 + 240, 8);
  o.continuity_s = 60;
  EXPECT_NEAR(double(minder(test::job(32, 600, {"power"}, {{9, 0, 200, 0.5}}), model, o)->step), 260, 8);
  o.continuity = false;
  o.threshold = 5;  // of 5.48 that one among 32 can reach: noise alone passes 3
  EXPECT_NEAR(double(minder(test::job(32, 600, {"power"}, {{9, 0, 200, 0.5}}), model, o)->step), 202, 8);
}

TEST(Minder, OneCandidateAWindow) {
  FleetModel model;
  model.metrics.resize(1);
  model.metrics[0].metric = "power";
  MinderOptions o;
  o.embedding = Embedding::Raw;
  const auto s = test::job(8, 40, {"power"}, {{2, 0, 0, 0.2}});
  const auto all = minder_candidates(s, model, 0, o);
  EXPECT_EQ(all.size(), 33u);  // windows of 8
  for (const Candidate& c : all)
    EXPECT_EQ(c.machine, 2u);
  o.stride = 4;
  EXPECT_EQ(minder_candidates(s, model, 0, o).size(), 9u);
  EXPECT_TRUE(minder_candidates(test::job(8, 7, {"power"}), model, 0, o).empty());
}

// Every fusion of two metrics finds who is far in one of them.
TEST(Minder, FusionsSeeAllMetrics) {
  FleetModel model;
  model.metrics.resize(2);
  model.metrics[0].metric = "power";
  model.metrics[1].metric = "clock";
  const auto s = test::job(32, 600, {"power", "clock"}, {{9, 1, 200, 0.3}});
  for (const Fusion fusion : {Fusion::Concatenate, Fusion::Integrate, Fusion::Mahalanobis}) {
    MinderOptions o;
    o.embedding = Embedding::Raw;
    o.fusion = fusion;
    o.threshold = 2.5;
    o.continuity_s = 60;
    const auto v = minder(s, model, o);
    ASSERT_TRUE(v) << int(fusion);
    EXPECT_EQ(v->machine, 9u) << int(fusion);
    EXPECT_EQ(v->metric, "all metrics");
  }
}

// One metric up and the other down by as much: side by side they tell, their mean does not, and alone each
// tells of itself.
TEST(Minder, CandidatesAreThoseOfTheMetricsAskedFor) {
  FleetModel model;
  model.metrics.resize(3);
  model.metrics[0].metric = "power";
  model.metrics[1].metric = "clock";
  model.metrics[2].metric = "heat";
  const auto s = test::job(32, 100, {"power", "clock", "heat"}, {{9, 0, 0, 1.3}, {9, 1, 0, 0.7}});
  const auto of_nine = [&](Fusion fusion, size_t metric) {
    MinderOptions o;
    o.embedding = Embedding::Raw;
    o.fusion = fusion;
    o.metrics = {"power", "clock"};
    const auto all = minder_candidates(s, model, metric, o);
    return double(std::ranges::count(all, 9u, &Candidate::machine)) / double(all.size());
  };
  EXPECT_EQ(of_nine(Fusion::Concatenate, 2), 1);
  EXPECT_LT(of_nine(Fusion::Integrate, 2), 0.7);
  EXPECT_EQ(of_nine(Fusion::PerMetric, 0), 1);
  EXPECT_EQ(of_nine(Fusion::PerMetric, 1), 1);
  EXPECT_LT(of_nine(Fusion::PerMetric, 2), 0.5);
}

}  // namespace
}  // namespace lento::fleet
