#include "chip/sim/released.h"

#include <gtest/gtest.h>

#include "chip/map/file/map_file.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

uint64_t
cycles_with(const spec::Chip& chip, const ReleasedProgram& program, const char* slow, uint64_t seed) {
  std::vector<Fault> faults;
  if (slow) {
    faults.push_back(component(slow, Grid(chip), {}));
    faults[0].factor = 10;
  }
  const ReleasedResult r = simulate_released(chip, program, faults, {1, seed});
  EXPECT_EQ(r.unfinished, 0u);
  return r.cycles;
}

// Measured on the released simulator, one seed: 35,113,459 cycles healthy; core 5 slow 3.76, memory
// unit 5.65, link 5-9 1.010, router 5 1.018 times that. Link 5-9 on four more
// seeds: 1.0061, 1.0071, 1.0071, 1.0092 (mean of the five 1.0078): the link runs near saturation, so the
// excess varies from seed to seed.
TEST(ReleasedMachine, CyclesAreThoseOfTheReleasedSimulator) {
  const std::string map = test::shared_chip("released_darknet19.4x4.map.json");
  if (!test::readable(map))
    GTEST_SKIP() << map << " is not there";
  const spec::Chip chip = spec::read_chip(test::shared_chip("released_4x4.arch.json"));
  const ReleasedProgram program = expand_released(read_map(map), chip, map);
  double healthy = 0;
  double core = 0;
  double unit = 0;
  double link = 0;
  double router = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto base = double(cycles_with(chip, program, nullptr, seed));
    healthy += base / 5;
    core += double(cycles_with(chip, program, "core5", seed)) / base / 5;
    unit += double(cycles_with(chip, program, "lsu5", seed)) / base / 5;
    link += double(cycles_with(chip, program, "link5-9", seed)) / base / 5;
    router += double(cycles_with(chip, program, "router5", seed)) / base / 5;
  }

  EXPECT_NEAR(healthy, 35.11e6, 0.01 * 35.11e6);
  EXPECT_NEAR(core - 1, 2.76, 0.05 * 2.76);
  EXPECT_NEAR(unit - 1, 4.65, 0.05 * 4.65);
  EXPECT_NEAR(link, 1.0078, 0.003);
  EXPECT_NEAR(router, 1.018, 0.007);  // ours is 1.0124
}

TEST(Released, RefusesAFaultOfAPartThatItDoesNotModel) {
  const spec::Chip chip;
  Fault fault = component("dram-left-0", Grid(chip), {});
  fault.factor = 10;
  const ReleasedProgram program = expand_released(test::two_layers(), chip, "two");
  EXPECT_THROW(simulate_released(chip, program, {fault}, {1, 1}, nullptr), base::Error);
}

}  // namespace
}  // namespace lento::chip
