// Compares what the verifier of tile programs promises with what the programs do on the cycle model.
//
// Programs are drawn as people write them: a histogram, a largest value or a number of ones for each input,
// and a summary after a number of inputs, in a window of time, or when a value asks for it. Each runs at its
// declared distance of inputs, which is drawn between its shortest run and its longest.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "lab/promise/promise.h"

namespace lento::lab {

struct TileAuditOptions {
  int programs = 100;
  uint64_t seed = 1;
};

// Needs the compiler of `lento tile build`.
std::vector<Promise> audit_tile(const TileAuditOptions& options, const base::Progress& progress = {});

// Returns the C source of a drawn program whose inputs come every `arrival` cycles.
std::string drawn_tile_program(uint64_t seed, uint32_t arrival);

}  // namespace lento::lab
