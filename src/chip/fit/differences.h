// How a recorded run differs from simulated ones, pattern by pattern, and what each part of the chip would
// have to do with it.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/detect/cells.h"
#include "chip/detect/path.h"
#include "chip/sketch/sketch.h"

namespace lento::chip {

// Of one transfer pattern, recorded over simulated, in octaves: its fastest transfer and its median one.
struct Difference {
  int row = 0;  // of the recorded cells
  double octaves = 0;
  double deviation = 0;  // of a healthy run from a simulated one, one standard deviation
};

// Of the operations of one core, weighted by their length.
struct CoreDifference {
  int core = 0;
  double octaves = 0;
  double cycles = 0;  // that the operations took, about
};

struct Differences {
  std::vector<Difference> transfers;
  std::vector<CoreDifference> cores;
  // By draw: the same transfers of that draw against the other draws, as if it had been recorded. What these
  // show is what chance makes of a chip that is just like its twin. None of fewer than three draws.
  std::vector<std::vector<Difference>> by_chance;
};

// Precondition: two draws at least, of the mapping that was recorded.
Differences differences_of(
    const Sketch& recorded,
    const Cells& cells,
    const std::vector<Sketch>& draws,
    const Grid& grid);

}  // namespace lento::chip
