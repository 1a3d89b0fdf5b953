// States the outcome and what it covers: period, step, machines, metrics and the share of samples that were
// present.
#include "fleet/scan/covered.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"
#include "evidence/outliers.h"
#include "fleet/scan/causes.h"
#include "fleet/scan/conclude_text.h"
#include "fleet/scan/kinds.h"
#include "fleet/scan/record.h"

namespace lento::fleet {
namespace {

std::string count_of(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// Returns, for each machine of a group, its mean of a metric in a span on the metric's scale. Values of few
// kinds have no ranks against a whole record, so they are compared like levels around zero.
std::vector<double> scaled_means(const View& v, size_t metric, const std::vector<size_t>& group, Span span) {
  std::vector<double> out;
  for (const size_t m : group)
    out.push_back(double(v.scan.scale(metric).of(float(mean_of(v.series, metric, std::span(&m, 1), span)))));
  return out;
}

// Returns the place in the group of the machine whose mean lies furthest on the slow side of its peers in
// both halves of the record, by Rosner's test among the means. `chance` is that of a group of equal machines.
std::optional<size_t>
slow_in_both_halves(const View& v, size_t metric, const std::vector<size_t>& group, double chance) {
  const auto side = v.scan.slow(metric) == Slow::Low ? evidence::Side::Low : evidence::Side::High;
  const size_t half = v.series.steps / 2;
  const std::vector<double> before = scaled_means(v, metric, group, {0, half});
  const std::vector<double> after = scaled_means(v, metric, group, {half, v.series.steps});
  const auto missing = [](double mean) {
    return std::isnan(mean);
  };
  if (std::ranges::any_of(before, missing) || std::ranges::any_of(after, missing))
    return {};
  const std::vector<evidence::Outlier> later = evidence::outliers(after, side, chance);
  for (const evidence::Outlier& first : evidence::outliers(before, side, chance)) {
    if (std::ranges::count(later, first.index, &evidence::Outlier::index) > 0)
      return first.index;
  }
  return {};
}

// Returns why a record without findings is no all-clear: a machine was slower than its peers from the first
// sample to the last in a metric that equal machines share, such as a clock. All tests share the budget.
std::string slow_all_along(const View& v, const ScanOptions& o) {
  std::vector<std::pair<size_t, size_t>> tests;  // metric and group
  for (size_t k = 0; k < v.series.metrics.size(); ++k) {
    for (size_t g = 0; kind_of(v.series.metrics[k]).alike && g < v.scan.groups().size(); ++g) {
      if (v.scan.groups()[g].size() >= o.min_peers)
        tests.emplace_back(k, g);
    }
  }
  const double seen_s = seconds(int64_t(v.series.steps) * v.series.step_ms);
  const double periods = o.budget.period_s > 0 ? seen_s / o.budget.period_s : 1;
  for (const auto& [metric, g] : tests) {
    const std::vector<size_t>& group = v.scan.groups()[g];
    const double chance = o.budget.false_alarms * std::min(1.0, periods) / double(tests.size());
    const auto at = slow_in_both_halves(v, metric, group, chance);
    if (!at)
      continue;
    const std::vector<size_t> one{group[*at]};
    const Span whole{0, v.series.steps};
    return v.series.metrics[metric] + " of " + v.series.machines[group[*at]] +
           " is slower than that of its peers in the whole record: a mean of " +
           value_text(mean_of(v.series, metric, one, whole)) + " where they have " +
           value_text(mean_of(v.series, metric, others_of(v, g, one), whole)) +
           ", which is another role, another part or a fault from before the record";
  }
  return "";
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

void conclude_outcome(const View& v, const ScanOptions& o, finding::Diagnosis& d) {
  const std::string text = covered_text(v.series, v.scan.fleet().step_ms);
  if (!d.findings.empty())
    return finding::judged(d, text);
  const std::string peers = std::to_string(o.min_peers);
  bool amounts = false;
  for (size_t k = 0; k < v.series.metrics.size(); ++k)
    amounts |= v.scan.kind(k) != Kind::Code && v.scan.kind(k) != Kind::Identifier;
  if (!amounts)
    return finding::cannot_judge(
        d,
        "codes and identifiers are not averaged, and " +
            std::string(v.scan.codes().empty() ? "no code other than 0 came" : "no code means a fault"),
        "add a metric that is an amount, such as power, clock or utilisation",
        text);
  bool any = false;
  for (size_t g = 0; g < v.scan.groups().size(); ++g)
    any |= v.scan.group_judged(g);
  if (!any)
    return finding::cannot_judge(
        d,
        "no group of peers has " + peers + " machines",
        "read all machines of the job, or choose other labels with --group-by",
        text);
  if (v.scan.sensitivity().empty()) {
    const double needed = 2 * v.scan.needed_s();
    const double read = double(v.series.steps) * double(v.series.step_ms) / 1000;
    const bool is_long = read >= needed;
    return finding::cannot_judge(
        d,
        is_long ? "by the middle of the record no deviation could be told from the noise of so few machines"
                : "by the middle of the record no window of any metric has a past on " + peers +
                      " machines at once",
        "read at least " + base::format_quantity(is_long ? 2 * read : needed, base::Dimension::Time) +
            " of a metric that all machines report at this step" + (is_long ? ", or more machines" : ""),
        text);
  }
  if (const std::string why = slow_all_along(v, o); !why.empty())
    return finding::cannot_judge(
        d,
        why,
        "name the roles and parts with labels (--group-by), read a record from when the machine was as "
        "fast as its peers, or run the same short work on it and on one peer",
        text);
  finding::judged(d, text);
}

}  // namespace lento::fleet
