// Bounds what many runs of main cost together. The cost of a run is the bytes that it sends, or the inputs
// that are lost while it runs.
//
// With a summary every 256 inputs, one run in 256 is long. A linear program finds how often each kind of run
// (RunKind) can occur: over many runs, the changes of a counter (Tracked) sum to 0, and those of a clock to
// no more than the cycles that pass. Its dual variables are a price for each tracked cell, in cost per unit
// of change. A run is charged its cost less price times change. Over many runs, the changes of counters
// cancel, and those of clocks are at most the time that passes, so the charges and the price of that time
// bound the whole cost. This holds for any prices of at least 0, so it does not depend on how exactly the
// program was solved. Source: Hoffmann and Jost, "Static prediction of heap space usage", 2003 (amortised
// cost as potential).
#pragma once

#include <vector>

#include "tile/unit/verify/explorer.h"

namespace lento::tile {

struct ManyRuns {
  std::vector<Tracked> tracked;
  std::vector<int64_t> spans;  // most that the counter can differ between two runs
  std::vector<RunKind> kinds;  // at least one, changes in the order of `tracked`
};

// Sets the output of main over many runs that begin at least `shortest` tile cycles apart: bytes_per_run,
// window_bytes, window_cycles and burst of `main`. Changes nothing when this is no better than the bound of a
// single run.
void bound_output(const ManyRuns& runs, uint64_t shortest, RegionReport& main);

// Sets, for inputs that come every `arrival` tile cycles, the largest share that is lost
// (predicted_drop_share, drop_burst of `report`), and the mix of long and short runs with that share
// (LongRuns).
void bound_drops(const ManyRuns& runs, uint64_t arrival, VerifyReport& report);

}  // namespace lento::tile
