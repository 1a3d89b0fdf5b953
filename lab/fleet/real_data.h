// Measures the scan, and a ranking among peers, on recorded telemetry with its truth (shared/data/fleet or a
// folder laid out like it). The detector uses nothing of this. Each function reads, plants, judges, counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

struct RealOptions {
  std::string folder;  // with mlperf64/, hpas_runs/, asd12/, straggler/
  unsigned threads = 1;
  uint64_t seed = 1;
  int draws = 20;                      // hpas: fleets drawn for each fault segment
  double resample_days = 0;            // mlperf64: of healthy noise made of blocks of the runs
  ScanBudget budget{1, 30 * 86400.0};  // mlperf64
  int node_stride = 1;                 // mlperf64: every n-th node gets the planted loss
};

// Healthy runs must give no finding, and dc_watts x factor on one node from each onset must name it.
finding::TableFigure measure_mlperf64(const RealOptions& options, const base::Progress& progress);
// One fault segment of an odd run among 31 healthy segments of other runs, with metrics learned on even runs.
finding::TableFigure measure_hpas(const RealOptions& options, const base::Progress& progress);
// Twelve servers: rank of the only anomalous one, by segment.
finding::TableFigure measure_asd12(const RealOptions& options, const base::Progress& progress);
// Operation traces: AR names (dp 0, stage 0), ST names nobody.
finding::TableFigure measure_straggler(const RealOptions& options, const base::Progress& progress);

}  // namespace lento::fleet
