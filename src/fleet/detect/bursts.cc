#include "fleet/detect/bursts.h"

#include <algorithm>
#include <cmath>

#include "fleet/detect/tuning.h"

namespace lento::fleet {
Bursts::Bursts(const Job& job)
    : state_(job.machines * job.metrics, State::Quiet) {
  const double pairs = 24 * double(job.machines * job.metrics) * job.window_h * tuning::kChained.value;
  limit_ = std::sqrt(job.alarms_per_day / std::max(pairs, 1e-9));
}

bool Bursts::see(size_t cell, const Judged& judged) {
  State& s = state_[cell];
  const bool was = s == State::Deviating;
  const bool under_way = s != State::Quiet;
  if (judged.score >= 1 && judged.steady) {
    s = State::Lasting;
  } else if (judged.score >= 1 && s == State::Quiet) {
    s = State::Deviating;
  } else if (judged.score < tuning::kAtRest.value) {
    count_ += s == State::Deviating;
    s = State::Quiet;
  }
  deviating_ = deviating_ + (s == State::Deviating) - was;
  return under_way && s == State::Quiet;
}

bool Bursts::rare() const {
  const double under_way = std::max(0.0, double(deviating_) - tuning::kFaultsUnderWay.value);
  return count_ + under_way + tuning::kAssumedBursts.value <= limit_ * hours_;
}

void Bursts::restore(double count, double hours) {
  if (!(count >= 0 && count < 1e15 && hours >= 0 && hours < 1e15))
    return;
  count_ = count;
  hours_ = hours;
}

}  // namespace lento::fleet
