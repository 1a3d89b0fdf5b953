#include "evidence/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evidence/sample.h"

namespace lento::evidence {
namespace {

using Values = std::vector<double>;

double mean_difference(std::span<const double> a, std::span<const double> b) {
  return mean(a) - mean(b);
}

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
    const double by_permutation = permutation_chance(
        a,
        b,
        [](std::span<const double> x, std::span<const double> y) {
          double wins = 0;
          for (const double v : x)
            for (const double w : y)
              wins += v > w ? 2 : v == w ? 1 : 0;
          return wins;
        },
        1000,
        rng);
    EXPECT_NEAR(rank_sum(a, b).greater, by_permutation, 1e-12);
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

TEST(Permutation, AllWaysOrRandomOnesWithTheSeenOneCounted) {
  base::Rng rng(3, "permutation");
  EXPECT_DOUBLE_EQ(permutation_chance(Values{4, 5, 6}, Values{1, 2, 3}, mean_difference, 20, rng), 0.05);
  // Twenty against twenty: random draws never reach the seen one.
  Values high(20, 2);
  Values low(20, 1);
  EXPECT_DOUBLE_EQ(permutation_chance(high, low, mean_difference, 99, rng), 0.01);
  EXPECT_EQ(permutation_chance({}, Values{1}, mean_difference, 99, rng), 1);
  // Three tenths summed in another order differ in the last digit: still as large as what was seen.
  EXPECT_DOUBLE_EQ(
      permutation_chance(Values{0.1, 0.2, 0.3}, Values{0.3, 0.2, 0.1}, mean_difference, 99, rng),
      0.7);
}

TEST(Holm, CorrectsByRankAndNeverFalls) {
  const Values corrected = holm(Values{0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(corrected[3], 0.02);
  EXPECT_DOUBLE_EQ(corrected[0], 0.03);
  EXPECT_DOUBLE_EQ(corrected[2], 0.06);
  EXPECT_DOUBLE_EQ(corrected[1], 0.06);
  EXPECT_EQ(holm(Values{0.9, 0.8}), (Values{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace lento::evidence
