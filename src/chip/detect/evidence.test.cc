#include "chip/detect/evidence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chip/detect/test_table.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

using test::Table;

const Component kLink{Part::Link, 0, 1};

Suspect told(const Table& t, Suspect s, uint64_t run_cycles = UINT64_MAX) {
  add_evidence(s, t.input(), t.components(), t.chip, run_cycles);
  return s;
}

TEST(Evidence, CountsTheRecordsAndTheWaitingOfItsInterval) {
  Table t(16, 4);
  const size_t row = t.message(0, 1);
  t.message(4, 5);  // elsewhere
  t.slow(kLink, 5, 3, 9);
  const Suspect s = told(t, Table::suspect(kLink, 5, 3, 9));
  EXPECT_EQ(s.seen, 6u * 4);
  const double bytes = t.cells.rows[row].bytes;
  const double waited = t.paths[row].cycles(bytes, kLink, 5) - t.paths[row].cycles(bytes);
  EXPECT_NEAR(s.lost_cycles, 6 * 4 * waited, 0.01 * s.lost_cycles);
}

TEST(Evidence, BinsFasterThanExpectedDoNotMakeUpForSlowOnes) {
  Table t(16, 4);
  const size_t row = t.message(0, 1);
  t.slow(kLink, 5, 3, 9);
  const double waited = told(t, Table::suspect(kLink, 5, 3, 10)).lost_cycles;
  t.cells.rows[row].cells[9].level -= 1;
  EXPECT_NEAR(told(t, Table::suspect(kLink, 5, 3, 10)).lost_cycles, waited, 1);
}

TEST(Evidence, SaysHowManyPatternsShowItAndHowMuch) {
  Table t(16);
  t.message(0, 1);
  const size_t second = t.message(0, 2);
  const size_t third = t.message(0, 5);
  t.slow(kLink, 5, 0, 16);
  for (Cell& cell : t.cells.rows[third].cells)
    cell.level = t.baselines[third].level[0];
  const Suspect s = told(t, Table::suspect(kLink, 5, 0, 16));
  ASSERT_EQ(s.evidence.size(), 3u);
  EXPECT_EQ(s.evidence[0].text.find("2 of 3 transfer patterns"), 0u) << s.evidence[0].text;
  EXPECT_NEAR(*s.evidence[0].value, 2.0 / 3, 1e-12);
  const double most = std::exp2(t.level(0, kLink, 5) - t.baselines[0].level[0]);
  EXPECT_NEAR(*s.evidence[1].value, most, 0.01);
  ASSERT_EQ(s.patterns.size(), 3u);
  EXPECT_EQ(s.patterns[0].subject, t.cells.rows[0].pattern.subject);  // the slowest first
  EXPECT_EQ(s.cores[0], t.cells.rows[0].core);
  EXPECT_EQ(s.cores[2], t.cells.rows[third].core);
  EXPECT_EQ(second, 1u);
}

TEST(Evidence, PatternsWithoutRecordsAreNotCounted) {
  Table t(16);
  t.message(0, 1);
  const size_t silent = t.message(0, 2);
  for (Cell& cell : t.cells.rows[silent].cells)
    cell.count = 0;
  t.slow(kLink, 5, 0, 16);
  const Suspect s = told(t, Table::suspect(kLink, 5, 0, 16));
  EXPECT_EQ(s.evidence[0].text.find("1 of 1 "), 0u) << s.evidence[0].text;
}

TEST(Evidence, ShowsNoMoreRoutesThanFitAPicture) {
  Table t(4);
  for (int i = 0; i < 10; ++i)
    t.message(0, 1, 4096 + i);
  EXPECT_EQ(told(t, Table::suspect(kLink, 5, 0, 4)).patterns.size(), 6u);
}

TEST(Evidence, NamesWhatElseItMayBe) {
  Table t(8);
  t.message(0, 2);
  const Suspect s = told(t, Table::suspect(kLink, 5, 0, 8));
  EXPECT_EQ(name_of(s.component, t.grid), "link0-1");
  EXPECT_EQ(s.alike.size(), 5u);  // both links and three routers
}

TEST(Evidence, EndsWithTheRun) {
  Table t(8);
  t.message(0, 1);
  EXPECT_EQ(told(t, Table::suspect(kLink, 5, 0, 8), 5000).end, 5000u);
}

TEST(Score, IsBetweenNothingAndOne) {
  EXPECT_EQ(score_of(0), 0);
  EXPECT_NEAR(score_of(100), 1 - std::exp(-1), 1e-12);
  EXPECT_GT(score_of(1e4), 0.999);
}

}  // namespace
}  // namespace lento::chip
