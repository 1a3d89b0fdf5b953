// Shares long reductions between the cores of a group. Internal to the mapper.
#pragma once

#include "chip/map/lower/layer_graph.h"

namespace lento::chip {

// Returns the same network, in which a product of weights that reduces more channels than it makes becomes
// `ranks` products, each over a run of those channels on the cores of its rank (Layer::rank), and one sum. A
// group then passes on the shorter result instead of the longer row. A product stays unchanged when the
// channels that it reduces are fewer than `ranks`, do not come from one layer as adjacent channels, or are
// also read by another layer.
LayerGraph in_splits(const LayerGraph& graph, int ranks);

}  // namespace lento::chip
