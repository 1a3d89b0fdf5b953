// Counts, for each machine, the time without samples while the source responds, and restarts these counts
// after an outage of the source.
#include "fleet/scan/roll_call.h"

#include <algorithm>

namespace lento::fleet {
namespace {

// Least share of the job's machines that have a sample at one time (a row of the table). Below it, the source
// of the samples has failed and not its machines.
constexpr double kAnswered = 0.75;
// Time after an outage within which the samples of the machines come back, not all at once
// (bench/results/2026-11-22/fleet_source_faults.txt).
constexpr int64_t kUneven_ms = 30'000;

}  // namespace

RollCall::RollCall(size_t machines, int64_t step_ms, int64_t limit_ms, int64_t gone_ms)
    : step_ms_(step_ms),
      limit_ms_(limit_ms),
      gone_ms_(gone_ms),
      seen_ms_(machines, kNever),
      seen_answered_ms_(machines, 0) {
}

size_t RollCall::members() const {
  return size_t(std::ranges::count_if(seen_ms_, [](int64_t ms) {
    return ms != kNever;
  }));
}

bool RollCall::row(int64_t time_ms, std::span<const uint8_t> reports) {
  now_ms_ = time_ms;
  reporting_ = 0;
  for (const uint8_t r : reports)
    reporting_ += r != 0;
  answered_ = reporting_ > 0 && double(reporting_) >= kAnswered * double(members());
  if (!answered_) {
    outage_ms_ += step_ms_;
  } else {
    answered_ms_ += step_ms_;
    if (outage_ms_ > limit_ms_ / 4)
      start_silences_anew();
    outage_ms_ = 0;
  }
  for (size_t m = 0; m < reports.size(); ++m) {
    if (reports[m])
      heard(m, time_ms);
    if (member(m) && quiet_for_ms(m) > gone_ms_)
      leave(m);
  }
  return answered_;
}

// After an outage of the source the first rows lack machines, so that every machine's time of silence begins
// again at 0 and none is declared silent in them. A machine that had been quiet for half the limit or longer
// keeps its time, but at most so much that `wait` is left until the limit.
void RollCall::start_silences_anew() {
  const int64_t wait = std::max(step_ms_, std::min(kUneven_ms, limit_ms_ / 2));
  for (size_t m = 0; m < seen_ms_.size(); ++m) {
    const int64_t quiet = quiet_for_ms(m);
    const int64_t kept = quiet >= limit_ms_ / 2 ? std::min(quiet, limit_ms_ - wait) : 0;
    if (!silent(m))
      seen_answered_ms_[m] = answered_ms_ - kept;
  }
}

void RollCall::heard(size_t machine, int64_t time_ms) {
  const int64_t late = std::max<int64_t>(0, now_ms_ - time_ms);
  seen_ms_[machine] = std::max(seen_ms_[machine], time_ms);
  seen_answered_ms_[machine] = std::max(seen_answered_ms_[machine], answered_ms_ - late);
}

void RollCall::join(size_t machine, int64_t seen_ms) {
  if (!member(machine))
    seen_answered_ms_[machine] = answered_ms_;
  seen_ms_[machine] = std::max(seen_ms_[machine], seen_ms);
}

bool RollCall::silent(size_t machine) const {
  return member(machine) && answered_ && quiet_for_ms(machine) > limit_ms_;
}

}  // namespace lento::fleet
