// From a detector's state to a diagnosis: what a finding says, what is not called healthy, what is held
// against a prediction.
#include <gtest/gtest.h>

#include <algorithm>

#include "fleet/detect/test_job.h"

namespace lento::fleet {
namespace {

using test::job;
using test::kNone;

bool mentions(const finding::Finding& f, const std::string& text) {
  return std::ranges::any_of(f.evidence, [&](const finding::Evidence& e) {
    return e.text.find(text) != std::string::npos;
  });
}

TEST(Conclude, AFindingSaysWhoWhatSinceWhenAndByHowMuch) {
  const auto d = diagnose(job(32, 1500, {"gpu_power", "cpu_usage"}, {{5, 0, 900, 0.7}}), {});
  ASSERT_EQ(d.outcome, finding::Outcome::Findings);
  ASSERT_EQ(d.findings.size(), 1u);
  const finding::Finding& f = d.findings[0];
  EXPECT_EQ(f.subject, "n5");
  EXPECT_NEAR(*f.factor, 1 / 0.7, 0.06);
  EXPECT_NEAR(f.when->begin, 900, 20);
  EXPECT_TRUE(mentions(f, "gpu_power"));
  EXPECT_FALSE(mentions(f, "cpu_usage"));
  EXPECT_GT(f.score, 0.5);
  EXPECT_FALSE(f.next_step.empty());
  EXPECT_NE(d.verdict.find("n5"), std::string::npos);
}

TEST(Conclude, TheStrongerFaultStandsFirst) {
  const auto d = diagnose(job(32, 1500, {"gpu_power"}, {{5, 0, 900, 0.8}, {9, 0, 900, 0.6}}), {});
  ASSERT_EQ(d.findings.size(), 2u);
  EXPECT_EQ(d.findings[0].subject, "n9");
  EXPECT_EQ(d.findings[1].subject, "n5");
  EXPECT_GE(d.findings[0].score, d.findings[1].score);
}

TEST(Conclude, ASilentMachineIsAFindingOfItsOwn) {
  const auto d = diagnose(job(16, 900, {"gpu_power"}, {{3, 0, 600, 0}}), {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "n3");
  EXPECT_NE(d.findings[0].summary.find("no sample"), std::string::npos);
  EXPECT_GT(d.findings[0].score, 0.5);
  EXPECT_LT(d.findings[0].score, 1);
  EXPECT_NEAR(d.findings[0].when->begin, 600, 5);
}

TEST(Conclude, HealthyIsSaidWithWhatItCovers) {
  const auto d = diagnose(job(16, 1200, {"gpu_power"}), {});
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_NE(d.covered.find("16 machines"), std::string::npos);
  EXPECT_TRUE(d.findings.empty());
}

TEST(Conclude, TooShortTooFewOrTooEmptyIsNotHealthy) {
  const auto brief = diagnose(job(16, 100, {"gpu_power"}), {});
  EXPECT_EQ(brief.outcome, finding::Outcome::CannotJudge);
  EXPECT_FALSE(brief.reason.empty());
  EXPECT_FALSE(brief.remedy.empty());
  const auto few = diagnose(job(3, 1200, {"gpu_power"}), {});
  EXPECT_EQ(few.outcome, finding::Outcome::CannotJudge);
  auto s = job(16, 1200, {"gpu_power"});
  for (float& v : s.values)
    v = kNone;
  EXPECT_EQ(diagnose(s, {}).outcome, finding::Outcome::CannotJudge);
}

TEST(Conclude, GroupsThatWereNotJudgedAreNoted) {
  auto s = job(11, 1200, {"gpu_power"});
  for (size_t m = 0; m < 11; ++m)
    s.labels[m] = {{"stage", m < 8 ? "0" : "1"}};
  const auto d = diagnose(s, {});
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_TRUE(std::ranges::any_of(d.notes, [](const std::string& n) {
    return n.find("3 machines in 1 groups were not judged") != std::string::npos;
  }));
}

finding::Expectation expected(double value, double error) {
  finding::Expectation e;
  e.subject = "the step";
  e.metric = "step_time_s";
  e.value = value;
  e.unit = "s";
  e.relative_error = error;
  return e;
}

TEST(Conclude, AFleetSlowerThanPredictedByMoreThanItsErrorIsAFinding) {
  const auto s = job(16, 1200, {"step_time_s"});
  const auto findings = [&](double value, double error) {
    DetectOptions o;
    o.expectations = {expected(value, error)};
    return diagnose(s, o).findings.size();
  };
  EXPECT_EQ(findings(100 / 1.04, 0), 0u);  // within 5 %
  EXPECT_EQ(findings(100 / 1.07, 0), 1u);
  EXPECT_EQ(findings(100 / 1.07, 0.05), 0u);  // within twice the model's error
  EXPECT_EQ(findings(100 / 1.15, 0.05), 1u);
  EXPECT_EQ(findings(200, 0), 0u);  // quicker than predicted
}

TEST(Conclude, WhatWasHeldAgainstAPredictionIsAFact) {
  DetectOptions o;
  o.expectations = {expected(80, 0)};
  const auto d = diagnose(job(16, 1200, {"step_time_s"}), o);
  const auto fact = std::ranges::find_if(d.facts, [](const auto& one) {
    return one.first == "step_time_s against expectation";
  });
  ASSERT_NE(fact, d.facts.end());
  EXPECT_NEAR(std::stod(fact->second), 1.25, 0.02);
}

// One class of metrics cannot tell types of faults apart; what belongs to no class is none.
TEST(Conclude, TypesOfFaultsNeedTwoClassesOfMetrics) {
  const auto odds = [](const std::vector<std::string>& metrics) {
    const auto d = diagnose(job(32, 1500, metrics, {{5, 0, 900, 0.7}}), {});
    return !d.findings.empty() && mentions(d.findings[0], "likely fault type 3");
  };
  EXPECT_FALSE(odds({"gpu_power"}));
  EXPECT_FALSE(odds({"gpu_power", "gpu_duty"}));
  EXPECT_FALSE(odds({"gpu_power", "tea_cups"}));
  EXPECT_TRUE(odds({"gpu_power", "pfc"}));
}

TEST(Conclude, AnExpectationWithoutItsMetricIsNotedNotHeld) {
  DetectOptions o;
  o.expectations = {expected(1, 0)};
  const auto d = diagnose(job(16, 1200, {"gpu_power"}), o);
  EXPECT_TRUE(d.findings.empty());
  EXPECT_TRUE(std::ranges::any_of(d.notes, [](const std::string& n) {
    return n.find("no metric of the fleet to compare with") != std::string::npos;
  }));
}

TEST(Conclude, TheDeviceThatWasLowestIsNamed) {
  auto s = job(16, 1200, {"power:min"}, {{4, 0, 700, 0.5}});
  s.devices = {"", "0", "1", "7"};
  s.device_of[0].assign(s.steps * 16, 1);
  for (size_t t = 700; t < s.steps; ++t)
    s.device_of[0][t * 16 + 4] = 3;
  const auto d = diagnose(s, {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_TRUE(mentions(d.findings[0], "device 7"));
}

TEST(Conclude, ThePicturesShowTheMachineUnderItsPeersBandAndOverTheThreshold) {
  const auto d = diagnose(job(32, 1500, {"gpu_power"}, {{5, 0, 900, 0.7}}), {});
  const finding::SeriesFigure* level = nullptr;
  const finding::SeriesFigure* score = nullptr;
  for (const finding::Figure& f : d.figures) {
    if (f.title == "n5: gpu_power against its peers")
      level = &std::get<finding::SeriesFigure>(f.body);
    if (f.title == "n5: score over time")
      score = &std::get<finding::SeriesFigure>(f.body);
  }
  ASSERT_NE(level, nullptr);
  ASSERT_NE(score, nullptr);
  ASSERT_EQ(level->bands.size(), 1u);
  ASSERT_EQ(level->lines.size(), 2u);
  const finding::SeriesFigure::Band& peers = level->bands[0];
  const finding::SeriesFigure::Line& machine = level->lines[1];
  ASSERT_FALSE(peers.x.empty());
  EXPECT_LT(peers.low.back(), 100);
  EXPECT_GT(peers.high.back(), 100);
  EXPECT_LT(peers.high.back(), 110);
  EXPECT_EQ(level->y_name, "gpu_power");
  EXPECT_EQ(score->y_name, "deviation / threshold");
  EXPECT_EQ(level->x_name, "time, s");
  EXPECT_EQ(score->x_name, "time, s");
  EXPECT_NEAR(level->lines[0].y.back(), 100, 1);
  EXPECT_NEAR(machine.y.back(), 70, 2);
  EXPECT_NEAR(machine.y.front(), 100, 3);
  ASSERT_EQ(score->lines.size(), 2u);
  EXPECT_EQ(score->lines[0].y, (std::vector<double>{1, 1}));
  EXPECT_GE(*std::ranges::max_element(score->lines[1].y), 1);
  ASSERT_EQ(level->marks.size(), 2u);
  EXPECT_NEAR(level->marks[0], 900, 20);
  EXPECT_LT(level->marks[0], level->marks[1]);
}

TEST(Conclude, ThreeFindingsGetTheirOwnPictures) {
  const auto d = diagnose(
      job(40,
          1500,
          {"gpu_power"},
          {{2, 0, 900, 0.7}, {9, 0, 900, 0.7}, {17, 0, 900, 0.7}, {30, 0, 900, 0.7}}),
      {});
  EXPECT_EQ(d.findings.size(), 4u);
  const auto ends_with = [](const std::string& words) {
    return [words](const finding::Figure& f) {
      return f.title.ends_with(words);
    };
  };
  EXPECT_EQ(std::ranges::count_if(d.figures, ends_with(": score over time")), 3);
  EXPECT_EQ(std::ranges::count_if(d.figures, ends_with(" against its peers")), 3);
}

// A label of the named machines is worth a word when most others do not have it.
TEST(Conclude, WhatTheNamedMachinesShareIsSaid) {
  const auto said = [](size_t with_label) {
    auto s = job(16, 1500, {"gpu_power"}, {{2, 0, 900, 0.6}, {5, 0, 900, 0.6}});
    for (size_t m = 0; m < 16; ++m)
      s.labels[m] = {{"rack", m == 2 || m == 5 || m < with_label ? "7" : std::to_string(100 + m)}};
    const auto d = diagnose(s, {});
    EXPECT_EQ(d.findings.size(), 2u);
    return !d.findings.empty() && mentions(d.findings[0], "all named machines share rack=7");
  };
  EXPECT_TRUE(said(0));
  EXPECT_TRUE(said(8));
  EXPECT_FALSE(said(9));
  EXPECT_FALSE(said(16));
}

TEST(Conclude, MachinesAreRankedByAbnormality) {
  const auto d = diagnose(job(16, 1500, {"gpu_power"}, {{11, 0, 900, 0.7}}), {});
  for (const finding::Figure& f : d.figures) {
    if (f.title != "Machines by abnormality")
      continue;
    const auto& table = std::get<finding::TableFigure>(f.body);
    ASSERT_EQ(table.rows.size(), 10u);
    EXPECT_EQ(table.rows[0][0], "n11");
    double before = 1e300;
    for (const auto& row : table.rows) {
      EXPECT_LE(std::stod(row[1]), before);
      before = std::stod(row[1]);
    }
  }
}

TEST(Conclude, TheHeatMapOutlinesWhoIsNamed) {
  const auto d = diagnose(job(16, 1500, {"gpu_power"}, {{11, 0, 900, 0.7}}), {});
  for (const finding::Figure& f : d.figures) {
    if (f.title != "Fleet over time")
      continue;
    const auto& map = std::get<finding::HeatMapFigure>(f.body);
    EXPECT_EQ(map.rows.size(), 16u);
    EXPECT_EQ(map.rows[0], "n11");  // the most deviating first
    EXPECT_EQ(map.blamed, std::vector<std::string>{"n11"});
    EXPECT_EQ(map.values.size(), map.rows.size() * map.columns.size());
    for (const double v : map.values)
      EXPECT_LE(v, 10);
  }
}

}  // namespace
}  // namespace lento::fleet
