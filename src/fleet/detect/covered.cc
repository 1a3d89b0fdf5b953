// What a verdict rests on, in a line.
#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "fleet/detect/detect.h"

namespace lento::fleet {
namespace {

std::string count_of(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string
text(double period_s, double step_s, size_t machines, const std::vector<std::string>& metrics, double share) {
  constexpr size_t kNamed = 3;
  std::string names;
  for (size_t i = 0; i < std::min(metrics.size(), kNamed); ++i)
    names += (i ? ", " : "") + metrics[i];
  if (metrics.size() > kNamed)
    names += ", ...";
  return base::format_quantity(period_s, base::Dimension::Time) + " in steps of " +
         base::format_quantity(step_s, base::Dimension::Time) + ", " + count_of(machines, "machine") + ", " +
         count_of(metrics.size(), "metric") + " (" + names + "), " + base::format_number(100 * share, 4) +
         " % of the samples there";
}

}  // namespace

std::string covered_text(const Detector& detector) {
  const Coverage& c = detector.coverage();
  const Fleet& f = detector.fleet();
  const double cells = double(c.rows) * double(f.machines.size() * f.metrics.size());
  const double step_s = double(f.step_ms) / 1000;
  return text(
      double(c.rows) * step_s,
      step_s,
      f.machines.size(),
      f.metrics,
      cells > 0 ? double(c.samples) / cells : 0);
}

std::string covered_text(const MetricSeries& s) {
  const auto there = std::ranges::count_if(s.values, [](float v) {
    return !std::isnan(v);
  });
  const double step_s = double(s.step_ms) / 1000;
  const double share = double(there) / double(std::max<size_t>(1, s.values.size()));
  return text(double(s.steps) * step_s, step_s, s.machines.size(), s.metrics, share);
}

}  // namespace lento::fleet
