// Fills a chip's sketch with a program on a tile beside each core (guests/tile/sketch.c) instead of in
// chip::Sketch.
//
// A record (chip::ProbeRecord) describes one operation or transfer of a core. It reaches the core's tile in
// the cycle in which the operation or transfer ends, at least one cycle after the previous record. The tile
// runs in the core's clock. While the program processes a record (the region main), further records wait in
// the tile's input queue or are dropped and counted. With TileRecorderOptions::wait the core waits instead,
// which costs it cycles.
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
  uint32_t queue = 0;  // records that may wait for a tile
  bool wait = false;   // cores wait for their tile, and no record is dropped
};

struct TileRecorderCounts {
  uint64_t records = 0;
  uint64_t dropped = 0;
  uint64_t cycles = 0;        // cycles in which main ran, over all tiles
  uint64_t worst_cycles = 0;  // longest run of main in cycles
  uint64_t waited = 0;        // cycles that cores waited for their tile
  uint32_t code_bytes = 0;
  uint32_t scratchpad_bytes = 0;
};

// Returns the counts as facts of a Diagnosis.
std::vector<std::pair<std::string, std::string>> recorder_facts(const TileRecorderCounts& counts);

class TileRecorder : public chip::SketchRecorder {
 public:
  // Throws base::Error when a shape does not fit the program's 8 KiB window.
  TileRecorder(
      std::span<const chip::SketchShape> shapes,
      const chip::SketchOptions& sketch,
      const TileRecorderOptions& options);

  Outcome record(const chip::ProbeRecord& record) override;

  // Lets every tile finish, finalizes it and reads its output. To be called once, after the last record.
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

// Returns the factory for ChipRecorderOptions::make.
chip::MakeRecorder make_tile_recorder(const TileRecorderOptions& options);

}  // namespace lento::desk
