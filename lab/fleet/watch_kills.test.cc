// A few of the trials that `lento-lab fleet kills` runs by the hundred, and a short soak.
#include "lab/fleet/watch_kills.h"

#include <gtest/gtest.h>

#include "lab/fleet/watch_soak.h"

namespace lento::fleet {
namespace {

TEST(WatchKills, NoHookRunsTwiceAndNothingIsLostWithoutAWord) {
  for (uint64_t i = 0; i < 6; ++i) {
    const KillResult r = run_kill_case(kill_case(7, i));
    std::string story;
    for (const std::string& line : r.story)
      story += line + "\n";
    EXPECT_GE(r.kills, 1);
    EXPECT_FALSE(r.doubled()) << story;
    EXPECT_EQ(r.foreign_hooks, 0) << story;
    EXPECT_FALSE(r.lost_hook()) << story;
    EXPECT_FALSE(r.lost_alert()) << story;
  }
}

TEST(WatchKills, CasesAreOfOneAndTwoWatchesSlowAndSilent) {
  int two = 0;
  int silent = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    two += kill_case(1, i).watches == 2;
    silent += kill_case(1, i).silent;
  }
  EXPECT_EQ(two, 50);
  EXPECT_EQ(silent, 50);
}

TEST(WatchSoak, EveryFaultIsNamedAndNobodyElse) {
  const SoakResult r = run_soak(
      {.seed = 3, .machines = 16, .metrics = 1, .step_s = 15, .interval_s = 5, .hours = 4, .faults = 3},
      {});
  EXPECT_EQ(r.planted, 3);
  EXPECT_EQ(r.named, 3);
  EXPECT_EQ(r.false_ones, 0);
  EXPECT_LT(r.late_mb, 1.2 * r.early_mb);
}

}  // namespace
}  // namespace lento::fleet
