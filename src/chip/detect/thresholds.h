// Computes the strength that a component needs: from its strengths on runs without a fault, and the budget of
// false alarms.
//
// A scan's strength is the largest log-likelihood ratio over intervals and factors; on runs without a fault
// its tail falls exponentially: by one a unit of log-likelihood for an ideal one (Wilks), more slowly for a
// component whose noise is not quite what the scan takes it for. How slowly follows from n runs on which it
// showed s_1 .. s_n, and the ideal weighs as much as they do (a gamma prior of its rate, with n observations
// whose sum is n). The next run shows more than t with probability (1 + t / (n + sum s))^-2n, so that all
// components together keep the budget when each needs
//
//   needed(c) = (n + sum s) * ((components / false_alarms)^(1 / 2n) - 1)
//
// and its simulation decides. A component whose queues come and go is asked for what none can show; but what
// is beyond all that the chip shows anywhere is worth a simulation as well. The largest strength of a run
// follows Gumbel's law where single ones fall off exponentially; the median and the quartiles of the n runs
// tell it, since one in six may be in another rhythm, with a scale that is at least that of an ideal
// likelihood:
//
//   of_the_chip() = median + scale * (log(log 2) - log(-log(1 - false_alarms)))
//
// and no less than a quiet component needs. Few runs tell little of a scale, so that it is no verdict: what
// is beyond it is simulated.
//
// Few runs ask for more: of three a component needs 12 where nothing was shown and the budget is 0.005 over
// 64, of six 7.2.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

class Thresholds {
 public:
  // `shown`: of each run what a scan of it found, strengths of 0 left out. Precondition: a run at least.
  Thresholds(const std::vector<std::vector<Suspect>>& shown, size_t components, double false_alarms);

  double needed(const Component& component) const;
  // The strength that no component of the chip shows.
  double of_the_chip() const {
    return of_the_chip_;
  }

  // The log-likelihood ratio that chance reaches among so many hypotheses as often as the budget allows.
  static double by_chance(size_t hypotheses, double false_alarms);
  // The same where runs without a fault lie `scatter` apart: n nats are sqrt(2 n) standard deviations.
  static double by_chance(size_t hypotheses, double false_alarms, double scatter);

 private:
  std::map<Component, double> sum_;  // of what it showed
  double runs_ = 0;
  double times_ = 0;
  double of_the_chip_ = 0;
};

}  // namespace lento::chip
