// Runs the sketch program on one tile for each core. Each record (chip::ProbeRecord) enters its core's tile
// in the cycle ProbeRecord::end, or in the next free one, and the tile runs until the end of the next record.
// Afterwards each tile is finalized, and the bytes that it sends become a Sketch. Cost: one step of the
// tile's simulation for each cycle in which a tile is busy.
#include "desk/tile_recorder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/units.h"
#include "tile/build.h"
#include "tile/unit/build.h"
#include "tile/unit/sketch_abi.h"

namespace lento::desk {
namespace {

constexpr uint32_t kRecordWords = 0x3ff;    // IORegs 0 to 9
constexpr uint64_t kPatience = 10'000'000;  // cycles; the verifier bounds main below this

bool busy(const tile::Tile& tile) {
  return tile.status() == tile::Status::ActiveRunning || !tile.idle();
}

// Throws base::Error when the sketch does not fit the tile's memory.
void check_shape(const chip::SketchShape& s) {
  const bool fits = s.bytes() <= SKETCH_WINDOW && s.hashes <= SKETCH_MOST_HASHES &&
                    s.episodes <= SKETCH_MOST_EPISODES && s.computes <= SKETCH_MOST_SLOTS &&
                    s.transfers <= SKETCH_MOST_SLOTS && s.bins >= 4 && s.bins <= SKETCH_MOST_BINS &&
                    s.octaves <= 2;
  if (!fits)
    throw base::Error(
        {},
        "a recorder of " + std::to_string(s.bytes()) + " bytes does not fit the tile's program",
        "use a budget of 512 to 8192 bytes");
}

// Returns the parameters of the tile's program for one core.
sketch_parameters parameters_of(const chip::SketchShape& s, const chip::SketchOptions& o, uint32_t core) {
  const chip::CoreSketch fresh(s, o, core);
  const uint32_t entries = SKETCH_STATE_BYTES + s.hashes * s.buckets * uint32_t{SKETCH_BUCKET_BYTES};
  const uint32_t bins = entries + (s.computes + s.transfers) * uint32_t{SKETCH_ENTRY_BYTES};
  const uint32_t episodes = bins + s.transfers * s.bins * uint32_t{SKETCH_BIN_BYTES};
  sketch_parameters p = {};
  p.hashes = uint16_t(s.hashes);
  p.buckets = uint16_t(s.buckets);
  p.computes = uint16_t(s.computes);
  p.transfers = uint16_t(s.transfers);
  p.entries_at = uint16_t(entries);
  p.bins_at = uint16_t(bins);
  p.episodes_at = uint16_t(episodes);
  p.end = uint16_t(episodes + s.episodes * uint32_t{SKETCH_EPISODE_BYTES});
  p.log_bins = uint8_t(std::countr_zero(s.bins));
  p.episodes = uint8_t(s.episodes);
  p.bin_shift = uint8_t(std::countr_zero(fresh.bin_cycles()));
  p.coarse = uint8_t(s.octaves - 1);
  p.threshold = o.threshold;
  p.eviction = uint8_t(o.eviction);
  p.as_printed = o.as_printed;
  p.nominal = uint16_t(fresh.nominal_level());
  p.random = fresh.random();
  p.salt = p.random * 0x9e3779b9u;
  p.kind = SKETCH_CONFIGURE;
  return p;
}

// Returns the record as inputs of the tile.
template <class Record>
tile::TileInputs inputs_of(const Record& record) {
  static_assert(sizeof record == 40, "ten IORegs");
  tile::TileInputs in;
  in.valid = kRecordWords;
  std::memcpy(in.data.data(), &record, sizeof record);
  return in;
}

// Ends the program and returns what it sends.
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
  const auto runs = double(std::max<uint64_t>(counts.records - counts.dropped, 1));
  return {
      {"records that reached the tiles", std::to_string(counts.records)},
      {"records lost because a tile was busy", std::to_string(counts.dropped)},
      {"tile cycles a record, mean", base::format_number(double(counts.cycles) / runs, 4)},
      {"tile cycles a record, most", std::to_string(counts.worst_cycles)},
      {"cycles that cores waited", std::to_string(counts.waited)},
      {"tile program",
       std::to_string(counts.code_bytes / 4) + " instructions, " + std::to_string(counts.scratchpad_bytes) +
           " bytes of data"}};
}

TileRecorder::TileRecorder(
    std::span<const chip::SketchShape> shapes,
    const chip::SketchOptions& sketch,
    const TileRecorderOptions& options)
    : shapes_(shapes.begin(), shapes.end()),
      sketch_(sketch),
      options_(options) {
  for (const chip::SketchShape& shape : shapes_)
    check_shape(shape);
  const tile::Image image = tile::shipped_build("sketch.c").image;
  counts_.code_bytes = 4 * tile::tile_instructions(image);
  counts_.scratchpad_bytes = uint32_t(image.data.size());
  for (const chip::SketchShape& shape : shapes_) {
    Core core;
    core.tile = std::make_unique<tile::Tile>(tile::TileOptions{64, options.wait ? 0 : options.queue});
    core.tile->config_image(image);
    core.tile->resume();
    while (core.tile->status() != tile::Status::ActivePaused)
      core.tile->step(nullptr);
    configure(core, shape);
    cores_.push_back(std::move(core));
  }
}

void TileRecorder::configure(Core& core, const chip::SketchShape& shape) {
  const tile::TileInputs in = inputs_of(parameters_of(shape, sketch_, uint32_t(cores_.size())));
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

// Gives a record to the tile of its core. Returns whether it was dropped, and the cycles that the core
// waited.
chip::RecordSink::Outcome TileRecorder::record(const chip::ProbeRecord& record) {
  if (record.core >= cores_.size())
    return {0, true};
  Core& core = cores_[record.core];
  Outcome outcome;
  if (options_.wait) {
    run_until_idle(core);
    if (core.now > record.end) {
      outcome.cost_cycles = uint32_t(std::min<uint64_t>(core.now - record.end, UINT32_MAX));
      counts_.waited += outcome.cost_cycles;
    }
  }
  for (; core.now < record.end && busy(*core.tile); ++core.now)
    core.tile->step(nullptr);
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
      throw base::Error(
          {"sketch.c"},
          "the recorder's program stopped: " + std::string(tile::fault_name(tile.fault().cause)));
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

chip::MakeRecorder make_tile_recorder(const TileRecorderOptions& options) {
  return [options](std::span<const chip::SketchShape> shapes, const chip::SketchOptions& sketch) {
    return std::make_unique<TileRecorder>(shapes, sketch, options);
  };
}

}  // namespace lento::desk
