// Lists the tests between a change and its alert. An alert may come late for two reasons: the deviation was
// within the noise of the machines, or it was large but so brief that chance explains it. In each test
// MachineDeviation::shown is the score by the noise alone, and MachineDeviation::score is limited for brief
// changes.
#include "fleet/scan/explain.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/moment.h"
#include "base/units.h"
#include "fleet/scan/notes.h"

namespace lento::fleet {
namespace {

// The strongest test of the machine at one time.
struct Instant {
  int64_t time_ms = 0;
  MachineDeviation deviation;
};

struct Story {
  std::vector<Instant> moments;
  const Episode* named = nullptr;  // first episode with the machine as a member
  Member member;
};

std::string instant_text(double s) {
  constexpr double kUnix = 1e9;  // no record is thirty years long
  return s >= kUnix ? base::format_moment(s) + " UTC" : base::format_number(s, 13) + " s";
}

void follow(const Scan& scan, size_t machine, int64_t time_ms, Story& story) {
  MachineDeviation best;
  for (const MachineDeviation& deviation : scan.deviations_of(machine)) {
    if (std::pair(std::abs(deviation.score), deviation.shown) > std::pair(std::abs(best.score), best.shown))
      best = deviation;
  }
  if (best.window_s > 0)
    story.moments.push_back({time_ms, best});
}

void find_naming(const Scan& scan, size_t machine, Story& story) {
  for (const Episode& e : scan.episodes()) {
    const auto member = std::ranges::find(e.members, machine, &Member::machine);
    const bool names = e.what == Episode::What::Machines || e.what == Episode::What::Silent;
    if (!names || member == e.members.end() || (story.named && story.member.raised_ms <= member->raised_ms))
      continue;
    story.named = &e;
    story.member = *member;
  }
}

const char* held_back(const MachineDeviation& deviation) {
  if (std::abs(deviation.score) >= 1)
    return "named";
  return deviation.shown >= 1 ? "large, but so brief that chance explains it" : "within the noise";
}

// Adds the tests of a span as facts, a dozen at most, including the last one.
void add_deviations(
    const Scan& scan,
    const Story& story,
    int64_t from_ms,
    int64_t to_ms,
    finding::Diagnosis& d) {
  constexpr size_t kMost = 12;
  std::vector<const Instant*> span;
  for (const Instant& m : story.moments) {
    if (m.time_ms >= from_ms && m.time_ms <= to_ms)
      span.push_back(&m);
  }
  const size_t stride = std::max<size_t>(1, (span.size() + kMost - 1) / kMost);
  for (size_t i = (span.size() + stride - 1) % stride; i < span.size(); i += stride) {
    const MachineDeviation& deviation = span[i]->deviation;
    d.facts.emplace_back(
        instant_text(seconds(span[i]->time_ms)),
        base::format_number(double(std::abs(deviation.score)), 3) + " of the threshold (" +
            scan.fleet().metrics[deviation.metric] + ", " + base::format_number(deviation.window_s, 4) +
            " s): " + held_back(deviation));
  }
}

finding::SeriesFigure picture_of(const std::string& machine, const Story& story) {
  finding::SeriesFigure figure;
  figure.x_name = "time, s";
  figure.y_name = "of the threshold";
  finding::SeriesFigure::Line line{machine, {}, {}, true, false};
  finding::SeriesFigure::Line limit{"threshold", {}, {}, false, true};
  for (const Instant& m : story.moments) {
    line.x.push_back(seconds(m.time_ms));
    line.y.push_back(double(std::abs(m.deviation.score)));
  }
  limit.x = {line.x.front(), line.x.back()};
  limit.y = {1, 1};
  figure.lines = {limit, line};
  if (story.named)
    figure.marks = {seconds(story.member.onset_ms), seconds(story.member.raised_ms)};
  return figure;
}

}  // namespace

finding::Diagnosis explain(const MetricSeries& series, const std::string& name, const ScanOptions& options) {
  const auto found = std::ranges::find(series.machines, name);
  if (found == series.machines.end())
    throw base::Error({"ALERT"}, "the record has no machine '" + name.substr(0, 100) + "'");
  const auto machine = size_t(found - series.machines.begin());
  Scan scan({series.machines, series.labels, series.metrics, series.step_ms, 0}, options);
  std::vector<float> row(series.metrics.size() * series.machines.size());
  Story story;
  for (size_t step = 0; step < series.steps; ++step) {
    for (size_t k = 0; k < series.metrics.size(); ++k)
      std::ranges::copy(series.row(k, step), row.begin() + std::ptrdiff_t(k * series.machines.size()));
    scan.push(series.time_ms(step), row);
    follow(scan, machine, series.time_ms(step), story);
  }
  find_naming(scan, machine, story);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Why " + name;
  d.facts.emplace_back("threshold of the budget", base::format_number(scan.threshold(), 3) + " deviations");
  if (story.named && story.named->what == Episode::What::Silent) {
    d.verdict = name + " was named at " + instant_text(seconds(story.member.raised_ms)) +
                ": its last sample came at " + instant_text(seconds(story.member.onset_ms)) +
                ", and a machine is silent after " +
                base::format_number(double(scan.roll().limit_ms()) / 1000) + " s.";
    return d;
  }
  if (story.moments.empty()) {
    finding::cannot_judge(d, "no window of " + name + " was judged", "read a longer record of more machines");
    return d;
  }
  const auto strongest = std::ranges::max_element(story.moments, {}, [](const Instant& m) {
    return std::pair(std::abs(m.deviation.score), m.deviation.shown);
  });
  const int64_t to = story.named ? story.member.raised_ms : strongest->time_ms;
  const int64_t from =
      story.named ? story.member.onset_ms : to - int64_t(strongest->deviation.window_s * 1000);
  if (story.named)
    d.verdict = name + " was named at " + instant_text(seconds(to)) + ", " +
                base::format_number(seconds(to - from), 4) + " s after its " +
                scan.fleet().metrics[story.named->metric] + " began to change, by a window of " +
                base::format_number(story.named->window_s, 4) + " s.";
  else
    d.verdict = name + " was never named: at most it reached " +
                base::format_number(double(std::abs(strongest->deviation.score)), 3) +
                " of the threshold, in " + scan.fleet().metrics[strongest->deviation.metric] + " at " +
                instant_text(seconds(to)) + ".";
  add_deviations(scan, story, from, to, d);
  d.figures.push_back({name + " over time", "Marks: begin of the change, named.", picture_of(name, story)});
  return d;
}

void require_time(const MetricSeries& series, int64_t alert_ms) {
  if (series.steps == 0)
    return;
  const int64_t begin_ms = series.time_ms(0);
  const int64_t end_ms = series.time_ms(series.steps - 1);
  // The watch names a machine up to a scrape after the last row that it judged.
  if (alert_ms >= begin_ms && alert_ms <= end_ms + 2 * series.step_ms)
    return;
  throw base::Error(
      {"ALERT"},
      "the alert is of " + instant_text(seconds(alert_ms)) + ", and the record goes from " +
          instant_text(seconds(begin_ms)) + " to " + instant_text(seconds(end_ms)),
      "read a record that holds that time: a longer --last, or --end");
}

}  // namespace lento::fleet
