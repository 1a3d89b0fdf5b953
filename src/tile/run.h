// Runs a tile on a recording of a block's signals and judges whether the image's declarations held.
//
// Declared limits: inputs come no closer than the arrival period, output stays below its rate, every region
// ends, no fault. Each breach is a finding. Every loss is a finding with the number of inputs or counts that
// are missing: inputs dropped while main ran, inputs of other clocks, increments of full accumulators, and
// changes of signals that another clock drives.
#pragma once

#include "base/progress.h"
#include "finding/finding.h"
#include "tile/load.h"

namespace lento::tile {

struct TileRunOptions {
  TileLoadOptions load;
  // Runs the image even when its signatures or the verifier reject it. Then a rejection by the verifier is a
  // finding.
  bool unsigned_image = false;
  // Paths of the recording (VCD, FST) and of the signal map (lento.tile-map/1).
  std::string recording;
  std::string map;
  // Instead of a map: a preset as NAME:PREFIX (tile/block/preset.h), and the name of the signal that is the
  // block's clock.
  std::string preset;
  std::string clock;
  std::string record;  // C struct of the output (tile/record.h), "" for none
  // Paths for the decoded rows, the output bytes and the tile's own signals; "": not written.
  std::string rows;
  std::string output;
  std::string wave;
  uint32_t queue = 0;        // inputs that may wait while main runs
  uint32_t tile_cycles = 1;  // tile cycles per cycle of the block's clock
  bool rtl = false;          // also run the RTL under Verilator, and compare
  bool strict = false;
};

// Runs the image on the whole recording and returns the findings, facts and figures. Throws base::Error when
// the tile refuses the image, or when the recording, map or record cannot be read.
finding::Diagnosis run_tile(const TileRunOptions& options, const base::Progress& progress);

}  // namespace lento::tile
