// How often single machines deviate for a moment, and whether that is rare enough to believe short
// deviations.
//
// A burst is a deviation over the threshold that ends without ever having lasted. Two bursts of one machine
// within a window can look like one lasting deviation. With a rate of r an hour, machine and metric, a window
// of T hours sees about r^2 T such pairs an hour, of which a share kChained fills the window. Short windows
// are trusted while that is within the budget of false alarms; before anything is known, half a burst is
// assumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fleet/detect/level_track.h"

namespace lento::fleet {

class Bursts {
 public:
  struct Job {
    size_t machines = 0;
    size_t metrics = 0;
    double window_h = 0;
    double alarms_per_day = 0;
  };
  Bursts(const Job& job);

  // One evaluation of the shortest window, `hours` after the one before; `cell` is metric * machines +
  // machine. True when a deviation over the threshold has ended.
  bool see(size_t cell, const Judged& judged);
  void pass(double hours) {
    hours_ += hours;
  }  // summed over machines and metrics

  bool rare() const;
  double count() const {
    return count_;
  }
  double hours() const {
    return hours_;
  }
  void restore(double count, double hours);

 private:
  enum class State : uint8_t {
    Quiet,
    Deviating,
    Lasting
  };
  std::vector<State> state_;
  double limit_ = 0;  // an hour, machine and metric
  double count_ = 0;
  double hours_ = 0;
  size_t deviating_ = 0;
};

}  // namespace lento::fleet
