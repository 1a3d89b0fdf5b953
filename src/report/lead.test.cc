#include "report/lead.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "report/window_text.h"

namespace lento::report {
namespace {

using namespace finding;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Finding slow(double score) {
  Finding f;
  f.subject = "machine-0017";
  f.score = score;
  f.when = TimeWindow{414, 1139, "s"};
  f.next_step = "drain it";
  set_ratio(f, 3.4, 74.8, "nvlink_bandwidth");
  return f;
}

TEST(Factor, IsNeverBelowOneAndSaysOfWhat) {
  Finding f = slow(0.9);
  EXPECT_DOUBLE_EQ(*f.factor, 22);
  EXPECT_EQ(factor_text(f), "22 times less nvlink_bandwidth");
  set_ratio(f, 400, 100, "power");
  EXPECT_EQ(factor_text(f), "4 times more power");
  set_ratio(f, 1404, 1755, "sm_clock");
  EXPECT_EQ(factor_text(f), "20 % less sm_clock");
  f.factor = 1.08;
  f.factor_of.clear();
  EXPECT_EQ(factor_text(f), "1.08 times slower");
}

TEST(Factor, OfNothingIsNothing) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [seen, expected] :
       {std::pair{0.0, 1.0}, {1.0, 0.0}, {-1.0, 2.0}, {kNone, 1.0}, {0.0, 0.0}}) {
    Finding f;
    set_ratio(f, seen, expected, "power");
    EXPECT_FALSE(f.factor) << seen << " of " << expected;
    EXPECT_EQ(factor_text(f), "");
  }
}

TEST(Factor, OfLessThanOneIsDroppedByEveryVerdict) {
  for (const double factor : {0.94, 0.0, -3.0, std::numeric_limits<double>::quiet_NaN()}) {
    Diagnosis d;
    d.findings = {slow(0.9)};
    d.findings[0].factor = factor;
    judged(d, "all");
    EXPECT_FALSE(d.findings[0].factor) << factor;
  }
}

TEST(Lead, AnswersTheQuestionsOfAReader) {
  Diagnosis d;
  d.findings = {slow(0.94), slow(0.6)};
  judged(d, "32 machines");
  d.facts = {{"machines", "32"}, {"deviation that would be named", "5 %"}};
  EXPECT_THAT(
      keys_of(d),
      ElementsAre(
          Pair("how much", "22 times less nvlink_bandwidth"),
          Pair("when", "from 414 to 1139 s"),
          Pair("how sure", "very sure (0.94/1)"),
          Pair("findings", "this one and 1 more")));
  EXPECT_THAT(next_steps(d), ElementsAre("drain it"));
  EXPECT_THAT(
      seen_of(d),
      ElementsAre(Pair("looked at", "32 machines"), Pair("deviation that would be named", "5 %")));
}

TEST(Lead, AMeasuredDifferenceWithoutAnOnsetIsThatOfTheWholeRecord) {
  Diagnosis d;
  d.findings = {slow(0.94)};
  d.findings[0].when.reset();
  EXPECT_THAT(keys_of(d)[1], Pair("when", "all through what was read"));
  d.findings[0].factor.reset();
  EXPECT_THAT(keys_of(d), ElementsAre(Pair("how sure", "very sure (0.94/1)")));
}

TEST(Lead, WithoutFindingsHasNoKeys) {
  Diagnosis d;
  EXPECT_THAT(keys_of(d), IsEmpty());
  EXPECT_THAT(next_steps(d), IsEmpty());
  cannot_judge(d, "too short", "record longer");
  EXPECT_THAT(next_steps(d), ElementsAre("What would help: record longer"));
  d.remedy = "values of each rank: straggler lines, or logs";
  EXPECT_THAT(next_steps(d), ElementsAre("What would help: values of each rank: straggler lines, or logs"));
  d.findings = {slow(0.9)};
  EXPECT_THAT(next_steps(d), ElementsAre("drain it", "What would help: values of each rank"));
}

TEST(Lead, AnAnswerStatesItsNextStep) {
  Diagnosis d;
  d.outcome = Outcome::Answer;
  d.remedy = "Compare it with a measured figure";
  EXPECT_THAT(next_steps(d), ElementsAre("Compare it with a measured figure"));
}

TEST(Lead, SureInWords) {
  EXPECT_EQ(sure_text(0.99), "very sure (0.99)");
  EXPECT_EQ(sure_text(0.8), "sure (0.8)");
  EXPECT_EQ(sure_text(0.5), "likely (0.5)");
  EXPECT_EQ(sure_text(0.1), "possible (0.1)");
  EXPECT_EQ(sure_text(std::numeric_limits<double>::quiet_NaN()), "possible (nan)");
}

TEST(WindowText, ShortTimesAreInTheirUnit) {
  EXPECT_EQ(window_text({0, 0.0734003, "s"}, 4), "from 0 to 73.4 ms");
  EXPECT_EQ(window_text({0.0001, 0.0005, "s"}, 4), "from 100 to 500 us");
  EXPECT_EQ(window_text({2, 30, "s"}, 4), "from 2 to 30 s");
  EXPECT_EQ(window_text({1.8e9, 1.8e9, "s"}, 4), "at 2027-01-15 08:00:00 UTC");
}

}  // namespace
}  // namespace lento::report
