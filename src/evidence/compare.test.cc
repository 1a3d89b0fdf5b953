#include "evidence/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace lento::evidence {
namespace {

using Values = std::vector<double>;

TEST(RankSum, CountsAllPlacements) {
  // The highest 3 of 6: one of C(6, 3) = 20 placements.
  const RankSum r = rank_sum(Values{4, 5, 6}, Values{1, 2, 3});
  EXPECT_TRUE(r.exact);
  EXPECT_DOUBLE_EQ(r.superiority, 1);
  EXPECT_DOUBLE_EQ(r.greater, 0.05);
  EXPECT_DOUBLE_EQ(r.less, 1);
  EXPECT_DOUBLE_EQ(rank_sum(Values{1, 2, 3}, Values{4, 5, 6}).less, 0.05);
}

TEST(RankSum, TiesAreHalvesAndEmptySamplesSayNothing) {
  const RankSum r = rank_sum(Values{1, 2}, Values{1, 2});
  EXPECT_DOUBLE_EQ(r.superiority, 0.5);
  EXPECT_DOUBLE_EQ(r.greater, 5.0 / 6);  // of 6 placements one has both of the lower values
  EXPECT_EQ(rank_sum({}, Values{1}).greater, 1);
  EXPECT_DOUBLE_EQ(rank_sum(Values(50, 7), Values(50, 7)).greater, 1);
}

TEST(RankSum, ExactLawEqualsPermutationsOfRanksWithTies) {
  base::Rng rng(1, "ties");
  for (int round = 0; round < 20; ++round) {
    Values a(5);
    Values b(6);
    for (double& v : a)
      v = double(rng.below(5));
    for (double& v : b)
      v = double(rng.below(5));
    Values all(a);
    all.insert(all.end(), b.begin(), b.end());
    const auto wins_of = [&](const std::vector<int>& in_second) {
      int wins = 0;
      for (size_t i = 0; i < all.size(); ++i)
        for (size_t j = 0; j < all.size(); ++j)
          if (!in_second[i] && in_second[j])
            wins += all[i] > all[j] ? 2 : all[i] == all[j] ? 1 : 0;
      return wins;
    };
    std::vector<int> in_second{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    const int seen = wins_of(in_second);
    int ways = 0;
    int as_many = 0;
    do {
      ++ways;
      as_many += wins_of(in_second) >= seen;
    } while (std::ranges::next_permutation(in_second).found);
    EXPECT_EQ(ways, 462);
    EXPECT_NEAR(rank_sum(a, b).greater, double(as_many) / ways, 1e-12);
  }
}

TEST(RankSum, NormalLawMeetsTheExactOneAndItsChanceIsUniform) {
  base::Rng rng(2, "normal");
  int below = 0;
  for (int round = 0; round < 2000; ++round) {
    Values a(25);
    Values b(40);
    for (double& v : a)
      v = std::floor(rng.normal(0, 4));
    for (double& v : b)
      v = std::floor(rng.normal(0, 4));
    const RankSum r = rank_sum(a, b);
    EXPECT_FALSE(r.exact);
    below += r.greater <= 0.1;
  }
  EXPECT_NEAR(below, 200, 45);
}

}  // namespace
}  // namespace lento::evidence
