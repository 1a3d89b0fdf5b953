// A design point as a data sheet: what `lento predict --system` takes.
#pragma once

#include <optional>

#include "predict/crossflow/config.h"
#include "predict/hardware/system.h"

namespace lento::predict {

// The machine that technology and budgets give, seen as a chip of `bundles` units with a last-level cache and
// a package of nodes on a square mesh. What the design says replaces what is fitted on real chips:
// utilisation, bandwidth out of the cache, sums and panels a unit holds; when L1 or the registers cannot feed
// the arithmetic, they bound its share of the peak. Prices and software keep their defaults.
//
// Nothing when the budgets leave a part without area or power.
std::optional<System> data_sheet(const CrossFlowConfig& design, bool as_released = false);

}  // namespace lento::predict
