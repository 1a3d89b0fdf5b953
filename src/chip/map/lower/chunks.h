// Long reductions in pieces, so that a core need not hold all of a row at once. Internal to the mapper.
#pragma once

#include <cstdint>

#include "chip/map/lower/layer_graph.h"

namespace lento::chip {

// The same network, in which a product that reduces more than `channels` channels with weights of its own is
// made of several over a run of channels each, and of sums. Layers that nothing else reads and whose channels
// are those runs are cut along: of a transformer's feed-forward part a run is computed, used and forgotten
// before the next. Products whose rows do not lie side by side stay as they are.
LayerGraph in_chunks(const LayerGraph& graph, int64_t channels);

}  // namespace lento::chip
