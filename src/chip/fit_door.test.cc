// The fit with the simulator that it is meant for: a chip changed on purpose is told from its records alone.
#include <gtest/gtest.h>

#include <cmath>

#include "chip/fit/fit.h"
#include "chip/map/file/map_file.h"
#include "chip/replay.h"
#include "chip/sim/simulate.h"

namespace lento::chip {
namespace {

class ChipFit : public testing::Test {
 protected:
  const spec::Chip file_ = spec::read_chip("examples/chip/4x4.yaml");
  const Program program_ = expand(read_map("examples/chip/tiny.map.json"), file_, "tiny");

  Fit fit_of(const Twin& real, const std::vector<Fault>& faults = {}) const {
    SketchOptions options;
    options.ops_per_cycle = file_.core.ops_per_cycle;
    Sketch sketch(plan_shapes(count_patterns(program_, file_), options), options);
    Options run;
    run.inferences = 16;
    run.seed = 77;
    simulate(Model(real.chip, program_, real.own), faults, run, &sketch);
    return fit_twin(sketch, file_, {.replays = sketch_replays(program_, sketch, 1, {})});
  }
  static double ratio(const Fit& fit, Part part) {
    for (const FittedClass& c : fit.classes)
      if (c.part == part)
        return c.ratio;
    return 0;
  }
};

TEST_F(ChipFit, AChipLikeItsFileIsLeftAlone) {
  const Fit fit = fit_of({file_, {}});
  EXPECT_FALSE(fit.differs);
  EXPECT_EQ(spec::write_chip(fit.twin.chip), spec::write_chip(file_));
  EXPECT_EQ(fit.twin.own, Deviations{});
  EXPECT_TRUE(fit.notes.empty());
}

TEST_F(ChipFit, SlowerCoresAreTheChipAndNotSixteenFaults) {
  Twin real{file_, {}};
  real.chip.core.ops_per_cycle *= 0.9;
  const Fit fit = fit_of(real);
  EXPECT_TRUE(fit.differs);
  EXPECT_NEAR(ratio(fit, Part::Core), 1 / 0.9, 0.01);
  EXPECT_EQ(fit.notes.size(), 1u);
}

TEST_F(ChipFit, FasterMemoryUnitsAreTold) {
  Twin real{file_, {}};
  real.chip.memory_unit.bytes_per_cycle *= 1.2;
  const Fit fit = fit_of(real);
  EXPECT_NEAR(ratio(fit, Part::MemoryUnit), 1 / 1.2, 0.02);
}

// The fault of one core is not what the chip is like.
TEST_F(ChipFit, OneSlowCoreMovesNothing) {
  Fault slow = fault_of({Part::Core, 5}, Grid(file_));
  slow.factor = 3;
  const Fit fit = fit_of({file_, {}}, {slow});
  EXPECT_NEAR(ratio(fit, Part::Core), 1, 0.01);
  EXPECT_EQ(Deviations::of(fit.twin.own.cores, 5), 1);
}

}  // namespace
}  // namespace lento::chip
