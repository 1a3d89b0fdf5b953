// Four ranks on four hosts that end a step apart and wait for the last: with and without the wait, with
// clocks that are off and drift.
#include "fleet/ranks/hidden.h"

#include <gtest/gtest.h>

#include "fleet/ranks/analyse.h"

namespace lento::fleet::ranks {
namespace {

constexpr int64_t kBegin = 1'000'000'000'000;
constexpr int64_t kStep = 1'000'000'000;  // ns
constexpr int64_t kApart = 100'000'000;   // between the ends of two ranks
constexpr int64_t kOwn = 300'000;         // from the barrier to the next step's first operation

struct Plan {
  bool barrier = true;
  double drift = 0;  // of each host against the one before
  int64_t offset = 0;
  int steps = 20;
};

struct Built {
  std::vector<RankTrace> traces;
  Job job;
  Clocks clocks;
};

// Rank r works (r + 1) * kApart into a step; its one operation lasts until then.
Built build(const Plan& plan) {
  Built b;
  b.traces.resize(4);
  for (int r = 0; r < 4; ++r) {
    RankTrace& t = b.traces[size_t(r)];
    t.rank = r;
    t.world = 4;
    t.host = "host" + std::to_string(r);
    t.communicators.push_back({"world", "WORLD", 4, 4, r, {0, 1, 2, 3}});
    const auto local = [&](int64_t ns) {
      return kBegin + ns + r * plan.offset + int64_t(double(ns) * plan.drift * r);
    };
    int64_t begin = kOwn;
    for (int s = 0; s < plan.steps; ++s) {
      const int64_t end = s * kStep + (r + 1) * kApart;
      CollectiveRecord record;
      record.begin_ns = local(begin);
      record.end_ns = local(end);
      record.bytes = 1 << 20;
      record.sequence = s;
      record.step = s;
      record.op = CollectiveOp::AllGather;
      t.records.push_back(record);
      const int64_t last = s * kStep + 4 * kApart;
      begin = (plan.barrier ? last : end) + kOwn;
    }
  }
  b.job = make_job(b.traces);
  b.clocks.reference_ns = kBegin;
  for (int r = 0; r < 4; ++r) {
    HostClock c;
    c.aligned = true;
    c.offset_ns = double(r * plan.offset);
    c.drift = plan.drift * r;
    c.drift95 = {c.drift, c.drift};
    b.clocks.hosts.push_back(c);
  }
  return b;
}

TEST(HiddenBarrier, IsSeenWhereNobodyBeginsBeforeTheLastHasEnded) {
  Built b = build({});
  EXPECT_TRUE(has_hidden_barrier(b.job, b.clocks, double(kStep)));
  b = build({.barrier = false});
  EXPECT_FALSE(has_hidden_barrier(b.job, b.clocks, double(kStep)));
}

TEST(HiddenBarrier, NeedsStepsRanksAndClocks) {
  Built b = build({.steps = 4});
  EXPECT_FALSE(has_hidden_barrier(b.job, b.clocks, double(kStep)));
  b = build({});
  b.clocks.groups = 2;
  EXPECT_FALSE(has_hidden_barrier(b.job, b.clocks, double(kStep)));
  // Ends less than a hundredth of a step apart show nothing.
  b = build({});
  EXPECT_FALSE(has_hidden_barrier(b.job, b.clocks, 100.0 * 3 * kApart + 1e9));
}

TEST(HiddenBarrier, AClockThatErrsByLessThanATenthOfTheWaitHidesNothing) {
  Built b = build({});
  b.clocks.hosts[3].offset_ns = -0.9 * 0.1 * 3 * kApart;  // its ends seem later
  EXPECT_TRUE(has_hidden_barrier(b.job, b.clocks, double(kStep)));
  b.clocks.hosts[3].offset_ns = -1.2 * 0.1 * 3 * kApart;
  EXPECT_FALSE(has_hidden_barrier(b.job, b.clocks, double(kStep)));
}

TEST(HiddenBarrier, TakesTheWaitOutOfOwnTimeWhateverTheClocks) {
  for (const double drift : {0.0, 50e-6, -50e-6}) {
    const Built b = build({.drift = drift, .offset = 40'000'000});
    const std::vector<RankTrace> whole = with_hidden_barrier(b.job, b.clocks);
    const Job job = make_job(whole);
    const OwnTime own = own_time(job);
    for (int r = 0; r < 4; ++r) {
      for (int s = 1; s + 1 < job.steps; ++s)
        EXPECT_LE(own.first_ns[size_t(r)][size_t(s)], kOwn + 100'000) << "rank " << r << " step " << s;
    }
  }
}

TEST(HiddenBarrier, KeepsTheStepsThatWereFound) {
  Built b = build({});
  b.traces[2].records.erase(b.traces[2].records.begin() + 7);
  b.job = make_job(b.traces);
  const std::vector<RankTrace> whole = with_hidden_barrier(b.job, b.clocks);
  const Job job = make_job(whole);
  EXPECT_EQ(job.steps, b.job.steps);
  for (size_t r = 0; r < 4; ++r) {
    for (size_t i = 0; i < whole[r].records.size(); ++i)
      EXPECT_GE(job.ranks[r].step[i], 0) << "rank " << r;
  }
}

TEST(HiddenBarrier, ItsRecordNeverReachesIntoTheNextStep) {
  const Built b = build({.drift = 80e-6});
  for (const RankTrace& t : with_hidden_barrier(b.job, b.clocks)) {
    ASSERT_EQ(t.communicators.back().key, kHiddenKey);
    const auto hidden = int32_t(t.communicators.size()) - 1;
    for (size_t i = 0; i + 1 < t.records.size(); ++i) {
      if (t.records[i].communicator == hidden) {
        EXPECT_LE(t.records[i].end_ns, t.records[i + 1].begin_ns);
      }
    }
  }
}

TEST(HiddenBarrier, OneOfEveryStepButTheFirst) {
  const Built b = build({});
  const std::vector<RankTrace> whole = with_hidden_barrier(b.job, b.clocks);
  EXPECT_EQ(whole[0].records.size(), b.traces[0].records.size() + 19);
  EXPECT_EQ(whole[0].communicators.back().size, 4);
}

}  // namespace
}  // namespace lento::fleet::ranks
