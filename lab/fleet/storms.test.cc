// A storm of pause frames from the simulated job to the alert.
#include "lab/fleet/storms.h"

#include <gtest/gtest.h>

namespace lento::fleet {
namespace {

TEST(Storms, AreNamedWithinTwoMinutesAndNobodyElse) {
  for (uint64_t index = 0; index < 4; ++index) {
    const StormResult r = run_storm({3, index, 64});
    ASSERT_TRUE(r.named_after_s) << index;
    EXPECT_LE(*r.named_after_s, 120) << index;
    EXPECT_GT(*r.named_after_s, 0) << index;
    EXPECT_TRUE(r.wrong.empty()) << index << ": " << r.wrong.front() << " beside " << r.machine;
  }
}

TEST(Storms, TheTableHasARowForEachSize) {
  const finding::TableFigure table = measure_storms(3, 2, 1, {});
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0][1], "1 of 1");
  EXPECT_EQ(table.rows[3][0], "64, with jitters");
}

}  // namespace
}  // namespace lento::fleet
