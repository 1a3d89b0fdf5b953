// Layers one after the other, each on all cores, with what they hand on kept in the scratchpads
// (layer-sequential mapping). Internal to the mapper.
#pragma once

#include <optional>

#include "chip/map/plan/mapper.h"
#include "chip/map/plan/segments.h"

namespace lento::chip {

// Whether the layers of a graph come with products of two activations, as attention does: those are where the
// results of a layer are many times its weights, and where going through DRAM costs most.
bool has_attention(const LayerGraph& graph);

// How the cores of a sequence are grouped.
struct Grouping {
  // Of a product, those that make the same rows between them, each some of the channels: they stand in one
  // block (BlockOrder). 0: as many as cost least, along columns.
  int cores = 0;
  int sharers = 1;  // those that hand their weights on to one another, where a cut has as many of the same
};

// A plan whose segments hold as many layers as the scratchpads can keep what is handed on between them;
// nullopt when a layer does not fit however it is cut. Layers of one segment share cores (core_in_sequence).
std::optional<Plan> plan_sequence(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const Grouping& grouping = {});

}  // namespace lento::chip
