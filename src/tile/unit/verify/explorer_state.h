// State of one path while a region is explored: registers, scratchpad, open calls, and the values that
// branches compared.
#pragma once

#include <array>
#include <vector>

#include "tile/unit/verify/scratchpad.h"

namespace lento::tile {

struct State {
  std::array<AbstractValue, 32> x;
  Scratchpad words;
  struct Call {
    uint32_t back;
    uint32_t entry;
  };
  std::vector<Call> calls;
  uint32_t pc = 0;
  // Upper bound of the instructions during which emit still has to wait for values in the histogram pipeline
  // (HistogramUnit::busy) or for an accumulator read.
  uint32_t filling = 0;
  // Whether hist.in may have taken an input, whose arrival is not that of the input which began the run.
  bool streamed = false;
  // The latest values that branches compared, with their bounds on this path, whether or not a register still
  // holds them.
  std::vector<AbstractValue> compared;
  // The values of the tracked cells (explorer.h) when their change was recorded last.
  std::vector<AbstractValue> before;
};

}  // namespace lento::tile
