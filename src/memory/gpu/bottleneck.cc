// With u and u' as the shares of the busiest unit before and after, and v as the largest share that the
// others have after, the kernel takes at worst 1 - (u - u') (1 - v / u) of its time, and at best max(u', v).
#include "memory/gpu/bottleneck.h"

#include <algorithm>

namespace lento::memory {

SpeedUp speed_up(std::span<const BusyUnit> units, double waiting, bool all_measured) {
  constexpr double kLeastShare = 1e-3;  // profilers print percentages with two digits
  constexpr double kConfidence = 0.95;
  if (units.empty())
    return {};
  const auto busiest = std::ranges::max_element(units, {}, &BusyUnit::busy);
  double others = 0;
  double best = kLeastShare;
  for (const BusyUnit& unit : units) {
    best = std::max(best, unit.fewest);
    if (&unit != &*busiest)
      others = std::max(others, unit.most);
  }
  if (!all_measured)
    others = std::max(others, kConfidence * busiest->busy);
  const double less = std::max(0.0, busiest->busy - busiest->most);
  const double worst = others < busiest->busy ? 1 - less * (1 - others / busiest->busy) : 1;
  const auto gain = [&](double left) {
    return 1 / (waiting + (1 - waiting) * std::min(left, 1.0));
  };
  return {gain(worst), std::max(gain(worst), gain(best))};
}

double relief(std::span<const BusyUnit> units) {
  double sum = 0;
  for (const BusyUnit& unit : units)
    sum += std::max(0.0, unit.busy - unit.fewest);
  return sum;
}

}  // namespace lento::memory
