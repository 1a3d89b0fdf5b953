// Turns episodes into a Diagnosis: one finding per cause, with its members, the label that they share, and
// means of the samples that it covers. Differences that are no fault become notes.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "fleet/read/column_names.h"
#include "fleet/scan/causes.h"
#include "fleet/scan/conclude_job.h"
#include "fleet/scan/conclude_text.h"
#include "fleet/scan/covered.h"
#include "fleet/scan/expected.h"
#include "fleet/scan/fault_types.h"
#include "fleet/scan/figures.h"
#include "fleet/scan/notes.h"
#include "fleet/scan/record.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::Finding;

constexpr size_t kPictures = 3;  // findings with their own picture
// Returns a label that all members share and most others do not, such as a switch, a rack or a stage.
std::string shared_label(const View& v, const std::vector<size_t>& members) {
  if (members.size() < 2 || v.series.labels.size() < v.series.machines.size())
    return "";
  for (const auto& [key, value] : v.series.labels[members.front()]) {
    size_t count = 0;
    size_t inside = 0;
    for (size_t m = 0; m < v.series.machines.size(); ++m) {
      const bool has = label(v.series, m, key) == value;
      count += has;
      inside += has && std::ranges::binary_search(members, m);
    }
    if (inside == members.size() && 2 * count <= v.series.machines.size())
      return key + "=" + value;
  }
  return "";
}

// Returns the labels that name the machine's host, such as " (host h1)", or "".
std::string place_of(const View& v, size_t machine) {
  std::string text;
  if (machine < v.series.labels.size()) {
    for (const auto& [key, value] : v.series.labels[machine]) {
      if (names_machine(key))
        text += (text.empty() ? " (" : ", ") + key + " " + value;
    }
  }
  return text.empty() ? text : text + ")";
}

struct Sizes {
  double now = 0;
  double peers = 0;
  double before = 0;
  double peers_before = 0;
  // Returns the ratio to the peers, divided by that ratio before the cause; not finite when a mean is 0 or
  // NaN.
  double ratio() const {
    return (now / peers) / (before / peers_before);
  }
};

// Returns the means of the machines and of their peers, during the cause and before it.
Sizes sizes_of(const View& v, const Episode& e, const Cause& cause) {
  const std::vector<size_t> others = others_of(v, e.group, cause.machines);
  const Span past{0, cause.span.begin};
  return {
      mean_of(v.series, e.metric, cause.machines, cause.span),
      mean_of(v.series, e.metric, others, cause.span),
      mean_of(v.series, e.metric, cause.machines, past),
      mean_of(v.series, e.metric, others, past)};
}

// Returns the GPU that a reduced metric ("power:min") was taken from during a cause, or "". Where the other
// extreme deviates as well, it is the machine that does.
std::string device_of(const View& v, size_t metric, const Cause& cause) {
  const auto other = other_extreme(v.series.metrics, metric);
  if (cause.machines.size() != 1 ||
      (other && std::ranges::count(cause.episodes, *other, &Episode::metric) > 0))
    return "";
  return device_of(v.series, metric, cause.machines.front(), cause.span.begin, cause.span.end);
}

// Adds the likely fault types for the classes of metrics that deviate.
void add_fault_odds(const View& v, const Cause& cause, Finding& f) {
  constexpr size_t kListed = 3;
  std::array<bool, kMetricClasses> watched{};
  std::array<bool, kMetricClasses> shown{};
  for (size_t k = 0; k < v.series.metrics.size(); ++k) {
    const MetricClass c = metric_class(v.series.metrics[k]);
    if (c == MetricClass::Other)
      continue;
    watched[size_t(c)] = true;
    shown[size_t(c)] |= std::ranges::count(cause.episodes, k, &Episode::metric) > 0;
  }
  if (std::ranges::count(watched, true) < 2)
    return;  // one class cannot distinguish types
  const auto odds = likely_faults(watched, shown);
  for (size_t i = 0; i < kListed; ++i)
    f.evidence.push_back(
        {"likely fault type " + std::to_string(i + 1) + ": " + std::string(odds[i].name),
         odds[i].probability,
         "probability",
         "rates of 140 production faults (Minder, Table 1)"});
}

