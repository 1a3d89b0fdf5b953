// Intervals that hold what they state keep their promise, and those that are too narrow break it.
#include "lab/predict/audit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace lento::predict {
namespace {

// Sources of `runs` runs each, whose errors spread as is stated.
SoftwareTable table_of(int sources, int runs) {
  SoftwareTable table;
  base::Rng rng(3, "audit");
  for (const Work work : {Work::Train, Work::Serve}) {
    for (int s = 0; s < sources; ++s) {
      for (int r = 0; r < runs; ++r)
        table.errors.push_back(
            {work, "source " + std::to_string(s), "x", true, "a100", "bf16", rng.normal(0, 0.2), 0.2});
    }
  }
  return table;
}

TEST(Audit, IntervalsThatHoldKeepTheirPromise) {
  const SoftwareTable table = table_of(80, 3);
  const auto promises = audit_intervals(table, 1);
  ASSERT_EQ(promises.size(), 4U);
  for (const lab::Promise& p : promises) {
    EXPECT_EQ(p.trials, 80U) << p.what;
    EXPECT_TRUE(p.kept()) << p.what << ' ' << p.hits;
  }
  EXPECT_LT(promises[1].hits, promises[0].hits);
}

TEST(Audit, ALimitAboveMeasuredTimesBreaksItsPromise) {
  FieldRow row;
  row.work = Work::Train;
  row.chip = "h100";
  row.source = "page";
  TrainingRun run;
  run.model.layers = 8;
  run.model.hidden = 2048;
  run.model.heads = 16;
  run.sequence = 2048;
  run.global_batch = 16;
  row.run = run;
  std::vector<std::string> refused;
  std::vector<FieldCase> cases = field_cases(std::vector<FieldRow>(40, row), refused);
  for (FieldCase& c : cases)
    c.row.measured_s = 2 * c.limit_s();
  EXPECT_TRUE(audit_limits(cases).kept());
  for (size_t i = 0; i < 10; ++i)
    cases[i].row.measured_s = 0.5 * cases[i].limit_s();
  EXPECT_EQ(audit_limits(cases).hits, 30U);
  EXPECT_FALSE(audit_limits(cases).kept());
}

}  // namespace
}  // namespace lento::predict
