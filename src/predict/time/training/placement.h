// Times a training run in every order of its parallel dimensions over the ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/time/training/training.h"

namespace lento::predict {

// Returns all orders of the four parallel dimensions that place ranks differently, at most 24, the order of
// the run first. Dimensions of size 1 come last in each order, since their place changes nothing.
std::vector<Placement> distinct_placements(const TrainingRun& run);

struct PlacedTime {
  Placement placement{};
  TrainingTime time;
  // Transfers of any dimension that share a node's busiest link; 0 behind a switch.
  double most_load = 0;
};

// Times the run in every placement, fastest first. Equal times keep the order of distinct_placements.
std::vector<PlacedTime> time_placements(const System& system, const TrainingRun& run);

// Returns the run in its fastest placement when it requests the best one, else the run itself.
TrainingRun with_placement(const System& system, const TrainingRun& run);

// Returns whether the parallel dimensions of degree above 1 are in the default order.
bool has_default_order(const TrainingRun& run);

std::string to_string(const Placement& placement);                // "tensor-context-data-pipeline"
std::optional<Placement> parse_placement(std::string_view text);  // dimensions that are not named come last

}  // namespace lento::predict
