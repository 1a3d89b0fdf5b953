// Judges a recorded period from files or a store: one verdict on slow, faulty or silent machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"
#include "fleet/scan/scan.h"
#include "fleet/source.h"

namespace lento::fleet {

struct FleetDiagnosisOptions {
  FleetSource source;
  ScanOptions scan;
  std::string expect;                  // prediction that the whole fleet is held against; "": none
  std::optional<double> judge_from_s;  // after the start; what lies before is only history
  std::string method = "lento";        // one of fleet_methods()
  std::string model;                   // minder: the models
  double threshold = 0;                // minder: 0 is the models' own
  size_t stride = 1;                   // minder: samples between windows
  unsigned threads = 1;
  bool strict = false;
};

// Judges the source. The outcome is CannotJudge when more than half of the records do not fit, when no group
// has enough peers, or when no window is filled. Throws base::Error for unreadable sources.
finding::Diagnosis diagnose_fleet(const FleetDiagnosisOptions& options, const base::Progress& progress = {});

// Judges a series that was read elsewhere.
finding::Diagnosis diagnose_fleet(
    const MetricSeries& series,
    const FleetDiagnosisOptions& options,
    const base::Progress& progress = {});

}  // namespace lento::fleet
