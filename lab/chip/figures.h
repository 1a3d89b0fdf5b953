// Figures that an evaluation adds where its results vary something. Each gives nothing when they do not.
#pragma once

#include <string>
#include <vector>

#include "finding/figure.h"
#include "lab/chip/tally.h"

namespace lento::chip {

using Results = std::vector<RunResult>;
using Figures = std::vector<finding::Figure>;

std::string percent(double share);
std::string rate(uint64_t hits, uint64_t of);  // "97.4 (94.1 to 98.9), 304/312": with the 95 % interval

// By factor and variant: exactly right, and the smallest factor named in 95 % of cases when the threshold on
// the score lets 1 % of clean runs through.
Figures factor_figures(const Results& results, bool training);

// Score of a report against the share of reports with such a score that are right.
Figures calibration_figures(const Results& results, bool training);

// What recording costs: bytes raw, in the recorder and kept, and what the other methods must keep.
Figures memory_figures(const Results& results);

// Run time with probes against none.
Figures probe_figures(const Results& results);

// Run time against the clean runs of the same workload, by kind of component.
Figures slowdown_figures(const Results& results);

// Compression by every two settings that the recorders' labels vary ("sketch hashes=1,buckets=4"), the others
// averaged over.
Figures compression_figures(const Results& results);

// FailRank: iterations over all cases and the change by iteration.
Figures convergence_figures(const Results& results);

// Recorders by accuracy, compression and memory: the Pareto front, and the one with the least
// memory * share kept / accuracy.
Figures recorder_figures(const Results& results, bool training);

}  // namespace lento::chip
