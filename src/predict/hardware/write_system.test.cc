// Sheets as text: every shipped one comes back as it was, and every number out of range is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_error.h"
#include "predict/hardware/system.h"

namespace lento::predict {
namespace {

using testing::HasSubstr;

// What differs between two systems, field by field: the names of those that do.
std::string difference(const System& a, const System& b) {
  std::string out;
  const auto compare = [&](const char* what, const auto& x, const auto& y) {
    if (!(x == y))
      out += std::string(what) + " ";
  };
  compare("name", a.name, b.name);
  compare("family", a.family, b.family);
  compare("aliases", a.aliases, b.aliases);
  compare("price", a.usd_per_hour, b.usd_per_hour);
  compare("units", a.chip.units, b.chip.units);
  compare("clock", a.chip.clock_hz, b.chip.clock_hz);
  compare("flops", a.chip.flops_per_cycle, b.chip.flops_per_cycle);
  compare("cache", a.chip.cache_bytes, b.chip.cache_bytes);
  compare("array", a.chip.array, b.chip.array);
  compare("results", a.chip.unit_results, b.chip.unit_results);
  compare("buffer", a.chip.unit_buffer_bytes, b.chip.unit_buffer_bytes);
  compare("dataflow", a.chip.dataflow, b.chip.dataflow);
  compare("persistent", a.chip.persistent, b.chip.persistent);
  compare("memory", a.chip.memory_bytes, b.chip.memory_bytes);
  compare("bandwidth", a.chip.memory_Bps, b.chip.memory_Bps);
  compare("reserve", a.chip.memory_reserve, b.chip.memory_reserve);
  compare("power", a.chip.power_w, b.chip.power_w);
  compare("flop energy", a.chip.flop_energy_j, b.chip.flop_energy_j);
  compare("byte energy", a.chip.byte_energy_j, b.chip.byte_energy_j);
  compare("idle", a.chip.idle_share, b.chip.idle_share);
  compare("devices", a.network.node_devices, b.network.node_devices);
  compare("lane", a.network.node.lane_Bps, b.network.node.lane_Bps);
  compare("efficiency", a.network.node.efficiency, b.network.node.efficiency);
  compare("latency", a.network.node.latency_s, b.network.node.latency_s);
  compare("start", a.network.node.start_s, b.network.node.start_s);
  compare("setup", a.network.node.setup_s, b.network.node.setup_s);
  compare("in switch", a.network.node.in_switch, b.network.node.in_switch);
  compare("between", a.network.between_Bps, b.network.between_Bps);
  compare("dims", a.network.node.dims, b.network.node.dims);
  compare("links", a.network.node.links.size(), b.network.node.links.size());
  compare("library", a.stack.library, b.stack.library);
  compare("launch", a.stack.launch_s, b.stack.launch_s);
  compare("host layer", a.stack.host_layer_s, b.stack.host_layer_s);
  compare("kept", a.stack.kept, b.stack.kept);
  compare("logits", a.stack.logit_bytes, b.stack.logit_bytes);
  compare("frameworks", a.frameworks.size(), b.frameworks.size());
  compare("by framework", a.chip.by_framework.size(), b.chip.by_framework.size());
  for (size_t i = 0; i < kPrecisions; ++i) {
    const auto& x = a.chip.calibration[i];
    const auto& y = b.chip.calibration[i];
    compare("calibrated", x.has_value(), y.has_value());
    for (const CalibrationConstant& constant : kCalibrationConstants) {
      if (x && y)
        compare(constant.name, (*x).*constant.at, (*y).*constant.at);
    }
    if (x && y)
      compare("measured_on", x->measured_on, y->measured_on);
  }
  return out;
}

TEST(WriteSystem, EveryShippedSheetComesBackAsItWas) {
  for (const System& s : shipped_systems()) {
    System back = parse_system(write_system(s), s.name + ".yaml");
    inherit(back);
    EXPECT_EQ(difference(s, back), "") << s.name;
    EXPECT_EQ(write_system(back), write_system(s)) << s.name;
  }
}

TEST(WriteSystem, TextIsQuoted) {
  System s = shipped_systems().front();
  s.title = "a \"b\" \\ c: # {d}";
  s.source = "two\nlines";
  s.aliases = {"x, y", "[z]"};
  const System back = parse_system(write_system(s), "x.yaml");
  EXPECT_EQ(back.title, s.title);
  EXPECT_EQ(back.source, "two lines");
  EXPECT_EQ(back.aliases, s.aliases);
}

const std::string kSheet = R"(schema: lento.system/1
name: x
chip:
  units: 4
  clock: 1 GHz
  flops_per_cycle: {fp32: 128}
  cache: 1 MiB
  memory: 1 GiB
  memory_bandwidth: 100 GB/s
  power: 10 W
)";

std::string error_of(const std::string& text) {
  return base::test::error_of([&] {
    parse_system(text, "x.yaml");
  });
}

TEST(ParseSystem, EveryRequiredFieldIsNamedWhenItIsMissing) {
  EXPECT_EQ(error_of(kSheet), "no error");
  for (const char* key :
       {"units", "clock", "flops_per_cycle", "cache", "memory", "memory_bandwidth", "power"}) {
    std::string text = kSheet;
    const size_t at = text.find("  " + std::string(key) + ":");
    ASSERT_NE(at, std::string::npos) << key;
    text.erase(at, text.find('\n', at) + 1 - at);
    EXPECT_THAT(error_of(text), HasSubstr("'" + std::string(key) + "'")) << key;
  }
}

TEST(ParseSystem, NumbersOutOfRangeAreRefusedAtTheirLine) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kSheet;
    return error_of(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_THAT(changed("units: 4", "units: 0"), HasSubstr("x.yaml:4"));
  EXPECT_THAT(changed("clock: 1 GHz", "clock: 1 kHz"), HasSubstr("x.yaml:5"));
  EXPECT_THAT(changed("clock: 1 GHz", "clock: 1 W"), HasSubstr("x.yaml:5"));
  EXPECT_THAT(changed("fp32: 128", "fp33: 128"), HasSubstr("fp33"));
  EXPECT_THAT(changed("fp32: 128", "fp8_block: 128"), HasSubstr("fp8_block"));  // a kernel, no arithmetic
  EXPECT_THAT(changed("power: 10 W", "power: 10 W\n  dataflow: sideways"), HasSubstr("sideways"));
}

TEST(ParseSystem, MeshesAreAsManyDevicesAsTheNodeHas) {
  const auto mesh = [](const std::string& sides) {
    return error_of(kSheet + "network:\n  devices: 4096\n  lane_bandwidth: 1 GB/s\n  mesh: " + sides + "\n");
  };
  EXPECT_EQ(mesh("64x64"), "no error");
  EXPECT_THAT(mesh("64x32"), HasSubstr("holds 2048 devices"));
  // Their product would not fit 64 bits.
  EXPECT_THAT(mesh("4096x4096x4096x4096x4096x4096x4096"), HasSubstr("are no sides of a mesh"));
  EXPECT_THAT(mesh("0x4"), HasSubstr("are no sides of a mesh"));
}

TEST(Stacks, AFrameworkReplacesTheStackAndItsConstantsOnly) {
  System s = parse_system(
      kSheet +
          "calibration:\n  - {precision: fp32, compute: 0.5}\n  - {precision: fp32, compute: 0.25, "
          "framework: fast}\n"
          "frameworks:\n  - {framework: fast, launch: 1 us}\n",
      "x.yaml");
  const System fast = with_framework(s, "fast");
  EXPECT_DOUBLE_EQ(fast.stack.launch_s, 1e-6);
  EXPECT_DOUBLE_EQ(fast.chip.constants(Precision::Fp32).compute, 0.25);
  const System other = with_framework(s, "other");
  EXPECT_DOUBLE_EQ(other.stack.launch_s, s.stack.launch_s);
  EXPECT_DOUBLE_EQ(other.chip.constants(Precision::Fp32).compute, 0.5);
  EXPECT_DOUBLE_EQ(with_framework(s, "").chip.constants(Precision::Fp32).compute, 0.5);
}

TEST(Inherit, OnlyWhatIsNotStatedIsTakenOver) {
  System s = parse_system(kSheet + "like: h100\n", "x.yaml");
  inherit(s);
  const System& h100 = *find_shipped("h100");
  const auto& taken = s.chip.calibration[size_t(Precision::Bf16)];
  ASSERT_TRUE(taken.has_value());
  EXPECT_DOUBLE_EQ(taken->compute, h100.chip.calibration[size_t(Precision::Bf16)]->compute);
  EXPECT_EQ(taken->measured_on, "h100");
  EXPECT_EQ(taken->hold_out_error, 0);  // measured there, not here
  EXPECT_EQ(s.stack.launch_s, h100.stack.launch_s);
  // A chip with half the power of an L40S for each operation sustains half the share of its peak.
  System weak = *find_shipped("l40s");
  weak.name = "weak";
  weak.similar_chip = "l40s";
  weak.chip.power_w /= 2;
  weak.chip.calibration.fill(std::nullopt);
  inherit(weak);
  EXPECT_NEAR(
      weak.chip.constants(Precision::Bf16).compute,
      find_shipped("l40s")->chip.constants(Precision::Bf16).compute / 2,
      1e-12);
  System own = parse_system(
      kSheet + "like: h100\nstack: {launch: 9 us}\ncalibration:\n  - {precision: bf16, compute: 0.5}\n",
      "x.yaml");
  inherit(own);
  EXPECT_DOUBLE_EQ(own.stack.launch_s, 9e-6);
  EXPECT_DOUBLE_EQ(own.chip.calibration[size_t(Precision::Bf16)]->compute, 0.5);
  System lost = parse_system(kSheet + "like: h1000\n", "x.yaml");
  EXPECT_THAT(
      base::test::error_of([&] {
        inherit(lost);
      }),
      HasSubstr("'h1000' is no shipped system"));
}

}  // namespace
}  // namespace lento::predict
