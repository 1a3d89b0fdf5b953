#include "evidence/influence.h"

#include <gtest/gtest.h>

#include <vector>

#include "evidence/sample.h"

namespace lento::evidence {
namespace {

TEST(Influence, AFindingOfManySurvivesAndOneOfOneRecordDoesNot) {
  const Influence many = influence(std::vector<double>(10, 2), 15);
  EXPECT_TRUE(many.survives);
  EXPECT_DOUBLE_EQ(many.score_left, 18);
  EXPECT_DOUBLE_EQ(many.share, 0.1);
  const Influence one = influence(std::vector<double>{1, 1, 98, 0}, 15);
  EXPECT_FALSE(one.survives);
  EXPECT_EQ(one.unit, 2u);
  EXPECT_DOUBLE_EQ(one.share, 0.98);
}

TEST(Influence, NothingAndASingleUnitNeverSurvive) {
  EXPECT_FALSE(influence({}, -1).survives);
  EXPECT_FALSE(influence(std::vector<double>{5}, -1).survives);
}

TEST(Influence, ScoresThatAreNoSums) {
  const std::vector<double> values{1, 1.1, 0.9, 40};
  const auto without = [&](size_t u) {
    std::vector<double> rest = values;
    rest.erase(rest.begin() + std::ptrdiff_t(u));
    return mean(rest);
  };
  const Influence i = influence(mean(values), values.size(), without, 1.5);
  EXPECT_EQ(i.unit, 3u);
  EXPECT_DOUBLE_EQ(i.score_left, 1);
  EXPECT_FALSE(i.survives);
}

}  // namespace
}  // namespace lento::evidence
