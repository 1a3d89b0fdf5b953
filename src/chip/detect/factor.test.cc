#include "chip/detect/factor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chip/detect/test_table.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

using test::Table;

const Component kLink{Part::Link, 0, 1};

TEST(EnvelopeFactor, IsTheFactorOfTheFastestTransfers) {
  for (const double factor : {1.5, 3.0, 10.0, 40.0}) {
    Table t(16);
    t.message(0, 1);
    t.message(0, 2);
    t.slow(kLink, factor, 4, 12);
    EXPECT_NEAR(envelope_factor(t.input(), Table::suspect(kLink, 7, 4, 12)), factor, 0.01 * factor);
  }
}

// Queues lift the mean and leave the fastest where it was.
TEST(EnvelopeFactor, DoesNotSeeQueues) {
  Table t(16);
  const size_t row = t.message(0, 1);
  t.slow(kLink, 3, 4, 12);
  for (Cell& cell : t.cells.rows[row].cells)
    cell.level += 2;
  EXPECT_NEAR(envelope_factor(t.input(), Table::suspect(kLink, 7, 4, 12)), 3, 0.05);
}

TEST(EnvelopeFactor, IsTheMedianOfItsPatterns) {
  Table t(16);
  const double shown[] = {2, 5, 9};
  for (const double factor : shown) {
    const size_t row = t.message(0, 1, 4096 + factor);
    for (Cell& cell : t.cells.rows[row].cells)
      cell.lowest = t.level(row, kLink, factor);
  }
  EXPECT_NEAR(envelope_factor(t.input(), Table::suspect(kLink, 7, 0, 16)), 5, 0.05);
}

TEST(EnvelopeFactor, LeavesBinsAtTheEdgesOut) {
  Table t(16);
  const size_t row = t.message(0, 1);
  t.slow(kLink, 6, 5, 8);
  Suspect s = Table::suspect(kLink, 7, 4, 9);  // both outer bins are healthy
  EXPECT_NEAR(envelope_factor(t.input(), s), 6, 0.1);
  // Two bins hold no whole one for sure: the suspect's own factor stands.
  EXPECT_EQ(envelope_factor(t.input(), Table::suspect(kLink, 7, 5, 7)), 7);
  EXPECT_EQ(row, 0u);
}

TEST(EnvelopeFactor, IsTheSuspectsOwnWhereNobodyCouldShowIt) {
  Table t(16);
  t.message(4, 5);  // does not pass it
  EXPECT_EQ(envelope_factor(t.input(), Table::suspect(kLink, 7, 0, 16)), 7);
  // A read is slowed by its unit, sixteen times slower than a link: a slow link of 1.0something hardly shows.
  Table empty(16);
  const size_t row = empty.message(0, 1);
  for (Cell& cell : empty.cells.rows[row].cells)
    cell.count = 0;
  EXPECT_EQ(envelope_factor(empty.input(), Table::suspect(kLink, 7, 0, 16)), 7);
}

TEST(EnvelopeFactor, OfAHealthyLinkIsTheLeast) {
  Table t(16);
  t.message(0, 1);
  EXPECT_EQ(envelope_factor(t.input(), Table::suspect(kLink, 7, 0, 16)), 1.1);
}

TEST(MostPossibleFactor, IsAboveWhatNearlyAllAllow) {
  Table t(16);
  for (int i = 0; i < 10; ++i) {
    const size_t row = t.message(0, 1, 4096 + i);
    for (Cell& cell : t.cells.rows[row].cells)
      cell.lowest = t.level(row, kLink, i < 2 ? 1.2 : 4);  // a fifth was lucky
  }
  EXPECT_NEAR(most_possible_factor(t.input(), Table::suspect(kLink, 7, 0, 16)), 4 * 2.5, 0.1);
  for (Cell& cell : t.cells.rows[2].cells)
    cell.lowest = t.level(2, kLink, 1.2);
  EXPECT_NEAR(most_possible_factor(t.input(), Table::suspect(kLink, 7, 0, 16)), 1.2 * 2.5, 0.1);
}

TEST(MostPossibleFactor, IsNoBoundWhereNothingIsKnown) {
  Table t(16);
  t.message(0, 1);
  EXPECT_EQ(most_possible_factor(t.input(), Table::suspect(kLink, 7, 3, 5)), 64);
  EXPECT_EQ(most_possible_factor(t.input(), Table::suspect({Part::Link, 4, 5}, 7, 0, 16)), 64);
}

