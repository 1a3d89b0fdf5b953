// Finds the class that explains the recorded waits as a slow server. The recorded issues are simulated with
// one server of the class slowed, so that the effect on the traffic queued behind it counts too
// (Effect::Serves).
//
// Waits are then compared with the slow simulation as they are with the healthy one, without further
// assumptions. The slow server of a class is the one that takes longest when healthy, because it explains the
// same delay with the smallest factor. Two factors are tried. For the classes that fit best, ever smaller
// steps from the better factor follow. Cost: one simulation of the program per class and factor. Of long
// programs only the classes with the most evidence in the search of slowed transfers, or with the most
// traffic, are simulated (kServedEvents).
#pragma once

#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/hypothesis.h"
#include "chip/fabric/timeline.h"

namespace lento::chip {

struct ServedSearch {
  std::vector<Hypothesis> best;  // by class
  size_t played = 0;             // number of classes that were simulated
};

// Runs the search. `stamped` is the time line of a healthy fabric with the recorded issue times, `healthy`
// the log-likelihood of the best healthy time line, `slowed` the result of SlowedSearch by class.
ServedSearch search_served(
    const Recorded& recorded,
    const std::vector<CandidateClass>& classes,
    const Timeline& stamped,
    double healthy,
    const std::vector<Hypothesis>& slowed);

}  // namespace lento::chip
