#include "chip/evaluate/score.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

const Component kCore{Part::Core, 5, -1}, kLink{Part::Link, 5, 9}, kOther{Part::Core, 6, -1};

TEST(Score, OverlapClipsTheTruthToTheRun) {
  EXPECT_DOUBLE_EQ(overlap({kCore, 100, 200}, {kCore, 100, 200}, 1000), 1);
  EXPECT_DOUBLE_EQ(overlap({kCore, 100, 5000}, {kCore, 100, 1000}, 1000), 1);
  EXPECT_DOUBLE_EQ(overlap({kCore, 0, 100}, {kCore, 50, 150}, 1000), 1.0 / 3);
  EXPECT_DOUBLE_EQ(overlap({kCore, 0, 100}, {kCore, 200, 300}, 1000), 0);
}

TEST(Score, StrictWantsEveryFaultAndNothingElse) {
  const std::vector<Claim> truth{{kCore, 0, 1}, {kLink, 0, 1}};
  EXPECT_TRUE(strictly_right(truth, {{kLink, 0, 1}, {kCore, 0, 1}}));
  EXPECT_FALSE(strictly_right(truth, {{kLink, 0, 1}}));
  EXPECT_FALSE(strictly_right(truth, {{kLink, 0, 1}, {kCore, 0, 1}, {kOther, 0, 1}}));
  EXPECT_FALSE(strictly_right(truth, {{kLink, 0, 1}, {kOther, 0, 1}}));
  EXPECT_TRUE(strictly_right({}, {}));
}

TEST(Score, TouchingAsksEveryFault) {
  EXPECT_TRUE(touches({1, 40}));
  EXPECT_FALSE(touches({0, 40}));
  EXPECT_FALSE(touches({}));
  EXPECT_FALSE(touches({9}, kFewHits));
}

// Table III, SLOTH on DarkNet-19: 90 found, 37 missed, 22 spurious, 152 negatives -> 80.40 %, 12.64 %.
TEST(Score, PaperCountGivesTableThree) {
  PaperCount count;
  for (int i = 0; i < 90; ++i) count.add({{kCore, 0, 1}}, {{kCore, 0, 1}});
  for (int i = 0; i < 22; ++i) count.add({{kCore, 0, 1}}, {{kOther, 0, 1}});
  for (int i = 0; i < 15; ++i) count.add({{kCore, 0, 1}}, {});
  count.fix_negatives(152);
  EXPECT_NEAR(count.counts.accuracy(), 0.8040, 1e-4);
  EXPECT_NEAR(count.counts.false_alarm_rate(), 0.1264, 1e-4);
}

TEST(Score, AmongFirst) {
  const std::vector<Claim> ranked{{kOther, 0, 1}, {kLink, 0, 1}, {kCore, 0, 1}};
  EXPECT_FALSE(among_first({{kLink, 0, 1}}, ranked, 1));
  EXPECT_TRUE(among_first({{kLink, 0, 1}}, ranked, 2));
  EXPECT_FALSE(among_first({}, ranked, 3));
}

}  // namespace
}  // namespace lento::chip
