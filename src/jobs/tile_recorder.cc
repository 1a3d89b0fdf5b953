#include "jobs/tile_recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/units.h"
#include "tile/unit/build.h"

namespace lento::jobs {
namespace {

// As in guests/tile/sketch.c.
constexpr uint32_t kWindowBytes = 0x2000, kMostHashes = 4, kMostEpisodes = 8, kMostSlots = 127,
                   kMostBins = 64;
constexpr uint32_t kConfigure = 255;
constexpr uint64_t kPatience = 10'000'000;  // cycles; the verifier bounds main below this

bool busy(const tile::Tile& tile) { return tile.status() == tile::Status::ActiveRunning || !tile.idle(); }

uint32_t pair(uint32_t low, uint32_t high) { return low | high << 16; }

void check_shape(const chip::SketchShape& s) {
  const bool fits = s.bytes() <= kWindowBytes && s.hashes <= kMostHashes && s.episodes <= kMostEpisodes &&
                    s.computes <= kMostSlots && s.transfers <= kMostSlots && s.bins >= 4 &&
                    s.bins <= kMostBins && s.octaves <= 2;
  if (!fits)
    throw base::Error({},
                      "a recorder of " + std::to_string(s.bytes()) + " bytes does not fit the tile's program",
                      "use a budget of 512 to 8192 bytes");
}

// What the program's struct parameters holds.
tile::TileInputs parameters(const chip::SketchShape& s, const chip::SketchOptions& o) {
  const chip::CoreSketch fresh(s, o);
  const uint32_t entries = 32 + s.hashes * s.buckets * 16u;
  const uint32_t bins = entries + (s.computes + s.transfers) * 24u;
  const uint32_t episodes = bins + s.transfers * s.bins * 3u, end = episodes + s.episodes * 16u;
  tile::TileInputs in;
  in.valid = 0x3ff;
  in.data[0] = pair(s.hashes, s.buckets), in.data[1] = pair(s.computes, s.transfers);
  in.data[2] = pair(entries, bins), in.data[3] = pair(episodes, end);
  in.data[4] = static_cast<uint32_t>(std::countr_zero(s.bins)) | s.episodes << 8u |
               static_cast<uint32_t>(std::countr_zero(fresh.bin_cycles())) << 16 | (s.octaves - 1u) << 24;
  in.data[5] = o.threshold;
  in.data[6] = static_cast<uint32_t>(o.eviction) | uint32_t{o.as_printed} << 8 | fresh.nominal_level() << 16u;
  in.data[9] = kConfigure;
  return in;
}

tile::TileInputs inputs_of(const trace::ProbeRecord& record) {
  tile::TileInputs in;
  in.valid = 0x3ff;
  std::memcpy(in.data.data(), &record, sizeof record);
  return in;
}

std::string finalize(tile::Tile& tile) {
  tile.finalize();
  std::string sent;
  uint64_t cycles = 0;
  do {
    LENTO_CHECK(++cycles < kPatience, "the recorder's program does not finish");
    tile.step(nullptr);
    sent += tile.drain(4);
  } while (tile.status() != tile::Status::Paused || busy(tile) || tile.output_waiting() > 0);
  return sent;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> recorder_facts(const TileRecorderCounts& counts) {
  const auto runs = static_cast<double>(std::max<uint64_t>(counts.records - counts.dropped, 1));
  return {{"records that reached the tiles", std::to_string(counts.records)},
          {"records lost because a tile was busy", std::to_string(counts.dropped)},
          {"tile cycles a record, mean", base::format_number(static_cast<double>(counts.cycles) / runs, 4)},
          {"tile cycles a record, most", std::to_string(counts.worst_cycles)},
          {"cycles that cores waited", std::to_string(counts.waited)},
          {"tile program", std::to_string(counts.code_bytes / 4) + " instructions, " +
                               std::to_string(counts.scratchpad_bytes) + " bytes of data"}};
}

TileRecorder::TileRecorder(std::span<const chip::SketchShape> shapes, const chip::SketchOptions& sketch,
                           const TileRecorderOptions& options)
    : shapes_(shapes.begin(), shapes.end()), sketch_(sketch), options_(options) {
  for (const chip::SketchShape& shape : shapes_) check_shape(shape);
  const tile::Image image = tile::build_program(tile::shipped_source("sketch.c"), "sketch.c").image;
  // Between main and finish lie words of zeros.
  for (size_t at = 0; at + 4 <= image.code.size(); at += 4)
    counts_.code_bytes += image.code.compare(at, 4, std::string(4, '\0')) != 0 ? 4 : 0;
  counts_.scratchpad_bytes = static_cast<uint32_t>(image.data.size());
  for (const chip::SketchShape& shape : shapes_) {
    Core core;
    core.tile = std::make_unique<tile::Tile>(tile::TileOptions{64, options.wait ? 0 : options.queue});
    core.tile->config_image(image);
    core.tile->resume();
    while (core.tile->status() != tile::Status::ActivePaused) core.tile->step(nullptr);
    configure(core, shape);
    cores_.push_back(std::move(core));
  }
}

void TileRecorder::configure(Core& core, const chip::SketchShape& shape) {
  const tile::TileInputs in = parameters(shape, sketch_);
  core.tile->step(&in);
  run_until_idle(core);
  core.now = 0;
}

void TileRecorder::run_until_idle(Core& core) {
  for (uint64_t n = 0; busy(*core.tile); ++n, ++core.now) {
    LENTO_CHECK(n < kPatience, "the recorder's program does not end");
    core.tile->step(nullptr);
  }
}

trace::RecordSink::Outcome TileRecorder::record(const trace::ProbeRecord& record) {
  if (record.core >= cores_.size()) return {0, true};
  Core& core = cores_[record.core];
  Outcome outcome;
  if (options_.wait) {
    run_until_idle(core);
    if (core.now > record.end) {
      outcome.cost_cycles = static_cast<uint32_t>(std::min<uint64_t>(core.now - record.end, UINT32_MAX));
      counts_.waited += outcome.cost_cycles;
    }
  }
  while (core.now < record.end && busy(*core.tile)) core.tile->step(nullptr), ++core.now;
  core.now = std::max(core.now, record.end) + 1;
  const uint64_t before = core.tile->counters().total_dropped();
  const tile::TileInputs in = inputs_of(record);
  core.tile->step(&in);
  outcome.dropped = core.tile->counters().total_dropped() != before;
  ++counts_.records;
  counts_.dropped += outcome.dropped;
  return outcome;
}

chip::Sketch TileRecorder::finish() {
  std::vector<std::string> states;
  uint32_t inferences = 0;
  for (Core& core : cores_) {
    tile::Tile& tile = *core.tile;
    run_until_idle(core);
    if (tile.fault().cause != tile::FaultCause::None)
      throw base::Error({"sketch.c"}, "the recorder's program stopped: " +
                                          std::string(tile::fault_name(tile.fault().cause)));
    counts_.cycles += tile.counters().active_cycles;
    counts_.worst_cycles = std::max(counts_.worst_cycles, tile.counters().worst_main_cycles);
    const std::string sent = finalize(tile);
    uint32_t seen = 0;
    LENTO_CHECK(sent.size() >= sizeof seen, "the recorder's program sent nothing");
    std::memcpy(&seen, sent.data(), sizeof seen);
    inferences = std::max(inferences, seen);
    states.push_back(sent.substr(sizeof seen));
  }
  return chip::sketch_from_states(shapes_, sketch_, inferences, states);
}

}  // namespace lento::jobs
