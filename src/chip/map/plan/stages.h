// Replaces exchanges in which many cores send to many others by stages in which cores exchange in pairs.
// Internal to the mapper.
#pragma once

#include <vector>

#include "chip/map/lower/layer_graph.h"
#include "chip/map/mapping.h"
#include "chip/map/plan/segments.h"

namespace lento::chip {

struct Staged {
  Mapping mapping;
  Plan plan;  // one layer for each layer of the mapping
};

// Returns a mapping, from one with one layer per layer of `plan`, in which inputs from many cores arrive
// through added layers. In each, every core passes everything that it has and the other half of a block needs
// to the core that mirrors it there, the halves of the largest block first (recursive doubling, like the
// hypercube's all-to-all exchange). The data of a core passes the middle of a block once instead of once for
// every core behind it, and a core sends one message per halving instead of one to every other. Sums over all
// cores of a group come in stages as well, neighbours first.
//
// `orders` holds the cores in the order in which layers take them (BlockOrder): the second order from layer
// `turning_layer` to the end of its segment, the first for all other layers. Mappings whose core count is not
// a power of two are not changed. Layers are numbered anew.
Staged in_stages(
    const LayerGraph& graph,
    const Mapping& mapping,
    const Plan& plan,
    const std::vector<Position> (&orders)[2],
    size_t turning_layer);

}  // namespace lento::chip
