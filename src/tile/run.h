// Runs a tile on a recording of a block's signals and judges whether the image's declarations held.
//
// Declared limits: inputs come no closer than the arrival period, none is dropped while main runs (unless
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
  // Paths of the VCD recording and of its map (lento.tile-map/1).
  std::string recording;
  std::string map;
  // Paths for the output bytes and for the tile's own signals, "" for none.
  std::string output;
  std::string wave;
  uint32_t queue = 0;        // inputs that may wait while main runs
  uint32_t tile_cycles = 1;  // tile cycles per cycle of the block
  bool strict = false;
};

// Runs the tile. Throws base::Error when the tile refuses the image.
finding::Diagnosis run_tile(const TileRunOptions& options, const base::Progress& progress);

}  // namespace lento::tile
