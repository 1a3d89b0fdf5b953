#include "chip/detect/scan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "chip/detect/test_table.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

using test::Table;

const Component kLink{Part::Link, 0, 1};

// Deviations that a cell of `n` records lies off.
double sigmas(double octaves, const Baseline& base, int n) {
  return octaves / std::sqrt(base.common * base.common + base.single * base.single / n);
}

TEST(Scan, NothingSlowNothingFound) {
  Table t(16);
  t.message(0, 1);
  t.message(0, 2);
  EXPECT_TRUE(scan(t.input(), t.components()).empty());
}

TEST(Scan, FactorAndIntervalAreThoseOfTheFault) {
  for (const double factor : {1.5, 3.0, 10.0, 20.0}) {
    Table t(32);
    t.message(0, 1);
    t.message(0, 2);
    t.message(1, 2);
    t.slow(kLink, factor, 7, 19);
    const std::vector<Suspect> found = scan(t.input(), t.components());
    ASSERT_FALSE(found.empty()) << factor;
    EXPECT_EQ(found[0].component, kLink) << factor;
    EXPECT_EQ(found[0].factor, factor);
    EXPECT_EQ(found[0].begin, 7 * Table::kBin);
    EXPECT_EQ(found[0].end, 19 * Table::kBin);
  }
}

// One row at exactly the slow level: every bin says what Student's t says of the healthy one.
TEST(Scan, StrengthIsTheLikelihoodRatioOfItsBins) {
  Table t(16, 5);
  const size_t row = t.message(0, 1);
  t.slow(kLink, 4, 3, 9);
  const double step = t.level(row, kLink, 4) - t.baselines[row].level[0];
  const double one = 2 * std::log(1 + std::pow(sigmas(step, t.baselines[row], 5), 2) / 3);
  EXPECT_NEAR(scan(t.input(), {kLink}).at(0).strength, 6 * one, 1e-4 * one);
}

// Bins that lie off together say less for it, and as much against it.
TEST(Scan, WaitingForLongSaysLessForASlowComponentOnly) {
  Table t(16);
  const size_t slow = t.message(0, 1);
  t.slow(kLink, 4, 3, 9);
  const double alone = scan(t.input(), {kLink}).at(0).strength;
  t.baselines[slow].correlation_bins = 3;
  EXPECT_NEAR(scan(t.input(), {kLink}).at(0).strength, alone / 3, 1e-3);
  t.baselines[slow].correlation_bins = 1;
  const size_t quick = t.message(0, 2);  // passes it too, and is not slow
  const double contradicted = scan(t.input(), {kLink}).at(0).strength;
  EXPECT_LT(contradicted, alone);
  t.baselines[quick].correlation_bins = 3;
  EXPECT_NEAR(scan(t.input(), {kLink}).at(0).strength, contradicted, 1e-3);
}

// Transfers that scatter as their noise says and no more: each of many patterns may lie a little above
// its level in half of its bins, and all together they say nothing of what they pass.
TEST(Scan, ScatterAloneSpeaksForNoSlowComponent) {
  Table t(16);
  base::Rng rng(3, "scatter");
  for (size_t i = 0; i < kManyPatterns; ++i) {
    const size_t row = t.message(0, 1);
    for (Cell& cell : t.cells.rows[row].cells)
      cell.level += float(rng.normal() * std::sqrt(t.baselines[row].variance(cell.count)));
  }
  for (const Suspect& s : scan(t.input(), {kLink}))
    EXPECT_LT(s.strength, 7) << s.factor;
}

// The more patterns pass a component, the more each must tell the truth by itself: without a step, or those
// just below it would lead the list by their scatter.
TEST(Scan, TheDensityIsNormalisedByAndBy) {
  const auto strength_each = [](size_t patterns) {
    Table t(16);
    for (size_t i = 0; i < patterns; ++i)
      t.message(0, 1);
    t.slow(kLink, 4, 3, 9);
    return scan(t.input(), {kLink}).at(0).strength / double(patterns);
  };
  const double wider = 6 * std::log(1.5);  // bins, of a density that is twice as wide above
  EXPECT_NEAR(strength_each(1), strength_each(20), 1e-3);
  EXPECT_NEAR(strength_each(20) - strength_each(30), wider / 2, 1e-3);
  EXPECT_NEAR(strength_each(20) - strength_each(40), wider, 1e-3);
  EXPECT_NEAR(strength_each(40), strength_each(80), 1e-3);
}

// Queues behind a slow server only add: twice as far above the slow level counts as once below it.
TEST(Scan, AboveTheSlowLevelCountsHalf) {
  const auto strength_at = [](double off) {
    Table t(8);
    const size_t row = t.message(0, 1);
    for (Cell& cell : t.cells.rows[row].cells)
      cell.level = t.level(row, kLink, 3) + float(off);
    for (Cell& cell : t.cells.rows[row].cells)
      cell.lowest = t.level(row, kLink, 3);
    Suspect s = Table::suspect(kLink, 3, 0, 8);
    s.strength = 0;
    double evidence = 0;
    const Baseline& base = t.baselines[row];
    const Cell& cell = t.cells.rows[row].cells[0];
    const double z1 = sigmas(off, base, cell.count);
    evidence += 8 * (unlikely(sigmas(cell.level - base.level[0], base, cell.count)) -
                     unlikely(off > 0 ? z1 / 2 : z1));
    double best = 0;
    for (const Suspect& found : scan(t.input(), {kLink}))
      best = found.strength;
    return std::pair(best, evidence);
  };
  for (const double off : {-0.1, 0.1, 0.2}) {
    const auto [found, expected] = strength_at(off);
    EXPECT_GE(found, expected - 1e-3) << off;  // another factor may fit better, none may be missed
  }
}

