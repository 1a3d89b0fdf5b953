// The fitted constants of a fabric sheet: traces that the fabric itself played with other constants are
// explained by them, families stay in one half, and without a fit the sheet is taken as it is.
#include "lab/fabric/fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chip/fabric/play.h"
#include "chip/fabric/test_program.h"

namespace lento::chip {
namespace {

spec::FabricSheet sheet_of(double read_cycles) {
  spec::FabricSheet sheet = spec::mesh_fabric(4, 1);
  sheet.core_memory.read_cycles = read_cycles;
  return sheet;
}

// Four families of two traces, played by a fabric whose memories answer after `truth` cycles.
std::vector<NamedTrace> traces_of(double truth) {
  std::vector<NamedTrace> out;
  for (const char* family : {"A", "B", "C", "D"}) {
    for (int n = 1; n <= 2; ++n) {
      NamedTrace t;
      t.name = std::string(family) + "_TO_" + std::to_string(n);
      t.family = family_of(t.name);
      test::add_reader(t.trace, {0, 0, 0}, {Place{0, n, 0}, Place{0, 3, 0}}, 2, 4, uint64_t(512 * n));
      t.measured = play(Fabric(sheet_of(truth)), t.trace, {}).end;
      out.push_back(std::move(t));
    }
  }
  return out;
}

TEST(FabricFit, ItsOwnTracesAreExplainedWithoutAFit) {
  const FabricFit fit = fit_fabric(sheet_of(120), traces_of(120), false);
  ASSERT_EQ(fit.errors.size(), 8U);
  for (const TimeError& e : fit.errors) {
    EXPECT_NEAR(e.relative(), 0, 1e-9) << e.name;
    EXPECT_EQ(e.held_out, e.predicted);
  }
  EXPECT_NEAR(fit.held_out[0], 0, 1e-9);
}

TEST(FabricFit, ASlowerMemoryIsFoundFromEitherHalf) {
  const FabricFit raw = fit_fabric(sheet_of(120), traces_of(200), false);
  const FabricFit fit = fit_fabric(sheet_of(120), traces_of(200), true);
  for (int h = 0; h < 2; ++h) {
    EXPECT_GT(raw.held_out[h], 0.05);
    EXPECT_LT(fit.held_out[h], raw.held_out[h] / 4);
    EXPECT_LE(fit.fitted[h], fit.held_out[h] + 0.02);
  }
  for (const TimeError& e : fit.errors)
    EXPECT_LT(std::abs(e.held_out / e.measured - 1), 0.03) << e.name;
}

TEST(FabricFit, WithOneFamilyNothingIsHeldOut) {
  std::vector<NamedTrace> one = traces_of(120);
  one.resize(2);
  const FabricFit fit = fit_fabric(sheet_of(120), one, false);
  EXPECT_EQ(fit.held_out[0], 0);
  EXPECT_EQ(fit.held_out[1], 0);
  EXPECT_EQ(fit.errors.size(), 2U);
}

TEST(FabricFit, FamiliesOfDramAreTheirTargets) {
  EXPECT_EQ(family_of("DRAM_TO_8x1_BLOCK"), family_of("DRAM_TO_2x2_BLOCK"));
  EXPECT_NE(family_of("DRAM_TO_8x1_BLOCK"), family_of("8x1_BLOCK_TO_DRAM"));
  EXPECT_EQ(family_of("all_gather"), "all_gather");
}

}  // namespace
}  // namespace lento::chip
