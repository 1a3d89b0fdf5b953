// A prediction is a time with a one-sided error. The job's median over all machines and samples is slower
// than predicted where it exceeds the time by twice that error, and by a twentieth at least, which is what
// models of a whole step miss on runs that they were fitted to.
#include "fleet/scan/expected.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/units.h"
#include "evidence/sample.h"

namespace lento::fleet {
namespace {

constexpr double kLeastExcess = 0.05;

}  // namespace

std::optional<size_t> expected_metric(
    const finding::Expectation& e,
    std::span<const std::string> metrics,
    const std::string& metric) {
  auto at = std::ranges::find(metrics, e.metric);
  if (at == metrics.end())
    at = std::ranges::find(metrics, metric);
  if (at == metrics.end() || e.value <= 0)
    return std::nullopt;
  return size_t(at - metrics.begin());
}

// Returns the finding when the job's median exceeds the expectation by more than its error allows.
std::optional<finding::Finding>
slow_fleet(const finding::Expectation& e, const std::string& metric, double seen) {
  const double factor = seen / e.value;
  const double limit = 1 + std::max(2 * e.relative_error, kLeastExcess);
  if (factor <= limit)
    return std::nullopt;
  finding::Finding f;
  f.subject = "fleet";
  f.category = "slower than predicted";
  f.summary = "The whole fleet's " + metric + " is " + base::format_number(seen) + " " + e.unit + ", " +
              base::format_number(factor, 3) + " times the expected " + base::format_number(e.value) + " " +
              e.unit;
  f.score = 1 - limit / factor * 0.5;
  f.factor = factor;
  f.evidence.push_back({"median over machines and time", seen, e.unit, "metric " + metric});
  f.evidence.push_back({"expected for " + e.subject, e.value, e.unit, e.source});
  f.next_step =
      "No single machine explains this: look at the configuration, the network and the input pipeline.";
  return f;
}

void hold_against(
    const MetricSeries& s,
    std::span<const finding::Expectation> expectations,
    const std::string& metric,
    finding::Diagnosis& d) {
  for (const finding::Expectation& e : expectations) {
    const auto at = expected_metric(e, s.metrics, metric);
    if (!at) {
      d.notes.push_back(
          "Expectation '" + e.subject + "' (" + e.metric + "): no metric of the fleet to compare with");
      continue;
    }
    std::vector<double> values;
    for (size_t step = 0; step < s.steps; ++step) {
      for (const float v : s.row(*at, step)) {
        if (!std::isnan(v))
          values.push_back(double(v));
      }
    }
    if (values.empty())
      continue;
    const double seen = evidence::median(values);
    d.facts.emplace_back(
        s.metrics[*at] + " against expectation",
        base::format_number(seen / e.value, 3) + " x");
    if (auto slow = slow_fleet(e, s.metrics[*at], seen))
      d.findings.push_back(std::move(*slow));
  }
}

}  // namespace lento::fleet
