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
  std::string expect;                  // file of a prediction to compare the whole fleet with; "": none
  std::optional<double> judge_from_s;  // seconds after the start; earlier samples are only history
  std::string method = "lento";        // one of fleet_methods()
  std::string model;                   // minder: file of the trained models
  double threshold = 0;                // minder: score of a candidate; 0: each model's threshold
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
