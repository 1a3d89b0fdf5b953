// Measures the cost of each slow component: every component of a chip, one run each, against the healthy run
// of the same seed (the noise is paired, see noise.h).
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "chip/sim/simulate.h"

namespace lento::chip {

struct SweepRow {
  Fault fault;
  uint64_t cycles = 0;
  double slowdown = 1;  // of total time
  uint64_t events = 0;  // operations, transfers and segments that started while it was slow
};

struct Sweep {
  uint64_t healthy_cycles = 0;
  std::vector<SweepRow> rows;  // cores, links, routers, memory units, DRAM ports, each by number
  bool complete = true;        // false when stopped: then the rows are those that were done
};

// Runs the sweep. Links count once per pair of neighbours, because a link fault slows both directions. Runs
// go side by side on `threads` threads (0: all cores), and the result does not depend on their number.
Sweep sweep(
    const Model& model,
    double factor,
    const Options& options,
    unsigned threads,
    const base::Progress& progress = {});

}  // namespace lento::chip
