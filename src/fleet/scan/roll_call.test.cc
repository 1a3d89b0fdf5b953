// Who is silent, by rows written by hand: '1' reports, '0' does not.
#include "fleet/scan/roll_call.h"

#include <gtest/gtest.h>

#include <string>

namespace lento::fleet {
namespace {

struct Roll {
  RollCall call{8, 1000, 10'000, 100'000};
  int64_t now = 0;

  void rows(const std::string& who, int count) {
    for (int i = 0; i < count; ++i) {
      std::vector<uint8_t> reports;
      for (const char c : who)
        reports.push_back(c == '1');
      call.row(now += 1000, reports);
    }
  }
};

TEST(RollCall, AMemberIsSilentAfterTheLimitAndNotBefore) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11110111", 10);
  EXPECT_FALSE(r.call.silent(4));
  r.rows("11110111", 1);
  EXPECT_TRUE(r.call.silent(4));
  EXPECT_EQ(r.call.seen_ms(4), 5000);
  EXPECT_FALSE(r.call.silent(3));
}

TEST(RollCall, WhoNeverReportedIsNoMember) {
  Roll r;
  r.rows("11110111", 50);
  EXPECT_FALSE(r.call.silent(4));
  EXPECT_EQ(r.call.members(), 7u);
  r.call.join(4, RollCall::kNever + 1);  // the job says that it is one
  r.rows("11110111", 11);
  EXPECT_TRUE(r.call.silent(4));
}

TEST(RollCall, TimeWithoutAnswersDoesNotCount) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11110111", 9);
  r.rows("00000000", 200);
  EXPECT_FALSE(r.call.answered());
  r.rows("11110111", 6);  // and a long silence keeps half of what it needs
  EXPECT_FALSE(r.call.silent(4));
  r.rows("11110111", 1);
  EXPECT_TRUE(r.call.silent(4));
}

// Rare scrapes: of four that a silence needs three were missed before the outage.
TEST(RollCall, ALongSilenceWaitsForAScrapeAfterAnOutage) {
  RollCall call(8, 60'000, 240'000, 86'400'000);
  int64_t now = 0;
  const auto rows = [&](const std::string& who, int count) {
    for (int i = 0; i < count; ++i) {
      std::vector<uint8_t> reports;
      for (const char c : who)
        reports.push_back(c == '1');
      call.row(now += 60'000, reports);
    }
  };
  rows("11111111", 5);
  rows("11110111", 3);
  rows("00000000", 4);
  rows("11110111", 2);
  EXPECT_FALSE(call.silent(4));
  rows("11110111", 1);
  EXPECT_TRUE(call.silent(4));
}

TEST(RollCall, HalfOfWhatASilenceNeedsIsKept) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11110111", 4);
  r.rows("00000000", 200);
  r.rows("11110111", 6);  // the first of them is the fifth of ten
  EXPECT_FALSE(r.call.silent(4));
  r.rows("11110111", 1);
  EXPECT_TRUE(r.call.silent(4));
}

TEST(RollCall, AShortSilenceStartsAnewAfterAnOutage) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11110111", 3);
  r.rows("00000000", 200);
  r.rows("11110111", 11);
  EXPECT_FALSE(r.call.silent(4));
  r.rows("11110111", 1);
  EXPECT_TRUE(r.call.silent(4));
}

TEST(RollCall, AShortHiccupDoesNotStartASilenceAnew) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11110111", 9);
  r.rows("11000111", 2);
  r.rows("11110111", 2);
  EXPECT_TRUE(r.call.silent(4));
}

TEST(RollCall, AQuarterMayBeSilentAndNotMore) {
  Roll two;
  Roll three;
  two.rows("11111111", 5);
  two.rows("11110110", 11);
  EXPECT_TRUE(two.call.silent(4) && two.call.silent(7));
  three.rows("11111111", 5);
  three.rows("11010110", 50);
  EXPECT_FALSE(three.call.silent(4));
}

TEST(RollCall, WhatStandsStandsOverAnOutage) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11110111", 11);
  r.rows("00000000", 50);
  r.rows("11110111", 1);
  EXPECT_TRUE(r.call.silent(4));
}

TEST(RollCall, ALateSampleIsASample) {
  Roll r;
  r.rows("11111111", 5);
  for (int i = 0; i < 40; ++i) {
    r.rows("11110111", 1);
    r.call.heard(4, r.now - 5000);
  }
  EXPECT_FALSE(r.call.silent(4));
}

TEST(RollCall, WhoLeftIsForgottenUntilItReportsAgain) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11110111", 20);
  r.call.leave(4);
  EXPECT_FALSE(r.call.silent(4));
  r.rows("11111111", 1);
  EXPECT_TRUE(r.call.member(4));
  r.rows("11110111", 102);
  EXPECT_FALSE(r.call.member(4));  // gone
}

TEST(RollCall, ThreeQuartersOfTheMembersAreAnAnswer) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11111100", 1);
  EXPECT_TRUE(r.call.answered());
  EXPECT_EQ(r.call.reporting(), 6u);
  r.rows("11111000", 1);
  EXPECT_FALSE(r.call.answered());
}

TEST(RollCall, NobodyIsNoAnswer) {
  Roll r;
  r.rows("00000000", 3);
  EXPECT_FALSE(r.call.answered());
  EXPECT_EQ(r.call.members(), 0u);
}

// An outage of over a quarter of the limit shortens a long silence; a shorter one does not.
TEST(RollCall, AnOutageOfAQuarterOfTheLimitIsShort) {
  for (const auto& [outage, anew] : {std::pair{2, false}, std::pair{3, true}}) {
    Roll r;
    r.rows("11111111", 5);
    r.rows("11110111", 9);
    r.rows("00000000", outage);
    r.rows("11110111", 2);
    EXPECT_EQ(r.call.silent(4), !anew) << outage;
    EXPECT_EQ(r.call.quiet_for_ms(4), anew ? 6000 : 11'000) << outage;
  }
}

TEST(RollCall, ASampleFromThePastDoesNotMakeAMachineYounger) {
  Roll r;
  r.rows("11111111", 5);
  r.call.heard(4, 2000);
  EXPECT_EQ(r.call.seen_ms(4), 5000);
  EXPECT_EQ(r.call.quiet_for_ms(4), 0);
  r.call.join(4, 1000);
  EXPECT_EQ(r.call.seen_ms(4), 5000);
}

TEST(RollCall, GoneIsGoneAfterItsTimeAndNotBefore) {
  Roll r;
  r.rows("11111111", 5);
  r.rows("11110111", 100);
  EXPECT_TRUE(r.call.member(4));
  r.rows("11110111", 1);
  EXPECT_FALSE(r.call.member(4));
  EXPECT_EQ(r.call.limit_ms(), 10'000);
}

}  // namespace
}  // namespace lento::fleet
