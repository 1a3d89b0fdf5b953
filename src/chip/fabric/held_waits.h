// Computes the effect of a slow candidate on the waits: the earliest end that its transfers allow for each
// wait.
#pragma once

#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/waits.h"

namespace lento::chip {

class HeldWaits {
 public:
  // Selects the compared waits that include a transfer of the candidate. `wait_of` maps a transfer to its
  // index in `compared`, or SIZE_MAX.
  HeldWaits(
      const CandidateClass& candidate,
      const Played& played,
      const std::vector<ComparedWait>& compared,
      const std::vector<size_t>& wait_of,
      double completion_cycles);

  size_t count() const {
    return waits_.size();
  }
  // Returns for each compared wait log(tail / modelled tail), where each of the candidate's transfers takes
  // `factor` times its modelled time and all others are on time. Waits without such a transfer have
  // Ends::kFree.
  std::vector<double> bounds(double factor) const;
  // Returns, ascending, the factor of each selected wait that would give exactly its recorded end. Waits that
  // the slow candidate ended share its true factor. Waits that ended later for another reason give a larger
  // one, and on a healthy chip all factors are arbitrary.
  std::vector<double> factors() const;

 private:
  struct Transfer {
    double issue = 0;  // cycles after the wait's last issue, never above 0
    double time = 0;
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
