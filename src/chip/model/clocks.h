// Corrects recorded times for the recorder: counters that start at any value and wrap at 32 bits, coarse
// timers, clocks that run slower or faster or drift.
//
// align_clocks() needs no fit. retime() maps times to the cycles of the chip file by the fitted clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/model/likelihood.h"

namespace lento::chip {

struct Clocks {
  uint64_t grain = 1;  // cycles in one step of the timer
  int aligned = 0;     // recorders whose counter started elsewhere
  int wrapped = 0;     // recorders whose counter wrapped
};

// Undoes the wraps of 32-bit counters. Then shifts the times of each core whose counter started elsewhere, by
// the difference between its first recorded and expected begins. A counter started elsewhere when its
// difference is more than a quarter of the run away from the median over cores. All did when that median
// itself exceeds a quarter of the run. The records of each core must be in the order of writing.
Clocks align_clocks(std::vector<ProbeRecord>& records, const Dictionary& dictionary);

// Converts between the recorder's time and the chip file's, by the fitted clock. It is the identity when the
// fit finds no significant difference.
class ClockMap {
 public:
  ClockMap() = default;
  ClockMap(const Likelihood& model, const Solution& fit);

  bool differs() const {
    return !file_.empty();
  }
  double to_file(double recorder_cycles) const;
  double to_recorder(double file_cycles) const;

 private:
  double end_ = 1;            // last time of the recorder
  std::vector<double> file_;  // the file's time at equally spaced recorder times
};

void retime(std::vector<ProbeRecord>& records, const ClockMap& map);

// Moves each duration towards its expectation by at most the timer's step, so that the remaining difference
// cannot be rounding.
void smooth_grain(std::vector<ProbeRecord>& records, const Dictionary& dictionary, uint64_t grain);

}  // namespace lento::chip
