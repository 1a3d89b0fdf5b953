// Computes the strength (log-likelihood ratio of the scan) from which a component is simulated as a
// hypothesis, from its strengths in runs without a fault and from the allowed number of false alarms for each
// run.
//
// A scan's strength is the largest log-likelihood ratio over intervals and factors; on runs without a fault
// its tail falls exponentially: at rate 1 per unit of log-likelihood for an ideal one (Wilks), more slowly
// for a component whose noise is not quite what the scan assumes. The rate is estimated from n runs in which
// its strengths were s_1 .. s_n, and the ideal rate weighs as much as they do (a gamma prior, with n
// observations whose sum is n). The next run exceeds t with probability (1 + t / (n + sum s))^-2n, so that
// all components together have the allowed number of false alarms when each needs
//
//   needed(c) = (n + sum s) * ((components / false_alarms)^(1 / 2n) - 1)
//
// and its simulation decides. For a component whose queues fill in some runs only, this may be more than any
// fault reaches. Therefore a strength that exceeds the largest of all components in runs without a fault
// leads to a simulation as well. The largest strength of a run follows Gumbel's distribution where single
// ones fall exponentially. Its median and scale are estimated from the median and quartiles of the n runs,
// because transfers of one run in six may wait in another periodic order. The scale is at least that of an
// ideal likelihood:
//
//   of_the_chip() = median + scale * (log(log 2) - log(-log(1 - false_alarms)))
//
// and no less than needed() of a component without strength in any run. Few runs determine a scale badly, so
// a strength beyond it leads to a simulation and to no verdict.
//
// With fewer runs a component needs more: 12 with three runs and 7.2 with six, when its strengths were 0 and
// 0.005 false alarms are allowed over 64 components.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

class Thresholds {
 public:
  // `shown` holds, for each simulated run without a fault, the suspects with a strength above 0. `components`
  // is the number of scanned components, and `false_alarms` the allowed number for each run. Precondition: at
  // least one run.
  Thresholds(const std::vector<std::vector<Suspect>>& shown, size_t components, double false_alarms);

  double needed(const Component& component) const;
  // Returns the strength (log-likelihood ratio of the scan) that the strongest component of a healthy run
  // exceeds with probability `false_alarms`.
  double of_the_chip() const {
    return of_the_chip_;
  }

  // Returns the log-likelihood ratio that the best of so many hypotheses exceeds by chance with probability
  // `false_alarms`: log(hypotheses / false_alarms).
  static double by_chance(size_t hypotheses, double false_alarms);
  // Returns max(n, sqrt(2 n) scatter), where n is by_chance(hypotheses, false_alarms) and `scatter` the
  // standard deviation of the misfit between runs without a fault.
  static double by_chance(size_t hypotheses, double false_alarms, double scatter);

 private:
  std::map<Component, double> sum_;  // sum of its strengths over the runs
  double runs_ = 0;                  // n
  double times_ = 0;                 // (components / false_alarms)^(1 / 2n) - 1
  double of_the_chip_ = 0;
};

}  // namespace lento::chip
