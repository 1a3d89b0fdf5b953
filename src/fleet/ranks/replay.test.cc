// The job again: unchanged it is the recorded one, and what is taken out comes back as time.
#include "fleet/ranks/replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fleet/ranks/test_job.h"
#include "fleet/ranks/transfers.h"

namespace lento::fleet::ranks {
namespace {

using test::Small;

TEST(MeanBetween, OfWhatIsKnownInside) {
  const std::vector<double> series{1, NAN, 3, 8};
  EXPECT_DOUBLE_EQ(mean_between(series, 0, 3), 2);
  EXPECT_DOUBLE_EQ(mean_between(series, 2, 99), 5.5);
  EXPECT_DOUBLE_EQ(mean_between(series, -5, 1), 1);
  EXPECT_TRUE(std::isnan(mean_between(series, 1, 2)));
  EXPECT_TRUE(std::isnan(mean_between(series, 3, 3)));
  EXPECT_TRUE(std::isnan(mean_between({}, 0, 9)));
}

// Eight ranks without noise and with clocks that agree: 4 x (5 + 1) + 3 + 4 ms a step.
class ReplayOf : public ::testing::Test {
 protected:
  void play(Small s) {
    s.noise = 0;
    s.offset_ms = 0;
    s.drift_ppm = 0;
    traces_ = test::build(s);
    job_ = make_job(traces_);
    own_ = own_time(job_);
    clocks_ = align_clocks(job_, transfer_times(job_));
  }
  std::vector<double> steps(const Change& change = {}) const {
    return Replay(job_, own_, clocks_).steps(change);
  }
  std::vector<RankTrace> traces_;
  Job job_;
  OwnTime own_;
  Clocks clocks_;
};

TEST_F(ReplayOf, TheUnchangedJobIsTheRecordedOne) {
  play({});
  const auto all = steps();
  ASSERT_EQ(all.size(), 60u);
  EXPECT_TRUE(std::isnan(all[0]));  // nobody saw it begin
  for (size_t s = 1; s < all.size(); ++s)
    EXPECT_NEAR(all[s], 31e6, 100) << s;
}

TEST_F(ReplayOf, AnExcessTakenOutIsTimeWon) {
  Small s;
  s.slow_rank = 5;
  s.factor = 1.3;
  play(s);
  EXPECT_NEAR(mean_between(steps(), 1, 60), 31e6 + 4 * 1.5e6, 100);
  Change change;
  change.own = [](int rank, int, double own_ns) {
    return rank == 5 ? own_ns / 1.3 : own_ns;
  };
  EXPECT_NEAR(mean_between(steps(change), 1, 60), 31e6, 100);
}

// Nobody waits for a rank that is early.
TEST_F(ReplayOf, ARankThatIsQuickerWinsNothing) {
  play({});
  Change change;
  change.own = [](int rank, int, double own_ns) {
    return rank == 2 ? own_ns / 2 : own_ns;
  };
  EXPECT_NEAR(mean_between(steps(change), 1, 60), 31e6, 100);
}

TEST_F(ReplayOf, TransfersCountAfterTheLastArrival) {
  play({});
  Change change;
  change.transfer = [&](size_t instance, double transfer_ns) {
    const Channel& c = job_.channels[size_t(job_.instances[instance].channel)];
    return c.ranks.size() == 4 ? 2 * transfer_ns : transfer_ns;
  };
  EXPECT_NEAR(mean_between(steps(change), 1, 60), 31e6 + 4e6, 100);
}

TEST_F(ReplayOf, ChangesOfAStretchOnlyMatterInIt) {
  play({});
  Change change;
  change.own = [&](int rank, int record, double own_ns) {
    const int step = job_.ranks[size_t(rank)].step[size_t(record)];
    return step >= 20 && step < 30 ? own_ns + 1e6 : own_ns;
  };
  const auto all = steps(change);
  // Four times a step between the four collectives of pairs; nothing lies before the others.
  EXPECT_NEAR(mean_between(all, 1, 20), 31e6, 100);
  EXPECT_NEAR(mean_between(all, 30, 60), 31e6, 100);
  EXPECT_GT(mean_between(all, 20, 30), 31e6 + 3.9e6);
}

}  // namespace
}  // namespace lento::fleet::ranks
