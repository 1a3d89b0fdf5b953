// Planted spreads are found again: one that grows with the distance from the limit, and one of unknown
// stacks.
#include "predict/expect/run_spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::predict {
namespace {

FieldError run_of(const std::string& source, double log_error, double over_limit = 0.5, bool known = true) {
  return {Work::Train, source, "x", known, "a100", "bf16", log_error, over_limit};
}

TEST(RunSpread, HoldsTheShareOfRunsThatIsAsked) {
  SoftwareTable table;
  for (int i = 0; i < 30; ++i)
    table.errors.push_back(run_of("source " + std::to_string(i), 0.1 * (i % 3 - 1)));
  const RunSpread before(table, Work::Train);
  EXPECT_NEAR(before.typical_error(), 0, 1e-9);
  EXPECT_NEAR(before.half_width(0.5, true, 0.9), 0.1, 1e-9);
  // One source with a hundred bad runs has one voice.
  for (int i = 0; i < 100; ++i)
    table.errors.push_back(run_of("bad", 1));
  EXPECT_NEAR(RunSpread(table, Work::Train).half_width(0.5, true, 0.9), 0.1, 1e-9);
  for (int i = 0; i < 6; ++i)
    table.errors.push_back(run_of("worse " + std::to_string(i), 0.5));
  EXPECT_NEAR(RunSpread(table, Work::Train).half_width(0.5, true, 0.9), 0.5, 1e-9);
  // A table without runs of this work states a wide interval.
  EXPECT_GT(RunSpread(table, Work::Serve).half_width(0.5, true, 0.9), 1.6);
}

TEST(RunSpread, IsWiderWhereTheHardwareExplainsLess) {
  SoftwareTable table;
  base::Rng rng(5, "run spread");
  for (int i = 0; i < 400; ++i) {
    const double over = rng.uniform(0, 2);
    table.errors.push_back(
        run_of("source " + std::to_string(i), rng.normal(0, 0.1 * std::exp(0.8 * over)), over));
  }
  const RunSpread spread(table, Work::Train);
  const double narrow = spread.half_width(0, true, 0.9);
  EXPECT_NEAR(std::log(spread.half_width(2, true, 0.9) / narrow), 1.6, 0.3);
  EXPECT_NEAR(narrow, 0.1645, 0.03);
  EXPECT_LT(spread.half_width(0, true, 0.5), narrow);
}

TEST(RunSpread, UnknownStacksHaveTheirOwnBoundOnceThereAreEnough) {
  SoftwareTable table;
  table.errors.push_back(run_of("typical", 0));
  for (int i = 0; i < 40; ++i)
    table.errors.push_back(run_of("known " + std::to_string(i), i % 2 ? 0.1 : -0.1));
  for (int i = 0; i < 2; ++i)
    table.errors.push_back(run_of("unknown " + std::to_string(i), i % 2 ? 0.4 : -0.4, 0.5, false));
  // Two sources allow no bound of their own for nine of ten: theirs is that of all runs.
  const RunSpread few(table, Work::Train);
  EXPECT_NEAR(few.half_width(0.5, false, 0.9), 0.1, 0.01);
  for (int i = 2; i < 12; ++i)
    table.errors.push_back(run_of("unknown " + std::to_string(i), i % 2 ? 0.4 : -0.4, 0.5, false));
  const RunSpread enough(table, Work::Train);
  EXPECT_NEAR(enough.half_width(0.5, true, 0.9), 0.1, 0.01);
  EXPECT_NEAR(enough.half_width(0.5, false, 0.9), 0.4, 0.01);
}

TEST(RunSpread, ASourceIsJudgedWithoutItsOwnRuns) {
  SoftwareTable table;
  for (int i = 0; i < 20; ++i)
    table.errors.push_back(run_of("source " + std::to_string(i), i % 2 ? 0.1 : -0.1));
  const double before = RunSpread(table, Work::Train, "source 3").half_width(0.5, true, 0.9);
  table.errors[3].log_error = 9;
  EXPECT_EQ(RunSpread(table, Work::Train, "source 3").half_width(0.5, true, 0.9), before);
}

}  // namespace
}  // namespace lento::predict
