// The recorder as a tile program against the recorder in C++, bit for bit.
#include "desk/tile_recorder.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/rng.h"
#include "chip/detect/detect.h"
#include "chip/map/file/map_file.h"
#include "chip/sim/simulate.h"

namespace lento::desk {
namespace {

using chip::ProbeKind;
using chip::ProbeRecord;

// Records of two cores with many patterns, slow stretches, sizes from 0 to 2^63 and gaps that widen the bins.
std::vector<chip::ProbeRecord> random_records(uint64_t seed, size_t count) {
  base::Rng rng(seed, "tile.recorder");
  std::vector<chip::ProbeRecord> out;
  uint64_t now = 0;
  for (size_t i = 0; i < count; ++i) {
    chip::ProbeRecord r;
    r.kind = static_cast<chip::ProbeKind>(rng.below(4));
    r.layer = uint32_t(rng.below(40));
    r.peer = uint16_t(rng.below(12));
    r.core = uint16_t(rng.below(2));
    r.inference = uint32_t(i / 100);
    r.work = rng.below(20) == 0 ? rng.next() >> rng.below(64) : 1000 + rng.below(64);
    now += rng.below(200) == 0 ? rng.below(1u << 22) : rng.below(3000);
    const uint64_t took = rng.below(10) == 0 ? rng.below(1u << 20) : 1 + rng.below(200);
    r.begin = now - std::min(now, took), r.end = now;
    out.push_back(r);
  }
  return out;
}

struct Shape {
  chip::SketchShape shape;
  chip::Eviction eviction;
  bool as_printed;
  uint64_t bin_cycles;
};

TEST(TileRecorder, RandomStreamsGiveTheStateOfTheSketch) {
  using chip::Eviction;
  const Shape shapes[] = {
      {{2, 8, 16, 16, 64, 8}, Eviction::Earliest, false, 1 << 16},
      {{2, 4, 5, 6, 16, 3}, Eviction::Healthiest, false, 256},
      {{3, 8, 8, 8, 32, 1}, Eviction::LeastFrequent, true, 4096},
      {{1, 16, 40, 30, 4, 2}, Eviction::Random, false, 1 << 12},
      {{0, 0, 40, 90, 16, 0}, Eviction::Earliest, false, 1 << 20},
      {{0, 0, 7, 9, 32, 4}, Eviction::Random, false, 1 << 16},
      {{0, 0, 6, 5, 16, 8}, Eviction::Earliest, true, 1 << 14}};
  uint64_t seed = 1;
  for (const Shape& s : shapes) {
    chip::SketchOptions options;
    options.eviction = s.eviction, options.as_printed = s.as_printed, options.bin_cycles = s.bin_cycles;
    options.ops_per_cycle = 16, options.budget_bytes = 8192;
    const std::vector<chip::SketchShape> cores(2, s.shape);
    chip::Sketch sketch(cores, options);
    TileRecorder recorder(cores, options, {0, true});
    for (const chip::ProbeRecord& r : random_records(seed++, 6000)) {
      sketch.record(r);
      EXPECT_FALSE(recorder.record(r).dropped);
    }
    EXPECT_EQ(chip::encode_sketch(recorder.finish()), chip::encode_sketch(sketch)) << "shape " << seed - 2;
    if (s.shape.transfers < 10) {
      EXPECT_GT(sketch.evictions(), 0u) << "shape " << seed - 2;
    }
  }
}

// A sink that keeps what the tile did not drop, for the sketch in C++.
class Kept : public chip::RecordSink {
 public:
  Kept(TileRecorder& recorder, chip::Sketch& sketch)
      : recorder_(recorder),
        sketch_(sketch) {
  }
  Outcome record(const chip::ProbeRecord& r) override {
    const Outcome outcome = recorder_.record(r);
    if (!outcome.dropped)
      sketch_.record(r);
    return outcome;
  }

 private:
  TileRecorder& recorder_;
  chip::Sketch& sketch_;
};

TEST(TileRecorder, ARealRunGivesTheStateOfTheSketch) {
  const spec::Chip chip = spec::read_chip("examples/chip/4x4.yaml");
  const chip::Program program =
      expand(chip::read_map("examples/chip/tiny.map.json"), chip, "examples/chip/tiny.map.json");
  chip::SketchOptions options;
  options.ops_per_cycle = chip.core.ops_per_cycle;
  auto shapes = chip::plan_shapes(chip::count_patterns(program, chip), options);
  for (const TileRecorderOptions tile : {TileRecorderOptions{0, false}, {4, false}, {0, true}}) {
    for (chip::SketchShape& shape : shapes)
      shape.octaves = tile.wait ? chip::kCoarseOctaves : 1;
    chip::Sketch sketch(shapes, options);
    TileRecorder recorder(shapes, options, tile);
    Kept sink(recorder, sketch);
    chip::Options run;
    run.inferences = 20;
    const chip::Result result = simulate(chip::Model(chip, program), {}, run, &sink);
    EXPECT_EQ(result.dropped, recorder.counts().dropped);
    EXPECT_EQ(chip::encode_sketch(recorder.finish()), chip::encode_sketch(sketch));
    EXPECT_GT(recorder.counts().records, 1000u);
    if (tile.wait) {
      EXPECT_EQ(recorder.counts().dropped, 0u);
    }
  }
}

TEST(TileRecorder, ABudgetBeyondItsWindowIsRefused) {
  const chip::SketchShape large = {2, 64, 127, 127, 64, 8};
  EXPECT_THROW(TileRecorder(std::span(&large, 1), {}, {}), base::Error);
}

}  // namespace
}  // namespace lento::desk
