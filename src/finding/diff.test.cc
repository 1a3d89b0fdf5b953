#include "finding/diff.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "base/test_error.h"

namespace lento::finding {
namespace {

using base::test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

Diagnosis drawn(uint64_t seed, const char* stream) {
  base::Rng rng(seed, stream);
  Diagnosis d;
  d.scale = "chip";
  std::set<std::string> taken;
  for (uint64_t i = rng.below(8); i > 0; --i) {
    Finding f;
    f.subject = "core" + std::to_string(rng.below(6));
    f.category = rng.below(2) ? "slow core" : "slow link";
    if (!taken.insert(f.subject + f.category).second)
      continue;
    if (rng.below(4))
      f.factor = rng.uniform(1, 10);
    d.findings.push_back(f);
  }
  d.outcome = d.findings.empty() ? Outcome::Healthy : Outcome::Findings;
  return d;
}

const TableFigure& table(const Diagnosis& d, size_t figure) {
  return std::get<TableFigure>(d.figures.at(figure).body);
}

long rows_with(const TableFigure& t, const std::string& change) {
  return std::ranges::count_if(t.rows, [&](const auto& row) {
    return row.back() == change;
  });
}

TEST(Compare, EveryFindingOfBothSidesStandsInTheTableOnce) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Diagnosis before = drawn(seed, "before");
    const Diagnosis after = drawn(seed, "after");
    const Diagnosis d = compare(before, after);
    const TableFigure& t = table(d, 0);
    const long kept = rows_with(t, "kept");
    EXPECT_EQ(kept + rows_with(t, "new"), long(after.findings.size()));
    EXPECT_EQ(kept + rows_with(t, "gone"), long(before.findings.size()));
    EXPECT_EQ(long(t.rows.size()), kept + rows_with(t, "new") + rows_with(t, "gone"));
    std::set<std::string> names;
    for (const auto& row : t.rows)
      EXPECT_TRUE(names.insert(row[0] + "/" + row[1]).second);
  }
}

TEST(Compare, TheVerdictCountsAddUp) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Diagnosis before = drawn(seed, "before");
    const Diagnosis after = drawn(seed, "after");
    const Diagnosis d = compare(before, after);
    const long gone = rows_with(table(d, 0), "gone");
    EXPECT_EQ(
        d.verdict,
        std::to_string(d.findings.size()) + " new or worse, " + std::to_string(gone) + " gone, " +
            std::to_string(after.findings.size() - d.findings.size()) + " as before");
    EXPECT_EQ(d.outcome, d.findings.empty() ? Outcome::Healthy : Outcome::Findings);
  }
}

TEST(Compare, WithItselfNothingIsNew) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const Diagnosis d = drawn(seed, "self");
    const Diagnosis same = compare(d, d);
    EXPECT_TRUE(same.findings.empty());
    EXPECT_EQ(rows_with(table(same, 0), "kept"), long(d.findings.size()));
    EXPECT_EQ(same.outcome, Outcome::Healthy);
  }
}

TEST(Compare, WithNothingBeforeAllIsNewInItsOrder) {
  Diagnosis before;
  Diagnosis after;
  for (const char* subject : {"b", "a", "c"}) {
    Finding f;
    f.subject = subject;
    after.findings.push_back(f);
  }
  const Diagnosis d = compare(before, after);
  ASSERT_EQ(d.findings.size(), 3u);
  EXPECT_EQ(d.findings[0].subject, "b");
  EXPECT_EQ(d.findings[2].subject, "c");
}

TEST(Compare, OnlyAFactorOnBothSidesCanGrowWorse) {
  const auto one = [](std::optional<double> factor) {
    Diagnosis d;
    Finding f;
    f.subject = "x";
    f.factor = factor;
    d.findings = {f};
    return d;
  };
  EXPECT_TRUE(compare(one({}), one(100)).findings.empty());
  EXPECT_TRUE(compare(one(1), one({})).findings.empty());
  EXPECT_TRUE(compare(one(3), one(2)).findings.empty());
  EXPECT_EQ(compare(one(2), one(3)).findings.size(), 1u);
}

Diagnosis with_fact(const std::string& name, const std::string& value) {
  Diagnosis d;
  d.facts = {{name, value}};
  return d;
}

std::string ratio(const std::string& before, const std::string& after) {
  const Diagnosis d = compare(with_fact("f", before), with_fact("f", after));
  return table(d, 1).rows.at(0).back();
}

TEST(CompareFacts, TheRatioOfNumbersInOneUnit) {
  EXPECT_EQ(ratio("10 ms", "15 ms"), "1.5x");
  EXPECT_EQ(ratio("10", "5"), "0.5x");
  EXPECT_EQ(ratio("-2 W", "4 W"), "-2x");
  EXPECT_EQ(ratio("10 ms", "10 ms"), "1x");
}

TEST(CompareFacts, NoRatioWithoutACommonUnitOrANumber) {
  EXPECT_EQ(ratio("10 ms", "15 s"), "");
  EXPECT_EQ(ratio("0 ms", "15 ms"), "");
  EXPECT_EQ(ratio("0 ms", "0 ms"), "same");
  EXPECT_EQ(ratio("fast", "slow"), "");
  EXPECT_EQ(ratio("fast", "fast"), "same");
  EXPECT_EQ(ratio("5", "fast"), "");
}

TEST(CompareFacts, OneSideOnlyIsADash) {
  const Diagnosis d = compare(with_fact("old", "1 s"), with_fact("new", "2 s"));
  const auto& rows = table(d, 1).rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(rows[0], ElementsAre("new", "-", "2 s", ""));
  EXPECT_THAT(rows[1], ElementsAre("old", "1 s", "-", ""));
}

TEST(Compare, AnUnknownScaleFitsAny) {
  Diagnosis chip;
  chip.scale = "chip";
  Diagnosis fleet;
  fleet.scale = "fleet";
  const Diagnosis unknown;
  EXPECT_NO_THROW(compare(unknown, fleet));
  EXPECT_NO_THROW(compare(fleet, unknown));
  EXPECT_NO_THROW(compare(fleet, fleet));
  EXPECT_THAT(
      error_of([&] {
        compare(chip, fleet);
      }),
      HasSubstr("of scale 'chip' and one of scale 'fleet' have nothing in common"));
}

TEST(Compare, WhatCouldNotBeJudgedComparesWithNothing) {
  Diagnosis judged_one = drawn(3, "after");
  Diagnosis unjudged;
  cannot_judge(unjudged, "too few records", "record longer");
  for (const bool first : {true, false}) {
    const Diagnosis d = first ? compare(unjudged, judged_one) : compare(judged_one, unjudged);
    EXPECT_EQ(d.outcome, Outcome::CannotJudge);
    EXPECT_TRUE(d.findings.empty());
    EXPECT_EQ(d.reason, std::string(first ? "the former" : "the present") + " verdict: too few records");
    EXPECT_EQ(d.remedy, "record longer");
  }
}

}  // namespace
}  // namespace lento::finding
