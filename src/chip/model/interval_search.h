// Fits factors and intervals of parts that were slow for a part of the run: how many records a slow part
// served in its interval depends on both.
#pragma once

#include <vector>

#include "chip/model/factors.h"

namespace lento::chip {

FactorFit fit_intervals(const ObservedRun& run, std::vector<SlowPart> parts, bool measured);

}  // namespace lento::chip
