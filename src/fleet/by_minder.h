// The method of the Minder paper as a verdict (fleet/minder/minder.h).
#pragma once

#include "fleet/diagnose.h"

namespace lento::fleet {

// Returns the verdict of the first metric that reaches one. Throws base::Error without a model.
finding::Diagnosis judge_by_minder(
    const MetricSeries& series,
    const FleetDiagnosisOptions& options,
    const base::Progress& progress);

}  // namespace lento::fleet
