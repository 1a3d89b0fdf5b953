#include "spec/chip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
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

}  // namespace
}  // namespace lento::spec
