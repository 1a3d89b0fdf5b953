// Which records of different ranks are one collective, and which step they belong to.
#include <gtest/gtest.h>

#include "fleet/ranks/job.h"

namespace lento::fleet::ranks {
namespace {

struct Options {
  int ranks = 2;
  int steps = 20;
  bool marks = true;
  bool numbers = true;
  int skip_first = 0;  // records that the last rank lacks at its begin
};

// A step is three all-gathers and an all-reduce of another size.
std::vector<RankTrace> traces(const Options& o) {
  std::vector<RankTrace> out(static_cast<size_t>(o.ranks));
  for (int r = 0; r < o.ranks; ++r) {
    RankTrace& t = out[size_t(r)];
    t.rank = r;
    t.world = o.ranks;
    t.host = "host" + std::to_string(r);
    std::vector<int32_t> all;
    for (int i = 0; i < o.ranks; ++i)
      all.push_back(i);
    t.communicators.push_back({"w", "WORLD", o.ranks, o.ranks, r, all});
    int skip = r + 1 == o.ranks ? o.skip_first : 0;
    for (int s = 0; s < o.steps; ++s) {
      for (int k = 0; k < 4; ++k) {
        if (skip > 0) {
          --skip;
          continue;
        }
        CollectiveRecord c;
        c.begin_ns = (s * 10 + 2 * k) * 1'000'000;
        c.end_ns = c.begin_ns + 1'000'000;
        c.op = k < 3 ? CollectiveOp::AllGather : CollectiveOp::AllReduce;
        c.bytes = k < 3 ? 1 << 16 : 1 << 20;
        c.sequence = o.numbers ? (k < 3 ? 3 * s + k : s) + 1 : -1;
        c.step = o.marks ? s + 100 : -1;
        t.records.push_back(c);
      }
    }
  }
  return out;
}

TEST(Match, ByNumberEveryRecordFindsItsPartners) {
  const std::vector<RankTrace> t = traces({.ranks = 3});
  const Job job = make_job(t);
  EXPECT_EQ(job.instances.size(), 80u);
  EXPECT_EQ(job.matching.matched, job.matching.records);
  EXPECT_EQ(job.matching.mismatched, 0u);
  for (const Instance& i : job.instances) {
    EXPECT_TRUE(i.complete);
    EXPECT_EQ(job.of(i).size(), 3u);
    for (const Member& m : job.of(i))
      EXPECT_EQ(job.record(m).begin_ns, job.record(job.of(i)[0]).begin_ns);
  }
}

TEST(Match, StepsCountFromZeroWhateverTheirMarks) {
  const std::vector<RankTrace> t = traces({});
  const Job job = make_job(t);
  EXPECT_TRUE(job.step_marks);
  EXPECT_EQ(job.steps, 20);
  EXPECT_EQ(job.ranks[0].step.front(), 0);
  EXPECT_EQ(job.ranks[0].step.back(), 19);
  EXPECT_EQ(job.ranks[0].typical, 4);
}

TEST(Match, WithoutMarksThePeriodOfTheOperationsIsAStep) {
  const std::vector<RankTrace> t = traces({.marks = false});
  const Job job = make_job(t);
  EXPECT_FALSE(job.step_marks);
  EXPECT_EQ(job.steps, 20);
  for (size_t i = 0; i < job.ranks[0].step.size(); ++i)
    EXPECT_EQ(job.ranks[0].step[i], int32_t(i / 4)) << i;
}

TEST(Match, ALogThatBeginsLaterStillCountsAlike) {
  const std::vector<RankTrace> t = traces({.marks = false, .skip_first = 6});
  const Job job = make_job(t);
  EXPECT_EQ(job.matching.matched, job.matching.records - 6);
  const JobRank& late = job.ranks[1];
  EXPECT_EQ(late.step.front(), job.ranks[0].step[6]);
  EXPECT_EQ(late.step.back(), job.ranks[0].step.back());
}

TEST(Match, WithoutNumbersAndMarksOnlyEqualSequencesMatch) {
  const std::vector<RankTrace> whole = traces({.marks = false, .numbers = false});
  EXPECT_GT(make_job(whole).matching.matched, 0u);
  const std::vector<RankTrace> cut = traces({.marks = false, .numbers = false, .skip_first = 2});
  const Job job = make_job(cut);
  for (const Instance& i : job.instances) {
    for (const Member& m : job.of(i))
      EXPECT_EQ(job.record(m).bytes, job.record(job.of(i)[0]).bytes);
  }
}

TEST(Match, SizesThatDisagreeAreToldNotMatched) {
  std::vector<RankTrace> t = traces({});
  t[1].records[7].bytes = 4096;
  const Job job = make_job(t);
  EXPECT_EQ(job.matching.mismatched, 1u);  // one collective
  ASSERT_FALSE(job.matching.complaints.empty());
  EXPECT_NE(job.matching.complaints[0].find("WORLD"), std::string::npos);
}

TEST(Match, TheSameChannelIsOneOperationAndSize) {
  const std::vector<RankTrace> t = traces({});
  const Job job = make_job(t);
  ASSERT_EQ(job.channels.size(), 2u);
  EXPECT_NE(job.channels[0].shape, job.channels[1].shape);
  uint64_t instances = 0;
  for (const Channel& c : job.channels)
    instances += c.instances;
  EXPECT_EQ(instances, 80u);
  EXPECT_EQ(job.peer_groups, 1);
}

TEST(Match, AMemberWithoutATraceLeavesItsCollectivesIncomplete) {
  std::vector<RankTrace> t = traces({.ranks = 3});
  t.pop_back();
  const Job job = make_job(t);
  ASSERT_EQ(job.communicators.size(), 1u);
  EXPECT_FALSE(job.communicators[0].complete());
  for (const Instance& i : job.instances)
    EXPECT_FALSE(i.complete);
  EXPECT_EQ(job.world, 3);
}

TEST(Match, BytesAreSaidAsPeopleSayThem) {
  EXPECT_EQ(bytes_text(8), "8 B");
  EXPECT_EQ(bytes_text(1 << 20), "1 MiB");
}

}  // namespace
}  // namespace lento::fleet::ranks
