// One path while a region is explored: its state (registers, scratchpad, open calls, and the values that
// branches compared), its cost, and its place in the order of exploration.
#pragma once

#include <array>
#include <vector>

#include "tile/unit/verify/path_cost.h"
#include "tile/unit/verify/scratchpad.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {

struct State {
  std::array<AbstractValue, 32> x;
  Scratchpad words;
  struct Call {
    uint32_t back;
    uint32_t entry;
    size_t place = 0;  // index of its first number in Path::place
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

struct Path {
  State state;
  PathCost cost;  // from the begin of the region
  // Paths are continued in the order of their places, and those of one place are joined. A place has for each
  // open call the head and the round of each loop around the instruction, and the rank of the instruction
  // (VisitOrder). With Join::AtEnd it has a number of the path instead.
  std::vector<uint32_t> place;
  std::vector<BranchStep> branches;  // on all paths that were joined in this one
  uint32_t joined = 0;               // paths that were joined in this one at its place
};

}  // namespace lento::tile
