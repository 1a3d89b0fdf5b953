// Own time from records of known times, and who is late by how much.
#include "fleet/ranks/own_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

constexpr double kMs = 1e6;  // ns

// A record of [begin, end) ms in step s.
CollectiveRecord record(double begin, double end, int step, int64_t sequence) {
  CollectiveRecord r;
  r.begin_ns = int64_t(begin * kMs);
  r.end_ns = int64_t(end * kMs);
  r.bytes = 1 << 20;
  r.sequence = sequence;
  r.step = step;
  r.op = CollectiveOp::AllReduce;
  return r;
}

std::vector<RankTrace> ranks(int n) {
  std::vector<RankTrace> out(static_cast<size_t>(n));
  std::vector<int32_t> all;
  for (int r = 0; r < n; ++r)
    all.push_back(r);
  for (int r = 0; r < n; ++r) {
    RankTrace& t = out[size_t(r)];
    t.rank = r;
    t.world = n;
    t.host = "host" + std::to_string(r);
    t.communicators.push_back({"world", "WORLD", n, n, r, all});
  }
  return out;
}

TEST(OwnTime, IsWhatLiesBetweenCollectives) {
  std::vector<RankTrace> t = ranks(2);
  for (RankTrace& one : t) {
    for (int s = 0; s < 3; ++s) {
      const double at = 100 * s;
      one.records.push_back(record(at + 10, at + 30, s, 2 * s));
      one.records.push_back(record(at + 37, at + 50, s, 2 * s + 1));
    }
  }
  const Job job = make_job(t);
  const OwnTime own = own_time(job);
  EXPECT_DOUBLE_EQ(own.first_ns[0][1], 60 * kMs);  // 50 -> 110
  EXPECT_DOUBLE_EQ(own.own_ns[0][1], 67 * kMs);
  EXPECT_DOUBLE_EQ(own.waiting_ns[0][1], 33 * kMs);
  EXPECT_TRUE(
      std::isnan(own.first_ns[0][0]) || own.own_ns[0][0] <= 7 * kMs);  // nothing before the first record
  EXPECT_DOUBLE_EQ(own.before_ns[0][1], 7 * kMs);
  EXPECT_EQ(own.after[0][1], 0);
}

TEST(OwnTime, OverlappingCollectivesCountTheTimeBetweenTheirBeginsOnce) {
  std::vector<RankTrace> t = ranks(2);
  for (RankTrace& one : t) {
    for (int s = 0; s < 3; ++s) {
      const double at = 100 * s;
      one.records.push_back(record(at + 10, at + 40, s, 3 * s));
      one.records.push_back(record(at + 20, at + 60, s, 3 * s + 1));  // while the first runs
      one.records.push_back(record(at + 70, at + 80, s, 3 * s + 2));
    }
  }
  const OwnTime own = own_time(make_job(t));
  EXPECT_DOUBLE_EQ(own.before_ns[0][4], 10 * kMs);  // since the first of the step began
  EXPECT_DOUBLE_EQ(own.before_ns[0][5], 10 * kMs);  // since 60, the latest end
  EXPECT_DOUBLE_EQ(own.own_ns[0][1], (30 + 10 + 10) * kMs);
}

TEST(OwnTime, ComputingIsToldFromGapsWhereKernelsWereRecorded) {
  std::vector<RankTrace> t = ranks(2);
  for (RankTrace& one : t) {
    one.computes = true;
    for (int s = 0; s < 3; ++s) {
      const double at = 100 * s;
      one.records.push_back(record(at + 40, at + 60, s, s));
      one.compute.push_back({int64_t((at + 5) * kMs), int64_t((at + 25) * kMs)});
    }
  }
  const OwnTime own = own_time(make_job(t));
  EXPECT_DOUBLE_EQ(own.own_ns[0][1], 80 * kMs);
  EXPECT_DOUBLE_EQ(own.compute_ns[0][1], 20 * kMs);
}

TEST(StepLengths, RunFromLastEndToLastEnd) {
  std::vector<RankTrace> t = ranks(2);
  for (RankTrace& one : t) {
    for (int s = 0; s < 4; ++s)
      one.records.push_back(record(100 * s + 10, 100 * s + 30 + 5 * s, s, s));
  }
  const std::vector<double> lengths = step_lengths(make_job(t));
  ASSERT_EQ(lengths.size(), 4u);
  EXPECT_TRUE(std::isnan(lengths[0]));
  for (int s = 1; s < 4; ++s)
    EXPECT_DOUBLE_EQ(lengths[size_t(s)], 105 * kMs);
}

