// Computes the strength that a component needs: from its strengths on runs without a fault, and the budget of
// false alarms.
//
// A scan's strength is the largest log-likelihood ratio over intervals and factors; on runs without a fault
// its tail falls exponentially: at rate 1 per unit of log-likelihood for an ideal one (Wilks), more slowly
// for a component whose noise is not quite what the scan assumes. The rate is estimated from n runs in which
// its strengths were s_1 .. s_n, and the ideal rate weighs as much as they do (a gamma prior, with n
// observations whose sum is n). The next run exceeds t with probability (1 + t / (n + sum s))^-2n, so that
// all components together keep the budget when each needs
//
//   needed(c) = (n + sum s) * ((components / false_alarms)^(1 / 2n) - 1)
//
// and its simulation decides. For a component whose queues come and go this may be more than any fault
// reaches. Therefore a strength beyond the largest of the whole chip leads to a simulation as well. The
// largest strength of a run follows Gumbel's distribution where single ones fall exponentially. Its median
// and scale are estimated from the median and quartiles of the n runs, because transfers of one run in six
// may wait in another periodic order. The scale is at least that of an ideal likelihood:
//
//   of_the_chip() = median + scale * (log(log 2) - log(-log(1 - false_alarms)))
//
// and no less than needed() of a component without strength in any run. Few runs determine a scale badly, so
// a strength beyond it leads to a simulation and to no verdict.
//
// With fewer runs a component needs more: 12 with three runs and 7.2 with six, when its strengths were 0 and
// the budget is 0.005 over 64 components.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

class Thresholds {
 public:
  // `shown`: the suspects that a scan of each run found, without strengths of 0. Precondition: at least one
  // run.
  Thresholds(const std::vector<std::vector<Suspect>>& shown, size_t components, double false_alarms);

  double needed(const Component& component) const;
  // Returns the strength that no component of a healthy chip exceeds, within the budget.
  double of_the_chip() const {
    return of_the_chip_;
  }

  // Returns the log-likelihood ratio that the best of so many hypotheses exceeds by chance with probability
  // `false_alarms`.
  static double by_chance(size_t hypotheses, double false_alarms);
  // Returns by_chance() without `scatter`, n, but at least sqrt(2 n) times `scatter`, the standard deviation
  // between runs without a fault.
  static double by_chance(size_t hypotheses, double false_alarms, double scatter);

 private:
  std::map<Component, double> sum_;  // of its strengths
  double runs_ = 0;
  double times_ = 0;
  double of_the_chip_ = 0;
};

}  // namespace lento::chip