// Returns the evidence of one metric: the means of the machines and of their peers, during and before the
// cause.
finding::Evidence evidence_of(const View& v, const Episode& e, const Cause& cause) {
  const Sizes s = sizes_of(v, e, cause);
  const std::string& metric = v.series.metrics[e.metric];
  const double ratio = s.ratio();
  const std::string device = device_of(v, e.metric, cause);
  std::string text = metric + (device.empty() ? "" : " (device " + device + ")") + " has a mean of " +
                     value_text(s.now) + " where peers have " + value_text(s.peers) + "; before, " +
                     value_text(s.before) + " and " + value_text(s.peers_before);
  if (std::isfinite(ratio) && ratio > 0)
    text += " (" + change_percent(ratio) + ")";
  text += "; " + base::format_number(double(score_of(e)), 3) + " times what the budget asks for";
  return {text, s.now, "", "metric " + metric};
}

std::string times_text(const View& v, const Cause& cause) {
  std::string text = "since " + clock_text(v, cause.span.begin);
  if (!cause.active)
    text = "from " + clock_text(v, cause.span.begin) + " to " + clock_text(v, cause.span.end - 1);
  return text;
}

// Returns the finding for a cause.
Finding finding_of(const View& v, const Cause& cause) {
  const Episode& e = *cause.episodes.front();
  const Sizes s = sizes_of(v, e, cause);
  const std::string& metric = v.series.metrics[e.metric];
  const std::string label = shared_label(v, cause.machines);
  const bool one = cause.machines.size() == 1;
  Finding f;
  f.subject = list_of(v.series, cause.machines);
  f.category = one ? "deviating machine" : "machines that deviate together";
  const double score = double(score_of(e));
  f.score = score / (1 + score);
  f.when = finding::TimeWindow{
      seconds(v.series.time_ms(cause.span.begin)),
      seconds(v.series.time_ms(cause.span.end - 1)),
      unit_of_time(v)};
  finding::set_ratio(f, s.ratio(), 1, metric);
  const std::string of_all = std::to_string(cause.machines.size()) + " of " +
                             std::to_string(v.scan.groups()[e.group].size()) + " machines (" + f.subject +
                             ")";
  const std::string device = device_of(v, e.metric, cause);
  f.summary = (one ? f.subject + place_of(v, cause.machines.front()) : of_all) +
              (device.empty() ? "" : " (device " + device + ")") + ": " + metric + " has a mean of " +
              value_text(s.now) + " where " + (one ? "its" : "the other") + " peers have " +
              value_text(s.peers) + ", " + times_text(v, cause);
  if (f.factor)
    f.summary += " (" + change_percent(s.ratio()) + " against before)";
  if (!label.empty())
    f.summary += "; all of them have " + label;
  for (const Episode* other : cause.episodes)
    f.evidence.push_back(evidence_of(v, *other, cause));
  f.evidence.push_back(
      {"first named at",
       seconds(e.raised_ms),
       unit_of_time(v),
       "window of " + value_text(e.window_s) + " " + unit_of_time(v)});
  if (one)
    add_fault_odds(v, cause, f);
  if (!device.empty())
    f.where = finding::Place{f.subject, "", device};
  f.next_step = one ? kOneMachine
                : label.empty()
                    ? kNoLabel
                    : "Look at what " + label + " has in common (switch, rack, power) before the machines.";
  return f;
}

// Removes causes in which some windows deviate but the mean over the whole time moved to the side that is not
// slow, and adds notes on them.
void leave_out_faster(const View& v, std::vector<Cause>& named, Diagnosis& d) {
  std::erase_if(named, [&](const Cause& cause) {
    const Episode& e = *cause.episodes.front();
    const double ratio = sizes_of(v, e, cause).ratio();
    const Slow slow = v.scan.slow(e.metric);
    if (!(slow == Slow::Low && ratio > 1) && !(slow == Slow::High && ratio < 1))
      return false;
    d.notes.push_back(
        v.series.metrics[e.metric] + " of " + list_of(v.series, cause.machines) +
        " deviates in a part of the time " + times_text(v, cause) + ", but its mean changed by " +
        change_percent(ratio) + ": no slowness");
    return true;
  });
}

// Removes causes that mirror another one: when one half of the machines moves, the other half deviates from
// it in the same metric. The half whose own mean changed less against before is the one that stayed.
void leave_out_mirrored(const View& v, std::vector<Cause>& named) {
  const auto change = [](double now, double before) {
    const double size = std::abs(std::log(now / before));
    return std::isnan(size) ? 0 : size;  // 0 before and now
  };
  std::vector<bool> is_mirrored;
  for (const Cause& cause : named) {
    const Episode& e = *cause.episodes.front();
    const std::vector<size_t> others = others_of(v, e.group, cause.machines);
    const bool has_other = std::ranges::any_of(named, [&](const Cause& other) {
      return other.episodes.front()->metric == e.metric && other.machines == others;
    });
    const Sizes s = sizes_of(v, e, cause);
    is_mirrored.push_back(has_other && change(s.now, s.before) < change(s.peers, s.peers_before));
  }
  size_t at = 0;
  std::erase_if(named, [&](const Cause&) {
    return is_mirrored[at++];
  });
}

