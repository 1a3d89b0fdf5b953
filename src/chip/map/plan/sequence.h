// Plans layers one after the other, each on all cores, with intermediate results kept in the scratchpads
// (layer-sequential mapping). Internal to the mapper.
#pragma once

#include <optional>

#include "chip/map/plan/mapper.h"
#include "chip/map/plan/segments.h"

namespace lento::chip {

// Returns whether the graph has products of two activations, as attention has. Such layers have results much
// larger than their weights, and moving them through DRAM costs most.
bool has_attention(const LayerGraph& graph);

// The grouping of the cores of a sequence.
struct Grouping {
  // Number of cores that compute the same rows of a product together, each some of the channels. They form
  // one block (BlockOrder). 0: no groups; the cheapest of all cuts of a layer over the cores is taken, and
  // the cores are taken column by column of the chip.
  int cores = 0;
  // Number of cores that share the reading of weights: each reads a part of them from DRAM and passes it on
  // to the others. Used for cuts in which at least so many parts need the same weights.
  int sharers = 1;
};

// Returns a plan whose segments hold as many layers as the scratchpads have room for intermediate results.
// Returns nullopt when a layer does not fit however it is cut. Layers of one segment share cores
// (core_in_sequence).
std::optional<Plan> plan_sequence(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const Grouping& grouping = {});

}  // namespace lento::chip
