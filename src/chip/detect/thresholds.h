// How strong a case must be: what components show on runs without a fault of theirs, and the budget of false
// alarms.
//
// A scan's strength is the largest log-likelihood ratio over intervals and factors; on runs without a fault
// its tail falls exponentially (Wilks: by one a unit of log-likelihood, more slowly when the noise is not
// quite what the scan takes it for). From n runs the largest of a component lies where 1 of n is beyond, and
// the slope is told by all components together:
//
//   needed(c) = (most(c) + slope * ln(components / (n * false_alarms))) * unlike
//
// `unlike` is how much more the judged run shows than those runs do, in components where neither shows much
// (the same quantile of both): no twin is quite the chip, least of all beside a fault that is known about.
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

  // From now on for this judged run, given what a scan of it found.
  void judge(const std::vector<Suspect>& found);

  double needed(const Component& component) const;
  // The most that it showed on any of the runs.
  double most(const Component& component) const;
  double slope() const {
    return slope_;
  }

 private:
  std::map<Component, double> most_;
  size_t components_ = 0;
  double usual_ = 0;  // the quantile from which the tail is taken
  double slope_ = 1;
  double unlike_ = 1;
  double beyond_ = 0;  // what is needed above the most that was shown
};

}  // namespace lento::chip
