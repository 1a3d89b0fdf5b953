#include "spec/chip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "base/error.h"
#include "base/rng.h"
#include "base/test_error.h"

namespace lento::spec {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  return base::test::error_of([&] {
    parse_chip(text, "chip.yaml");
  });
}

TEST(Chip, WrittenAndReadBackIsTheSame) {
  Chip chip;
  chip.name = "three by five";
  chip.width = 3;
  chip.height = 5;
  chip.topology = Topology::Torus;
  chip.numbering = Numbering::Columns;
  chip.core.rate_deviation = 0.02;
  chip.network.segment_bytes = 4096;
  chip.network.transit_cv = 0;
  chip.probe.sketch_insert_cycles = 7;
  const std::string text = write_chip(chip);
  const Chip again = parse_chip(text, "again");
  EXPECT_EQ(write_chip(again), text);
  EXPECT_EQ(again.core_count(), 15);
  EXPECT_EQ(again.topology, Topology::Torus);
  EXPECT_EQ(again.network.segment_bytes, 4096);
}

TEST(Chip, EveryMistakeIsNamedAtOnce) {
  const std::string text =
      "schema: lento.chip/1\nwidth: 4\nheight: 0\nnetwork:\n  link_bytes_per_cycle: 0\n  segmant: 64 KiB\n";
  const std::string message = error_of(text);
  EXPECT_THAT(message, HasSubstr("chip.yaml:3:9"));
  EXPECT_THAT(message, HasSubstr("'link_bytes_per_cycle' is 0"));
  EXPECT_THAT(message, HasSubstr("did you mean 'segment'?"));
}

TEST(Chip, TooManyCoresAndTallRingsAreRefused) {
  EXPECT_THAT(error_of("schema: lento.chip/1\nwidth: 256\nheight: 256\n"), HasSubstr("65536 cores"));
  EXPECT_THAT(
      error_of("schema: lento.chip/1\nwidth: 4\nheight: 2\ntopology: ring\n"),
      HasSubstr("a ring has one row"));
}

TEST(Chip, ReadsTheReleasedForm) {
  const Chip chip = parse_chip(
      R"({"core":{"x":4,"y":2,"blk_size":10,"spm":{"size":2097152},"tpu":{"flops":512},"lsu":{"width":4}},
          "noc":{"type":"Mesh","link":{"width":8}},"mem":{"width":128}})",
      "arch.json");
  EXPECT_EQ(chip.width, 4);
  EXPECT_EQ(chip.height, 2);
  EXPECT_EQ(chip.numbering, Numbering::Columns);
  EXPECT_EQ(chip.core.ops_per_cycle, 512);
  EXPECT_EQ(chip.network.link_bytes_per_cycle, 8);
  EXPECT_THAT(error_of("{\"core\":{\"x\":4}}"), HasSubstr("noc"));
}

Chip drawn(uint64_t seed) {
  base::Rng rng(seed, "chip");
  const auto rate = [&] {
    return std::pow(10, rng.uniform(-6, 9));
  };
  const auto number = [&](uint64_t most) {
    return int(rng.below(most + 1));
  };
  Chip c;
  c.name = seed % 2 ? "a \"quoted\": name" : "x";
  c.width = 1 + number(99);
  c.height = 1 + number(99);
  c.topology = rng.below(2) ? Topology::Mesh : Topology::Torus;
  c.numbering = rng.below(2) ? Numbering::Rows : Numbering::Columns;
  c.clock_hz = std::pow(10, rng.uniform(3, 13));
  c.core = {rate(), rng.uniform(0, 0.3), 1 + number(4095), number(1000000), 1024 + number(1 << 30), rate()};
  c.network = {rate(), rng.uniform(0, 2), number(1000000), 64 + number(1 << 20), number(64)};
  c.memory_unit = {1 + number(63), rate()};
  c.dram = {rate(), number(1000000)};
  c.probe = {number(1000000), number(1 << 20), number(1000000)};
  return c;
}

