// The method of the Minder paper as a verdict (fleet/minder/minder.h).
#pragma once

#include "fleet/diagnose.h"

namespace lento::fleet {

// From the first metric that reaches the verdict. Throws base::Error without a model.
finding::Diagnosis judge_by_minder(
    const MetricSeries& series,
    const FleetDiagnosisOptions& options,
    const base::Progress& progress);

}  // namespace lento::fleet
