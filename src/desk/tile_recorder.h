// The recorder as a program of a tile beside each core (guests/tile/sketch.c), in place of chip::Sketch.
//
// A record reaches its core's tile in the cycle that it ends, one cycle after the record before it at the
// earliest; the tile runs in the core's clock. While main runs, further records wait in the tile's input
// queue or are dropped and counted; or the core waits (TileRecorderOptions::wait), which costs it cycles.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chip/diagnose.h"
#include "chip/read/probe_record.h"
#include "tile/unit/tile.h"

namespace lento::desk {

struct TileRecorderOptions {
  uint32_t queue = 0;  // whole records that may wait in front of a tile
  bool wait = false;   // the core waits until its tile is free; nothing is dropped
};

struct TileRecorderCounts {
  uint64_t records = 0;
  uint64_t dropped = 0;
  uint64_t cycles = 0;        // that main ran, all tiles
  uint64_t worst_cycles = 0;  // of one run of main
  uint64_t waited = 0;        // cycles that cores waited
  uint32_t code_bytes = 0;
  uint32_t scratchpad_bytes = 0;
};

// For the facts of a Diagnosis.
std::vector<std::pair<std::string, std::string>> recorder_facts(const TileRecorderCounts& counts);

class TileRecorder : public chip::SketchRecorder {
 public:
  // Throws base::Error when a shape does not fit the program's 8 KiB window.
  TileRecorder(
      std::span<const chip::SketchShape> shapes,
      const chip::SketchOptions& sketch,
      const TileRecorderOptions& options);

  Outcome record(const chip::ProbeRecord& record) override;

  // Lets every tile end its work, finalizes it and reads what it sends. Call once, after the last record.
  chip::Sketch finish() override;
  std::vector<std::pair<std::string, std::string>> facts() const override {
    return recorder_facts(counts_);
  }
  const TileRecorderCounts& counts() const {
    return counts_;
  }

 private:
  struct Core {
    std::unique_ptr<tile::Tile> tile;
    uint64_t now = 0;
  };
  void configure(Core& core, const chip::SketchShape& shape);
  void run_until_idle(Core& core);

  std::vector<chip::SketchShape> shapes_;
  chip::SketchOptions sketch_;
  TileRecorderOptions options_;
  std::vector<Core> cores_;
  TileRecorderCounts counts_;
};

// For ChipRecorderOptions::make.
chip::MakeRecorder make_tile_recorder(const TileRecorderOptions& options);

}  // namespace lento::desk
