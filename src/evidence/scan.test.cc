#include "evidence/scan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evidence/conformal.h"

namespace lento::evidence {
namespace {

// Parts share a common autoregressive wander: neighbouring columns and parts are alike.
Matrix wandering(uint64_t seed, size_t parts, size_t columns, double memory) {
  base::Rng rng(seed, "scan");
  Matrix m(parts, columns);
  double common = 0;
  for (size_t c = 0; c < columns; ++c) {
    common = memory * common + std::sqrt(1 - memory * memory) * rng.normal();
    for (size_t p = 0; p < parts; ++p)
      m(p, c) = (common + rng.normal()) / std::sqrt(2);
  }
  return m;
}

TEST(Scan, FindsThePlantedWindow) {
  Matrix m(3, 50);
  for (size_t c = 20; c < 24; ++c)
    m(1, c) = 1;
  const ScanWindow w = scan_maximum(m, dyadic_lengths(50));
  EXPECT_EQ(w.part, 1u);
  EXPECT_EQ(w.begin, 20u);
  EXPECT_EQ(w.end, 24u);
  EXPECT_DOUBLE_EQ(w.score, 2);
}

TEST(Scan, NothingAndNegativesHaveAMaximumToo) {
  EXPECT_EQ(scan_maximum({}, dyadic_lengths(4)).end, 0u);
  Matrix m(1, 2);
  m(0, 0) = -3;
  m(0, 1) = -2;
  EXPECT_DOUBLE_EQ(scan_maximum(m, dyadic_lengths(1)).score, -2);
  EXPECT_TRUE(dyadic_lengths(0).empty());
  EXPECT_EQ(dyadic_lengths(5), (std::vector<size_t>{1, 2, 4}));
}

TEST(BlockLength, GrowsWithMemory) {
  std::vector<double> mean_length;
  for (const double memory : {0.0, 0.5, 0.9}) {
    double sum = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      base::Rng rng(seed, "memory");
      std::vector<double> x(1000);
      double last = 0;
      for (double& v : x)
        v = last = memory * last + rng.normal();
      sum += double(block_length(x)) / 20;
    }
    mean_length.push_back(sum);
  }
  EXPECT_LT(mean_length[0], 4);
  // b = (1.5 n (G / g)^2)^(1/3) with G / g = 2 r / (1 - r^2): 13.9 and 51.1.
  EXPECT_NEAR(mean_length[1], 13.9, 4);
  EXPECT_NEAR(mean_length[2], 51.1, 17);
  EXPECT_EQ(block_length({}), 1u);
  EXPECT_EQ(block_length(std::vector<double>(100, 3)), 1u);
}

TEST(Null, BlocksKeepThePromiseForWindowsOfSeveralBlocks) {
  size_t alarms = 0;
  const std::vector<size_t> lengths{32, 64};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Matrix earlier = wandering(2 * seed, 4, 600, 0.2);
    const Matrix fresh = wandering(2 * seed + 1, 4, 600, 0.2);
    base::Rng rng(seed, "null");
    const std::vector<double> null = null_of_maximum(earlier, {6, 59, lengths}, rng);
    alarms += scan_maximum(fresh, lengths).score > conformal_bound(null, 0.1);
  }
  EXPECT_NEAR(double(alarms), 20, 13);  // three deviations
}

TEST(MaximumTail, KeepsThePromiseForWindowsOfAnyLength) {
  size_t alarms = 0;
  size_t rare = 0;
  const std::vector<size_t> lengths = dyadic_lengths(8);
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Matrix earlier = wandering(2 * seed, 4, 600, 0.5);
    const double fresh = scan_maximum(wandering(2 * seed + 1, 4, 600, 0.5), lengths).score;
    const MaximumTail tail = tail_of_maximum(maxima_of_pieces(earlier, 30, lengths));
    alarms += fresh > tail.threshold(0.1, 20);
    rare += fresh > tail.threshold(0.0025, 20);
    EXPECT_NEAR(tail.chance(tail.threshold(0.1, 20), 20), 0.1, 1e-9);
  }
  EXPECT_LE(alarms, 58u);  // 40 and three deviations; a normal tail falls faster than the exponential one
  EXPECT_GE(alarms, 4u);
  EXPECT_LE(rare, 4u);
}

TEST(MaximumTail, WithoutPiecesNothingIsNamed) {
  EXPECT_EQ(tail_of_maximum({}).threshold(0.1, 1), INFINITY);
  EXPECT_EQ(tail_of_maximum(std::vector<double>{3, 3}).threshold(0.1, 1), INFINITY);
  EXPECT_EQ(tail_of_maximum(std::vector<double>{1, 2, 3}).chance(2, 1), 1);
}

TEST(Null, SameSeedSameDrawsAndNoColumnsNoDraws) {
  const Matrix m = wandering(1, 2, 40, 0);
  const std::vector<size_t> lengths{1, 4};
  base::Rng a(7);
  base::Rng b(7);
  EXPECT_EQ(null_of_maximum(m, {3, 10, lengths}, a), null_of_maximum(m, {3, 10, lengths}, b));
  EXPECT_TRUE(null_of_maximum({}, {1, 10, lengths}, a).empty());
}

}  // namespace
}  // namespace lento::evidence
