#include "fleet/scan/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/rng.h"
#include "fleet/scan/causes.h"

namespace lento::fleet {
namespace {

using finding::Outcome;
using testing::HasSubstr;

struct Job {
  size_t machines = 32;
  size_t steps = 480;
  int64_t step_ms = 15'000;
  std::vector<std::string> metrics{"power_w"};
};

fleet::MetricSeries draw(const Job& job, const std::function<double(size_t, size_t, base::Rng&)>& value) {
  base::Rng rng(11, "scan");
  fleet::MetricSeries s;
  for (size_t m = 0; m < job.machines; ++m)
    s.machines.push_back("n" + std::to_string(m));
  s.labels.resize(job.machines);
  s.metrics = job.metrics;
  s.step_ms = job.step_ms;
  s.steps = job.steps;
  for (size_t k = 0; k < job.metrics.size(); ++k) {
    for (size_t t = 0; t < job.steps; ++t) {
      for (size_t m = 0; m < job.machines; ++m)
        s.values.push_back(float(value(t, m, rng)));
    }
  }
  return s;
}

double power(base::Rng& rng) {
  return rng.normal(700, 20);
}

TEST(Scan, NamesAMachineThatLosesPowerWithOnsetAndMean) {
  const auto s = draw({}, [](size_t t, size_t m, base::Rng& r) {
    return power(r) * (m == 5 && t >= 240 ? 0.9 : 1);
  });
  const auto d = scan(s, {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "n5");
  EXPECT_NEAR(d.findings[0].when->begin, 3600, 30);
  EXPECT_NEAR(*d.findings[0].factor, 1 / 0.9, 0.013);
  EXPECT_NEAR(*d.findings[0].evidence[0].value, 630, 5);
}

// Eight GPUs a machine, of which GPU 2 draws the least power of its machine in all the time.
TEST(Scan, NamesAGpuOnlyWhereItsMachineAsAWholeDoesNotChange) {
  for (const size_t slow : {1, 8}) {
    const size_t gpus = 8;
    auto s = draw({.metrics = {"power:min", "power:mean", "power:max"}}, [](size_t, size_t, base::Rng&) {
      return 0.0;
    });
    for (size_t g = 0; g < gpus; ++g)
      s.devices.push_back("gpu" + std::to_string(g));
    s.devices.insert(s.devices.begin(), "");
    base::Rng rng(12, "gpus");
    for (const size_t k : {0, 2})
      s.device_of[k].resize(s.steps * s.machines.size());
    for (size_t cell = 0; cell < s.steps * s.machines.size(); ++cell) {
      const size_t t = cell / s.machines.size();
      const size_t m = cell % s.machines.size();
      std::vector<double> of(gpus);
      for (size_t g = 0; g < gpus; ++g)
        of[g] = rng.normal(g == 2 ? 600 : 700, 20) * (m == 5 && t >= 240 && g < slow ? 0.7 : 1);
      const auto [low, high] = std::ranges::minmax_element(of);
      s.row(0, t)[m] = float(*low);
      s.row(1, t)[m] = float(std::accumulate(of.begin(), of.end(), 0.0) / double(gpus));
      s.row(2, t)[m] = float(*high);
      s.device_of[0][cell] = uint16_t(low - of.begin() + 1);
      s.device_of[2][cell] = uint16_t(high - of.begin() + 1);
    }
    const auto d = scan(s, {});
    ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
    EXPECT_EQ(d.findings[0].subject, "n5");
    for (const finding::Evidence& e : d.findings[0].evidence)
      EXPECT_EQ(e.text.starts_with("power:min (device gpu0)"), slow == 1 && e.text.starts_with("power:min"));
  }
}

// A host evaluates every quarter of an hour. Without the later spells, the first would be a finding.
TEST(Scan, WhatAMachineDoesAgainAndAgainSinceTheBeginIsANote) {
  base::Rng rng(1, "scan");
  const auto s = draw({}, [&](size_t t, size_t m, base::Rng&) {
    return power(rng) * (m == 5 && (t + 30) % 60 < 6 ? 0.6 : 1);
  });
  const auto d = scan(s, {});
  EXPECT_TRUE(d.findings.empty()) << d.verdict;
  EXPECT_THAT(d.notes, testing::Contains(HasSubstr("n5 deviates 8 times for 90 s, first at 450 s")));
  EXPECT_TRUE(are_usual({30, 90, 150}));
  EXPECT_FALSE(are_usual({30, 90}));
  EXPECT_FALSE(are_usual({70, 130, 190}));
}

// A disturbance of 45 s on another machine of the stage began just before the fault.
TEST(Scan, AMachineThatCameBackIsNoPartOfAChange) {
  const auto s = draw({.machines = 6, .steps = 1200, .step_ms = 1000}, [](size_t t, size_t m, base::Rng& r) {
    return power(r) * ((m == 0 && t >= 296) || (m == 4 && t >= 288 && t < 333) ? 0.5 : 1);
  });
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, s.steps}, {});
  Episode e;
  e.members = {{4, 1.1F, 288'000, 343'000, 350'000, false}, {0, 2, 296'000, 343'000, 1'199'000, true}};
  e.onset_ms = 288'000;
  e.raised_ms = 343'000;
  e.last_ms = 1'199'000;
  e.window_s = 64;
  scan.add(e);
  const auto d = conclude(s, scan, {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "n0");
  EXPECT_NEAR(d.findings[0].when->begin, 296, 1);
  EXPECT_THAT(d.notes, testing::Contains("power_w of n4 deviated at first with that of n0 and came back"));
}

// Four machines show little of the noise in a short record, yet enough for a loss of a quarter.
TEST(Scan, AQuarterOfAnHourOfFourMachinesIsEnough) {
  for (const double factor : {1.0, 0.75}) {
    const auto s =
        draw({.machines = 4, .steps = 900, .step_ms = 1000}, [&](size_t t, size_t m, base::Rng& r) {
          return power(r) * (m == 2 && t >= 450 ? factor : 1);
        });
    const auto d = scan(s, {});
    EXPECT_EQ(d.outcome, factor == 1 ? Outcome::Healthy : Outcome::Findings);
    EXPECT_EQ(d.findings.size(), factor == 1 ? 0u : 1u);
  }
}

// A loss in the first minutes has no past before it: a scan from the end has.
TEST(Scan, NamesALossThatComesBeforeAnyWindowIsJudged) {
  Job job;
  job.machines = 8;
  job.steps = 80;
  const auto s = draw(job, [](size_t t, size_t m, base::Rng& r) {
    return power(r) * (m == 5 && t >= 20 ? 0.6 : 1);
  });
  const auto d = scan(s, {});
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "n5");
  EXPECT_NEAR(d.findings[0].when->begin, 300, 30);
  EXPECT_TRUE(d.notes.empty());
}

TEST(Scan, NamesALossThatIsOverBeforeAnyWindowIsJudged) {
  const auto s = draw({}, [](size_t t, size_t m, base::Rng& r) {
    return power(r) * (m == 5 && t >= 12 && t < 30 ? 0.6 : 1);
  });
  const auto d = scan(s, {});
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "n5");
  EXPECT_NEAR(d.findings[0].when->end, 450, 60);
}

// Roles differ once the job has begun, a late host catches up, and a newcomer warms up: all three are
// healthy.
TEST(Scan, AccusesNobodyOfTheBeginOfAJob) {
  const auto s = draw({}, [](size_t t, size_t m, base::Rng& r) {
    if (m == 7 && t < 30)
      return std::nan("");
    const size_t begins = m == 3 ? 25 : 15;
    const double role = m == 0 ? 0.8 : 1;
    return t < begins ? r.normal(60, 2) : power(r) * role * (m == 7 && t < 45 ? 0.8 : 1);
  });
  const auto d = scan(s, {});
  EXPECT_EQ(d.outcome, Outcome::Healthy) << d.verdict;
}

// The pause must not enter the machines' past, where it would be shorter on the one that is back first.
TEST(Scan, AccusesNobodyOfAPauseThatEndsAtUnequalTimes) {
  const auto s = draw({}, [](size_t t, size_t m, base::Rng& r) {
    return power(r) * (t >= 240 && t < (m == 9 ? 268 : 278) ? 0.13 : 1);
  });
  for (const finding::Finding& f : scan(s, {}).findings)
    EXPECT_EQ(f.subject, "job") << f.summary;
}

TEST(Scan, NamesALossAfterTheJobHasChangedForGood) {
  const auto s = draw({}, [](size_t t, size_t m, base::Rng& r) {
    return power(r) * (t >= 160 ? 0.8 : 1) * (m == 5 && t >= 320 ? 0.9 : 1);
  });
  std::vector<std::string> subjects;
  for (const finding::Finding& f : scan(s, {}).findings)
    subjects.push_back(f.subject);
  EXPECT_THAT(subjects, testing::UnorderedElementsAre("job", "n5"));
}

TEST(Scan, AccusesNobodyOfHealthyPower) {
  const auto d = scan(
      draw(
          {},
          [](size_t, size_t, base::Rng& r) {
            return power(r);
          }),
      {});
  EXPECT_EQ(d.outcome, Outcome::Healthy) << d.verdict;
}

TEST(Scan, AccusesNobodyOfAStandingDifference) {
  const auto d = scan(
      draw(
          {},
          [](size_t, size_t m, base::Rng& r) {
            return power(r) * (m == 0 ? 0.8 : 1);
          }),
      {});
  EXPECT_EQ(d.outcome, Outcome::Healthy) << d.verdict;
  ASSERT_FALSE(d.notes.empty());
  EXPECT_THAT(d.notes[0], HasSubstr("lower than that of peers all along on n0"));
  EXPECT_THAT(d.verdict, HasSubstr("n0 differs from its peers since the record's start: power_w"));
  EXPECT_THAT(d.verdict, HasSubstr("cannot distinguish a role from an older fault"));
}

// A clock is no role: whoever reads "healthy" beside a machine at half of its clock is misled.
TEST(Scan, CannotJudgeAMachineWhoseClockIsLowFromTheFirstSample) {
  for (const auto& [metric, usual, of_one, spread] :
       {std::tuple{"sm_clock_mhz", 1980.0, 0.95, 4.0},
        {"sm_clock_mhz", 1980.0, 0.2, 0.0},
        {"node_cpu_scaling_frequency_hertz", 2.9e9, 0.14, 1e7},
        {"samples_per_second", 2010.0, 0.35, 6.0},
        {"step_time_s", 1.4, 1.5, 0.01}}) {
    for (const size_t machines : {8, 60}) {
      Job job;
      job.machines = machines;
      job.metrics = {metric};
      const auto d = scan(
          draw(
              job,
              [&](size_t, size_t m, base::Rng& r) {
                return (usual + r.normal(0, spread)) * (m == 2 ? of_one : 1);
              }),
          {});
      EXPECT_EQ(d.outcome, Outcome::CannotJudge) << metric << ": " << d.verdict;
      EXPECT_THAT(d.reason, HasSubstr(" of n2 is slower"));
      EXPECT_TRUE(d.findings.empty());
    }
  }
}

// One machine leaves a value that all others keep: their spread is zero.
TEST(Scan, NamesAMachineThatLeavesAConstant) {
  for (const auto& [metric, usual, then] :
       {std::tuple{"sm_clock_mhz", 1980.0, 1200.0},
        {"pcie_gen", 5.0, 1.0},
        {"gpu_util", 100.0, 40.0},
        {"ecc_errors", 0.0, 3.0}}) {
    Job job;
    job.machines = 8;
    job.metrics = {metric};
    const auto s = draw(job, [&](size_t t, size_t m, base::Rng&) {
      return m == 3 && t >= 240 ? then : usual;
    });
    const auto d = scan(s, {});
    ASSERT_EQ(d.findings.size(), 1u) << metric << ": " << d.verdict;
    EXPECT_EQ(d.findings[0].subject, "n3");
    EXPECT_EQ(d.findings[0].category, "deviating machine");
    EXPECT_NEAR(d.findings[0].when->begin, 3600, 30);
    EXPECT_DOUBLE_EQ(*d.findings[0].evidence[0].value, then);
  }
}

// A constant past has no noise, and ratios to it are none: six zeros in eight rows are chance when each tenth
// value is a zero, although the machines had none for an hour.
TEST(Scan, AccusesNobodyOfAMetricThatBeginsToVary) {
  Job job;
  job.metrics = {"gpu_util"};
  const auto s = draw(job, [](size_t t, size_t m, base::Rng& r) {
    const bool some = m == 5 && t >= 260 && t < 268 && t % 4 != 0;
    return t >= 240 && (some || r.uniform() < 0.1) ? 0.0 : 100.0;
  });
  EXPECT_EQ(scan(s, {}).outcome, Outcome::Healthy) << scan(s, {}).verdict;
}

// Whether more of this metric is slow is not known, so the change is a note, and the verdict states it.
TEST(Scan, TheVerdictStatesAChangeOfTheJob) {
  Job job;
  job.metrics = {"queue_depth"};
  const auto d = scan(
      draw(
          job,
          [](size_t t, size_t, base::Rng& r) {
            return power(r) * (t >= 240 ? 1.2 : 1);
          }),
      {});
  EXPECT_TRUE(d.findings.empty());
  EXPECT_THAT(
      d.verdict,
      testing::ContainsRegex("the job as a whole changed at 3[56].* s: queue_depth 700 -> 8"));
}

// The values of a fault do not choose the scale of its metric: the episode would be lost, and never end.
TEST(Scan, AnEarlyFaultOfFewValuesEnds) {
  ScanFleet fleet{{"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"}, {}, {"sm_clock"}, 2000};
  Scan live(fleet, {});
  base::Rng rng(3, "clock");
  bool named = false;
  for (int t = 0; t < 900; ++t) {
    std::vector<float> row;
    for (int m = 0; m < 8; ++m)
      row.push_back(m == 5 && t >= 345 && t < 425 ? 900 : float(1935 + 15 * int(rng.uniform(0, 1.1))));
    live.push(t * 2000, row);
    named |= !live.episodes().empty();
  }
  EXPECT_TRUE(named);
  EXPECT_EQ(std::ranges::count(live.episodes(), true, &Episode::active), 0);
}

TEST(Scan, AccusesNobodyOfMorePower) {
  const auto d = scan(
      draw(
          {},
          [](size_t t, size_t m, base::Rng& r) {
            return power(r) * (m == 5 && t >= 240 ? 1.1 : 1);
          }),
      {});
  EXPECT_TRUE(d.findings.empty()) << d.verdict;
}

// A dip of 50 s in a past of a few minutes makes all that follows look like a rise.
TEST(Scan, TheReturnFromADipIsNoRise) {
  const auto s =
      draw({.steps = 1200, .step_ms = 1000, .metrics = {"cpu_usage"}}, [](size_t t, size_t m, base::Rng& r) {
        return r.normal(40, 2) * (m == 5 && t >= 400 && t < 450 ? 0.2 : 1);
      });
  ScanOptions options;
  options.budget = {1, 30 * 86400};
  const ScanFleet fleet{s.machines, s.labels, s.metrics, s.step_ms};
  Scan scan(fleet, options);
  for (size_t t = 0; t < s.steps; ++t)
    scan.push(s.time_ms(t), s.row(0, t));
  EXPECT_TRUE(scan.episodes().empty()) << scan.episodes()[0].raised_ms;
}

TEST(Scan, AccusesNobodyOfCounts) {
  Job job;
  job.metrics = {"node_procs_running"};
  const auto d = scan(
      draw(
          job,
          [](size_t, size_t, base::Rng& r) {
            return std::max(0.0, std::round(r.normal(3, 1)));
          }),
      {});
  EXPECT_EQ(d.outcome, Outcome::Healthy) << d.verdict;
}

TEST(Scan, NeverAveragesCodes) {
  Job job;
  job.metrics = {"DCGM_FI_DEV_XID_ERRORS"};
  const auto d = scan(
      draw(
          job,
          [](size_t t, size_t m, base::Rng&) {
            return m == 3 && t > 200 ? 79.0 : 0.0;
          }),
      {});
  EXPECT_TRUE(d.findings.empty());
  EXPECT_THAT(d.notes, testing::Contains(HasSubstr("(code)")));
}

TEST(Scan, NamesBothOfTwoInFour) {
  Job job;
  job.machines = 4;
  const auto d = scan(
      draw(
          job,
          [](size_t t, size_t m, base::Rng& r) {
            return power(r) * (m % 3 && t >= 240 ? 0.7 : 1);
          }),
      {});
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "n1, n2");
  EXPECT_THAT(d.findings[0].summary, HasSubstr("2 of 4"));
}

TEST(Scan, NamesWhatManyMachinesShare) {
  auto s = draw({}, [](size_t t, size_t m, base::Rng& r) {
    return power(r) * (m < 8 && t >= 240 ? 0.7 : 1);
  });
  for (size_t m = 0; m < 32; ++m)
    s.labels[m].emplace_back("switch", "s" + std::to_string(m / 8));
  const auto d = scan(s, {});
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_THAT(d.findings[0].summary, HasSubstr("8 of 32"));
  EXPECT_THAT(d.findings[0].summary, HasSubstr("switch=s0"));
}

// Half of a job is no measure of the other half: at no distance of samples is a healthy machine among them.
TEST(Scan, NamesHalfOfTheJobAndNobodyElse) {
  for (const int64_t step_ms : {15'000, 60'000}) {
    Job job;
    job.machines = 64;
    job.steps = 240;
    job.step_ms = step_ms;
    const auto d = scan(
        draw(
            job,
            [](size_t t, size_t m, base::Rng& r) {
              return power(r) * (m < 32 && t >= 120 ? 0.7 : 1);
            }),
        {});
    ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
    EXPECT_THAT(d.findings[0].summary, HasSubstr("32 of 64"));
  }
}

TEST(Scan, TheHalfThatStayedIsNotNamedForTheOther) {
  const auto s =
      draw({.machines = 8, .steps = 240, .metrics = {"ib_rx_rate"}}, [](size_t t, size_t m, base::Rng& r) {
        return power(r) * (m >= 4 && t >= 100 ? 0.6 : 1);
      });
  const auto d = scan(s, {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "n4, n5, n6, n7");
}

TEST(Scan, TheHalfThatBeginsToHaveErrorsIsNamed) {
  const auto s =
      draw({.machines = 8, .steps = 240, .metrics = {"rx_errors"}}, [](size_t t, size_t m, base::Rng& r) {
        return m >= 4 && t >= 100 ? r.normal(50, 5) : 0;
      });
  const auto d = scan(s, {});
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "n4, n5, n6, n7");
}

TEST(Scan, NamesTheWholeJob) {
  const auto d = scan(
      draw(
          {},
          [](size_t t, size_t, base::Rng& r) {
            return power(r) * (t >= 240 ? 0.88 : 1);
          }),
      {});
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "job");
  EXPECT_NEAR(d.findings[0].when->begin, 3600, 30);
}