TEST(Chip, AnyChipReadsBackToTheLastBit) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Chip chip = drawn(seed);
    const Chip back = parse_chip(write_chip(chip), "again");
    EXPECT_EQ(write_chip(back), write_chip(chip)) << seed;
    EXPECT_EQ(back.name, chip.name);
    EXPECT_EQ(back.clock_hz, chip.clock_hz);
    EXPECT_EQ(back.core.ops_per_cycle, chip.core.ops_per_cycle);
    EXPECT_EQ(back.core.rate_deviation, chip.core.rate_deviation);
    EXPECT_EQ(back.core.scratchpad_bytes, chip.core.scratchpad_bytes);
    EXPECT_EQ(back.network.segment_bytes, chip.network.segment_bytes);
    EXPECT_EQ(back.network.transit_cv, chip.network.transit_cv);
    EXPECT_EQ(back.memory_unit.bytes_per_cycle, chip.memory_unit.bytes_per_cycle);
    EXPECT_EQ(back.dram.latency_cycles, chip.dram.latency_cycles);
    EXPECT_EQ(back.probe.record_bytes, chip.probe.record_bytes);
  }
}

TEST(Chip, EveryNumberHasItsBounds) {
  const std::tuple<const char*, const char*, std::vector<const char*>, std::vector<const char*>> keys[] = {
      {"core", "issue_window", {"1", "4096"}, {"0", "4097", "1.5"}},
      {"core", "rate_deviation", {"0", "30 %"}, {"-1 %", "31 %"}},
      {"core", "ops_per_cycle", {"1e-6", "1e9"}, {"0", "1e10", "-1"}},
      {"core", "start_up_cycles", {"0", "1000000"}, {"-1", "1000001"}},
      {"core", "scratchpad", {"1 KiB", "1 TB"}, {"1 B", "2 TB", "1024"}},
      {"network", "transit_cv", {"0", "2"}, {"-0.1", "2.1"}},
      {"network", "router_cycles", {"0", "1000000"}, {"-1", "1000001"}},
      {"network", "segment", {"64 B", "16 MiB"}, {"63 B", "17 MiB"}},
      {"network", "buffer_segments", {"0", "64"}, {"-1", "65"}},
      {"memory_unit", "slots", {"1", "64"}, {"0", "65"}},
      {"dram", "latency_cycles", {"0", "1000000"}, {"-1", "1000001"}},
      {"probe", "clock_read_cycles", {"0", "1000000"}, {"-1", "1000001"}},
      {"probe", "record_bytes", {"0", "1048576"}, {"-1", "1048577"}}};
  for (const auto& [section, key, good, bad] : keys) {
    const auto with = [&, s = section, k = key](const char* value) {
      return error_of(
          std::string("schema: lento.chip/1\nwidth: 2\nheight: 2\n") + s + ":\n  " + k + ": " + value + "\n");
    };
    for (const char* value : good)
      EXPECT_EQ(with(value), "no error") << key << " " << value;
    for (const char* value : bad)
      EXPECT_THAT(with(value), HasSubstr("chip.yaml:5:")) << key << " " << value;
  }
}

TEST(Chip, TheReleasedFormNamesWhatIsWrongInIt) {
  const std::string whole =
      R"({"core":{"x":4,"y":2,"blk_size":10,"spm":{"size":2097152},"tpu":{"flops":512},"lsu":{"width":4}},)"
      R"("noc":{"type":"Mesh","link":{"width":8}},"mem":{"width":128}})";
  EXPECT_EQ(error_of(whole), "no error");
  const std::tuple<const char*, const char*, const char*> damages[] = {
      {"\"x\":4", "\"x\":0", "core.x: error: found 0"},
      {"\"flops\":512", "\"flops\":0", "core.tpu.flops: error: found 0, needed a rate above zero"},
      {"\"type\":\"Mesh\"", "\"type\":\"Star\"", "noc.type: error: network type 'Star' is not known"},
      {"\"size\":2097152", "\"size\":10", "core.spm.size: error: found 10"},
      {"\"width\":8", "\"wide\":8", "noc.link: error: 'width' is missing"}};
  for (const auto& [from, to, message] : damages) {
    std::string text = whole;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_THAT(error_of(text), HasSubstr(message)) << to;
  }
}

}  // namespace
}  // namespace lento::spec
