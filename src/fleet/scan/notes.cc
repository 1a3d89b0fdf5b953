// Adds notes on differences that are no faults: a role, a unit that cannot be averaged, a phase of the job to
// which machines respond unequally. An all-clear also states the smallest change that would have been found.
#include "fleet/scan/notes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

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

// Notes differences that are there all along. They come from another role of the machine or from another
// configuration, and are no finding.
void add_standing(const View& v, Diagnosis& d) {
  std::set<size_t> named;
  for (const Episode& e : v.scan.episodes()) {
    for (const Member& m : e.members)
      named.insert(m.machine);
  }
  const size_t half = v.series.steps / 2;
  for (const Sensitivity& s : v.scan.sensitivity()) {
    if (v.scan.kind(s.metric) == Kind::FewValued)
      continue;
    std::vector<size_t> higher;
    std::vector<size_t> lower;
    for (const auto& group : v.scan.groups()) {
      std::vector<std::array<double, 2>> halves;
      for (const auto& own : residuals_of_group(v.series, v.scan.scale(s.metric), s.metric, group)) {
        const std::span all(own);
        halves.push_back({mean_there(all.first(half)), mean_there(all.subspan(half))});
      }
      for (size_t m = 0; m < group.size(); ++m) {
        const double least = std::min(std::abs(halves[m][0]), std::abs(halves[m][1]));
        if (!(halves[m][0] * halves[m][1] > 0) || least < s.shift || named.contains(group[m]))
          continue;
        (halves[m][0] > 0 ? higher : lower).push_back(group[m]);
      }
    }
    for (const auto& [list, word] : {std::pair{&higher, "higher"}, std::pair{&lower, "lower"}}) {
      if (!list->empty() && 2 * list->size() <= v.series.machines.size())
        d.notes.push_back(
            v.series.metrics[s.metric] + " is " + word + " than that of peers all along on " +
            list_of(v.series, *list) + ": a role or a different part, no change");
    }
  }
}

// Notes the metrics that are no amounts and were not averaged.
void add_kinds(const View& v, Diagnosis& d) {
  std::string skipped;
  for (size_t k = 0; k < v.series.metrics.size(); ++k) {
    const Kind kind = v.scan.kind(k);
    if (kind == Kind::Code || kind == Kind::Identifier)
      skipped += (skipped.empty() ? "" : ", ") + v.series.metrics[k] + " (" + name(kind) + ")";
  }
  if (!skipped.empty())
    d.notes.push_back("Not averaged, because its values are no amounts: " + skipped);
}

// Returns the smallest change that would have been found in each metric.
std::string reach_of(const View& v) {
  const std::string unit = v.series.by_step ? " steps" : " s";
  std::string text;
  for (const Sensitivity& s : v.scan.sensitivity()) {
    if (v.scan.kind(s.metric) == Kind::FewValued)
      text += (text.empty() ? "" : ", ") + v.series.metrics[s.metric] + " " +
              base::format_number(s.shift, 2) + " of the ranks for " + base::format_number(s.window_s, 4) +
              unit;
    else
      text += (text.empty() ? "" : ", ") + v.series.metrics[s.metric] + " " +
              base::format_number(100 * -std::expm1(-s.shift), 2) + " % for " +
              base::format_number(s.window_s, 4) + unit;
  }
  return text;
}

}  // namespace

std::string list_of(const MetricSeries& series, const std::vector<size_t>& machines) {
  constexpr size_t kListed = 10;
  std::string out;
  for (size_t i = 0; i < machines.size() && i < kListed; ++i)
    out += (i ? ", " : "") + series.machines[machines[i]];
  if (machines.size() > kListed)
    out += " and " + std::to_string(machines.size() - kListed) + " more";
  return out;
}

std::vector<size_t> machines_of(const Episode& e) {
  std::vector<size_t> out;
  for (const Member& m : e.members)
    out.push_back(m.machine);
  std::ranges::sort(out);
  return out;
}

void add_notes(const MetricSeries& series, const Scan& scan, Diagnosis& d) {
  const View view{series, scan};
  add_kinds(view, d);
  add_uneven(view, d);
  add_standing(view, d);
}

std::string reach_text(const MetricSeries& series, const Scan& scan) {
  return reach_of({series, scan});
}

}  // namespace lento::fleet
