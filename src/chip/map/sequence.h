// Layers one after the other, each on all cores, with what they hand on kept in the scratchpads
// (layer-sequential mapping). Internal to the mapper.
#pragma once

#include <optional>

#include "chip/map/mapper.h"
#include "chip/map/segments.h"

namespace lento::chip {

// Whether the layers of a graph come with products of two activations, as attention does: those are where the
// results of a layer are many times its weights, and where going through DRAM costs most.
bool has_attention(const LayerGraph& graph);

// Where part `index` of a layer of `parts` stands among `cores` in a row: evenly spread over all.
inline size_t core_in_sequence(int64_t index, int64_t parts, size_t cores) {
  return size_t(index) * cores / size_t(parts);
}

// Its index when parts are counted with those of the same samples, rows and columns one after the other: they
// need the same inputs, and exchange what they made of them.
inline size_t stand_of(const Cut& cut, size_t index) {
  const auto channels = size_t(cut.parts[1]);
  const size_t below = size_t(cut.parts[2]) * size_t(cut.parts[3]);
  return (index / (below * channels) * below + index % below) * channels + index / below % channels;
}

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
