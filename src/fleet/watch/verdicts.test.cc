// Who is accused of an episode, and who is only affected by it.
#include "fleet/watch/verdicts.h"

#include <gmock/gmock.h>

#include "base/rng.h"

namespace lento::fleet {
namespace {

using testing::HasSubstr;

// Twenty machines at four samples a minute. After an hour the first machines gain their share of 1,000.
Scan scan_of(const std::vector<double>& gains, size_t stages = 1) {
  ScanFleet fleet;
  for (size_t m = 0; m < 20; ++m) {
    fleet.machines.push_back("n" + std::to_string(m));
    fleet.labels.push_back({{"stage", std::to_string(m % stages)}});
  }
  fleet.metrics = {"pause_frames"};
  fleet.step_ms = 15'000;
  Scan scan(fleet, {.budget = {1, 30 * 86400.0}});
  base::Rng rng(8, "verdicts");
  for (int t = 0; t < 300; ++t) {
    std::vector<float> row;
    for (size_t m = 0; m < 20; ++m)
      row.push_back(float(rng.normal(1000, 20) * (t >= 240 && m < gains.size() ? 1 + gains[m] : 1)));
    scan.push(t * 15'000, row);
  }
  return scan;
}

std::vector<size_t> accused(const Scan& scan) {
  std::vector<size_t> out;
  for (const MachineVerdict& v : standing_verdicts(scan))
    out.push_back(v.machine);
  return out;
}

TEST(Verdicts, AMemberThatMovedLittleIsAffected) {
  EXPECT_THAT(accused(scan_of({5, 0.3})), testing::ElementsAre(0));
  EXPECT_THAT(accused(scan_of({0.3, 0.28})), testing::ElementsAre(0, 1));
}

TEST(Verdicts, ANeighbourInAnotherStageIsAffectedToo) {
  EXPECT_THAT(accused(scan_of({5, 0.3}, 2)), testing::ElementsAre(0));
  EXPECT_THAT(accused(scan_of({0, 0.3}, 2)), testing::ElementsAre(1));
}

TEST(Verdicts, SayMeansAndHowManyMore) {
  const Scan scan = scan_of({0.5, 0.5});
  const std::vector<MachineVerdict> verdicts = standing_verdicts(scan);
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_THAT(verdicts[0].text, HasSubstr("pause_frames has a mean of 15"));
  EXPECT_THAT(verdicts[0].text, HasSubstr("where peers have 1"));
  EXPECT_THAT(verdicts[0].text, HasSubstr(", with 1 more at once"));
  EXPECT_FALSE(verdicts[0].in_a_crowd);
  EXPECT_EQ(machines_together(verdicts), 0u);
}

TEST(Verdicts, AQuarterOfAGroupIsACrowd) {
  const std::vector<MachineVerdict> verdicts = standing_verdicts(scan_of(std::vector<double>(5, 0.5)));
  EXPECT_EQ(machines_together(verdicts), 5u);
}

}  // namespace
}  // namespace lento::fleet
