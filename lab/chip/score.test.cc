#include "lab/chip/score.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

const Component kCore{Part::Core, 5, -1};
const Component kLink{Part::Link, 5, 9};
const Component kOther{Part::Core, 6, -1};

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

}  // namespace
}  // namespace lento::chip
