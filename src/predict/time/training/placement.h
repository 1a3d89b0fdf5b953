// Where the ranks of a training run stand: every order of its parallel dimensions, timed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/time/training/training.h"

namespace lento::predict {

// Returns all orders of the four parallel dimensions that place ranks differently, at most 24, the order of
// the run first. Dimensions of size 1 stand last in each order, since their place changes nothing.
std::vector<Placement> distinct_placements(const TrainingRun& run);

struct PlacedTime {
  Placement placement{};
  TrainingTime time;
  double most_load =
      0;  // transfers that share the busiest link of a node, of any dimension; 0 behind a switch
};

// The run in every placement, the fastest first; equal times keep the order of distinct_placements.
std::vector<PlacedTime> time_placements(const System& system, const TrainingRun& run);

// The run itself, or in its fastest placement when it asks for the best.
TrainingRun with_placement(const System& system, const TrainingRun& run);

bool stands_as_usual(const TrainingRun& run);  // its dimensions of more than one way do

std::string to_string(const Placement& placement);                // "tensor-context-data-pipeline"
std::optional<Placement> parse_placement(std::string_view text);  // absent dimensions come last

}  // namespace lento::predict
