// What a track learned, as numbers and back.
#include <algorithm>
#include <cmath>

#include "fleet/detect/level_track.h"

namespace lento::fleet {
namespace {

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) {
    return std::isfinite(x);
  });
}

}  // namespace

std::vector<double> LevelTrack::shared_state() const {
  std::vector<double> s{
      double(evaluations_),
      level_variance_,
      change_variance_,
      level_count_,
      change_count_,
      typical_level_,
      largest_,
      block_variance_,
      block_count_,
      baseline_level_,
      baseline_level_count_};
  s.insert(s.end(), scatter_.begin(), scatter_.end());
  s.insert(s.end(), weight_.begin(), weight_.end());
  const auto echo = echo_.state();
  s.insert(s.end(), echo.begin(), echo.end());
  return s;
}

std::vector<double> LevelTrack::own_state(size_t m) const {
  std::vector<double> s(baseline_[m].begin(), baseline_[m].end());
  s.push_back(baseline_count_[m]);
  s.push_back(own_variance_[m]);
  return s;
}

void LevelTrack::restore_shared(std::span<const double> s) {
  constexpr size_t kScalars = 11;
  const size_t without_echo = kScalars + scatter_.size() + kFeatures;  // states of before hold none
  const bool echo = s.size() == without_echo + Echo::kNumbers;
  if ((!echo && s.size() != without_echo) || !all_finite(s))
    return;
  if (echo)
    echo_.restore(s.subspan(without_echo));
  size_t at = 0;
  evaluations_ = uint64_t(std::clamp(s[at++], 0.0, 1e15));
  for (double* number :
       {&level_variance_,
        &change_variance_,
        &level_count_,
        &change_count_,
        &typical_level_,
        &largest_,
        &block_variance_,
        &block_count_,
        &baseline_level_,
        &baseline_level_count_})
    *number = s[at++];
  for (double& x : scatter_)
    x = s[at++];
  for (double& x : weight_)
    x = s[at++];
}

void LevelTrack::restore_own(size_t m, std::span<const double> s) {
  if (s.size() != kOwnNumbers || !all_finite(s))
    return;
  for (size_t f = 0; f < kFeatures; ++f)
    baseline_[m][f] = float(s[f]);
  baseline_count_[m] = float(s[kFeatures]);
  own_variance_[m] = float(s[kFeatures + 1]);
}

}  // namespace lento::fleet
