// The nearest divisors and multiples, by hand; primes, ends and numbers beyond them.
#include "predict/time/model/divisors.h"

#include <gtest/gtest.h>

namespace lento::predict {
namespace {

TEST(Divisors, BelowAndAbove) {
  EXPECT_EQ(nearest_divisors(64, 3), "the nearest that divides: 2 or 4");
  EXPECT_EQ(nearest_divisors(80, 32), "the nearest that divides: 20 or 40");
  EXPECT_EQ(nearest_divisors(36, 7), "the nearest that divides: 6 or 9");
  EXPECT_EQ(nearest_divisors(36, 6), "the nearest that divides: 6");
}

TEST(Divisors, OneSideAlone) {
  EXPECT_EQ(nearest_divisors(64, 1000), "the nearest that divides: 64");
  EXPECT_EQ(nearest_divisors(1, 8), "the nearest that divides: 1");
  EXPECT_EQ(nearest_divisors(8388593, 2), "the nearest that divides: 1 or 8388593");  // a prime
}

TEST(Divisors, LargeNumbersTakeTheirRootOnly) {
  EXPECT_EQ(nearest_divisors(int64_t{1} << 48, 3), "the nearest that divides: 2 or 4");
}

TEST(Multiples, BelowAndAbove) {
  EXPECT_EQ(nearest_multiples(24, 64), "the nearest: 48 or 72");
  EXPECT_EQ(nearest_multiples(8, 4), "the nearest: 8");
}

}  // namespace
}  // namespace lento::predict
