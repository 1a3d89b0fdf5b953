// Derives altered workloads for runs without a fault, as the evaluation of the SLOTH paper does: layers with
// other kernel sizes, and parts moved so that cores are loaded unevenly. No component is slow in them. A
// detector that reports one has mistaken an unusual load for a fault.
#pragma once

#include <cstdint>

#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

// Gives a third of the layers with weights another kernel size. In another third of the layers, at least in
// one, a core hands its part to a core without work in that layer, which then does the work of two. The
// slices stay the same, so the mapping stays consistent.
Mapping altered(const Mapping& mapping, const spec::Chip& chip, uint64_t seed);

}  // namespace lento::chip
