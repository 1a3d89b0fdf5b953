#include "predict/hardware/system.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/test_error.h"

namespace lento::predict {
namespace {

using base::test::error_of;
using testing::HasSubstr;

const char* kSmall = R"(schema: lento.system/1
name: small
chip:
  units: 2
  clock: 1 GHz
  flops_per_cycle: {fp32: 128}
  cache: 1 MiB
  memory: 1 GB
  memory_bandwidth: 10 GB/s
  power: 10 W
)";

TEST(System, EveryShippedSheetReadsAndNamesItsSource) {
  EXPECT_GE(shipped_systems().size(), 18u);
  for (const System& system : shipped_systems()) {
    EXPECT_FALSE(system.source.empty()) << system.name;
    EXPECT_GT(system.chip.peak(Precision::Fp32), 1e12) << system.name;
  }
}

TEST(System, PeaksMatchTheSheets) {
  EXPECT_NEAR(read_system("v100").chip.peak(Precision::Fp16), 125e12, 1e12);
  EXPECT_NEAR(read_system("a100").chip.peak(Precision::Bf16), 312e12, 1e12);
  EXPECT_NEAR(read_system("h100").chip.peak(Precision::Bf16), 989e12, 2e12);
}

TEST(System, NamesAndAliasesInAnyCase) {
  EXPECT_EQ(find_shipped("NVIDIA H100 80GB HBM3")->name, "h100");
  EXPECT_EQ(find_shipped("nvidia_a100_80gb_pcie")->family, "a100");
  EXPECT_EQ(find_shipped("A100 (8 per node)")->name, "a100");
  EXPECT_EQ(find_shipped("A100 (PCIe)"), find_shipped("A100 PCIe"));
  EXPECT_EQ(find_shipped("abacus"), nullptr);
  EXPECT_THAT(
      error_of([] {
        read_system("h10");
      }),
      HasSubstr("no system is called 'h10'"));
}

TEST(System, SeveralMistakesInOneRun) {
  std::string text = kSmall;
  text.replace(text.find("1 GHz"), 5, "1 Ghz");
  text += "colour: red\n";
  const std::string error = error_of([&] {
    parse_system(text, "small.yaml");
  });
  EXPECT_THAT(error, HasSubstr("small.yaml:5"));
  EXPECT_THAT(error, HasSubstr("colour"));
}

TEST(System, LinksMustFitTheNode) {
  const std::string text =
      std::string(kSmall) + "network:\n  devices: 2\n  lane_bandwidth: 1 GB/s\n  links: [\"0-2\", \"0+1\"]\n";
  const std::string error = error_of([&] {
    parse_system(text, "small.yaml");
  });
  EXPECT_THAT(error, HasSubstr("names a device that the node does not have"));
  EXPECT_THAT(error, HasSubstr("write '0-3' or '0-3 x2'"));
}

std::string with_network(const std::string& fields) {
  return std::string(kSmall) + "network:\n  devices: 8\n  lane_bandwidth: 1 GB/s\n" + fields;
}

TEST(System, AMeshHoldsAllDevicesAndIsTheOnlyLinkage) {
  const auto error = [](const std::string& fields) {
    return error_of([&] {
      parse_system(with_network(fields), "small.yaml");
    });
  };
  EXPECT_THAT(error("  mesh: 4x4\n"), HasSubstr("'4x4' holds 16 devices, the node has 8"));
  EXPECT_THAT(error("  mesh: 4xx\n"), HasSubstr("are no sides of a mesh"));
  EXPECT_THAT(error("  mesh: 8\n  torus: 4x2\n"), HasSubstr("linked already"));
  EXPECT_THAT(error("  links: [\"0-1\"]\n  mesh: 4x2\n"), HasSubstr("linked already"));
  EXPECT_THAT(error("  torus: 4x2\n  routing: scenic\n"), HasSubstr("small.yaml:"));
}

TEST(System, WrittenAndReadAgainKeepsEveryField) {
  std::string text =
      with_network("  torus: 4x2\n  routing: shortest\n  ranks: rows\n  energy_per_byte: 80 pJ\n");
  text.replace(
      text.find("  power: 10 W"),
      13,
      "  power: 10 W\n  dataflow: weight\n  operand_energy: 0.5 pJ\n  energy_per_cache_byte: 2 pJ\n"
      "  energy_per_byte: 30 pJ\n  energy_per_flop: {fp32: 1 pJ}");
  text += "calibration:\n  - {precision: fp32, compute: 0.8, hold_out_error: 0.07}\n";
  const System once = parse_system(text, "small.yaml");
  const System again = parse_system(write_system(once), "again.yaml");
  EXPECT_EQ(again.chip.dataflow, Stationary::Weight);
  EXPECT_EQ(again.chip.operand_energy_j, 0.5e-12);
  EXPECT_EQ(again.chip.cache_byte_energy_j, 2e-12);
  EXPECT_EQ(again.chip.byte_energy_j, 30e-12);
  EXPECT_EQ(again.chip.calibration[0]->hold_out_error, 0.07);
  EXPECT_EQ(again.network.node.dims, (std::vector<int>{4, 2}));
  EXPECT_TRUE(again.network.node.wraps);
  EXPECT_FALSE(again.network.node.snake);
  EXPECT_EQ(again.network.node.routing, Routing::Shortest);
  EXPECT_EQ(again.network.byte_energy_j, 80e-12);
  EXPECT_EQ(write_system(again), write_system(once));
}

TEST(Chip, PowerLimitsTheRate) {
  Chip chip = parse_system(kSmall, "small.yaml").chip;
  EXPECT_EQ(chip.power_limit(Precision::Fp32), 1);
  chip.flop_energy_j[0] = 62.5e-12;  // 256 Gflop/s at full speed: 16 W against 8 W left for work
  EXPECT_NEAR(chip.power_limit(Precision::Fp32), 0.5, 1e-12);
}

}  // namespace
}  // namespace lento::predict
