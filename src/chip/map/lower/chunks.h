// Cuts long reductions into pieces, so that a core need not hold all of a row at once. Internal to the
// mapper.
#pragma once

#include <cstdint>

#include "chip/map/lower/layer_graph.h"

namespace lento::chip {

// Returns the same network, in which a product that reduces more than `channels` channels with weights of its
// own becomes several products over a run of channels each, and sums. A layer that only such a product reads,
// and whose channels the product reduces, is cut into the same runs: a run of a transformer's feed-forward
// part is computed, used and dropped before the next. Products whose rows are not adjacent stay unchanged.
LayerGraph in_chunks(const LayerGraph& graph, int64_t channels);

}  // namespace lento::chip
