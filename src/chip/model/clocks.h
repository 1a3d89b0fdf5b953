// Undoes what recorders do to times: counters that start anywhere and wrap at 32 bits, coarse timers, clocks
// that run slower, faster or drift.
//
// align_clocks() needs no fit. retime() maps times to the cycles of the chip file by the fitted clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/model/likelihood.h"

namespace lento::chip {

struct Clocks {
  uint64_t grain = 1;  // cycles of the timer's steps
  int aligned = 0;     // recorders whose counter started elsewhere
  int wrapped = 0;     // recorders whose counter wrapped
};

// Makes the times of each core monotonic and lets all begin as the dictionary expects. Records stand in the
// order in which each core wrote them.
Clocks align_clocks(std::vector<ProbeRecord>& records, const Dictionary& dictionary);

// The recorder's time and the file's, one against the other, by the fitted clock. The same where the fit
// finds no significant difference.
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
  double end_ = 1;            // of the recorder
  std::vector<double> file_;  // the file's time at equal steps of the recorder's
};

void retime(std::vector<ProbeRecord>& records, const ClockMap& map);

// Takes off each record what the timer's grain may have added or taken, towards its expectation: what is left
// of a difference is no rounding.
void smooth_grain(std::vector<ProbeRecord>& records, const Dictionary& dictionary, uint64_t grain);

}  // namespace lento::chip
