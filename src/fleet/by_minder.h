// Judges a fleet by the method of the Minder paper (fleet/minder/minder.h).
#pragma once

#include "fleet/diagnose.h"

namespace lento::fleet {

// Returns a finding on the machine that the first metric with a verdict names. Without a verdict the outcome
// is CannotJudge for a period under 240 s, else Healthy. Throws base::Error without a model and for under
// four machines.
finding::Diagnosis judge_by_minder(
    const MetricSeries& series,
    const FleetDiagnosisOptions& options,
    const base::Progress& progress);

}  // namespace lento::fleet
