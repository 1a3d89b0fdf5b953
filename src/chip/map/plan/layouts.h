// Plans layouts in which a network runs layer after layer, and selects those worth simulating. Internal to
// the mapper.
#pragma once

#include <optional>
#include <vector>

#include "base/progress.h"
#include "chip/map/plan/mapper.h"
#include "chip/map/plan/segments.h"

namespace lento::chip {

struct Planned {
  LayerGraph graph;  // the graph that was planned, whose products may be cut into runs or shared by groups
  Plan plan;
};

// Returns the plan with the lowest model cost among those without groups of cores (Grouping::cores 0). It is
// taken where mappings cannot be simulated. nullopt when a layer does not fit.
std::optional<Planned>
plan_ungrouped(const LayerGraph& graph, const spec::Chip& chip, const MapOptions& options);

// Returns plans with groups of cores (Grouping::cores) and the lowest model cost, best first, kJudged at
// most.
std::vector<Planned> plan_grouped(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const base::Progress& progress);

}  // namespace lento::chip
