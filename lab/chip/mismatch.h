// How the chip that runs differs from the file that it is judged by. Nothing here is a fault: a diagnosis
// that names a part for such a difference is wrong.
#pragma once

#include <cstdint>
#include <string>

#include "chip/map/grid.h"
#include "chip/map/twin.h"

namespace lento::chip {

// Shares of a rate or bandwidth. Each run draws whether the chip is slower or faster than its file; one sign
// for all of a run.
struct Mismatch {
  std::string name = "none";
  // 0.1: ten percent less, or more
  double links = 0;
  double dram = 0;
  double memory_units = 0;
  double cores = 0;
  double parts = 0;  // every part takes longer (or shorter) by a share of its own, 0 to twice this
  int buffers = 1;   // times as many segments in each buffer
  // instead of the file's; -1: as the file says
  double noise_of_links = -1;
  double noise_of_cores = -1;
};

// The chip that runs; `run` picks the draw.
Twin drawn(const Mismatch& mismatch, const spec::Chip& file, uint64_t run);

}  // namespace lento::chip
