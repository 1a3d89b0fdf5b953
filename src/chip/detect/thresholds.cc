#include "chip/detect/thresholds.h"

#include <cmath>

namespace lento::chip {

Thresholds::Thresholds(const std::vector<std::vector<Suspect>>& shown, size_t components, double false_alarms)
    : runs_(double(shown.size())),
      times_(std::expm1(by_chance(components, false_alarms) / (2 * runs_))) {
  for (const std::vector<Suspect>& run : shown)
    for (const Suspect& s : run)
      sum_[s.component] += s.strength;
}

double Thresholds::by_chance(size_t hypotheses, double false_alarms) {
  return std::log(std::max(1.0, double(hypotheses) / false_alarms));
}

double Thresholds::needed(const Component& component) const {
  const auto seen = sum_.find(component);
  return (runs_ + (seen == sum_.end() ? 0 : seen->second)) * times_;
}

}  // namespace lento::chip
