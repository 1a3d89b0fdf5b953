// Bounds what many runs of main cost together: bytes of output, and inputs lost while main runs.
//
// A summary every 256 inputs makes one run in 256 long. The paths of main that change the tracked cells alike
// are one kind of run. The mix of kinds with the highest cost is a linear program: on average a counter stays
// where it is, and a clock advances by no more than the cycles that pass. Its dual variables are potentials:
// each run pays its cost plus the change of price times cell, and over many runs these changes cancel. The
// bound follows from the potentials alone, so it holds however exact the program was solved.
// Source: Hoffmann and Jost, "Static prediction of heap space usage", 2003 (amortised cost as potential).
#pragma once

#include <vector>

#include "tile/unit/verify/explorer.h"

namespace lento::tile {

struct ManyRuns {
  std::vector<Tracked> tracked;
  std::vector<int64_t> spans;  // most that the counter can differ between two runs
  std::vector<RunKind> kinds;  // at least one, changes in the order of `tracked`
};

// Sets the output rate of main over many runs that begin at least `shortest` cycles apart.
void bound_output(const ManyRuns& runs, uint64_t shortest, RegionReport& main);

// Sets the largest share of inputs that is lost when they come every `arrival` cycles, and the mix of long
// runs for which it is reached.
void bound_drops(const ManyRuns& runs, uint64_t arrival, VerifyReport& report);

}  // namespace lento::tile
