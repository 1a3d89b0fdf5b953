// Verdicts of several recordings that agree, disagree, and name one thing at other addresses.
#include "memory/repeat.h"

#include <gmock/gmock.h>

namespace lento::memory {
namespace {

using finding::Diagnosis;
using finding::Outcome;
using ::testing::Contains;
using ::testing::HasSubstr;

Diagnosis with(const std::vector<std::pair<std::string, std::string>>& findings) {
  Diagnosis d;
  for (const auto& [category, subject] : findings) {
    finding::Finding f;
    f.category = category;
    f.subject = subject;
    f.score = 1;
    d.findings.push_back(f);
  }
  finding::judged(d, "all");
  return d;
}

TEST(Repeat, WhatMostRecordingsFindIsFound) {
  const Diagnosis d = combine(
      {with({{"false sharing", "line 0x5640 (ring.head, ring.tail)"}}),
       with({{"false sharing", "line 0x7f80 (ring.tail, ring.head)"}, {"lock", "line 0x40 (m)"}}),
       with({})});
  EXPECT_EQ(d.outcome, Outcome::Findings);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].evidence.back().value, 2);
  EXPECT_THAT(d.notes, Contains(HasSubstr("lock on line 0x40 (m) was found in 1 of 3 recordings only")));
}

TEST(Repeat, OtherNamesOrCausesAreOtherFindings) {
  const Diagnosis d = combine(
      {with({{"false sharing", "line 0x40 (a[1].hits)"}}),
       with({{"false sharing", "line 0x40 (b.hits)"}}),
       with({{"true sharing", "line 0x40 (a[2].hits)"}})});
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("disagree"));
}

TEST(Repeat, QuietRecordingsStayQuiet) {
  EXPECT_EQ(combine({with({}), with({}), with({{"lock", "line 0x40 (m)"}})}).outcome, Outcome::Healthy);
  EXPECT_EQ(combine({with({}), with({{"lock", "line 0x40 (m)"}})}).outcome, Outcome::CannotJudge);
  EXPECT_EQ(combine({with({{"lock", "line 0x40 (m)"}})}).findings.size(), 1u);
}

}  // namespace
}  // namespace lento::memory
