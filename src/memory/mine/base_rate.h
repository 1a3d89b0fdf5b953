// Compares how often contention windows show something with how often control windows of the same time do.
//
// Programs have phases: a function that runs in one phase appears in the windows of that phase, whatever it
// does. The run is therefore cut into strata of about kControls control windows each. With n(s) windows in
// stratum s, and the share r(s) of its control windows that show the thing,
//
//   lift = windows that show it / sum over s of n(s) r(s)
//
// where the sum is over strata that have control windows (direct standardisation).
#pragma once

#include <algorithm>
#include <vector>

#include "memory/mine/contention_scan.h"

namespace lento::memory {

class BaseRate {
 public:
  // Counts windows and control windows in strata of time, so that a change over the run does not look like
  // an effect.
  BaseRate(const Scan& trace, const WindowScan& scan)
      : scan_(scan),
        first_(trace.first_cycle),
        duration_(std::max<uint64_t>(1, trace.duration())) {
    const size_t strata = std::max<size_t>(1, scan.controls.size() / kControls);
    windows_.resize(strata), controls_.resize(strata);
    for (const WindowFacts& w : scan.windows)
      ++windows_[stratum(w)];
    for (const WindowFacts& w : scan.controls)
      ++controls_[stratum(w)];
  }

  struct Rate {
    uint64_t hits = 0;
    uint64_t control_hits = 0;
    // Shares of the windows and of the control windows.
    double share = 0;
    double control_share = 0;
    double lift = 0;  // 0 when no control window shows it
  };
  // Returns how often a property holds in windows around slow accesses and in control windows. `has(facts)`
  // returns whether a window has it.
  template <class Has>
  Rate of(Has&& has) const {
    Rate rate;
    std::vector<uint64_t> hits(windows_.size());
    std::vector<uint64_t> control_hits(windows_.size());
    for (const WindowFacts& w : scan_.windows)
      hits[stratum(w)] += has(w);
    for (const WindowFacts& w : scan_.controls)
      control_hits[stratum(w)] += has(w);
    double seen = 0;
    double expected = 0;
    for (size_t s = 0; s < windows_.size(); ++s) {
      rate.hits += hits[s];
      rate.control_hits += control_hits[s];
      if (controls_[s] == 0)
        continue;
      seen += double(hits[s]);
      expected += double(windows_[s]) * share(control_hits[s], controls_[s]);
    }
    rate.share = share(rate.hits, scan_.windows.size());
    rate.control_share = share(rate.control_hits, scan_.controls.size());
    rate.lift = expected > 0 ? seen / expected : 0;
    return rate;
  }

 private:
  static constexpr size_t kControls = 20;
  static double share(uint64_t part, uint64_t all) {
    if (all == 0)
      return 0;
    return double(part) / double(all);
  }
  size_t stratum(const WindowFacts& w) const {
    const double at = double(w.seed - std::min(w.seed, first_)) / double(duration_);
    return std::min(windows_.size() - 1, size_t(at * double(windows_.size())));
  }

  const WindowScan& scan_;
  const uint64_t first_;
  const uint64_t duration_;
  // The numbers of windows and of control windows in each stratum.
  std::vector<uint64_t> windows_;
  std::vector<uint64_t> controls_;
};

}  // namespace lento::memory
