#include "fleet/simulate/rank_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"

namespace lento::fleet {
namespace {

RankJob small(RankFaultKind fault = RankFaultKind::None) {
  RankJob job;
  job.steps = 20;
  job.fault = fault;
  job.factor = 2;
  job.from_step = 0;
  return job;
}

TEST(RankFaultKind, NamesAreInverse) {
  for (int i = 0; i <= int(RankFaultKind::Hang); ++i) {
    const auto kind = RankFaultKind(i);
    EXPECT_EQ(rank_fault_kind(name(kind)), kind);
  }
  EXPECT_THROW(rank_fault_kind("slow_gpus"), base::Error);
}

TEST(RankJob, CountsRanksAndHosts) {
  RankJob job;
  job.tp = 2;
  job.cp = 3;
  job.dp = 4;
  job.pp = 5;
  job.gpus_a_host = 8;
  EXPECT_EQ(job.ranks(), 120);
  EXPECT_EQ(job.hosts(), 15);
  job.gpus_a_host = 7;
  EXPECT_EQ(job.hosts(), 18);
}

TEST(SimulateRanks, OneTraceARankInItsOrder) {
  const SimulatedRanks job = simulate_ranks(small());
  ASSERT_EQ(job.traces.size(), 8u);
  for (size_t rank = 0; rank < job.traces.size(); ++rank) {
    const fleet::ranks::RankTrace& t = job.traces[rank];
    EXPECT_EQ(t.rank, int(rank));
    EXPECT_EQ(t.world, 8);
    EXPECT_EQ(t.steps.size(), 20u);
    EXPECT_FALSE(t.records.empty());
    for (size_t i = 0; i < t.records.size(); ++i) {
      EXPECT_LE(t.records[i].begin_ns, t.records[i].end_ns);
      if (i > 0) {
        EXPECT_LE(t.records[i - 1].begin_ns, t.records[i].begin_ns);
      }
      ASSERT_LT(size_t(t.records[i].communicator), t.communicators.size());
    }
    for (size_t i = 1; i < t.compute.size(); ++i)
      EXPECT_LE(t.compute[i - 1].end_ns, t.compute[i].begin_ns) << "kernels are disjoint";
  }
}

TEST(SimulateRanks, MembersOfAGroupAgreeOnWhoItIs) {
  const SimulatedRanks job = simulate_ranks(small());
  std::map<std::string, std::vector<int32_t>> members;
  for (const fleet::ranks::RankTrace& t : job.traces) {
    for (const fleet::ranks::Communicator& c : t.communicators) {
      if (c.ranks.empty())
        continue;
      const auto [at, fresh] = members.emplace(c.key, c.ranks);
      EXPECT_EQ(at->second, c.ranks) << c.key;
      EXPECT_EQ(c.size, int(c.ranks.size()));
      ASSERT_GE(c.own, 0);
      EXPECT_EQ(c.ranks[size_t(c.own)], t.rank);
    }
  }
  EXPECT_GT(members.size(), 4u);
}

TEST(SimulateRanks, IsAPureFunctionOfItsSeed) {
  const auto last = [](uint64_t seed) {
    RankJob job = small();
    job.seed = seed;
    return simulate_ranks(job).traces[3].records.back().end_ns;
  };
  EXPECT_EQ(last(1), last(1));
  EXPECT_NE(last(1), last(2));
}

TEST(SimulateRanks, ClocksStayWithinTheirBounds) {
  RankJob job = small();
  job.gpus_a_host = 1;
  job.clock_offset_ms = 10;
  job.clock_drift_ppm = 20;
  const RankTruth truth = simulate_ranks(job).truth;
  ASSERT_EQ(truth.offset_ns.size(), 8u);
  EXPECT_EQ(truth.offset_ns[0], 0) << "against the first";
  std::set<double> distinct;
  for (size_t host = 0; host < 8; ++host) {
    EXPECT_LE(std::abs(truth.offset_ns[host]), 2 * 10e6);
    EXPECT_LE(std::abs(truth.drift[host]), 2 * 20e-6);
    distinct.insert(truth.offset_ns[host]);
  }
  EXPECT_EQ(distinct.size(), 8u);
}

TEST(SimulateRanks, TheFaultIsWhereItIsPut) {
  for (int place = 0; place < 8; ++place) {
    RankJob job = small(RankFaultKind::SlowGpu);
    job.place = place;
    const RankTruth truth = simulate_ranks(job).truth;
    EXPECT_EQ(truth.fault, RankFaultKind::SlowGpu);
    EXPECT_EQ(truth.rank, place);
    EXPECT_EQ(truth.host, place / 2);
    EXPECT_EQ(truth.factor, 2);
  }
}

int64_t computed(const fleet::ranks::RankTrace& t) {
  int64_t sum = 0;
  for (const fleet::ranks::TimeSpan& span : t.compute)
    sum += span.end_ns - span.begin_ns;
  return sum;
}

TEST(SimulateRanks, ASlowGpuComputesItsFactorLongerAndAllStepsWait) {
  RankJob healthy = small();
  RankJob slow = small(RankFaultKind::SlowGpu);
  slow.place = 5;
  const SimulatedRanks before = simulate_ranks(healthy);
  const SimulatedRanks after = simulate_ranks(slow);
  for (size_t rank = 0; rank < 8; ++rank) {
    const double ratio = double(computed(after.traces[rank])) / double(computed(before.traces[rank]));
    EXPECT_NEAR(ratio, rank == 5 ? 2 : 1, 0.05) << rank;
  }
  EXPECT_GT(after.truth.step_ms, 1.3 * before.truth.step_ms);
}

TEST(SimulateRanks, TheSameSeedWithoutTheFaultIsTheSameJobBefore) {
  RankJob healthy = small();
  RankJob slow = small(RankFaultKind::SlowGpu);
  slow.place = 2;
  slow.from_step = 10;
  const SimulatedRanks a = simulate_ranks(healthy);
  const SimulatedRanks b = simulate_ranks(slow);
  const auto& x = a.traces[2].steps;
  const auto& y = b.traces[2].steps;
  for (size_t step = 0; step < 9; ++step)
    EXPECT_EQ(x[step].end_ns, y[step].end_ns) << step;
  EXPECT_LT(x[19].end_ns, y[19].end_ns);
}

TEST(SimulateRanks, WithoutNoiseAStepTakesItsComputeAtLeast) {
  RankJob job = small();
  job.compute_noise = job.rank_spread = job.transfer_noise = job.channel_spread = 0;
  job.pp = 1;
  const RankTruth truth = simulate_ranks(job).truth;
  // Forward and twice that backward of every micro-batch, on every rank alike.
  EXPECT_GT(truth.step_ms, 4 * 3 * 8);
  EXPECT_LT(truth.step_ms, 3 * 4 * 3 * 8);
}

TEST(SimulateRanks, AHangLeavesDumps) {
  RankJob job = small(RankFaultKind::Hang);
  job.from_step = 5;
  job.place = 3;
  const SimulatedRanks hung = simulate_ranks(job);
  EXPECT_FALSE(hung.dumps.empty());
  EXPECT_EQ(hung.truth.rank, 3);
  EXPECT_LT(hung.traces[0].steps.size(), 20u);
  EXPECT_TRUE(simulate_ranks(small()).dumps.empty());
}

TEST(SimulateRanks, ImpossibleSizesAreRefused) {
  RankJob job = small();
  job.ep = 3;
  EXPECT_THROW(simulate_ranks(job), base::Error);
  job = small();
  job.tp = 0;
  EXPECT_THROW(simulate_ranks(job), base::Error);
  job = small();
  job.dp = 16384;
  EXPECT_THROW(simulate_ranks(job), base::Error);
}

TEST(AsInspector, KeepsNoKernelsAndNothingSmall) {
  const SimulatedRanks job = simulate_ranks(small());
  const fleet::ranks::RankTrace kept = as_inspector(job.traces[0]);
  EXPECT_TRUE(kept.compute.empty());
  EXPECT_FALSE(kept.records.empty());
  EXPECT_LT(kept.records.size(), job.traces[0].records.size());
  for (const fleet::ranks::CollectiveRecord& r : kept.records) {
    EXPECT_GE(r.bytes, 8192);
    EXPECT_EQ(r.begin_ns % 1000, 0);
    EXPECT_EQ(r.end_ns % 1000, 0);
  }
}

}  // namespace
}  // namespace lento::fleet