TEST(Scan, NewcomersThatWarmUpWait) {
  const auto d = scan(
      draw(
          {},
          [](size_t t, size_t m, base::Rng& r) {
            if (m < 29)
              return power(r);
            return t < 150 ? double(NAN) : power(r) * (1 - 0.5 * std::exp(-double(t - 150) / 20));
          }),
      {});
  EXPECT_TRUE(d.findings.empty()) << d.verdict;
}

TEST(Scan, NamesASilentMachineAndNoOutage) {
  const auto d = scan(
      draw(
          {},
          [](size_t t, size_t m, base::Rng& r) {
            const bool outage = t >= 100 && t < 110;
            return outage || (m == 7 && t >= 300) ? double(NAN) : power(r);
          }),
      {});
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "n7");
  EXPECT_EQ(d.findings[0].category, "silent machine");
  EXPECT_EQ(d.findings[0].when->begin, 299 * 15);
}

TEST(Scan, CannotJudgeWithoutPeersOrWithoutAPast) {
  Job few;
  few.machines = 2;
  EXPECT_EQ(
      scan(
          draw(
              few,
              [](size_t, size_t, base::Rng& r) {
                return power(r);
              }),
          {})
          .outcome,
      Outcome::CannotJudge);
  Job brief;
  brief.steps = 10;
  EXPECT_EQ(
      scan(
          draw(
              brief,
              [](size_t, size_t, base::Rng& r) {
                return power(r);
              }),
          {})
          .outcome,
      Outcome::CannotJudge);
}

