// Estimates the factor by which a component was slower, from the transfers through it.
#pragma once

#include "chip/detect/scan.h"

namespace lento::chip {

// Returns whether at least one time bin lies strictly between the first and the last bin that the suspect's
// interval touches, and so wholly inside the interval.
bool covers_whole_bins(const Cells& cells, const Suspect& suspect);

// Returns the factor of the component that explains the fastest transfer of each time bin, as the median over
// patterns. Queues only add time, so the fastest of many transfers has met the slow server and little else.
// At least kFactorStep. When no pattern shows a factor, or no time bin lies inside the interval, returns the
// factor of the suspect.
double envelope_factor(const ScanInput& input, const Suspect& suspect);

// Returns the factor of the component that explains the fastest transfers of each pattern through it, as the
// lower quartile over patterns. 0 when no pattern shows a factor, or no time bin lies inside the interval.
// Where all queues are full, of all components this factor is largest for the slow one, which fills them.
double factor_of_the_fastest(const ScanInput& input, const Suspect& suspect);

// Returns an upper bound of the factor: kFastestAheadByNoise times factor_of_the_fastest(). With a larger
// factor most patterns could not have had transfers as fast as recorded. kMostFactor where
// factor_of_the_fastest() is 0.
double most_possible_factor(const ScanInput& input, const Suspect& suspect);

// Returns a wider upper bound than most_possible_factor(), for hypotheses that are simulated. The fastest
// transfers may not have waited, so the waiting that a healthy chip expects of them is added to the time that
// the slow server may have taken.
double most_allowed_factor(const ScanInput& input, const Suspect& suspect);

// Returns the suspect's factor raised to the power r, within [kFactorStep, kMostFactor], where r is the
// recorded over the simulated excess of the transfers through the component, in octaves: the excess is about
// proportional to the logarithm of the factor. `simulated` holds the levels simulated with the suspect, and
// `before` the recorded levels and the baselines without it.
double
corrected_factor(const ScanInput& before, const Suspect& suspect, const std::vector<Baseline>& simulated);

}  // namespace lento::chip
