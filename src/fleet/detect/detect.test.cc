// Planted truth: fleets of noise around a common wave, with and without a fault.
#include "fleet/detect/detect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "fleet/detect/budget.h"
#include "fleet/detect/bursts.h"
#include "fleet/minder/priority.h"
#include "fleet/scan/fault_types.h"

namespace lento::fleet {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

MetricSeries fleet_of(size_t machines, size_t steps, uint64_t seed, size_t metrics = 1) {
  MetricSeries s;
  s.steps = steps;
  for (size_t m = 0; m < machines; ++m)
    s.machines.push_back("n" + std::to_string(m));
  s.labels.resize(machines);
  for (size_t k = 0; k < metrics; ++k)
    s.metrics.push_back("metric" + std::to_string(k));
  s.values.resize(metrics * steps * machines);
  base::Rng rng(seed, "test.fleet");
  std::vector<double> offset(machines);
  for (double& o : offset)
    o = rng.normal(0, 0.7);
  for (size_t k = 0; k < metrics; ++k) {
    for (size_t t = 0; t < steps; ++t) {
      for (size_t m = 0; m < machines; ++m) {
        s.row(k, t)[m] = float(100 + 10 * std::sin(double(t) / 3) + offset[m] + rng.normal(0, 5));
      }
    }
  }
  return s;
}

void scale(MetricSeries& s, size_t machine, size_t from, size_t to, float factor) {
  for (size_t t = from; t < std::min(to, s.steps); ++t)
    s.row(0, t)[machine] *= factor;
}

std::vector<std::string> named(const MetricSeries& s, const DetectOptions& o = {}) {
  std::vector<std::string> out;
  for (const auto& f : diagnose(s, o).findings)
    out.push_back(f.subject);
  return out;
}

TEST(Diagnose, HealthyFleetsGiveNothing) {
  for (const size_t machines : {4, 10, 64}) {
    for (uint64_t seed = 1; seed <= 4; ++seed)
      EXPECT_TRUE(named(fleet_of(machines, 1800, seed)).empty()) << machines;
  }
}

TEST(Diagnose, NamesTheOneMachineAtEverySize) {
  for (const size_t machines : {4, 10, 64}) {
    auto s = fleet_of(machines, 1500, 7);
    scale(s, 2, 900, 1500, 0.7f);
    const auto d = diagnose(s, {});
    ASSERT_EQ(d.findings.size(), 1u) << machines;
    EXPECT_EQ(d.findings[0].subject, "n2");
    EXPECT_NEAR(*d.findings[0].factor, 1 / 0.7, 0.1);
    EXPECT_NEAR(d.findings[0].when->begin, 900, 20);
    EXPECT_GE(d.figures.size(), 4u);
  }
}

TEST(Diagnose, ABurstOfAMinuteIsNoFault) {
  auto s = fleet_of(32, 1500, 3);
  scale(s, 5, 800, 860, 0.0f);
  EXPECT_TRUE(named(s).empty());
}

TEST(Diagnose, TwoBurstsInARowAreNoFault) {
  auto s = fleet_of(32, 1500, 3);
  scale(s, 5, 700, 755, 0.3f);
  scale(s, 5, 785, 840, 0.3f);
  EXPECT_TRUE(named(s).empty());
}

TEST(Diagnose, AMachineOffsetInProportionToTheLoadHasNotChanged) {
  auto s = fleet_of(32, 2400, 3);
  scale(s, 5, 0, 2400, 1.02f);
  for (size_t m = 0; m < 32; ++m)
    scale(s, m, 1200, 2400, 0.3f);  // the job goes on at another level
  EXPECT_TRUE(named(s).empty());
}

TEST(Diagnose, AConsequenceInAnotherGroupIsNotBlamed) {
  auto s = fleet_of(32, 1500, 3);
  for (size_t m = 0; m < 32; ++m)
    s.labels[m] = {{"stage", m < 16 ? "0" : "1"}};
  scale(s, 15, 900, 1500, 12.0f);
  scale(s, 14, 900, 1500, 1.5f);
  scale(s, 16, 900, 1500, 1.5f);
  EXPECT_EQ(named(s), std::vector<std::string>{"n15"});
}

TEST(Diagnose, AmongManyBurstsTheFaultIsNamedAndNobodyElse) {
  auto s = fleet_of(200, 2400, 9);
  base::Rng rng(4, "bursts");
  for (int i = 0; i < 300; ++i) {
    const size_t begin = rng.below(2400);
    scale(s, rng.below(200), begin, begin + 5 + rng.below(55), float(rng.uniform(0, 0.6)));
  }
  EXPECT_TRUE(named(s).empty());
  scale(s, 150, 1500, 2400, 0.5f);
  EXPECT_EQ(named(s), std::vector<std::string>{"n150"});
}

TEST(Bursts, AreRareOnlyOnceThatIsKnown) {
  Bursts bursts({64, 1, 140 / 3600.0, 0.1});
  EXPECT_FALSE(bursts.rare());  // nothing was seen yet
  bursts.pass(64 * 0.15);
  EXPECT_TRUE(bursts.rare());
  Judged over;
  Judged lasting;
  Judged under;
  over.score = lasting.score = 2;
  lasting.steady = true;
  bursts.see(1, over);
  bursts.see(1, lasting);  // it was no burst
  bursts.see(1, under);
  EXPECT_TRUE(bursts.rare());
  bursts.see(2, over);
  bursts.see(2, under);
  EXPECT_FALSE(bursts.rare());
}

TEST(Diagnose, SeveralAtOnceAreAllNamed) {
  auto s = fleet_of(64, 1500, 5);
  for (const size_t m : {3, 9, 40})
    scale(s, m, 900, 1500, 0.5f);
  EXPECT_EQ(named(s).size(), 3u);
  auto two_of_four = fleet_of(4, 1500, 5);
  for (const size_t m : {1, 2})
    scale(two_of_four, m, 900, 1500, 0.5f);
  EXPECT_LE(
      named(two_of_four).size(),
      4u);  // a tie of two against two has no right answer: no crash is all we ask
}

TEST(Diagnose, SmallGroupsAreNotJudgedAndNeverThrownTogether) {
  auto s = fleet_of(8, 1500, 2);
  for (size_t m = 0; m < 8; ++m)
    s.labels[m] = {{"stage", std::to_string(m / 2)}};
  scale(s, 6, 0, 1500, 2.0f);
  scale(s, 7, 0, 1500, 2.0f);
  const auto d = diagnose(s, {});
  EXPECT_TRUE(d.findings.empty());
  ASSERT_FALSE(d.notes.empty());
}

TEST(Diagnose, ASlowStageIsNoFaultWhenGrouped) {
  auto s = fleet_of(16, 1500, 2);
  for (size_t m = 0; m < 16; ++m)
    s.labels[m] = {{"stage", std::to_string(m / 8)}};
  for (size_t m = 8; m < 16; ++m)
    scale(s, m, 0, 1500, 2.0f);
  EXPECT_TRUE(named(s).empty());
}

TEST(Diagnose, SilenceIsASignalUnlessTheSourceFails) {
  auto s = fleet_of(32, 1200, 2);
  for (size_t t = 900; t < 1200; ++t)
    s.row(0, t)[4] = kNone;
  const auto d = diagnose(s, {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].category, "silent machine");
  for (size_t t = 900; t < 1200; ++t) {
    for (size_t m = 0; m < 16; ++m)
      s.row(0, t)[m] = kNone;
  }
  EXPECT_TRUE(named(s).empty());
}

// Nobody reports for a while in the middle of one machine's short silence, and the answers come back
// unevenly.
TEST(Diagnose, AnOutageOfTheSourceIsNobodysSilence) {
  for (size_t phase = 0; phase < 40; ++phase) {
    auto s = fleet_of(32, 1200, 2);
    for (size_t m = 0; m < 32; ++m) {
      const size_t back = 750 + (m * 7 + phase) % 30;
      for (size_t t = 600 + (m + phase) % 15; t < back; ++t)
        s.row(0, t)[m] = kNone;
    }
    for (size_t t = 560; t < 790; ++t)
      s.row(0, t)[4] = kNone;
    EXPECT_TRUE(named(s).empty()) << phase;
  }
}

TEST(Diagnose, AMachineThatNeverComesBackFromAnOutageIsNamed) {
  auto s = fleet_of(32, 1200, 2);
  for (size_t t = 600; t < 750; ++t) {
    for (size_t m = 0; m < 32; ++m)
      s.row(0, t)[m] = kNone;
  }
  for (size_t t = 600; t < 1200; ++t)
    s.row(0, t)[9] = kNone;
  const auto d = diagnose(s, {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "n9");
}

TEST(Diagnose, SaysWhatWasLookedAt) {
  const auto d = diagnose(fleet_of(8, 1200, 2), {});
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_EQ(d.covered, "1200 s in steps of 1 s, 8 machines, 1 metric (metric0), 100 % of the samples there");
}

TEST(Diagnose, WithoutPeersOrWithoutAFilledWindowNothingIsHealthy) {
  const auto lonely = diagnose(fleet_of(3, 1200, 2), {});
  EXPECT_EQ(lonely.outcome, finding::Outcome::CannotJudge);
  EXPECT_EQ(lonely.reason, "no group of peers has 4 machines");
  const auto brief = diagnose(fleet_of(8, 169, 2), {});
  EXPECT_EQ(brief.outcome, finding::Outcome::CannotJudge);
  EXPECT_NE(brief.remedy.find("170 s"), std::string::npos) << brief.remedy;
  EXPECT_EQ(diagnose(fleet_of(8, 180, 2), {}).outcome, finding::Outcome::Healthy);
  auto thin = fleet_of(8, 600, 2);
  for (size_t t = 0; t < 600; ++t) {
    for (size_t m = 0; m < 8; ++m) {
      if ((t + m) % 3)
        thin.row(0, t)[m] = kNone;
    }
  }
  EXPECT_EQ(diagnose(thin, {}).outcome, finding::Outcome::CannotJudge);
}

TEST(Diagnose, AnUnevenChangeOfTheWholeJobIsNoFault) {
  auto s = fleet_of(32, 1800, 9);
  base::Rng rng(1, "test.change");
  for (size_t m = 0; m < 32; ++m) {
    const float factor = float(rng.uniform(0.4, 0.6));
    scale(s, m, 900, 1800, factor);
  }
  EXPECT_TRUE(named(s).empty());
}

TEST(Diagnose, AUniformlySlowFleetIsHeldAgainstTheExpectation) {
  auto s = fleet_of(8, 800, 1);
  s.metrics[0] = "step_time_s";
  DetectOptions o;
  o.expectations.push_back({"step", "time", 50, "s", 0.05, "test"});
  const auto d = diagnose(s, o);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].category, "slower than predicted");
  EXPECT_NEAR(*d.findings[0].factor, 2.0, 0.1);
  o.expectations[0].value = 100;
  EXPECT_TRUE(diagnose(s, o).findings.empty());
}

