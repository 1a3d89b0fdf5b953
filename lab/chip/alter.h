// Other structures of a workload, as SLOTH's evaluation makes its runs without fault: layers with other
// kernel sizes, and parts moved so that cores are loaded unevenly. Nothing is slow in them; a detector that
// takes an unusual load for a fault gives itself away.
#pragma once

#include <cstdint>

#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

// A third of the layers with weights get another kernel size; in a third of all layers, at least in one, a
// core hands its part to a core that has none in that layer, which then works for two. Same slices, hence
// still consistent.
Mapping altered(const Mapping& mapping, const spec::Chip& chip, uint64_t seed);

}  // namespace lento::chip
