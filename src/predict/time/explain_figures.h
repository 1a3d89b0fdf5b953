// Adds the figures of a prediction to its diagnosis: parts of the time, the roofline, timelines, placements,
// waiting times and sensitivities.
#pragma once

#include "finding/finding.h"
#include "predict/time/question.h"

namespace lento::predict {

// Adds the parts of the time of `what` as bars, longest first, in the unit in which format_quantity writes
// the longest.
void add_bars(
    finding::Diagnosis& d,
    const std::string& what,
    const std::vector<std::pair<std::string, double>>& parts);

// Draws the roofline of the chip on logarithmic axes and each kernel as a point under it.
void add_roofline(finding::Diagnosis& d, const System& system, const std::vector<Gemm>& kernels);

// Draws the forward pass kernel by kernel, with one track for each bound (compute, cache, memory, ...).
void add_timeline(finding::Diagnosis& d, const GraphRun& r, const GraphTime& t);

// Draws the schedule of one device of each pipeline stage, unless its spans would be too small to read.
void add_timeline(finding::Diagnosis& d, const TrainingRun& r, const TrainingTime& t);

// Adds a table that compares the orders in which ranks are laid out over the network.
void add_placements(finding::Diagnosis& d, const System& s, const TrainingRun& r);

// Adds the latencies at half, nine of ten and 99 of 100 requests.
void add_percentiles(finding::Diagnosis& d, const ServingTime& t);

// Adds two tables: the change of the time for 1 % more of each input, and the ratio for twice each size.
void add_sensitivities(finding::Diagnosis& d, const System& system, const Question& q);

}  // namespace lento::predict