// A watch holds the last minutes against the prediction: what was slow an hour ago no longer counts.
TEST(Diagnose, TheFleetIsHeldAgainstTheExpectationSinceATime) {
  auto s = fleet_of(8, 800, 1);
  s.metrics[0] = "step_time_s";
  DetectOptions o;
  o.expectations.push_back({"step", "time", 100, "s", 0.05, "test"});
  for (size_t m = 0; m < 8; ++m)
    scale(s, m, 0, 400, 2);
  Detector d = detector_of(s, o);
  std::vector<float> row;
  for (size_t t = 0; t < s.steps; ++t) {
    gather_row(s, t, row);
    d.push(s.time_ms(t), row);
  }
  EXPECT_TRUE(check_expectations(d, o, s.time_ms(500)).slower.empty());
  o.expectations[0].value = 50;
  EXPECT_EQ(check_expectations(d, o, s.time_ms(500)).slower.size(), 1u);
  o.expectations[0].metric = o.expected_metric = "absent";
  EXPECT_EQ(check_expectations(d, o).notes.size(), 1u);
}

void push(Detector& d, const MetricSeries& s, size_t from, size_t to) {
  std::vector<float> row;
  for (size_t t = from; t < to; ++t) {
    gather_row(s, t, row);
    row.resize(d.fleet().machines.size(), kNone);  // machines that the series lacks
    d.push(s.time_ms(t), row);
  }
}

