// Which classes explain the recorded waits as slow servers: the fabric plays the recorded issues with one
// server of the class slow, so that what it does to the traffic behind it counts too (Effect::Serves).
//
// Waits are then compared with the slow play as they are with the healthy one; nothing else is assumed. Of a
// class the server that takes longest as it is is slow, so that the factor is the least that explains as
// much. Two factors are tried, then ever smaller steps from the better one for the classes that come nearest.
// Cost: one play of the program a class and factor; of long programs only the classes that explain most as
// held up, or carry most, are played (kServedEvents).
#pragma once

#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/hypothesis.h"
#include "chip/fabric/timeline.h"

namespace lento::chip {

struct ServedSearch {
  std::vector<Hypothesis> best;  // by class
  size_t played = 0;             // classes
};

// `stamped`: the time line of a healthy fabric with the recorded issues; `healthy`: likelihood of the best
// healthy time line; `held`: what HeldSearch found, by class.
ServedSearch search_served(
    const Recorded& recorded,
    const std::vector<CandidateClass>& classes,
    const Timeline& stamped,
    double healthy,
    const std::vector<Hypothesis>& held);

}  // namespace lento::chip
