#include "lab/chip/score.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

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

TEST(Score, OverlapCountsEveryCycle) {
  base::Rng rng(1, "overlap");
  for (int i = 0; i < 300; ++i) {
    const uint64_t run = 60;
    const uint64_t a = rng.below(50);
    const uint64_t b = a + 1 + rng.below(40);
    const uint64_t c = rng.below(50);
    const uint64_t d = c + 1 + rng.below(10);
    uint64_t both = 0;
    uint64_t either = 0;
    for (uint64_t now = 0; now < run; ++now) {
      const bool is_true = now >= a && now < b;
      const bool claimed = now >= c && now < d;
      both += is_true && claimed;
      either += is_true || claimed;
    }
    const double found = overlap({kCore, a, b}, {kCore, c, d}, run);
    if (both == 0) {
      EXPECT_EQ(found, 0);
    } else {
      EXPECT_DOUBLE_EQ(found, double(both) / double(either));
    }
  }
}

TEST(Score, StrictDoesNotDependOnTheOrder) {
  std::vector<Claim> truth{{kCore, 0, 1}, {kLink, 0, 1}, {kOther, 0, 1}};
  std::vector<Claim> reported = truth;
  const auto by_index = [](const Claim& a, const Claim& b) {
    return std::tuple(int(a.component.part), a.component.index) <
           std::tuple(int(b.component.part), b.component.index);
  };
  std::ranges::sort(reported, by_index);
  do
    EXPECT_TRUE(strictly_right(truth, reported));
  while (std::next_permutation(reported.begin(), reported.end(), by_index));
  EXPECT_FALSE(strictly_right({}, {{kCore, 0, 1}}));
  EXPECT_FALSE(strictly_right({{kCore, 0, 1}}, {}));
}

}  // namespace
}  // namespace lento::chip