TEST(State, AMachineThatJoinsKeepsWhatStandsAndWhatWasLearned) {
  auto s = fleet_of(16, 1800, 4);
  scale(s, 3, 700, 1800, 0.5f);
  for (size_t t = 900; t < 1800; ++t)
    s.row(0, t)[5] = kNone;
  Detector before = detector_of(s, {});
  push(before, s, 0, 1200);
  ASSERT_EQ(before.verdicts().size(), 2u);
  const base::Json state = base::parse_json(base::write_json(before.save()), "state");

  Detector same = detector_of(s, {});
  same.restore(state);
  EXPECT_EQ(base::write_json(same.save()), base::write_json(before.save()));

  auto joined = s;
  joined.machines.push_back("new");
  joined.labels.emplace_back();
  Detector after = detector_of(joined, {});
  after.restore(state);
  push(after, s, 600, 1300);  // as after a restart: the last rows once more
  for (const Verdict& v : after.verdicts())
    EXPECT_TRUE(v.active) << v.machine;
  EXPECT_EQ(after.verdicts().size(), 2u);
}

TEST(State, ASilentMachineIsWellOnceItIsHeardOrHasLeft) {
  auto s = fleet_of(8, 1000, 4);
  for (size_t t = 400; t < 600; ++t)
    s.row(0, t)[5] = kNone;
  Detector d = detector_of(s, {});
  push(d, s, 0, 590);
  ASSERT_EQ(d.verdicts().size(), 1u);
  EXPECT_TRUE(d.verdicts()[0].active);
  push(d, s, 590, 620);
  EXPECT_FALSE(d.verdicts()[0].active);

  for (size_t t = 700; t < 1000; ++t)
    s.row(0, t)[5] = kNone;
  push(d, s, 620, 990);
  ASSERT_EQ(d.verdicts().size(), 2u);
  EXPECT_TRUE(d.verdicts()[1].active);
  d.leave(5);
  push(d, s, 990, 991);
  EXPECT_FALSE(d.verdicts()[1].active);
}