// Notes the machines that deviated with those of a cause at first and came back.
void note_returned(const View& v, const Cause& cause, Diagnosis& d) {
  const Episode& e = *cause.episodes.front();
  std::vector<size_t> returned = machines_of(e);
  std::erase_if(returned, [&](size_t m) {
    return std::ranges::binary_search(cause.machines, m);
  });
  if (!returned.empty())
    d.notes.push_back(
        v.series.metrics[e.metric] + " of " + list_of(v.series, returned) +
        " deviated at first with that of " + list_of(v.series, cause.machines) + " and came back");
}

// Returns the finding for a machine without samples.
Finding silence_of(const View& v, const Episode& e) {
  Finding f;
  f.subject = v.series.machines[e.members.front().machine];
  f.category = "silent machine";
  f.score = 0.5;
  f.when = finding::TimeWindow{seconds(e.onset_ms), seconds(e.last_ms), unit_of_time(v)};
  f.summary = f.subject + (e.active ? " has sent no sample since " : " sent no sample from ") +
              text_of_time(v, seconds(e.onset_ms)) +
              (e.active ? "" : " to " + text_of_time(v, seconds(e.last_ms))) + " while its peers report";
  f.evidence.push_back(
      {"no sample for", seconds(e.last_ms - e.onset_ms), unit_of_time(v), "all metrics of the machine"});
  f.next_step = "Check that the machine and its exporter are alive.";
  return f;
}

// Removes causes of one machine that came again and again since the begin of the record, and adds notes on
// them: the past of the first spell has none.
void leave_out_usual(const View& v, std::vector<Cause>& named, Diagnosis& d) {
  std::erase_if(named, [&](const Cause& cause) {
    const std::vector<size_t> begins =
        cause.machines.size() == 1 && !cause.active ? spells_of(v, cause) : std::vector<size_t>{};
    if (!are_usual(begins))
      return false;
    d.notes.push_back(
        v.series.metrics[cause.episodes.front()->metric] + " of " + list_of(v.series, cause.machines) +
        " deviates " + std::to_string(begins.size()) + " times for " +
        base::format_quantity(
            seconds(int64_t(cause.span.end - cause.span.begin) * v.series.step_ms),
            base::Dimension::Time) +
        ", first at " + clock_text(v, begins.front()) +
        ": a record cannot distinguish what a machine does again and again from an older fault");
    return true;
  });
}

// Adds the error codes that metrics showed: a finding for a code of hardware, a note for one of a program.
void add_codes(const View& v, const ScanOptions& o, Diagnosis& d) {
  for (const CodeEvent& e : v.scan.codes()) {
    const CodeMeaning meaning = o.xids ? o.xids(e.code) : CodeMeaning{};
    const std::string& machine = v.series.machines[e.machine];
    const Span span{step_at(v.series, e.begin_ms), step_at(v.series, e.last_ms) + 1};
    const std::string device = device_of(v, e.metric, {{}, {e.machine}, span, e.stands});
    const std::string text =
        machine + (device.empty() ? "" : " (device " + device + ")") + ": " + code_text(e, o.xids) +
        (e.older ? " since before the record" : " at " + text_of_time(v, seconds(e.begin_ms)));
    if (!meaning.fault) {
      d.notes.push_back(text);
      continue;
    }
    Finding f;
    f.subject = machine;
    f.category = "error code";
    f.score = 0.9;
    f.when = finding::TimeWindow{seconds(e.begin_ms), seconds(e.last_ms), unit_of_time(v)};
    f.summary = text;
    f.evidence.push_back(
        {v.series.metrics[e.metric] + " is " + std::to_string(e.code),
         double(e.code),
         "",
         "metric " + v.series.metrics[e.metric]});
    f.next_step = meaning.action;
    d.findings.push_back(std::move(f));
  }
}

