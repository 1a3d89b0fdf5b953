// Cuts products into runs of their channels, and hands weights on between cores. Internal to the mapper.
#pragma once

#include "chip/map/mapping.h"
#include "chip/map/plan/segments.h"

namespace lento::chip {

// Returns a mapping, from one with one layer per layer of `plan`, in which
// - a product of several runs (PlannedLayer::runs) is a layer each run: the same parts, each a run of their
//   channels, so that results leave while the rest is computed
// - a run with sharers has a layer of weights before it: each part's weights are read in `sharers` runs of
//   rows, one a core, and every core receives the others from its sharers. It precedes the product by one
//   run, so that weights travel while that one computes
// Layers are numbered anew. Preconditions: a product of several runs reads and writes nothing but weights in
// DRAM, and its parts have at least as many channels as it has runs.
Mapping in_runs(const Mapping& mapping, const Plan& plan);

}  // namespace lento::chip
