// The spread of measured runs around their expected times, and the intervals that follow from it.
//
//   log(measured / expected) = typical error + error
//   |error| ~ Laplace of scale exp(level + growth log(expected / limit))
//
// The limit is what the hardware allows (run_time.h). The more of a run's time the hardware explains, the
// less can differ between clusters, hosts and releases, and no column of the list of runs orders the errors
// better. The two coefficients are fitted to the errors of the list, each of a run that was predicted
// without its source. Weighted conformal prediction (evidence/conformal.h) then chooses the multiple of the
// scale that holds the wanted share of the runs. All sources weigh the same. Runs of a stack that other
// sources ran too, and runs of a stack that no other source ran, have a multiple each.
//
// Sources: Lei et al. 2018, section 5.2 (errors divided by a fitted scale). Vovk 2012 (one bound for each
// kind of run).
#pragma once

#include <string>
#include <vector>

#include "predict/expect/software.h"

namespace lento::predict {

class RunSpread {
 public:
  // Learns from the errors of one kind of work, without those of one source.
  RunSpread(const SoftwareTable& table, Work work, const std::string& without_source = {});

  // The median of log(measured / expected). The expected time is multiplied by its exponential, because the
  // fit follows the most typical runs.
  double typical_error() const {
    return typical_;
  }
  // Returns the half width, in logarithms, of the interval around the expected time that holds `share` of
  // the runs of a source that was not fitted. `over_limit` is log(expected / limit), and `known_stack` tells
  // that other sources ran the stack.
  double half_width(double over_limit, bool known_stack, double share) const;

 private:
  double scale(double over_limit) const;
  void fit_scale();

  struct Run {
    double weight = 0;  // all runs of one source weigh 1
    double over_limit = 0;
    double off = 0;  // |log(measured / expected) - typical error|
    bool known_stack = false;
  };
  std::vector<Run> runs_;
  size_t sources_[2] = {0, 0};  // of runs of unknown and of known stacks
  double typical_ = 0;
  double level_ = 0;
  double growth_ = 0;
};

// Returns the spread of the shipped list of runs, learned once.
const RunSpread& shipped_spread(Work work);

}  // namespace lento::predict