TEST(Scan, ARouterExplainsItsLinksAtOnceAndALinkItself) {
  Table t(16);
  for (const int to : {4, 6, 1, 9})
    t.message(5, to);
  t.message(0, 1);
  t.slow({Part::Router, 5}, 4, 2, 12);
  const std::vector<Suspect> of_router = scan(t.input(), t.components());
  EXPECT_EQ(of_router.at(0).component, (Component{Part::Router, 5}));
  Table one(16);
  for (const int to : {4, 6, 1, 9})
    one.message(5, to);
  one.slow({Part::Link, 5, 6}, 4, 2, 12);
  EXPECT_EQ(scan(one.input(), one.components()).at(0).component, (Component{Part::Link, 5, 6}));
}

TEST(Scan, StrongestFirstAndOfEqualsInOrder) {
  Table t(16);
  t.message(0, 2);  // both links and three routers explain it alike
  t.slow(kLink, 4, 2, 12);
  const std::vector<Suspect> found = scan(t.input(), t.components());
  ASSERT_GE(found.size(), 2u);
  for (size_t i = 1; i < found.size(); ++i)
    EXPECT_GE(found[i - 1].strength, found[i].strength);
  EXPECT_EQ(found[0].component, kLink);
  EXPECT_EQ(found[1].component, (Component{Part::Link, 1, 2}));
}

// No transfer is faster than a slow server on its path allows.
TEST(Scan, FactorsBeyondTheFastestTransferAreNotFound) {
  Table t(16);
  const size_t row = t.message(0, 1);
  t.slow(kLink, 14, 3, 12);
  EXPECT_EQ(scan(t.input(), {kLink}).at(0).factor, 14);
  for (size_t b = 3; b < 12; ++b)
    t.cells.rows[row].cells[b].lowest = t.level(row, kLink, 2);
  EXPECT_LE(scan(t.input(), {kLink}).at(0).factor, 2 * 2.5);
}

TEST(Scan, EmptyBinsSayNothing) {
  Table t(16);
  const size_t row = t.message(0, 1);
  t.slow(kLink, 4, 3, 9);
  const double all = scan(t.input(), {kLink}).at(0).strength;
  t.cells.rows[row].cells[5].count = 0;
  const Suspect less = scan(t.input(), {kLink}).at(0);
  EXPECT_NEAR(less.strength, all * 5 / 6, 1e-3);
  EXPECT_EQ(less.begin, 3 * Table::kBin);
  EXPECT_EQ(less.end, 9 * Table::kBin);
}

TEST(Candidates, AreWhatARowPasses) {
  Table t(4);
  t.message(0, 2);
  t.read(4);
  const std::vector<Component> expected{
      {Part::Link, 0, 1},
      {Part::Link, 1, 2},
      {Part::Router, 0},
      {Part::Router, 1},
      {Part::Router, 2},
      {Part::MemoryUnit, 4},
      {Part::DramPort, t.grid.port_of(4)}};
  EXPECT_EQ(t.components(), expected);
}

TEST(AllComponents, OfAFourByFourMesh) {
  const Grid grid{spec::Chip{}};
  std::map<Part, int> count;
  for (const Component& c : all_components(grid))
    ++count[c.part];
  EXPECT_EQ(count[Part::Link], 24);
  EXPECT_EQ(count[Part::Router], 16);
  EXPECT_EQ(count[Part::MemoryUnit], 16);
  EXPECT_EQ(count[Part::DramPort], 8);
  EXPECT_EQ(count[Part::Core], 0);
}

// A bin that the fault covers in part lies as far up as its share.
TEST(Refitted, BeginAndEndLieWithinBins) {
  for (const double share : {0.25, 0.5, 0.75}) {
    Table t(16);
    const size_t row = t.message(0, 1);
    t.slow(kLink, 4, 4, 10);
    const float healthy = t.baselines[row].level[0];
    const float step = t.level(row, kLink, 4) - healthy;
    t.cells.rows[row].cells[3].level = healthy + float(share) * step;
    t.cells.rows[row].cells[10].level = healthy + float(1 - share) * step;
    const Suspect s = refitted(t.input(), Table::suspect(kLink, 4, 4, 10));
    EXPECT_NEAR(double(s.begin), (4 - share) * Table::kBin, 2) << share;
    EXPECT_NEAR(double(s.end), (11 - share) * Table::kBin, 2) << share;
  }
}

TEST(Refitted, AHintOfANeighbourIsNone) {
  Table t(16);
  const size_t row = t.message(0, 1);
  t.slow(kLink, 4, 4, 10);
  const float step = t.level(row, kLink, 4) - t.baselines[row].level[0];
  t.cells.rows[row].cells[3].level += 0.15F * step;
  const Suspect s = refitted(t.input(), Table::suspect(kLink, 4, 4, 10));
  EXPECT_NEAR(double(s.begin), 4 * Table::kBin, 2);
  EXPECT_NEAR(double(s.end), 10 * Table::kBin, 2);
}

// Another stretch than the one that was found, far from it, is not taken.
TEST(Refitted, KeepsToItsInterval) {
  Table t(32);
  t.message(0, 1);
  t.slow(kLink, 4, 2, 5);
  t.slow(kLink, 4, 20, 30);
  const Suspect s = refitted(t.input(), Table::suspect(kLink, 4, 2, 5));
  EXPECT_NEAR(double(s.begin), 2 * Table::kBin, 2);
  EXPECT_NEAR(double(s.end), 5 * Table::kBin, 2);
}

}  // namespace
}  // namespace lento::chip
