// Examines a store for a watch: metrics, machines, GPUs, jobs, steps and delays, what would be judged, what
// is missing, and which option helps.
#pragma once

#include "finding/finding.h"
#include "fleet/source.h"

namespace lento::fleet {

struct DoctorOptions {
  FleetSource source;  // metrics and exporters may be empty: every ready set is tried
  size_t min_peers = 4;
};

// Returns the outcome Answer when the job could be watched, CannotJudge with reason and remedy otherwise.
// Throws base::Error when the store does not answer.
finding::Diagnosis examine_store(const DoctorOptions& options);

}  // namespace lento::fleet
