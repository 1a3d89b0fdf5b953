// Chips that a fit leaves possible: a part's number is known up to its error, and what the healthy chip shows
// differs by that too. Thresholds that follow from healthy draws of the one best twin alone accuse a healthy
// link for a queue that the recorded chip has and its twin, two percent off elsewhere, has not.
#pragma once

#include <cstdint>

#include "chip/fit/fit.h"

namespace lento::chip {

// The fitted chip with each part of an unequal class moved by a normal draw of what is not known about it:
// the error of its number, and no more than its class spreads.
Twin possible_twin(const Fit& fit, uint64_t seed);

// The draws that the fit simulated as they are, of the fitted chip; each later one of another possible chip.
// All of the one when no class is unequal.
Replay possible_replay(const Fit& fit, const ReplayOf& replays, uint64_t seed);

}  // namespace lento::chip
