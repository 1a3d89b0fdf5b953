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
  // The most cycles that an emit at this point waits for values in the histogram pipeline
  // (HistogramUnit::busy) or for the accumulator read of a hist.rd. hist and hist.in set it to
  // kHistogramLatency. Every other instruction reduces it by one, hist.rd to no less than 1
  // (Explorer::count).
  uint32_t histogram_wait = 0;
  // Whether a hist.in may have taken an input. Then the arrival time that the program can load is no longer
  // that of the input which started main.
  bool streamed = false;
  // The values that branches on this path compared last, at most kMostCompared, with their bounds after the
  // comparison. They are kept when no register holds them any more.
  std::vector<AbstractValue> compared;
  // The values that the tracked cells (Tracked) had when Explorer::record() was called last, in the order of
  // ExploreOptions::tracked.
  std::vector<AbstractValue> before;
};

}  // namespace lento::tile
