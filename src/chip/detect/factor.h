// Estimates the factor by which a component was slower, from the transfers through it.
#pragma once

#include "chip/detect/scan.h"

namespace lento::chip {

// Whether a time bin lies wholly inside the suspect's interval: between its first and its last one.
bool covers_whole_bins(const Cells& cells, const Suspect& suspect);

// Uses the fastest transfer of each time bin. Queues only add time, so the fastest of many met the slow
// server and little else. Returns the median over the patterns that would show it, or the suspect's own
// factor when none does.
double envelope_factor(const ScanInput& input, const Suspect& suspect);

// Returns the lower quartile over the patterns through the component of the factor that their fastest
// transfers show, or 0 without data. In a network with full queues it is largest at the server that fills
// them.
double factor_of_the_fastest(const ScanInput& input, const Suspect& suspect);

// No transfer is faster than a server on its path allows: what the fastest transfers of nearly all patterns
// through the component leave possible. A bound, well above the factor itself.
double most_possible_factor(const ScanInput& input, const Suspect& suspect);

// The same with what they wait on a healthy chip: its fastest transfers may have waited there where they now
// met the slow server alone. A replay takes the wait into account itself and needs no closer bound.
double most_allowed_factor(const ScanInput& input, const Suspect& suspect);

// A better guess after a replay: in octaves the excess of what passes through the component grows about as
// the factor does, so the factor is scaled by recorded over simulated excess. `simulated` has the suspect in
// it, `before` has not.
double
corrected_factor(const ScanInput& before, const Suspect& suspect, const std::vector<Baseline>& simulated);

}  // namespace lento::chip
