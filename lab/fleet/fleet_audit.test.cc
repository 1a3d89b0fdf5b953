#include "lab/fleet/fleet_audit.h"

#include <gtest/gtest.h>

namespace lento::lab {
namespace {

TEST(FleetAudit, KeepsItsPromisesOnAFewDraws) {
  const std::vector<Promise> promises =
      audit_fleet({.healthy = 0, .detectable = 12, .together = 1, .seed = 5});
  ASSERT_EQ(promises.size(), 5U);
  for (const Promise& p : promises)
    EXPECT_TRUE(p.kept()) << p.what << ": " << p.hits << " of " << p.trials;
  EXPECT_GE(promises[1].trials, 6U);
  EXPECT_GE(promises[2].trials, 9U);
  EXPECT_EQ(promises[3].hits, 0U);
}

TEST(FleetAudit, ADayOfAWatchHasAsManyFalseAlarmsAsPromised) {
  const std::vector<Promise> promises = audit_fleet_months({.months = 1.0 / 30, .seed = 5});
  ASSERT_EQ(promises.size(), 21U);
  uint64_t strict = 0;  // alarms within one a month: 0.23 days with one are expected in all kinds together
  for (const Promise& p : promises) {
    EXPECT_EQ(p.trials, 1U);
    strict += p.what.find("1/month") != std::string::npos ? p.hits : 0;
  }
  EXPECT_LE(strict, 1U);
}

}  // namespace
}  // namespace lento::lab
