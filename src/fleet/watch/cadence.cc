// Takes a high quantile of the delays so far, including the time between two reads, as the delay of samples,
// because a row must wait for the slowest sample that may still arrive.
#include "fleet/watch/cadence.h"

#include <algorithm>
#include <span>
#include <vector>

#include "evidence/sample.h"

namespace lento::fleet {
namespace {

constexpr int64_t kLongestDelay = 900'000;
constexpr size_t kDelays = 32;  // reads from which the usual delay is estimated
constexpr size_t kGaps = 3;     // reads in a row that must agree on a new step

int64_t quantile_of(std::vector<int64_t> v, double q) {
  return evidence::nth_smallest_reordering(std::span(v), size_t(q * double(v.size() - 1)));
}

}  // namespace

int64_t Cadence::newest_ms(const std::string& machine) const {
  const auto at = newest_.find(machine);
  return at == newest_.end() ? INT64_MIN : at->second;
}

bool Cadence::learn_step(const MetricSeries& s) {
  if (fixed_ || s.sample_gap_ms == 0)
    return false;
  bool news = false;
  for (size_t m = 0; m < s.newest_ms.size(); ++m) {
    const auto at = newest_.find(s.machines[m]);
    news = news || at == newest_.end() || s.newest_ms[m] > at->second;
  }
  if (!news)
    return false;
  const double ratio = double(s.sample_gap_ms) / double(step_ms_);
  const bool other = ratio > 1.4 || ratio < 0.7;
  if (!other) {
    gaps_.clear();
    return false;
  }
  gaps_.push_back(s.sample_gap_ms);
  if (gaps_.size() < kGaps)
    return false;
  const auto [low, high] = std::minmax_element(gaps_.begin(), gaps_.end());
  if (*high > *low * 5 / 4) {
    gaps_.pop_front();
    return false;
  }
  const int64_t unit = s.sample_gap_ms > 900 ? 1000 : 100;
  step_ms_ = std::max(unit, (s.sample_gap_ms + unit / 2) / unit * unit);
  gaps_.clear();
  return true;
}

void Cadence::learn_delay(const MetricSeries& s, int64_t now_ms) {
  std::vector<int64_t> ages;
  for (size_t m = 0; m < s.newest_ms.size(); ++m) {
    int64_t& newest = newest_.try_emplace(s.machines[m], INT64_MIN).first->second;
    if (newest != INT64_MIN && s.newest_ms[m] > newest)
      ages.push_back(now_ms - s.newest_ms[m]);
    newest = std::max(newest, s.newest_ms[m]);
  }
  if (ages.empty())
    return;
  delays_.push_back(std::clamp<int64_t>(quantile_of(ages, 0.9), 0, kLongestDelay));
  if (delays_.size() > kDelays)
    delays_.pop_front();
  delay_ms_ = quantile_of(std::vector<int64_t>(delays_.begin(), delays_.end()), 0.8);
}

}  // namespace lento::fleet
