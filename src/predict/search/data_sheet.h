// Turns a design point into a data sheet, the input of `lento predict --system`.
#pragma once

#include <optional>

#include "predict/crossflow/config.h"
#include "predict/hardware/system.h"

namespace lento::predict {

// Returns the machine that technology and budgets give, as a chip with one unit for each bundle of compute
// units (MCUs), a last-level cache, and a package of nodes on a square mesh. Values of the design replace
// those fitted on real chips: utilisation, bandwidth out of the cache, and the partial sums and operand
// panels that a unit holds. When L1 or the registers cannot feed the arithmetic, they bound its share of the
// peak. Prices and software keep their defaults.
//
// Returns nothing when the budgets leave a component without area or power.
std::optional<System> data_sheet(const CrossFlowConfig& design, bool as_released = false);

}  // namespace lento::predict
