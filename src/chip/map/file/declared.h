// Collects the deviations that a chip sheet declares for single parts: cores of a slower class, chips with a
// slower clock. Each is a ratio to the number that the sheet gives for all parts. A chip of unequal parts is
// simulated as these numbers with one deviation for each part (Twin), like a chip that was fitted to records.
#pragma once

#include "chip/map/twin.h"
#include "spec/fabric_sheet.h"

namespace lento::chip {

// Returns for each part how many times slower it is than the number that the sheet gives for all parts. A
// slower clock slows the cores, memory units, DRAM ports and links of its chip. Links between chips,
// start-ups, hops and records stay in cycles of the sheet's clock. Empty when all parts are equal.
// Precondition: `chip` is that of the sheet.
Deviations declared_parts(const spec::FabricSheet& sheet, const spec::Chip& chip);

// Returns the slowness of each part under both deviations together: the product of the two ratios.
Deviations combined(const Deviations& one, const Deviations& two);

}  // namespace lento::chip
