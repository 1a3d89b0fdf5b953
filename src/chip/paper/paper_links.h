// Infers link bandwidths from end-to-end transfer times (SLOTH, III-D2).
//
// Every transfer pattern e gives one equation: its mean time T_e, cycles, is the sum over its links l of V_e
// * theta_l plus the cycles spent at its ends. V_e is the bytes of its first segment, because further
// segments overlap with it, theta the inverse bandwidth in cycles per byte, and n_e the number of its
// transfers. The printed rule is solved by expectation maximisation for positive linear systems (Vardi 1996,
// network tomography): distribute the observed delay of a path over its links in proportion to their current
// estimates, then set each link to the sum it received:
//
//   theta_l <- theta_l * sum_e n_e V_e (T_e / expected_e) / sum_e n_e V_e,   sums over the patterns through l
//
// The likelihood of the observations never falls. Cost: iterations * patterns * hops.
#pragma once

#include <vector>

#include "chip/paper/observations.h"

namespace lento::chip {

struct LinkEquation {
  std::vector<int> links;  // directed link ids
  double bytes = 0;        // V
  double cycles = 0;       // T, mean
  double ends = 0;         // cycles that no link causes
  double count = 0;        // n
};

// Returns an equation for each transfer pattern with at least one link and a recorded time.
std::vector<LinkEquation> link_equations(const Observations& seen, const spec::Chip& chip);

struct LinkFit {
  std::vector<double> cycles_per_byte;  // theta, by directed link id; 0: no transfer crosses it
  std::vector<double> divergence;       // generalised Kullback-Leibler divergence before each update
};
LinkFit fit_links(
    const std::vector<LinkEquation>& equations,
    size_t links,
    double nominal_cycles_per_byte,
    int iterations);

// Returns the probability that a healthy link is faster than `bandwidth`: 1 - F of a gamma distribution with
// this mean and coefficient of variation. Precondition: all arguments are positive.
double slow_probability(double bandwidth, double mean, double variation);

}  // namespace lento::chip