// Ranks whose own time is 100 ms with 1 % noise; `extra` is added by rank and step.
template <typename Extra>
OwnVerdict judge(Extra extra, std::vector<RankTrace> t = ranks(8)) {
  base::Rng rng(3, "own");
  std::vector<double> now(t.size(), 0);
  for (int s = 0; s < 100; ++s) {
    double last = 0;
    std::vector<double> begin(t.size());
    for (size_t r = 0; r < t.size(); ++r) {
      begin[r] = now[r] + 100 * (1 + rng.normal(0, 0.01)) + extra(int(r), s);
      last = std::max(last, begin[r]);
    }
    for (size_t r = 0; r < t.size(); ++r) {
      t[r].records.push_back(record(begin[r], last + 10, s, s));
      now[r] = last + 10;
    }
  }
  const Job job = make_job(t);
  return late_ranks(job, own_time(job), 110 * kMs);
}

TEST(LateRanks, HealthyPeersAreNot) {
  const OwnVerdict v = judge([](int, int) {
    return 0.0;
  });
  EXPECT_TRUE(v.late.empty());
  EXPECT_TRUE(v.without_peers.empty());
  EXPECT_NEAR(v.level_ns[0], 100 * kMs, 1 * kMs);
}

TEST(LateRanks, AnExcessIsNamedWithItsBeginAndSize) {
  const OwnVerdict v = judge([](int r, int s) {
    return r == 5 && s >= 40 ? 10.0 : 0.0;
  });
  ASSERT_EQ(v.late.size(), 1u);
  EXPECT_EQ(v.late[0].rank, 5);
  EXPECT_NEAR(v.late[0].stretch.begin, 40, 1);
  EXPECT_EQ(v.late[0].stretch.end, 100);
  EXPECT_NEAR(v.late[0].stretch.mean, 10 * kMs, 0.7 * kMs);
  EXPECT_TRUE(v.late[0].alone);
}

// The slow host has four of the five ranks whose files are there.
TEST(LateRanks, AHostWithMostOfTheRanksIsNotTheLevel) {
  std::vector<RankTrace> t = ranks(5);
  for (size_t r = 0; r < 4; ++r)
    t[r].host = "slow";
  const OwnVerdict v = judge(
      [](int r, int) {
        return r < 4 ? 40.0 : 0.0;
      },
      t);
  ASSERT_EQ(v.late.size(), 4u);
  EXPECT_EQ(v.late[3].rank, 3);
  EXPECT_NEAR(v.late[0].stretch.mean, 40 * kMs, 1 * kMs);
}

TEST(LateRanks, UnderTheLeastShareNobodyIsNamed) {
  const double under = 100 * tuning::kLeastOwnShare * 0.8;
  const double over = 100 * tuning::kLeastOwnShare * 1.3;
  const auto constant = [](double extra) {
    return [extra](int r, int) {
      return r == 2 ? extra : 0.0;
    };
  };
  EXPECT_TRUE(judge(constant(under)).late.empty());
  EXPECT_EQ(judge(constant(over)).late.size(), 1u);
}

TEST(LateRanks, LateInFewStepsByMuchIsWeatherNotAPart) {
  const OwnVerdict rare = judge([](int r, int s) {
    return r == 2 && s % 3 == 0 ? 60.0 : 0.0;
  });
  EXPECT_TRUE(rare.late.empty());
  const OwnVerdict always = judge([](int r, int) {
    return r == 2 ? 20.0 : 0.0;
  });
  EXPECT_EQ(always.late.size(), 1u);
}

TEST(LateRanks, OneThatNobodyCanBeComparedWithIsSaid) {
  std::vector<RankTrace> t = ranks(2);
  for (int s = 0; s < 10; ++s) {
    t[0].records.push_back(record(100 * s + 10, 100 * s + 30, s, s));
    t[1].records.push_back(record(100 * s + 10, 100 * s + 30, s, s));
    t[1].records.push_back(record(100 * s + 40, 100 * s + 50, s, 100 + s));
  }
  const Job job = make_job(t);
  const OwnVerdict v = late_ranks(job, own_time(job), 100 * kMs);
  EXPECT_EQ(v.without_peers, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace lento::fleet::ranks
