// Plans layers one after the other, each on all cores, with intermediate results kept in the scratchpads
// (layer-sequential mapping). Internal to the mapper.
#pragma once

#include <optional>

#include "chip/map/plan/mapper.h"
#include "chip/map/plan/segments.h"

namespace lento::chip {

// Returns whether the graph has products of two activations, as attention does. There the results of a layer
// are many times its weights, and going through DRAM costs most.
bool has_attention(const LayerGraph& graph);

// The grouping of the cores of a sequence.
struct Grouping {
  // Number of cores that make the same rows of a product between them, each some of the channels. They are in
  // one block (BlockOrder). 0: as many as cost least, along columns.
  int cores = 0;
  int sharers = 1;  // those that hand their weights on to one another, where a cut has as many of the same
};

// Returns a plan whose segments hold as many layers as the scratchpads can keep intermediate results for,
// nullopt when a layer does not fit however it is cut. Layers of one segment share cores (core_in_sequence).
std::optional<Plan> plan_sequence(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const Grouping& grouping = {});

}  // namespace lento::chip
