#include "chip/fit/parts.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "chip/fit/tuning.h"

namespace lento::chip {
namespace {

// Parts of one class, each passed by ten rows alone; `off` is what each differs by.
OwnShares shares_of(const std::vector<double>& off, double noise, uint64_t seed) {
  base::Rng rng(seed, "parts.test");
  std::vector<Equation> rows;
  for (size_t p = 0; p < off.size(); ++p)
    for (int i = 0; i < 10; ++i)
      rows.push_back({off[p] + noise * rng.normal(), noise, {{p, 1.0}}});
  return own_shares(rows, std::vector<size_t>(off.size(), 0), 1, -1);
}

TEST(OwnShares, EqualPartsGetNothingOfTheirOwn) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const OwnShares out = shares_of(std::vector<double>(24, 0.0), 0.05, seed);
    EXPECT_EQ(out.classes[0].spread, 0) << seed;
    EXPECT_EQ(out.octaves, std::vector<double>(24, 0.0)) << seed;
  }
}

TEST(OwnShares, UnequalPartsGetWhatTheyDifferBy) {
  base::Rng rng(5, "parts.test.off");
  std::vector<double> off(24);
  for (double& o : off)
    o = 0.1 + 0.1 * rng.normal();
  const OwnShares out = shares_of(off, 0.01, 5);
  EXPECT_NEAR(out.classes[0].spread, 0.1, 0.05);
  for (size_t p = 0; p < off.size(); ++p)
    EXPECT_NEAR(out.octaves[p] + out.classes[0].centre, off[p], 0.02) << p;
}

// One part three times as slow, the others alike: a fault, and nothing that a healthy part has of its own.
TEST(OwnShares, AnIllPartGetsNothing) {
  std::vector<double> off(24, 0.0);
  off[7] = 1.58;
  EXPECT_EQ(shares_of(off, 0.02, 1).octaves[7], 0);
  base::Rng rng(6, "parts.test.off");
  for (double& o : off)
    o = 0.1 * rng.normal();
  off[7] = 1.58;
  EXPECT_EQ(shares_of(off, 0.02, 1).octaves[7], 0);
}

TEST(MostOwn, FollowsTheSpreadWithinBoundsOrWhatIsStated) {
  EXPECT_DOUBLE_EQ(most_own(0.05, -1), kMostSpreads * 0.05);
  EXPECT_DOUBLE_EQ(most_own(1, -1), kMostOwn);
  EXPECT_DOUBLE_EQ(most_own(1, 0.3), 0.3);
}

TEST(SpreadOf, IsWhatTheErrorDoesNotExplain) {
  base::Rng rng(7, "parts.test");
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i)
    values.push_back(0.5 + 0.05 * rng.normal());
  EXPECT_EQ(spread_of(values, 0.05).spread, 0);
  EXPECT_NEAR(spread_of(values, 0.03).spread, 0.04, 0.004);
  EXPECT_NEAR(spread_of(values, 0.03).centre, 0.5, 0.005);
}

}  // namespace
}  // namespace lento::chip