// Where the fastest transfers of a healthy chip take as long as one slower by 3 would make them, so much is
// allowed; that they take no longer than before speaks only against what the closed form may try.
TEST(MostAllowedFactor, CountsTheWaitOfAHealthyChip) {
  Table t(16);
  for (int i = 0; i < 4; ++i) {
    const size_t row = t.message(0, 1, 4096 + i);
    t.baselines[row].lowest = t.level(row, kLink, 3);
    for (Cell& cell : t.cells.rows[row].cells)
      cell.lowest = t.level(row, kLink, 3);
  }
  const Suspect suspect = Table::suspect(kLink, 7, 0, 16);
  EXPECT_NEAR(most_possible_factor(t.input(), suspect), 2.5, 0.1);
  EXPECT_NEAR(most_allowed_factor(t.input(), suspect), 3 * 2.5, 0.1);
  EXPECT_EQ(most_allowed_factor(t.input(), Table::suspect(kLink, 7, 3, 5)), 64);  // no whole bin
}

TEST(FactorOfTheFastest, IsWhatNearlyAllShow) {
  Table t(16);
  for (int i = 0; i < 8; ++i) {
    const size_t row = t.message(0, 1, 4096 + i);
    for (Cell& cell : t.cells.rows[row].cells)
      cell.lowest = t.level(row, kLink, i < 2 ? 1 : 3 + i);  // a quarter passed it while it was not slow
  }
  EXPECT_NEAR(factor_of_the_fastest(t.input(), Table::suspect(kLink, 7, 0, 16)), 5, 0.05);
  for (Cell& cell : t.cells.rows[2].cells)
    cell.lowest = t.level(2, kLink, 1);
  EXPECT_NEAR(factor_of_the_fastest(t.input(), Table::suspect(kLink, 7, 0, 16)), 1, 0.05);
  EXPECT_EQ(factor_of_the_fastest(t.input(), Table::suspect(kLink, 7, 3, 5)), 0);  // no whole bin
  EXPECT_EQ(factor_of_the_fastest(t.input(), Table::suspect({Part::Link, 4, 5}, 7, 0, 16)), 0);
}

// Baselines as a replay of the suspect at `factor` would give them.
std::vector<Baseline> simulated(const Table& t, const Component& c, double factor, size_t first, size_t end) {
  std::vector<Baseline> out = t.baselines;
  for (size_t r = 0; r < out.size(); ++r)
    for (size_t b = first; b < end; ++b)
      out[r].level[b] = t.level(r, c, factor);
  return out;
}

TEST(CorrectedFactor, StaysWhenTheReplayIsRight) {
  Table t(16);
  t.message(0, 1);
  t.slow(kLink, 5, 4, 12);
  const Suspect s = Table::suspect(kLink, 5, 4, 12);
  EXPECT_NEAR(corrected_factor(t.input(), s, simulated(t, kLink, 5, 4, 12)), 5, 1e-3);
}

// Recorded over simulated excess is the power that the factor is raised to.
TEST(CorrectedFactor, IsThePowerOfTheExcesses) {
  Table t(16);
  const size_t row = t.message(0, 1);
  t.slow(kLink, 8, 4, 12);
  const double recorded = t.level(row, kLink, 8) - t.baselines[row].level[0];
  const double guessed = t.level(row, kLink, 4) - t.baselines[row].level[0];
  const Suspect s = Table::suspect(kLink, 4, 4, 12);
  EXPECT_NEAR(
      corrected_factor(t.input(), s, simulated(t, kLink, 4, 4, 12)),
      std::pow(4, recorded / guessed),
      1e-3);
}

// From the least step to the largest factor that is tried.
TEST(CorrectedFactor, IsHeldWithinItsBounds) {
  Table t(16);
  t.message(0, 1);
  t.slow(kLink, 60, 4, 12);
  const Suspect mild = Table::suspect(kLink, 1.5, 4, 12);
  EXPECT_EQ(corrected_factor(t.input(), mild, simulated(t, kLink, 1.5, 4, 12)), 64);
  Table healthy(16);
  healthy.message(0, 1);
  const Suspect wrong = Table::suspect(kLink, 16, 4, 12);
  EXPECT_EQ(corrected_factor(healthy.input(), wrong, simulated(healthy, kLink, 16, 4, 12)), 1.1);
  EXPECT_EQ(corrected_factor(healthy.input(), wrong, healthy.baselines), 16);  // the replay showed nothing
}

// A pattern with many records counts for more than one with few.
TEST(CorrectedFactor, PatternsWeighByWhatTheyKnow) {
  Table t(16);
  const size_t sure = t.message(0, 1);
  const size_t unsure = t.message(0, 1, 8192);
  t.slow(kLink, 4, 0, 16);
  for (Cell& cell : t.cells.rows[unsure].cells)
    cell.level = t.baselines[unsure].level[0];
  t.baselines[unsure].common = 10;
  const Suspect s = Table::suspect(kLink, 4, 0, 16);
  EXPECT_NEAR(corrected_factor(t.input(), s, simulated(t, kLink, 4, 0, 16)), 4, 0.1);
  t.baselines[unsure].common = t.baselines[sure].common;
  EXPECT_LT(corrected_factor(t.input(), s, simulated(t, kLink, 4, 0, 16)), 3);
}

}  // namespace
}  // namespace lento::chip
