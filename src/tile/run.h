// A tile on a recording of a block's signals: what it did, and whether what the image declares held.
//
// Declared and kept: inputs come no closer than the arrival period, none is dropped while main runs (unless
// drops are declared), output stays below its rate, every region ends, no fault. Each breach is a finding
// with its count.
#pragma once

#include "base/progress.h"
#include "finding/finding.h"
#include "tile/load.h"

namespace lento::tile {

struct TileRunOptions {
  TileLoadOptions load;
  bool unsigned_image =
      false;  // run whatever the papers and the verifier say; the diagnosis says "unverified"
  // VCD and lento.tile-map/1
  std::string recording;
  std::string map;
  // files for the output bytes and the tile's own signals, "" for none
  std::string output;
  std::string wave;
  uint32_t queue = 0;        // inputs that may wait while main runs
  uint32_t tile_cycles = 1;  // tile cycles per cycle of the block
  bool strict = false;
};

// base::Error when the tile refuses the image.
finding::Diagnosis run_tile(const TileRunOptions& options, const base::Progress& progress);

}  // namespace lento::tile
