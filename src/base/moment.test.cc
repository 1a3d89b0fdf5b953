#include "base/moment.h"

#include <gtest/gtest.h>

namespace lento::base {
namespace {

constexpr int64_t kNoon = 1'795'176'000'000;  // 2026-11-20 12:00:00 UTC

TEST(Moment, TheSameInstantHoweverItIsWritten) {
  for (const char* text :
       {"2026-11-20 12:00",
        "2026-11-20T12:00:00Z",
        "2026/11/20 12:00:00.000",
        "2026-11-20 12:00:00 UTC",
        "2026-11-20T13:00:00+01:00",
        "2026-11-20T03:30:00-0830",
        "2026-11-20T04:00:00 -08"})
    EXPECT_EQ(try_moment_ms(text), kNoon) << text;
  EXPECT_EQ(try_moment_ms("2026-11-20 12:00:00.8371239"), kNoon + 837);
  EXPECT_EQ(try_moment_ms("2026-11-20 12:00:00.5"), kNoon + 500);
  EXPECT_EQ(try_moment_ms("1970-01-01 00:00:00"), 0);
  EXPECT_EQ(try_moment_ms("2024-02-29 00:00:00"), 1'709'164'800'000);
}

TEST(Moment, WhatIsNoneOrMeansTwoThings) {
  for (const char* text :
       {"",
        "1795176000",
        "2026-11-20",
        "20/11/2026 12:00",
        "11/20/2026 12:00",
        "2026-11/20 12:00",
        "2026-02-29 12:00",
        "2026-13-01 12:00",
        "2026-11-20 24:00",
        "2026-11-20 12:60",
        "2026-11-20 12:00:00.",
        "2026-11-20 12:00:00 PM",
        "2026-11-20 12:00+1",
        "2026-11-20 12:00+0199",
        "1969-12-31 23:59"})
    EXPECT_FALSE(try_moment_ms(text)) << text;
}

TEST(Moment, WrittenAndReadBack) {
  EXPECT_EQ(format_moment(kNoon / 1000), "2026-11-20 12:00:00");
  EXPECT_EQ(format_moment(0.9), "1970-01-01 00:00:00");
  EXPECT_EQ(try_moment_ms(format_moment(1'709'164'799)), 1'709'164'799'000);
}

}  // namespace
}  // namespace lento::base
