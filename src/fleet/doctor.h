// Examines a metric store before a watch: its metrics, machines, GPUs, jobs, scrape intervals and delays,
// which data are missing, and which options help.
#pragma once

#include "finding/finding.h"
#include "fleet/source.h"

namespace lento::fleet {

struct DoctorOptions {
  FleetSource source;  // without metrics and exporters, the metrics of every known exporter are tried
  size_t min_peers = 4;
};

// Returns the outcome Answer when the job could be watched, CannotJudge with reason and remedy otherwise.
// Throws base::Error when the store does not answer.
finding::Diagnosis examine_store(const DoctorOptions& options);

}  // namespace lento::fleet
