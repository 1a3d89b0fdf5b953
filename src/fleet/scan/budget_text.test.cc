#include "fleet/scan/budget_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lento::fleet {
namespace {

TEST(BudgetText, CountsAPeriod) {
  EXPECT_NEAR(alarms_per_day(parse_budget("1/month")), 1 / 30.0, 1e-12);
  EXPECT_NEAR(alarms_per_day(parse_budget("2/week")), 2 / 7.0, 1e-12);
  EXPECT_NEAR(alarms_per_day(parse_budget("0.1/day")), 0.1, 1e-12);
  EXPECT_NEAR(alarms_per_day(parse_budget("0.1")), 0.1, 1e-12);
}

TEST(BudgetText, RefusesWhatIsNone) {
  for (const char* text : {"", "/month", "1/", "1/year", "0", "-1/day", "nan", "inf/day", "1x", "1/month "})
    EXPECT_THROW(parse_budget(text), base::Error) << text;
}

}  // namespace
}  // namespace lento::fleet
