// The method of the Minder paper as a verdict (fleet/detect/minder.h).
#pragma once

#include "jobs/fleet_diagnosis.h"

namespace lento::jobs {

// From the first metric that reaches the verdict. Throws base::Error without a model.
finding::Diagnosis judge_by_minder(
    const trace::MetricSeries& series,
    const FleetDiagnosisOptions& options,
    const base::Progress& progress);

}  // namespace lento::jobs
