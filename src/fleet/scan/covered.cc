// States what an all-clear covers: period, step, machines, metrics and the share of samples that were
// present.
#include "fleet/scan/covered.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace lento::fleet {
namespace {

std::string count_of(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace

std::string text_of(const Covered& c) {
  constexpr size_t kNamed = 3;
  std::string names;
  for (size_t i = 0; i < std::min(c.metrics.size(), kNamed); ++i)
    names += (i ? ", " : "") + c.metrics[i];
  if (c.metrics.size() > kNamed)
    names += ", ...";
  const std::string period = c.by_step ? base::format_number(c.period_s) + " steps"
                                       : base::format_quantity(c.period_s, base::Dimension::Time) +
                                             " in steps of " +
                                             base::format_quantity(c.step_s, base::Dimension::Time);
  return period + ", " + count_of(c.machines, "machine") + ", " + count_of(c.metrics.size(), "metric") +
         " (" + names + "), " + base::format_number(100 * c.share, 4) + " % of the samples there";
}

std::string covered_text(const MetricSeries& s, int64_t step_ms) {
  const auto there = std::ranges::count_if(s.values, [](float v) {
    return !std::isnan(v);
  });
  const double period_s = double(s.steps) * double(s.step_ms) / 1000;
  const double share = double(there) / double(std::max<size_t>(1, s.values.size()));
  return text_of({period_s, double(step_ms) / 1000, s.machines.size(), s.metrics, share, s.by_step});
}

}  // namespace lento::fleet
