// Makes from the model's fit of a run the chip on which hypotheses are simulated.
//
// Each class of parts (cores, links, memory units, DRAM ports) has its fitted rate, without the clock's
// slowness. Where chance may explain how that rate differs from the one in the chip file, it has the file's.
// A part has its own fitted rate as long as it lies within three standard deviations of its class. One
// further away may have a fault and has the rate of its class.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chip/detect/detect.h"
#include "chip/model/model.h"

namespace lento::chip {

// Slowness against the chip file, as logs of factors.
struct FittedRates {
  // The classes: cores, links, memory units, DRAM ports. The slowness of the clock is included.
  std::array<Effect, 4> classes{};
  std::array<double, 4> spread{};  // standard deviation of the parts of a class around it
  std::vector<Effect> parts;       // relative to their class, by column of InfluenceColumns

  // Returns the class's log factor, or 0 when it is within three standard deviations of 0 and may be chance.
  double of_class(size_t k) const;
  // Returns the log factor of a part relative to class `k`, to which it belongs. 0 when it lies further from
  // the class than healthy parts do, because then it may have a fault.
  double of_part(uint32_t column, size_t k) const;
};

FittedRates rates_of(const ChipModel& model, const ModelVerdict& verdict);

// Returns the chip with these rates. `chip` has the rates of the file, and the issue window and buffers that
// fit the run.
Twin with_rates(const spec::Chip& chip, const FittedRates& rates);

Twin twin_of(const ChipModel& model, const ModelVerdict& verdict);

// Returns a simulator of the fitted chip. Simulation numbers (`draw`) 0 to 2 are of this chip. In the others
// every part differs from its fitted rate by a random error of the fit, so that thresholds from all
// simulations hold for each chip that fits the run.
Replay
possible_replay(const ChipModel& model, const ModelVerdict& verdict, const ReplayOf& replays, uint64_t seed);

}  // namespace lento::chip
