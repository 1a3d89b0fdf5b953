// Differences between the chip that runs and the chip file that it is judged by. None of them is a fault: a
// diagnosis that names a part because of such a difference is wrong.
#pragma once

#include <cstdint>
#include <string>

#include "chip/map/grid.h"
#include "chip/map/twin.h"

namespace lento::chip {

// Relative differences of rates and bandwidths. Each run draws whether the chip is slower or faster than its
// file, with one sign for all rates of the run.
struct Mismatch {
  std::string name = "none";
  // 0.1: ten percent less, or more
  double links = 0;
  double dram = 0;
  double memory_units = 0;
  double cores = 0;
  double parts = 0;  // every part takes longer (or shorter) by a share of its own, 0 to twice this
  int buffers = 1;   // times as many segments in each buffer
  // Replaces the noise of the file. -1 keeps it.
  double noise_of_links = -1;
  double noise_of_cores = -1;
};

// Returns the chip that runs. `run` selects the draw.
Twin drawn(const Mismatch& mismatch, const spec::Chip& file, uint64_t run);

}  // namespace lento::chip
