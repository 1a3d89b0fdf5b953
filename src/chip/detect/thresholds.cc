// Adds up the strengths of each component over healthy runs, and extrapolates their exponential tails and the
// Gumbel distribution of the largest strength of a run.
#include "chip/detect/thresholds.h"

#include <algorithm>
#include <cmath>

#include "evidence/sample.h"

namespace lento::chip {

Thresholds::Thresholds(const std::vector<std::vector<Suspect>>& shown, size_t components, double false_alarms)
    : runs_(double(shown.size())),
      times_(std::expm1(by_chance(components, false_alarms) / (2 * runs_))) {
  std::vector<double> largest;
  for (const std::vector<Suspect>& run : shown) {
    largest.push_back(0);
    for (const Suspect& s : run) {
      sum_[s.component] += s.strength;
      largest.back() = std::max(largest.back(), s.strength);
    }
  }
  // A value of a Gumbel distribution exceeds location - scale * log(-log(q)) with probability 1 - q.
  const auto beyond = [](double share_above) {
    return -std::log(-std::log1p(-share_above));
  };
  constexpr double kQuarter = 0.25;  // the quartiles give the scale: one odd run of six does not move them
  const double quartiles = evidence::quantile(largest, 1 - kQuarter) - evidence::quantile(largest, kQuarter);
  const double scale = std::max(1.0, quartiles / (beyond(kQuarter) - beyond(1 - kQuarter)));
  const double above_median = beyond(std::min(false_alarms, 0.5)) - beyond(0.5);
  of_the_chip_ = std::max(runs_ * times_, evidence::median(largest) + scale * above_median);
}

double Thresholds::by_chance(size_t hypotheses, double false_alarms) {
  return std::log(std::max(1.0, double(hypotheses) / false_alarms));
}

double Thresholds::by_chance(size_t hypotheses, double false_alarms, double scatter) {
  const double ideal = by_chance(hypotheses, false_alarms);
  return std::max(ideal, std::sqrt(2 * ideal) * scatter);
}

double Thresholds::needed(const Component& component) const {
  const auto seen = sum_.find(component);
  return (runs_ + (seen == sum_.end() ? 0 : seen->second)) * times_;
}

}  // namespace lento::chip
