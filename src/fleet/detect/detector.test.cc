// The streaming detector a row at a time: when it speaks, of whom, what it remembers.
#include <gtest/gtest.h>

#include <algorithm>

#include "fleet/detect/test_job.h"

namespace lento::fleet {
namespace {

using test::Job;
using test::kNone;

const std::vector<size_t> kNobody;

TEST(Detector, NamesAMachineWithOnsetAndTimeWithinTheShortestWindow) {
  Job job(64, {});
  job.healthy(1200);
  EXPECT_EQ(job.standing(), kNobody);
  const int64_t onset = job.now_ms;
  job.slow(150, 11, 0.8);
  ASSERT_EQ(job.standing(), std::vector<size_t>{11});
  const Verdict& v = job.detector.verdicts().front();
  EXPECT_NEAR(double(v.onset_ms - onset), 0, 20'000);
  EXPECT_LE(v.raised_ms - onset, 140'000);
  EXPECT_GE(v.raised_ms, v.onset_ms);
  EXPECT_EQ(v.horizon_s, 140);
  ASSERT_EQ(v.metrics.size(), 1u);
  EXPECT_NEAR(v.metrics[0].level, 80, 2);
  EXPECT_NEAR(v.metrics[0].peers, 100, 1);
  EXPECT_GE(v.score, 1);
}

TEST(Detector, AStormTenTimesTheUsualIsNamedWithinTwoMinutes) {
  Job job(64, {}, {"pfc_tx_rate"});
  job.healthy(1200);
  const int64_t onset = job.now_ms;
  job.slow(200, 30, 10);
  ASSERT_EQ(job.standing(), std::vector<size_t>{30});
  EXPECT_LE(job.detector.verdicts().front().raised_ms - onset, 120'000);
}

// A job of 64 whose machines take turns in bursts of 5 to 50 s, one every 20 s, so that a short window is not
// believed for itself.
class BurstingJob {
 public:
  BurstingJob()
      : job_({64, {}, {"pfc_tx_rate"}}) {
    run(1800, [](size_t) {
      return 1.0;
    });
  }
  // How much later machine 63 is named when `share(row)` multiplies what it has; 0: never.
  template <class Share>
  double named_after_s(size_t rows, Share share) {
    const int64_t onset = job_.now_ms;
    run(rows, share);
    for (const Verdict& v : job_.detector.verdicts()) {
      EXPECT_EQ(v.machine, 63u);
      return double(v.raised_ms - onset) / 1000;
    }
    return 0;
  }

 private:
  template <class Share>
  void run(size_t rows, Share share) {
    for (size_t i = 0; i < rows; ++i, ++row_) {
      job_.run(1, [&](size_t, size_t m) {
        if (m == 63)
          return 100 * share(i);
        const size_t since = (row_ + 20 * (63 - m)) % (20 * 63);
        return since < 5 + m % 46 ? 1000.0 : 100.0;
      });
    }
  }
  Job job_;
  size_t row_ = 0;
};

TEST(Detector, AStormThatOutlastsTheBurstsOfItsNeighboursIsNamedWithinTwoMinutes) {
  BurstingJob job;
  const double after = job.named_after_s(200, [](size_t) {
    return 10.0;
  });
  EXPECT_GE(after, 90);
  EXPECT_LE(after, 120);
}

TEST(Detector, BurstsThatFollowEachOtherAreNoStorm) {
  BurstingJob job;
  const double after = job.named_after_s(400, [](size_t i) {
    return i < 115 && i % 58 < 56 ? 10.0 : 1.0;
  });
  EXPECT_EQ(after, 0);
}

TEST(Detector, WhatIsWellAgainResolvesAndIsForgotten) {
  Job job(32, {});
  job.healthy(1200);
  job.slow(300, 3, 0.7);
  ASSERT_EQ(job.standing(), std::vector<size_t>{3});
  job.healthy(900);
  EXPECT_EQ(job.standing(), kNobody);
  EXPECT_EQ(job.detector.verdicts().size(), 1u);
  job.detector.forget_resolved(job.now_ms);
  EXPECT_TRUE(job.detector.verdicts().empty());
}

TEST(Detector, NothingIsJudgedBeforeTheFirstWindowIsWhole) {
  DetectOptions o;
  o.startup_s = 30;
  Job job(16, o);
  EXPECT_DOUBLE_EQ(job.detector.needed_s(), 170);
  job.slow(165, 3, 0.5);
  EXPECT_EQ(job.detector.coverage().looks, 0u);
  job.slow(20, 3, 0.5);
  EXPECT_GT(job.detector.coverage().looks, 0u);
}

TEST(Detector, WindowsHoldAtLeastEightSamplesAndDoubleFromThere) {
  Job job(16, {}, {"power"}, 60'000);
  EXPECT_DOUBLE_EQ(job.detector.needed_s(), 8 * 60 + 30);
  Job fine(16, {}, {"power"}, 10'000);
  EXPECT_DOUBLE_EQ(fine.detector.needed_s(), 140 + 30);
}

TEST(Detector, OnlyTheMetricsNamedAreJudged) {
  DetectOptions o;
  o.metrics = {"power", "no such"};
  Job job(16, o, {"clock", "power"});
  const auto bad = [](size_t metric) {
    return [metric](size_t k, size_t m) {
      return m == 2 && k == metric ? 50.0 : 100.0;
    };
  };
  job.run(700, bad(0));
  EXPECT_EQ(job.standing(), kNobody);
  job.run(700, bad(1));
  EXPECT_EQ(job.standing(), std::vector<size_t>{2});
}

TEST(Detector, GroupsUnderFourAreSaidAndNotJudged) {
  Fleet f;
  for (int m = 0; m < 9; ++m) {
    f.machines.push_back("n" + std::to_string(m));
    f.labels.push_back({{"stage", m < 6 ? "0" : "1"}, {"rack", "7"}});
  }
  f.metrics = {"power"};
  const Detector d(f, {});
  EXPECT_EQ(d.groups(), 2u);
  EXPECT_EQ(d.group_of(0), d.group_of(5));
  EXPECT_NE(d.group_of(0), d.group_of(6));
  ASSERT_EQ(d.unjudged_groups().size(), 1u);
  EXPECT_EQ(d.unjudged_groups()[0], (std::vector<size_t>{6, 7, 8}));
  DetectOptions o;
  o.min_peers = 3;
  EXPECT_TRUE(Detector(f, o).unjudged_groups().empty());
  o.group_by = {"rack"};
  EXPECT_EQ(Detector(f, o).groups(), 1u);
}

TEST(Detector, AMachineWithoutSamplesIsSilentAfterAMinuteAndNotInAnOutage) {
  Job job(16, {});
  job.healthy(600);
  const auto quiet = [](size_t, size_t m) {
    return m == 4 ? double(kNone) : 100.0;
  };
  job.run(55, quiet);
  EXPECT_EQ(job.standing(), kNobody);
  job.run(30, quiet);
  ASSERT_EQ(job.standing(), std::vector<size_t>{4});
  EXPECT_TRUE(job.detector.verdicts().front().silent);
  Job outage(16, {});
  outage.healthy(600);
  outage.run(300, [](size_t, size_t m) {
    return m < 12 ? double(kNone) : 100.0;
  });
  EXPECT_EQ(outage.standing(), kNobody);
}

TEST(Detector, OneThatLeftIsNotSilentAndOneThatJoinsIsWatched) {
  Job job(16, {});
  job.healthy(600);
  job.detector.leave(4);
  const auto quiet = [](size_t, size_t m) {
    return m == 4 ? double(kNone) : 100.0;
  };
  job.run(300, quiet);
  EXPECT_EQ(job.standing(), kNobody);
  EXPECT_EQ(job.detector.roll().members(), 15u);
  job.detector.join(4);
  EXPECT_EQ(job.detector.roll().members(), 16u);
  job.run(120, quiet);
  EXPECT_EQ(job.standing(), std::vector<size_t>{4});
}

TEST(Detector, AMuchWeakerDeviationIsAffectedNotBlamed) {
  Job job(32, {});
  job.healthy(1200);
  job.run(400, [](size_t, size_t m) {
    return m == 5 ? 40.0 : m == 6 ? 85.0 : 100.0;
  });
  ASSERT_EQ(job.standing(), std::vector<size_t>{5});
  EXPECT_EQ(job.detector.verdicts().front().also_affected, std::vector<size_t>{6});
  // From 0.4 of the stronger one on it is a fault of its own.
  Job other(32, {});
  other.healthy(1200);
  other.run(400, [](size_t, size_t m) {
    return m == 5 ? 40.0 : m == 6 ? 70.0 : 100.0;
  });
  EXPECT_EQ(other.standing().size(), 2u);
}

TEST(Detector, TwoEqualFaultsAreBothNamed) {
  Job job(32, {});
  job.healthy(1200);
  job.run(400, [](size_t, size_t m) {
    return m == 5 || m == 20 ? 70.0 : 100.0;
  });
  std::vector<size_t> named = job.standing();
  std::ranges::sort(named);
  EXPECT_EQ(named, (std::vector<size_t>{5, 20}));
}

TEST(Detector, GoesOnFromItsStateWithTheSameVerdicts) {
  Job job(24, {});
  job.healthy(1200);
  job.slow(300, 7, 0.7);
  ASSERT_EQ(job.standing(), std::vector<size_t>{7});
  const base::Json state = job.detector.save();
  Job again(24, {});
  again.detector.restore(state);
  EXPECT_EQ(again.standing(), std::vector<size_t>{7});
  EXPECT_EQ(again.detector.verdicts().front().onset_ms, job.detector.verdicts().front().onset_ms);
  EXPECT_EQ(base::write_json(again.detector.save()), base::write_json(state));
}

TEST(Detector, HistoryIsKeptInABoundedNumberOfColumns) {
  Job job(8, {});
  job.healthy(20'000);
  const ScoreHistory& h = job.detector.history();
  EXPECT_LT(h.time_ms.size(), 512u);
  EXPECT_GT(h.time_ms.size(), 200u);
  for (const auto* rows : {&h.score, &h.level, &h.low, &h.median, &h.high})
    EXPECT_EQ(rows->size(), h.time_ms.size());
  EXPECT_TRUE(std::ranges::is_sorted(h.time_ms));
  DetectOptions none;
  none.keep_history = false;
  Job quiet(8, none);
  quiet.healthy(2000);
  EXPECT_TRUE(quiet.detector.history().time_ms.empty());
}

TEST(Detector, CoverageCountsWhatWasThere) {
  Job job(10, {});
  job.run(100, [](size_t, size_t m) {
    return m == 0 ? double(kNone) : 100.0;
  });
  EXPECT_EQ(job.detector.coverage().rows, 100u);
  EXPECT_EQ(job.detector.coverage().samples, 900u);
  EXPECT_EQ(job.detector.coverage().end_ms - job.detector.coverage().begin_ms, 99'000);
}

// A sample that came too late for its row is a sign of life.
TEST(Detector, ALateSampleEndsASilence) {
  Job job(16, {});
  job.healthy(600);
  const auto quiet = [](size_t, size_t m) {
    return m == 4 ? double(kNone) : 100.0;
  };
  for (int i = 0; i < 10; ++i) {
    job.run(30, quiet);
    job.detector.heard(4, job.now_ms - 5000);
  }
  EXPECT_EQ(job.standing(), kNobody);
  job.run(80, quiet);
  EXPECT_EQ(job.standing(), std::vector<size_t>{4});
}

}  // namespace
}  // namespace lento::fleet
