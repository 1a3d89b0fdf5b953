// All-clears and findings over recordings that hold much or little of a program.
#include "memory/coverage.h"

#include <gmock/gmock.h>

namespace lento::memory {
namespace {

using finding::Diagnosis;
using finding::Outcome;
using ::testing::Contains;
using ::testing::HasSubstr;

Diagnosis after(const Coverage& coverage, Outcome outcome = Outcome::Healthy) {
  Diagnosis d;
  d.outcome = outcome;
  d.covered = "all";
  add_coverage(coverage, 0.01, d);
  return d;
}

TEST(Coverage, AnAllClearNeedsHalfOfTheAccesses) {
  Coverage c{.stored = 61'517, .reported = 4'800'000, .in_bursts = true};
  const Diagnosis d = after(c);
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("1.28 % of the program's accesses"));
  EXPECT_THAT(d.remedy, HasSubstr("--full --limit 80"));
  c.stored = 2'400'000;
  EXPECT_EQ(after(c).outcome, Outcome::Healthy);
  EXPECT_THAT(after(c).covered, HasSubstr("50 % of the program's accesses"));
}

TEST(Coverage, AccessesThatCannotCostAnythingClearNobody) {
  for (const Outcome outcome : {Outcome::Healthy, Outcome::CannotJudge}) {
    const Diagnosis few = after({.stored = 9, .reported = 9}, outcome);
    EXPECT_EQ(few.outcome, Outcome::CannotJudge);
    EXPECT_THAT(few.reason, HasSubstr("libraries without hooks"));
  }
  // 1,000 transfers of 20 ns are 1 % of 2 ms.
  Coverage c{.stored = 1000, .reported = 1000, .seen_us = 1990, .worked_us = 1990};
  EXPECT_EQ(after(c).outcome, Outcome::Healthy);
  c.worked_us = 2010;
  EXPECT_THAT(after(c).reason, HasSubstr("2.01 ms of CPU time"));
}

TEST(Coverage, StaticProgramsHideLocks) {
  EXPECT_THAT(after({.stored = 1000, .reported = 1000, .is_static = true}).remedy, HasSubstr("dynamically"));
}

TEST(Coverage, FindingsStayAndSayForHowMuchTheyHold) {
  const Diagnosis d = after({.stored = 100, .reported = 10'000, .unordered = 3}, Outcome::Findings);
  EXPECT_EQ(d.outcome, Outcome::Findings);
  EXPECT_THAT(d.notes, Contains(HasSubstr("recorded 1 % of the accesses")));
  EXPECT_THAT(d.notes, Contains(HasSubstr("3 waits")));
}

}  // namespace
}  // namespace lento::memory
