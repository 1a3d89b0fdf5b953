// Converts probabilities and t statistics to standard deviations (z) of a normal distribution.
#pragma once

namespace lento::fleet {

// Returns the z that a standard normal value exceeds with probability p.
double normal_upper(double p);

// Returns the standard normal value that is as unlikely as `t` under Student's distribution of `freedom`
// degrees (Wallace 1959, within 1 % from three degrees on). The sign is kept.
double normal_equivalent(double t, double freedom);

}  // namespace lento::fleet
