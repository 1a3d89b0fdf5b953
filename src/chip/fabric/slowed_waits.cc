// Computes the earliest ends of waits when a component is slow, and the slowness that each recorded end
// implies.
#include "chip/fabric/slowed_waits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "chip/fabric/ends.h"

namespace lento::chip {

SlowedWaits::SlowedWaits(
    const CandidateClass& candidate,
    const Played& played,
    const std::vector<ComparedWait>& compared,
    const std::vector<size_t>& wait_of,
    double completion_cycles)
    : compared_(compared),
      completion_(completion_cycles) {
  std::map<size_t, std::vector<Transfer>> by_wait;
  for (const uint32_t id : candidate.transfers) {
    const size_t wait = wait_of[id];
    if (wait == SIZE_MAX)
      continue;
    const PlayedTransfer& transfer = played.transfers[id];
    by_wait[wait].push_back({transfer.issue - compared[wait].last_issue, transfer.arrival - transfer.issue});
  }
  for (auto& [index, transfers] : by_wait)
    waits_.push_back({index, std::move(transfers)});
}

std::vector<double> SlowedWaits::bounds(double factor) const {
  std::vector<double> out(compared_.size(), Ends::kFree);
  for (const Wait& wait : waits_) {
    double tail = 0;
    for (const Transfer& t : wait.transfers)
      tail = std::max(tail, t.issue + factor * t.time + completion_);
    if (tail > 0)
      out[wait.index] = std::log(tail / compared_[wait.index].modelled);
  }
  return out;
}

std::vector<double> SlowedWaits::factors() const {
  std::vector<double> out;
  for (const Wait& wait : waits_) {
    double least = std::numeric_limits<double>::infinity();
    for (const Transfer& t : wait.transfers)
      least = std::min(least, (compared_[wait.index].tail - completion_ - t.issue) / t.time);
    out.push_back(least);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace lento::chip
