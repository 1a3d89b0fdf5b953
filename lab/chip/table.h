// Tables and pictures of an evaluation.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "lab/chip/tally.h"

namespace lento::chip {

// Both countings with 95 % Wilson intervals, one row a workload and variant, the mean over workloads and all
// together; then whatever the results vary: factors, recorders, probes. Results that hold the training split
// alone are shown as such.
finding::Diagnosis summarize(const std::vector<RunResult>& results, const std::string& title);

}  // namespace lento::chip