// Returns the verdict for a record without findings, with the machines that differ in the whole record.
std::string no_finding_text(
    const View& v,
    const std::vector<StandingDifference>& standing,
    const std::string& job_change) {
  const bool uneven = std::ranges::any_of(v.scan.episodes(), [](const Episode& e) {
    return e.what == Episode::What::Uneven;
  });
  const std::string job = !job_change.empty() ? "the job as a whole " + job_change
                          : uneven            ? "changes of the job explain what differs (see the notes)"
                                              : "the job as a whole did not change";
  const auto first = std::ranges::max_element(standing, {}, &StandingDifference::strength);
  if (first == standing.end())
    return "No machine stands out from its peers, and " + job + ".";
  const Span whole{0, v.series.steps};
  const bool one = first->machines.size() == 1;
  std::vector<size_t> others;
  for (const auto& group : v.scan.groups()) {
    if (std::ranges::count(group, first->machines.front()) > 0)
      std::ranges::copy_if(group, std::back_inserter(others), [&](size_t m) {
        return std::ranges::count(first->machines, m) == 0;
      });
  }
  const double own = mean_of(v.series, first->metric, first->machines, whole);
  const double peers = mean_of(v.series, first->metric, others, whole);
  const std::string device = device_of(v, first->metric, {{}, first->machines, whole, true});
  return list_of(v.series, first->machines) + (device.empty() ? "" : " (device " + device + ")") +
         (one ? " differs" : " differ") + " from " + (one ? "its" : "their") +
         " peers since the record's start: " + v.series.metrics[first->metric] + " has a mean of " +
         value_text(own) + " where they have " + value_text(peers) +
         (peers > 0 && own > 0 ? " (" + change_percent(own / peers) + ")" : "") +
         ". A record cannot distinguish a role from an older fault; labels of roles (--group-by) or an "
         "earlier record can. No machine changed, and " +
         job + ".";
}

}  // namespace

Diagnosis
scan(const fleet::MetricSeries& series, const ScanOptions& options, const base::Progress& progress) {
  Scan scan({series.machines, series.labels, series.metrics, series.step_ms, series.steps}, options);
  std::vector<float> row(series.metrics.size() * series.machines.size());
  for (size_t step = 0; step < series.steps && !progress.stopped(); ++step) {
    for (size_t k = 0; k < series.metrics.size(); ++k)
      std::ranges::copy(series.row(k, step), row.begin() + std::ptrdiff_t(k * series.machines.size()));
    scan.push(series.time_ms(step), row);
    if (step % 100 == 0)
      progress("steps", double(step), double(series.steps));
  }
  add_early(series, options, scan);
  return conclude(series, scan, options);
}

Diagnosis conclude(const MetricSeries& series, const Scan& scan, const ScanOptions& options) {
  const View view{series, scan};
  Diagnosis d;
  d.scale = "fleet";
  d.title = "Fleet of " + std::to_string(series.machines.size()) + " machines";
  std::vector<Cause> named = causes(view, options);
  leave_out_faster(view, named, d);
  leave_out_mirrored(view, named);
  leave_out_usual(view, named, d);
  for (const Cause& cause : named) {
    d.findings.push_back(finding_of(view, cause));
    note_returned(view, cause, d);
  }
  for (const Episode& e : scan.episodes()) {
    if (e.what == Episode::What::Silent && judged_then(e, options))
      d.findings.push_back(silence_of(view, e));
  }
  add_codes(view, options, d);
  const std::string job_change = add_job(view, options, d);
  hold_against(series, options.expectations, options.expected_metric, d);
  d.expectations = options.expectations;
  finding::sort_findings(d.findings);
  const std::vector<StandingDifference> standing = standing_differences(view);
  d.verdict =
      d.findings.empty()
          ? no_finding_text(view, standing, job_change)
          : d.findings.front().summary +
                (d.findings.size() > 1 ? "; and " + std::to_string(d.findings.size() - 1) + " more" : "");
  add_notes(view, standing, d);
  d.facts.emplace_back("machines", std::to_string(series.machines.size()));
  d.facts.emplace_back("metrics", std::to_string(series.metrics.size()));
  d.facts.emplace_back("step", base::format_quantity(seconds(scan.fleet().step_ms), base::Dimension::Time));
  conclude_outcome(view, options, d);
  if (const std::string reach = reach_text(series, scan); !reach.empty())
    d.facts.emplace_back("deviation that would be named", reach);
  for (size_t i = 0; i < std::min(named.size(), kPictures); ++i) {
    const Episode& e = *named[i].episodes.front();
    add_picture(
        view,
        {e.metric, named[i].machines, others_of(view, e.group, named[i].machines), named[i].span},
        d);
  }
  add_heat_map(view, d);
  return d;
}

}  // namespace lento::fleet
