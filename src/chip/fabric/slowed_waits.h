// Computes the effect of a slow candidate on the waits: the earliest end of each wait that the candidate's
// transfers allow. The tail of a wait is the time from its last issue to its end.
#pragma once

#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/waits.h"

namespace lento::chip {

class SlowedWaits {
 public:
  // Selects the waits in `compared` that include a transfer of the candidate. `wait_of` holds for each
  // transfer the index of its wait in `compared`, or SIZE_MAX.
  SlowedWaits(
      const CandidateClass& candidate,
      const Played& played,
      const std::vector<ComparedWait>& compared,
      const std::vector<size_t>& wait_of,
      double completion_cycles);

  size_t count() const {
    return waits_.size();
  }
  // Returns by wait of `compared` the log of the earliest tail (time from last issue to end) over the
  // modelled tail, when each of the candidate's transfers takes `factor` times its modelled time. Other
  // transfers of the wait are disregarded. Ends::kFree for a wait without a transfer of the candidate.
  std::vector<double> bounds(double factor) const;
  // Returns in ascending order, for each selected wait, the factor at which the candidate's transfers end
  // exactly when the wait was recorded to end. Waits that a slow candidate ended share its true factor. Waits
  // that ended later for another reason give a larger one. On a healthy chip the factors agree on no value.
  std::vector<double> factors() const;

 private:
  struct Transfer {
    double issue = 0;  // cycles after the wait's last issue, never above 0
    double time = 0;   // modelled, cycles
  };
  struct Wait {
    size_t index = 0;  // index in the compared waits
    std::vector<Transfer> transfers;
  };
  const std::vector<ComparedWait>& compared_;
  std::vector<Wait> waits_;
  double completion_ = 0;
};

}  // namespace lento::chip