TEST(Scan, FewMachinesWithWideNoiseNeedALongerRecord) {
  Job job;
  job.machines = 4;
  const auto d = scan(
      draw(
          job,
          [](size_t, size_t, base::Rng& r) {
            return std::exp(r.normal(0, 6));
          }),
      {});
  EXPECT_EQ(d.outcome, Outcome::CannotJudge) << d.verdict;
  EXPECT_THAT(d.verdict, HasSubstr("from the noise of so few machines"));
}

// The windows of an episode may show a deviation that the samples since then do not.
TEST(Scan, AMachineWhoseMeanIsFasterIsNotSlow) {
  Job job;
  job.metrics = {"step_time_s"};
  const auto s = draw(job, [](size_t t, size_t m, base::Rng& r) {
    return r.normal(1, 0.01) * (m == 3 && t >= 300 ? 0.99 : 1);
  });
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, s.steps}, {});
  Episode e;
  e.rises = true;
  e.onset_ms = e.raised_ms = e.last_ms = s.time_ms(300);
  e.members.push_back({3, 1, e.onset_ms, e.raised_ms, e.last_ms, true});
  scan.add(e);
  const auto d = conclude(s, scan, {});
  EXPECT_TRUE(d.findings.empty());
  EXPECT_THAT(d.notes, testing::Contains(HasSubstr("no slowness")));
}

