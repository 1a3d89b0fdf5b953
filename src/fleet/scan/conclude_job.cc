// Reports a change of the job as one of all machines, or of the part of them that changed. The machines'
// changes are split into two parts with the least variance, and a part without a change is left out.
#include "fleet/scan/conclude_job.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "fleet/scan/causes.h"
#include "fleet/scan/conclude_text.h"
#include "fleet/scan/covered.h"
#include "fleet/scan/record.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::Finding;

// Returns the machines whose own level moved by at least half of the job's change.
std::vector<size_t> moved_with_job(const View& v, const Episode& e, const Span& span) {
  const Scale& scale = v.scan.scale(e.metric);
  std::vector<std::pair<double, size_t>> changes;
  for (const size_t m : v.scan.groups()[e.group]) {
    const std::vector<size_t> one{m};
    const double before = mean_of(v.series, e.metric, one, {0, span.begin});
    const double after = mean_of(v.series, e.metric, one, span);
    if (!std::isnan(before) && !std::isnan(after))
      changes.emplace_back(double(scale.of(float(after)) - scale.of(float(before))), m);
  }
  std::vector<size_t> out;
  if (changes.empty())
    return out;
  // The split counts when one part did not change.
  std::ranges::sort(changes);
  std::vector<double> sizes;
  for (const auto& [change, m] : changes)
    sizes.push_back(change);
  const size_t split = best_split(sizes);
  const auto middle = sizes.begin() + std::ptrdiff_t(split);
  const double low = std::accumulate(sizes.begin(), middle, 0.0) / double(std::max<size_t>(1, split));
  const double high = std::accumulate(middle, sizes.end(), 0.0) / double(sizes.size() - split);
  const bool low_stood = 2 * std::abs(low) < std::abs(high);
  const bool high_stood = 2 * std::abs(high) < std::abs(low);
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!(low_stood && i < split) && !(high_stood && i >= split))
      out.push_back(changes[i].second);
  }
  std::ranges::sort(out);
  return out;
}

// The mean of a metric before a change and since, and as a text: "power_w 400 -> 310 (-22.5 %)".
struct Change {
  double before = 0;
  double after = 0;
  std::string text;
};

Change change_of(const View& v, size_t metric, const std::vector<size_t>& machines, const Span& since) {
  Change out{
      mean_of(v.series, metric, machines, {0, since.begin}),
      mean_of(v.series, metric, machines, since),
      {}};
  out.text = v.series.metrics[metric] + " " + value_text(out.before) + " -> " + value_text(out.after) +
             (out.before > 0 ? " (" + change_percent(out.after / out.before) + ")" : "");
  return out;
}

bool nearly_all(size_t machines, size_t of) {
  return 10 * machines >= 9 * of;
}

// Returns a text such as "changed at 300 s: ..." for a change of the job that may be slower or faster, or ""
// when over a tenth of the machines did not change.
std::string change_text(const View& v, const Episode& e, const Span& span) {
  const std::vector<size_t> moved = moved_with_job(v, e, span);
  if (!nearly_all(moved.size(), v.scan.groups()[e.group].size()))
    return "";
  const Change change = change_of(v, e.metric, moved, span);
  return "changed at " + clock_text(v, span.begin) + ": " + change.text;
}

using JobChanges = std::vector<std::pair<const Episode*, Span>>;

// Adds the finding for a job that became slower, or for the part of its machines that did.
void add_slower_job(const View& v, JobChanges& changes, Diagnosis& d) {
  std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
    return a.first->score > b.first->score;
  });
  const Episode& first = *changes.front().first;
  const Span span = changes.front().second;
  const std::vector<size_t> moved = moved_with_job(v, first, span);
  const size_t of = v.scan.groups()[first.group].size();
  Finding f;
  f.subject = "job";
  f.category = "whole job slower";
  f.score = double(first.score) / (1 + double(first.score));
  f.when = finding::TimeWindow{
      seconds(v.series.time_ms(span.begin)),
      seconds(v.series.time_ms(span.end - 1)),
      unit_of_time(v)};
  bool stands = false;
  std::string text;
  for (const auto& [e, unused] : changes) {
    const auto& [before, after, change] = change_of(v, e->metric, moved, span);
    text += (text.empty() ? "" : ", ") + change;
    f.evidence.push_back({change, after, "", "metric " + v.series.metrics[e->metric]});
    stands |= v.scan.slow(e->metric) == Slow::Low && 2 * after < before;
    if (!f.factor && before > 0)
      finding::set_ratio(f, after, before, v.series.metrics[e->metric]);
  }
  if (!nearly_all(moved.size(), of)) {
    const auto known = std::ranges::find_if(d.findings, [&](const Finding& other) {
      return other.subject == list_of(v.series, moved);
    });
    if (known != d.findings.end())
      return;
    const bool one = moved.size() == 1;
    f.category = one ? "deviating machine" : "machines that deviate together";
    f.subject = list_of(v.series, moved);
    f.summary = (one ? f.subject : std::to_string(moved.size()) + " of " + std::to_string(of) + " machines") +
                " changed since " + clock_text(v, span.begin) + ": " + text + "; the others did not";
    f.next_step = one ? kOneMachine : kNoLabel;
  } else if (stands) {
    f.category = "job stands still";
    f.summary = "The whole job stands still or has ended since " + clock_text(v, span.begin) + ": " + text;
  } else {
    f.summary = "The whole job is slower since " + clock_text(v, span.begin) + ": " + text;
  }
  if (f.next_step.empty())
    f.next_step = "Look at what all machines share (storage, network, code, a rank that all wait for).";
  d.findings.push_back(std::move(f));
}

}  // namespace

std::string add_job(const View& v, const ScanOptions& o, Diagnosis& d) {
  JobChanges changes;
  std::set<std::string> texts;
  for (const Episode& e : v.scan.episodes()) {
    if (e.what != Episode::What::Job || !e.active || !judged_then(e, o))
      continue;
    const Span span = refine(v, e);
    const double lasted = double(span.end - span.begin) * double(v.series.step_ms) / 1000;
    if (lasted < 2 * v.scan.needed_s())
      continue;
    if (v.scan.slow(e.metric) == Slow::Unknown)
      texts.insert(change_text(v, e, span));
    else
      changes.emplace_back(&e, span);
  }
  texts.erase("");
  for (const std::string& text : texts)
    d.notes.push_back("The job as a whole " + text);
  if (!changes.empty())
    add_slower_job(v, changes, d);
  return texts.empty() ? "" : *texts.begin();
}

}  // namespace lento::fleet
