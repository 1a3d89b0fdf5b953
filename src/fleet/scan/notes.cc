// Adds notes on what is no fault: machines with another role, metrics that cannot be averaged, changes of the
// job to which machines respond unequally. Also states the smallest change that would have been found.
#include "fleet/scan/notes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/units.h"
#include "fleet/scan/record.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;

// Notes changes of the job to which machines responded unequally.
void add_uneven(const View& v, Diagnosis& d) {
  for (const Episode& e : v.scan.episodes()) {
    if (e.what == Episode::What::Uneven)
      d.notes.push_back(
          std::string("The job changed at ") + (v.series.by_step ? "step " : "") +
          base::format_number(double(e.onset_ms) / 1000, 13) + (v.series.by_step ? "" : " s") + " and " +
          std::to_string(e.members.size()) + " machines responded differently in " +
          v.series.metrics[e.metric] + ": " + list_of(v.series, machines_of(e)));
  }
}

// Adds the machines of a metric that differ in both halves of the record by more than the detectable change.
void add_standing(
    const View& v,
    const Sensitivity& s,
    const std::set<size_t>& named,
    StandingDifference& up,
    StandingDifference& down) {
  const size_t half = v.series.steps / 2;
  for (const auto& group : v.scan.groups()) {
    const auto residuals = residuals_of_group(v.series, v.scan.scale(s.metric), s.metric, group);
    for (size_t m = 0; m < group.size(); ++m) {
      const std::span all(residuals[m]);
      const double first = mean_there(all.first(half));
      const double second = mean_there(all.subspan(half));
      const double least = std::min(std::abs(first), std::abs(second));
      if (!(first * second > 0) || least < s.shift || named.contains(group[m]))
        continue;
      StandingDifference& side = first > 0 ? up : down;
      side.machines.push_back(group[m]);
      side.strength = std::max(side.strength, least / s.shift);
    }
  }
}

// Adds a note that lists the metrics that were not averaged, because they are codes or identifiers.
void add_kinds(const View& v, Diagnosis& d) {
  std::set<std::string> skipped;
  for (size_t k = 0; k < v.series.metrics.size(); ++k) {
    const std::string& metric = v.series.metrics[k];
    const Kind kind = kind_of(metric).kind;
    if (kind == Kind::Code || kind == Kind::Identifier)
      skipped.insert(metric.substr(0, metric.find(':')) + " (" + name(kind) + ")");
  }
  std::string text;
  for (const std::string& one : skipped)
    text += (text.empty() ? "" : ", ") + one;
  if (!text.empty())
    d.notes.push_back("Not averaged, because its values are no amounts: " + text);
}

// Returns a change on a logarithmic scale as shares: a fall, a rise, or both where they differ. A fall of
// 50 % is as large there as a rise of 100 %.
std::string shares_of(double shift, Slow slow) {
  const double fall = 100 * -std::expm1(-shift);
  const double rise = 100 * std::expm1(shift);
  const auto text = [](double percent) {
    return base::format_number(percent, 2) + " %";
  };
  if (slow == Slow::Low)
    return text(fall);
  if (slow == Slow::High || rise < 1.1 * fall)
    return text(rise);
  return "-" + text(fall) + " or +" + text(rise);
}

// Returns the smallest change that would have been found in each metric.
std::string reach_of(const View& v) {
  const std::string unit = v.series.by_step ? " steps" : " s";
  std::string text;
  for (const Sensitivity& s : v.scan.sensitivity()) {
    const std::string size = v.scan.kind(s.metric) == Kind::FewValued
                                 ? base::format_number(s.shift, 2) + " of the ranks"
                                 : shares_of(s.shift, v.scan.slow(s.metric));
    text += (text.empty() ? "" : ", ") + v.series.metrics[s.metric] + " " + size + " for " +
            base::format_number(s.window_s, 4) + unit;
  }
  return text;
}

}  // namespace

std::string list_of(const MetricSeries& series, const std::vector<size_t>& machines) {
  constexpr size_t kListed = 10;
  std::vector<std::string> names;
  for (const size_t m : machines)
    names.push_back(series.machines[m]);
  std::ranges::sort(names, {}, [](const std::string& name) {
    return std::pair(name.size(), name);  // node-2 before node-10
  });
  std::string out;
  for (size_t i = 0; i < names.size() && i < kListed; ++i)
    out += (i ? ", " : "") + names[i];
  if (names.size() > kListed)
    out += " and " + std::to_string(names.size() - kListed) + " more";
  return out;
}

std::vector<size_t> machines_of(const Episode& e) {
  std::vector<size_t> out;
  for (const Member& m : e.members)
    out.push_back(m.machine);
  std::ranges::sort(out);
  return out;
}

std::vector<StandingDifference> standing_differences(const View& v) {
  std::set<size_t> named;
  for (const Episode& e : v.scan.episodes()) {
    for (const Member& m : e.members)
      named.insert(m.machine);
  }
  std::vector<StandingDifference> out;
  for (const Sensitivity& s : v.scan.sensitivity()) {
    if (v.scan.kind(s.metric) == Kind::FewValued)
      continue;
    StandingDifference up{s.metric, true, {}, 0};
    StandingDifference down{s.metric, false, {}, 0};
    add_standing(v, s, named, up, down);
    for (StandingDifference* side : {&up, &down}) {
      if (!side->machines.empty() && 2 * side->machines.size() <= v.series.machines.size())
        out.push_back(std::move(*side));
    }
  }
  return out;
}

void add_notes(const View& view, const std::vector<StandingDifference>& standing, Diagnosis& d) {
  add_kinds(view, d);
  add_uneven(view, d);
  for (const StandingDifference& s : standing)
    d.notes.push_back(
        view.series.metrics[s.metric] + " is " + (s.higher ? "higher" : "lower") +
        " than that of peers all along on " + list_of(view.series, s.machines) +
        ": a role, a different part, or a fault from before the record");
}

std::string reach_text(const MetricSeries& series, const Scan& scan) {
  return reach_of({series, scan});
}

}  // namespace lento::fleet