TEST(Scan, MillisecondsAreSteps) {
  Job job;
  job.machines = 8;
  job.steps = 4000;
  job.step_ms = 1;
  const auto d = scan(
      draw(
          job,
          [](size_t t, size_t m, base::Rng& r) {
            return power(r) * (m == 2 && t >= 2000 ? 0.8 : 1);
          }),
      {});
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "n2");
}

TEST(Scan, AnEmptyRecordIsNoCrash) {
  EXPECT_EQ(scan({}, {}).outcome, Outcome::CannotJudge);
  Job job;
  job.steps = 100;
  EXPECT_EQ(
      scan(
          draw(
              job,
              [](size_t, size_t, base::Rng&) {
                return double(NAN);
              }),
          {})
          .outcome,
      Outcome::CannotJudge);
}

// Samples dip again and again, a fifth of the machines at a time.
TEST(Scan, NamesALossWithinEightSlowScrapes) {
  Job job;
  job.machines = 64;
  job.steps = 33;
  job.step_ms = 60'000;
  const auto s = draw(job, [](size_t t, size_t m, base::Rng& r) {
    const double dip = t % 3 == 0 && r.uniform() < 0.2 ? 0.7 : 1;
    return power(r) * dip * (m == 5 && t >= 24 ? 0.8 : 1);
  });
  ScanOptions options;
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, 0}, options);
  for (size_t t = 0; t < s.steps; ++t)
    scan.push(s.time_ms(t), s.row(0, t));
  ASSERT_EQ(scan.episodes().size(), 1u);
  EXPECT_EQ(scan.episodes()[0].members[0].machine, 5u);
  EXPECT_LE(scan.episodes()[0].raised_ms, s.time_ms(24 + 8));
}

TEST(Scan, ALargerBudgetLowersTheThreshold) {
  ScanFleet fleet{{"a", "b", "c", "d"}, {}, {"power_w"}, 15'000, 0};
  ScanOptions month;
  month.budget = {1, 30 * 86400.0};
  ScanOptions day;
  day.budget = {1, 86400.0};
  EXPECT_GT(Scan(fleet, month).threshold(), Scan(fleet, day).threshold());
}

}  // namespace
}  // namespace lento::fleet
