#include "chip/fit/parts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "chip/fit/tuning.h"

namespace lento::chip {
namespace {

// Values that are all known equally well.
PartsOfClass spread_of(const std::vector<double>& values, double error) {
  return lento::chip::spread_of(values, std::vector<double>(values.size(), error), kSurelyUnequal);
}

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

// The second round sees only what the first left over: what was found must neither be lost nor shrink again.
TEST(OwnShares, WhatWasFoundBeforeIsKept) {
  base::Rng rng(13, "parts.rounds");
  std::vector<double> off(24);
  for (double& o : off)
    o = rng.uniform(-0.14, 0.14);
  const std::vector<size_t> one_class(24, 0);
  const auto rows = [&](const std::vector<double>& taken, double noise) {
    std::vector<Equation> out;
    for (size_t p = 0; p < off.size(); ++p)
      for (int i = 0; i < 10; ++i)
        out.push_back({off[p] - taken[p] + noise * rng.normal(), noise, {{p, 1.0}}});
    return out;
  };
  std::vector<double> octaves(24, 0.0);
  std::vector<double> spreads;
  double centre = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<double> taken = octaves;
    for (double& t : taken)
      t += centre;
    const OwnShares out = own_shares(rows(taken, 0.02), one_class, 1, -1, {octaves, spreads});
    EXPECT_NEAR(out.classes[0].spread, 0.08, 0.03) << round;
    centre += out.classes[0].centre;
    octaves = out.octaves;
    spreads = {out.classes[0].spread};
    for (size_t p = 0; p < off.size(); ++p)
      EXPECT_NEAR(octaves[p] + centre, off[p], 0.03) << round << " " << p;
  }
}

// Once unequal, a class stays so while it spreads less than can be told.
TEST(OwnShares, AClassThatWasUnequalStaysSo) {
  std::vector<Equation> rows;
  for (size_t p = 0; p < 24; ++p)
    for (int i = 0; i < 10; ++i)
      rows.push_back({0.0, 0.05, {{p, 1.0}}});
  const std::vector<size_t> one_class(24, 0);
  std::vector<double> octaves(24, 0.0);
  octaves[3] = 0.04;
  const OwnShares out = own_shares(rows, one_class, 1, -1, {octaves, {0.05}});
  EXPECT_EQ(out.classes[0].spread, 0.05);
  EXPECT_NEAR(out.octaves[3], 0.04, 0.01);
  EXPECT_EQ(own_shares(rows, one_class, 1, -1).octaves[3], 0);
}

// Rows of a part that are off together make parts seem unequal. Where nothing differs the same is seen, and
// then it is no sign of it.
TEST(OwnShares, WhatChanceScattersIsNoSpread) {
  const std::vector<size_t> one_class(24, 0);
  const auto rows = [](double together, uint64_t seed) {
    base::Rng rng(seed, "parts.chance");
    std::vector<Equation> out;
    for (size_t p = 0; p < 24; ++p) {
      const double off = together * rng.normal();
      for (int i = 0; i < 10; ++i)
        out.push_back({off + 0.05 * rng.normal(), 0.05, {{p, 1.0}}});
    }
    return out;
  };
  const std::vector<double> alone = scatter_of_parts(rows(0, 1), one_class, 1);
  const std::vector<double> chance = scatter_of_parts(rows(0.05, 2), one_class, 1);
  EXPECT_NEAR(alone[0], 1, 0.3);
  EXPECT_GT(chance[0], 2);
  EXPECT_GT(own_shares(rows(0.05, 3), one_class, 1, -1).classes[0].spread, 0);
  EXPECT_EQ(own_shares(rows(0.05, 3), one_class, 1, -1, {}, {1.3 * chance[0]}).classes[0].spread, 0);
  EXPECT_GT(own_shares(rows(0.4, 3), one_class, 1, -1, {}, chance).classes[0].spread, 0.2);
  EXPECT_EQ(scatter_of_parts({{0, 1, {{0, 1.0}}}}, {0}, 1), std::vector<double>{0});
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

// Two classes around different centres, each with its own spread.
TEST(OwnShares, ClassesAreJudgedByThemselves) {
  base::Rng rng(8, "parts.classes");
  std::vector<Equation> rows;
  std::vector<size_t> class_of;
  std::vector<double> off;
  for (size_t p = 0; p < 40; ++p) {
    class_of.push_back(p % 2);
    off.push_back(p % 2 == 0 ? 0.2 + 0.08 * rng.normal() : -0.1);
    for (int i = 0; i < 10; ++i)
      rows.push_back({off[p] + 0.01 * rng.normal(), 0.01, {{p, 1.0}}});
  }
  const OwnShares out = own_shares(rows, class_of, 2, -1);
  EXPECT_NEAR(out.classes[0].centre, 0.2, 0.05);
  EXPECT_NEAR(out.classes[0].spread, 0.08, 0.04);
  EXPECT_NEAR(out.classes[1].centre, -0.1, 0.01);
  EXPECT_EQ(out.classes[1].spread, 0);
  EXPECT_EQ(out.classes[0].told, 20);
  for (size_t p = 0; p < 40; ++p) {
    if (p % 2 == 1) {
      EXPECT_EQ(out.octaves[p], 0) << p;
    } else if (out.ill[p] == 0) {
      EXPECT_NEAR(out.octaves[p] + out.classes[0].centre, off[p], 0.02) << p;
    }
  }
}

// Ill: beyond four spreads, or what is stated; and beyond what its own error could make.
TEST(OwnShares, IllnessBeginsBeyondHealthyParts) {
  for (const auto& [octaves, ill] : {std::pair{0.07, false}, std::pair{0.09, true}}) {
    std::vector<double> off(24, 0.0);
    off[7] = octaves;  // four times the least spread is 0.08
    const OwnShares out = shares_of(off, 0.005, 3);
    EXPECT_EQ(out.ill[7] != 0, ill) << octaves;
    if (ill) {
      EXPECT_NEAR(out.ill[7], octaves, 0.01);
    }
    EXPECT_EQ(out.octaves[7], 0);
  }
  // With rows of a large error the same distance says nothing.
  std::vector<double> off(24, 0.0);
  off[7] = 0.09;
  EXPECT_EQ(shares_of(off, 0.1, 3).ill[7], 0);
}

TEST(OwnShares, AStatedToleranceDecides) {
  std::vector<Equation> rows;
  for (size_t p = 0; p < 24; ++p) {
    for (int i = 0; i < 10; ++i)
      rows.push_back({p == 7 ? 0.3 : 0.0, 0.01, {{p, 1.0}}});
  }
  const std::vector<size_t> one_class(24, 0);
  EXPECT_NE(own_shares(rows, one_class, 1, 0.25).ill[7], 0);
  EXPECT_EQ(own_shares(rows, one_class, 1, 0.35).ill[7], 0);
}

TEST(OwnShares, PartsThatNoRowNamesAreNotCounted) {
  std::vector<Equation> rows;
  for (size_t p = 0; p < 10; ++p)
    rows.push_back({0.0, 0.01, {{p, 1.0}}});
  const OwnShares out = own_shares(rows, std::vector<size_t>(14, 0), 1, -1);
  EXPECT_EQ(out.classes[0].told, 10);
  EXPECT_NEAR(out.errors[0], 0.01, 0.001);
  EXPECT_DOUBLE_EQ(out.errors[13], kPartPrior);
  EXPECT_EQ(out.ill[13], 0);
}

// A spread below the least, or below the error that measured it, is none.
TEST(SpreadOf, IsNoneBelowWhatCanBeTold) {
  const auto around = [](double spread) {
    std::vector<double> values;
    for (int i = 0; i < 100; ++i)
      values.push_back(0.5 + kNormalAtQuantile * spread * (i % 2 == 0 ? 1 : -1));
    return values;
  };
  EXPECT_EQ(spread_of(around(0.99 * kLeastSpread), 0).spread, 0);
  EXPECT_NEAR(spread_of(around(1.01 * kLeastSpread), 0).spread, 1.01 * kLeastSpread, 1e-9);
  // own^2 = seen^2 - error^2, and a hundred parts are to be off by 1.2742 errors.
  EXPECT_EQ(spread_of(around(0.127), 0.1).spread, 0);
  EXPECT_NEAR(spread_of(around(0.128), 0.1).spread, std::sqrt(0.128 * 0.128 - 0.01), 1e-9);
  EXPECT_EQ(spread_of({}, 0.1).told, 0);
  EXPECT_EQ(spread_of({1.0, 2.0}, 0).spread, 0);
}

// Few parts spread by chance: the fewer, the more they must differ.
TEST(SpreadOf, OfFewPartsMustBeLargerThanOfMany) {
  const auto told = [](size_t parts, double spread) {
    std::vector<double> values;
    for (size_t i = 0; i < parts; ++i)
      values.push_back(kNormalAtQuantile * spread * (i % 2 == 0 ? 1 : -1));
    return spread_of(values, 0.1).spread > 0;
  };
  for (const size_t parts : {8, 24, 100}) {
    const double least = 1 + kSurelyUnequal * kSpreadError / std::sqrt(double(parts));
    EXPECT_FALSE(told(parts, 0.1 * least * 0.999)) << parts;
    EXPECT_TRUE(told(parts, 0.1 * least * 1.001)) << parts;
  }
}

// Half of the parts are hardly known: they hide nothing of what the others differ by.
TEST(SpreadOf, PartsThatAreHardlyKnownHideNothing) {
  base::Rng rng(11, "parts.hardly");
  int told = 0;
  for (int run = 0; run < 100; ++run) {
    std::vector<double> values;
    std::vector<double> errors;
    for (int i = 0; i < 24; ++i) {
      errors.push_back(i % 2 == 0 ? 0.01 : 0.1);
      values.push_back(0.06 * rng.normal() + errors.back() * rng.normal());
    }
    const double spread = lento::chip::spread_of(values, errors, kSurelyUnequalTogether).spread;
    told += spread > 0.03 && spread < 0.1;
  }
  EXPECT_GE(told, 95);
}

// Up to a quarter of the parts ill makes the others no more unequal than they are.
TEST(SpreadOf, IllPartsDoNotWidenIt) {
  base::Rng rng(12, "parts.ill");
  std::vector<double> values;
  for (int i = 0; i < 24; ++i)
    values.push_back(i < 4 ? 1.5 : 0.01 * rng.normal());
  EXPECT_EQ(spread_of(values, 0.01).spread, 0);
}

// Draws of equal parts, with the error that they have: at most 1 % seem unequal.
TEST(SpreadOf, EqualPartsSeldomSeemUnequal) {
  for (const size_t parts : {8, 16, 24}) {
    base::Rng rng(parts, "parts.equal");
    int unequal = 0;
    for (int run = 0; run < 2000; ++run) {
      std::vector<double> values;
      for (size_t p = 0; p < parts; ++p)
        values.push_back(0.05 * rng.normal());
      unequal += spread_of(values, 0.05).spread > 0;
    }
    EXPECT_LE(unequal, 20) << parts;
  }
}

}  // namespace
}  // namespace lento::chip
