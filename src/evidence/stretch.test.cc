#include "evidence/stretch.h"

#include <gtest/gtest.h>

#include <vector>

namespace lento::evidence {
namespace {

TEST(Stretch, HasTheLargestSumOfSuccessiveValues) {
  const std::vector<double> values{1, -5, 3, -1, 4, -9, 2};
  const Stretch found = largest_stretch(values);
  EXPECT_EQ(found.first, 2u);
  EXPECT_EQ(found.last, 5u);
  EXPECT_EQ(found.sum, 6);
}

TEST(Stretch, IsEmptyWhereNothingIsPositive) {
  const std::vector<double> values{-1, -2};
  EXPECT_EQ(largest_stretch(values).last, 0u);
  EXPECT_EQ(largest_stretch({}).last, 0u);
}

}  // namespace
}  // namespace lento::evidence
