// Estimates the factor by which a component was slower, from the transfers through it.
#pragma once

#include "chip/detect/scan.h"

namespace lento::chip {

// Returns whether a time bin lies wholly inside the suspect's interval, between its first and its last bin.
bool covers_whole_bins(const Cells& cells, const Suspect& suspect);

// Returns the factor that the fastest transfer of each time bin shows, as the median over patterns, or the
// suspect's own factor when no pattern shows one. Queues only add time, so the fastest of many transfers met
// the slow server and little else.
double envelope_factor(const ScanInput& input, const Suspect& suspect);

// Returns the lower quartile over the patterns through the component of the factor that their fastest
// transfers show, or 0 without data. In a network with full queues it is largest at the server that fills
// them.
double factor_of_the_fastest(const ScanInput& input, const Suspect& suspect);

// Returns the largest factor with which the fastest transfers of nearly all patterns through the component
// could have been as fast as they were. It is a bound, well above the factor itself.
double most_possible_factor(const ScanInput& input, const Suspect& suspect);

// Returns a wider bound than most_possible_factor(). It adds the wait on a healthy chip to the time that the
// slow server may have taken, because the fastest transfers may not have waited. It bounds hypotheses that
// are simulated.
double most_allowed_factor(const ScanInput& input, const Suspect& suspect);

// Returns a better factor after a simulation. In octaves, the excess of the transfers through the component
// is about proportional to the factor, which is scaled by recorded over simulated excess. `simulated` are the
// levels with the suspect, `before` those without.
double
corrected_factor(const ScanInput& before, const Suspect& suspect, const std::vector<Baseline>& simulated);

}  // namespace lento::chip
