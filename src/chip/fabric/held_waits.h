// The effect of a slow candidate on the waits: the earliest end that its transfers leave each of them.
#pragma once

#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/waits.h"

namespace lento::chip {

class HeldWaits {
 public:
  // Selects the compared waits that a transfer of the candidate is part of. `wait_of`: transfer -> index into
  // `compared`, or SIZE_MAX.
  HeldWaits(
      const CandidateClass& candidate,
      const Played& played,
      const std::vector<ComparedWait>& compared,
      const std::vector<size_t>& wait_of,
      double completion_cycles);

  size_t count() const {
    return waits_.size();
  }
  // Returns by compared wait the log of the tail when each of the candidate's transfers takes `factor` times
  // its modelled time and nothing else is late, over the modelled tail, and Ends::kFree for the others.
  std::vector<double> bounds(double factor) const;
  // Returns by held wait, ascending, the factor that gives exactly the recorded end. A healthy wait has one
  // by chance, and waits that the candidate ended share one. It is at most the factor of a slow candidate
  // that did not end the wait, and at least that of one that did.
  std::vector<double> factors() const;

 private:
  struct Transfer {
    double issue = 0;  // cycles after the wait's last issue, never above 0
    double time = 0;
  };
  struct Wait {
    size_t index = 0;  // of the compared waits
    std::vector<Transfer> transfers;
  };
  const std::vector<ComparedWait>& compared_;
  std::vector<Wait> waits_;
  double completion_ = 0;
};

}  // namespace lento::chip
