// Cuts products into runs of their channels, and lets cores that need the same weights read a part of them
// each and send it to the others. Internal to the mapper.
#pragma once

#include "chip/map/mapping.h"
#include "chip/map/plan/segments.h"

namespace lento::chip {

// Takes a mapping with one layer per layer of `plan`, and returns one in which
//  - a product of several runs (PlannedLayer::runs) has a layer per run. Each layer has the same parts, with
//    a run of their channels, so that results leave while the next run is computed
//  - a run with sharers has a layer of weights before it. The weights of each part are read in `sharers` runs
//    of rows, one per core, and every core receives the others from its sharers. The layer of weights is one
//    run ahead of its product, so that weights travel while the run before is computed
// Layers are numbered anew. Preconditions: a product of several runs reads and writes nothing but weights in
// DRAM, and its parts have at least as many channels as it has runs.
Mapping in_runs(const Mapping& mapping, const Plan& plan);

}  // namespace lento::chip
