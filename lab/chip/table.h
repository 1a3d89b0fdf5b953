// Tables and pictures of an evaluation.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "lab/chip/tally.h"

namespace lento::chip {

// Summarises the results by both ways of counting, with 95 % Wilson intervals: one row per workload and
// variant, the mean over the workloads, and all results together. Figures follow for each setting that the
// results vary: factors, recorders, probes. When all results are of the training split, the title states it.
finding::Diagnosis summarize(const std::vector<RunResult>& results, const std::string& title);

}  // namespace lento::chip
