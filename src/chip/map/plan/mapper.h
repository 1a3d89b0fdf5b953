// Maps a network: layer groups (segments) run one after the other. Inside a segment the layers form a
// pipeline on disjoint sets of cores and pass a few samples at a time. Layers of a network with attention run
// one after the other on all cores instead (sequence.h). Each layer's output is cut over batch, channel,
// height and width. docs/methods/mapping.md has the cost model and the search.
#pragma once

#include <functional>

#include "base/progress.h"
#include "chip/map/lower/layer_graph.h"
#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

struct MapOptions {
  int64_t batch = 1;            // samples of one inference
  int max_segment_layers = 40;  // longest pipeline of layers that is tried
  // Weight of the cost of a segment with a single layer, which sends nothing between cores. Above 1, layers
  // are combined into a segment even when that is slightly slower, so that links between them are used.
  double alone = 1;
  // Returns the cycles that a mapping takes. With it, networks with attention are laid out in several ways,
  // of which the fastest is taken. Without it, they are laid out in the one with the lowest model cost.
  std::function<double(const Mapping&)> judge = {};
};

// Maps a graph. Layers keep its order, and their ids count from 0. In a pipeline every core has at most one
// part of a segment, and no part needs more than half of the scratchpad at a time. Throws base::Error when a
// layer cannot be cut small enough to fit. `file` names the model in the message.
Mapping map_network(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const std::string& file,
    const base::Progress& progress = {});

}  // namespace lento::chip
