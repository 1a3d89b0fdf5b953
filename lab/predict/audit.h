// Compares what expectations promise with public runs: the stated intervals with runs that were predicted
// without their source, and the limit of the hardware with every measured time.
#pragma once

#include <vector>

#include "lab/predict/field_fit.h"
#include "lab/promise/promise.h"

namespace lento::predict {

// Runs of one source resemble one another, so that an interval is judged by one run of each source, which is
// drawn by `seed`. The bound of a run is that of the other sources.
std::vector<lab::Promise> audit_intervals(const SoftwareTable& table, uint64_t seed);

// Audits the promise that no measured run is faster than its limit. One run in a hundred may break it,
// because reports may be wrong.
lab::Promise audit_limits(const std::vector<FieldCase>& cases);

}  // namespace lento::predict