TEST(State, WhatIsNoStateIsRefused) {
  Detector d = detector_of(fleet_of(8, 10, 4), {});
  EXPECT_THROW(d.restore(base::parse_json("{}", "state")), base::Error);
  EXPECT_THROW(
      d.restore(base::parse_json(R"({"schema":"lento.fleet-state/2","machines":7})", "state")),
      base::Error);
}

TEST(Rank, PutsTheDeviatingMachineFirst) {
  auto s = fleet_of(12, 400, 4, 3);
  scale(s, 7, 300, 400, 0.9f);
  EXPECT_EQ(rank_machines(s, 300, 400, {}).front().machine, 7u);
}

TEST(Budget, ThresholdsOfTheNormalLaw) {
  EXPECT_NEAR(normal_threshold(0.05), 1.959964, 1e-5);
  EXPECT_GT(budget_threshold({1000, 7, 1000}, 0.1), budget_threshold({10, 1, 1000}, 0.1));
}

TEST(FaultTypes, PfcAlonePointsToPcie) {
  const auto odds =
      likely_faults({true, true, true, false, false, false}, {false, false, true, false, false, false});
  EXPECT_EQ(odds[0].name, "PCIe downgrading");
  double sum = 0;
  for (const auto& o : odds)
    sum += o.probability;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Priority, FindsTheTellingMetricsInOrder) {
  base::Rng rng(3, "test.tree");
  std::vector<PrioritySample> samples;
  for (int i = 0; i < 400; ++i) {
    PrioritySample s;
    s.faulty = i % 2;
    s.z = {
        float(rng.normal()),
        float(rng.normal(s.faulty && i % 10 < 8 ? 9 : 0)),
        float(rng.normal(s.faulty && i % 10 >= 8 ? 9 : 0))};
    samples.push_back(s);
  }
  const auto order = prioritise(samples, {7, 20});
  ASSERT_GE(order.size(), 2u);
  EXPECT_EQ(order[0].metric, 1u);
  EXPECT_EQ(order[1].metric, 2u);
}

// Two metrics tell; a third is noise that some draws take for a signal.
TEST(Priority, WhatIsLearnedDoesNotHangOnTheDraw) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "test.stable");
    std::vector<PrioritySample> samples;
    for (int i = 0; i < 640; ++i) {
      PrioritySample s;
      s.faulty = i % 16 == 0;
      s.group = size_t(i) / 32;
      const bool second = i % 64 == 0;
      s.z = {
          float(rng.normal()),
          float(rng.normal(s.faulty && !second ? 6 : 0)),
          float(rng.normal(s.faulty && second ? 6 : 0)),
          float(rng.normal())};
      samples.push_back(s);
    }
    StableOptions options;
    options.seed = seed;
    const auto kept = prioritise_stable(samples, options);
    ASSERT_GE(kept.size(), 2u) << seed;
    EXPECT_EQ(kept[0].metric, 1u) << seed;
    EXPECT_EQ(kept[1].metric, 2u) << seed;
  }
}

}  // namespace
}  // namespace lento::fleet
