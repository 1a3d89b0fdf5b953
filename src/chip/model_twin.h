// Turns the model's fit of a run into the chip that hypotheses are simulated on.
//
// Classes of parts take the factors that the fit leaves beside the clock. A part takes a rate of its own as
// long as it lies among the rates of its class. A part further away may have a fault and stays like its
// class.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chip/detect/detect.h"
#include "chip/model/model.h"

namespace lento::chip {

// Slowness against the chip file, as logs of factors.
struct FittedRates {
  // Cores, links, memory units, DRAM ports; the clock's slowness included.
  std::array<Effect, 4> classes{};
  std::array<double, 4> spread{};  // standard deviation of the parts of a class around it
  std::vector<Effect> parts;       // relative to their class, by column of InfluenceColumns

  // Returns the class's log factor, or 0 when it may be chance.
  double of_class(size_t k) const;
  // Returns the part's log factor beside its class `k`, or 0 when it lies too far away for a healthy part.
  double of_part(uint32_t column, size_t k) const;
};

FittedRates rates_of(const ChipModel& model, const ModelVerdict& verdict);

// Returns the chip with these rates. `chip` has the settings that fit, and the file's rates.
Twin with_rates(const spec::Chip& chip, const FittedRates& rates);

Twin twin_of(const ChipModel& model, const ModelVerdict& verdict);

// Returns replays of the twin. Draws after the first three are of twins whose parts differ from it by as much
// as the fit leaves open, so that thresholds hold for each of them.
Replay
possible_replay(const ChipModel& model, const ModelVerdict& verdict, const ReplayOf& replays, uint64_t seed);

}  // namespace lento::chip
