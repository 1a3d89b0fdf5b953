// Figures that an evaluation adds for each setting that its results vary. They are empty when it does not
// vary.
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

// Tabulates by factor and variant the share of exactly right results, and the smallest factor that is named
// in 95 % of cases when the threshold on the score passes 1 % of the clean runs.
Figures factor_figures(const Results& results, bool training);

// Plots the score of a report against the share of reports with such a score that are right.
Figures calibration_figures(const Results& results, bool training);

// Compares the cost of recording: raw bytes, bytes in the recorder, bytes in use, and bytes that the other
// methods must keep.
Figures memory_figures(const Results& results);

// Compares the run time with probes and without.
Figures probe_figures(const Results& results);

// Compares the run time with that of the clean runs of the same workload, by kind of component.
Figures slowdown_figures(const Results& results);

// Plots compression over every two settings that the recorders' labels vary ("sketch hashes=1,buckets=4"),
// averaged over the other settings.
Figures compression_figures(const Results& results);

// Plots the iterations of FailRank over all cases, and the change in each iteration.
Figures convergence_figures(const Results& results);

// Compares recorders by accuracy, compression and memory: the Pareto front, and the recorder with the least
// memory * share kept / accuracy.
Figures recorder_figures(const Results& results, bool training);

}  // namespace lento::chip
