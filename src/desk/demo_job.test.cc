// The demo's job: one machine of its fleet hides a slow link, and the job depends on its seed alone.
#include "desk/demo_job.h"

#include <gtest/gtest.h>

#include "chip/map/file/map_file.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

TEST(DemoJob, TheJobIsItsSeedsWhateverTheThreads) {
  const spec::Chip chip = spec::read_chip("examples/chip/4x4.yaml");
  const chip::Mapping mapping = chip::read_map("examples/chip/tiny.map.json");
  const DemoJob one = simulate_demo_job(chip, mapping, 5, 1, {});
  const DemoJob two = simulate_demo_job(chip, mapping, 5, 2, {});
  EXPECT_FALSE(one.machine.empty());
  EXPECT_EQ(one.machine, two.machine);
  EXPECT_EQ(one.link, two.link);
  EXPECT_EQ(one.slowdown, two.slowdown);
  ASSERT_EQ(one.steps.machines.size(), size_t(DemoJob::kMachines));
  int slowed = 0;
  for (size_t i = 0; i < one.steps.machines.size(); ++i) {
    EXPECT_EQ(one.steps.machines[i].compute_s, two.steps.machines[i].compute_s);
    if (one.steps.machines[i].compute_after_s.empty())
      continue;
    ++slowed;
    EXPECT_EQ(one.steps.machines[i].name, one.machine);
    const double after = evidence::mean(one.steps.machines[i].compute_after_s);
    EXPECT_DOUBLE_EQ(one.slowdown, after / evidence::mean(one.steps.machines[i].compute_s));
  }
  EXPECT_EQ(slowed, 1);
  base::Progress stop;
  stop.stop = [] {
    return true;
  };
  EXPECT_TRUE(simulate_demo_job(chip, mapping, 5, 1, stop).machine.empty());
}

}  // namespace
}  // namespace lento::desk
