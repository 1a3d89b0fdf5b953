// What a sheet says of single parts: cores of a slower class, chips of a slower clock. The parts deviate from
// the numbers for all by a known ratio, so a chip of unequal parts is a twin, as a fitted one is.
#pragma once

#include "chip/map/twin.h"
#include "spec/fabric_sheet.h"

namespace lento::chip {

// Times slower than the sheet's numbers for all, by part. A slower clock slows the cores, memory units, DRAM
// ports and links of its chip; links between chips, start-ups, hops and records stay cycles of the sheet's
// clock. Empty when all parts are equal. Precondition: `chip` is that of the sheet.
Deviations declared_parts(const spec::FabricSheet& sheet, const spec::Chip& chip);

// Both at once: ratio times ratio, part by part.
Deviations combined(const Deviations& one, const Deviations& two);

}  // namespace lento::chip
