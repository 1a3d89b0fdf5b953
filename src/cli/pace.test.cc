#include "cli/pace.h"

#include <gtest/gtest.h>

namespace lento::cli {
namespace {

using std::chrono::milliseconds;

TEST(Pace, RateAndTimeLeftOfTheStage) {
  Pace pace;
  const Pace::Clock::time_point begin;
  EXPECT_EQ(pace.words("reading", 100, 1100, begin), "");
  EXPECT_EQ(pace.words("reading", 150, 1100, begin + milliseconds(500)), "") << "too early to tell";
  EXPECT_EQ(pace.words("reading", 200, 1100, begin + milliseconds(2000)), ", 50 a second, 18 s left");
}

TEST(Pace, ANewStageBeginsAgain) {
  Pace pace;
  const Pace::Clock::time_point begin;
  pace.words("reading", 0, 100, begin);
  EXPECT_EQ(pace.words("judging", 50, 100, begin + milliseconds(5000)), "");
  EXPECT_EQ(pace.words("judging", 60, 100, begin + milliseconds(15000)), ", 1 a second, 40 s left");
  EXPECT_EQ(pace.words("judging", 10, 100, begin + milliseconds(16000)), "") << "the same stage, once more";
}

TEST(Pace, LongTimesAreToldInTheirOwnUnit) {
  Pace pace;
  const Pace::Clock::time_point begin;
  pace.words("a", 0, 1e6, begin);
  EXPECT_EQ(pace.words("a", 1000, 31000, begin + milliseconds(10000)), ", 100 a second, 5 min left");
  EXPECT_EQ(pace.words("a", 1000, 361000, begin + milliseconds(10000)), ", 100 a second, 1 h left");
  EXPECT_EQ(pace.words("a", 1000, 721000, begin + milliseconds(10000)), ", 100 a second, 2 h left");
  EXPECT_EQ(pace.words("a", 0, 10, begin), "") << "nothing done: no rate";
}

}  // namespace
}  // namespace lento::cli
