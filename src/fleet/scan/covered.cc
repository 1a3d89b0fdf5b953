// States the outcome and what it covers: period, step, machines, metrics and the share of samples that were
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
  finding::judged(d, text);
}

}  // namespace lento::fleet
