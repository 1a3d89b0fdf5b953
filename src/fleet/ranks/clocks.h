// Aligns the clocks of the hosts by the times of collectives, which several hosts record.
//
//   corrected = t - offset - drift * (t - reference)
//
// The clock of the first host is the reference for all others.
#pragma once

#include <cstdint>
#include <vector>

#include "evidence/share.h"
#include "fleet/ranks/job.h"

namespace lento::fleet::ranks {

struct HostClock {
  bool aligned = false;        // a chain of collectives leads to the first host
  double offset_ns = 0;        // at the reference time
  double offset_error_ns = 0;  // standard error, the bias of unequal ends included
  double drift = 0;            // seconds a second
  evidence::Interval drift95;  // 95 % confidence interval of the drift
};

struct Clocks {
  int64_t reference_ns = 0;
  std::vector<HostClock> hosts;
  int groups = 1;          // number of groups of hosts that no collective joins; 1: all are aligned
  double residual_ns = 0;  // median disagreement of the links between hosts
  uint64_t links = 0;      // pairs of hosts compared
  uint64_t rejected = 0;   // pairs left out, because their drift is larger than a clock's can be

  bool aligned() const {
    return groups == 1;
  }
  int64_t corrected(int host, int64_t t) const {
    const HostClock& c = hosts[host];
    const double error = c.offset_ns + c.drift * double(t - reference_ns);
    return t - int64_t(error < 0 ? error - 0.5 : error + 0.5);
  }
};

Clocks align_clocks(const Job& job, const std::vector<double>& transfer_ns);

}  // namespace lento::fleet::ranks
