// Long reductions shared by the cores of a group. Internal to the mapper.
#pragma once

#include "chip/map/lower/layer_graph.h"

namespace lento::chip {

// The same network, in which a product of weights that reduces more channels than it makes is `ranks`
// products, each over a run of those channels on the cores of its rank (Layer::rank), and one sum of all.
// What a group hands on is then the shorter result instead of the longer row. Products whose rows do not lie
// side by side stay as they are.
LayerGraph in_splits(const LayerGraph& graph, int ranks);

}  // namespace lento::chip
