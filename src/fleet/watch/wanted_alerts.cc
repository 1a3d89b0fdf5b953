// Builds the alerts. Labels do not depend on the watch, so that an Alertmanager treats the alerts of two
// watches of a job as one. When metrics and collectives agree on a machine, one alert has both findings.
#include "fleet/watch/wanted_alerts.h"

#include <algorithm>

#include "fleet/watch/ranks.h"
#include "fleet/watch/verdicts.h"

namespace lento::fleet {
namespace {

using finding::Finding;

Alert alert_named(const std::string& name, const std::string& job) {
  Alert a;
  a.labels = {{"alertname", name}, {"task", job}};
  return a;
}

// Returns the GPU that the machine's value of a metric was taken from since `from_ms`, in the last response,
// or "".
std::string device_of(
    const MetricSeries& answer,
    const std::string& metric,
    const std::string& machine,
    int64_t from_ms = 0) {
  const auto k = std::ranges::find(answer.metrics, metric);
  const auto m = std::ranges::find(answer.machines, machine);
  if (k == answer.metrics.end() || m == answer.machines.end())
    return "";
  size_t begin = 0;
  while (begin < answer.steps && answer.time_ms(begin) < from_ms)
    ++begin;
  const auto metric_at = size_t(k - answer.metrics.begin());
  return device_of(answer, metric_at, size_t(m - answer.machines.begin()), begin, answer.steps);
}

// Returns whether the other extreme over a machine's GPUs deviates as well, so that it is the whole machine.
bool deviates_as_a_whole(const Scan& scan, const MachineVerdict& v) {
  const auto other = other_extreme(scan.fleet().metrics, v.metric);
  return other && std::ranges::any_of(scan.episodes(), [&](const Episode& e) {
           return e.active && e.what == Episode::What::Machines && e.metric == *other &&
                  std::ranges::any_of(e.members, [&](const Member& m) {
                    return m.active && m.machine == v.machine;
                  });
         });
}

void annotate_silence(const TargetList& targets, const std::string& machine, Alert& a) {
  const auto up = targets.up().find(machine);
  const std::string how = up == targets.up().end() ? ""
                          : up->second             ? " (its exporter answers)"
                                                   : " (up is 0)";
  a.annotations = {{"summary", machine + " sends no samples while its peers do" + how}};
}

// Returns whether two names are of one machine, such as "n1" and "n1.cluster".
bool is_same_machine(const std::string& a, const std::string& b) {
  const auto [shorter, longer] = std::minmax(a, b, [](const std::string& x, const std::string& y) {
    return x.size() < y.size();
  });
  return longer == shorter || (!shorter.empty() && longer.starts_with(shorter + "."));
}

std::string away_text(int64_t ms) {
  if (ms == 0)
    return "at that moment";
  const int64_t s = std::abs(ms) / 1000;
  const std::string size = s < 120 ? std::to_string(s) + " s" : std::to_string(s / 60) + " min";
  return size + (ms < 0 ? " before" : " after");
}

// Adds the events on the machine shortly before its change or since then, which are the likely reason.
void annotate_events(const JobView& view, const std::string& machine, int64_t onset_ms, Alert& a) {
  constexpr int64_t kBefore = 900'000;  // ms by which a slow drift may begin before the onset that is found
  constexpr size_t kNamed = 3;
  std::string text;
  size_t count = 0;
  for (const MachineEvent& e : view.events) {
    if (e.time_ms < onset_ms - kBefore || !is_same_machine(e.machine, machine) || ++count > kNamed)
      continue;
    text += (text.empty() ? "" : "; ") + e.text + " (" + away_text(e.time_ms - onset_ms) + ")";
  }
  if (text.empty())
    return;
  if (count > kNamed)
    text += "; and " + std::to_string(count - kNamed) + " more";
  a.annotations.emplace_back("events", text);
  for (auto& [name, value] : a.annotations) {
    if (name == "summary")
      value += "; " + text;
  }
}

void annotate_deviation(const JobView& view, const MachineVerdict& v, const Finding* rank, Alert& a) {
  const ScanFleet& f = view.judge.scan().fleet();
  const std::string& machine = f.machines[v.machine];
  const std::string device = deviates_as_a_whole(view.judge.scan(), v)
                                 ? ""
                                 : device_of(view.reader.answer(), f.metrics[v.metric], machine);
  if (rank) {
    a.annotations.emplace_back("gpu", rank->where->gpu);
    a.annotations.emplace_back("rank", rank->where->rank);
    a.annotations.emplace_back("collectives", rank->category + ": " + rank->summary);
  }
  a.annotations.emplace_back("metric", f.metrics[v.metric]);
  if (!device.empty())
    a.annotations.emplace_back("device", device);
  a.annotations.emplace_back(
      "summary",
      machine + (device.empty() ? "" : " (device " + device + ")") + ": " + v.text);
}

// Adds the alerts of machines with deviating metrics. A finding of the collectives about such a machine
// becomes part of its alert.
void add_verdicts(const JobView& view, std::map<std::string, const Finding*>& ranks, WantedAlerts& out) {
  for (const MachineVerdict& v : standing_verdicts(view.judge.scan())) {
    const std::string& machine = view.judge.scan().fleet().machines[v.machine];
    const bool excused = v.silent && view.reader.clocks_apart().excuses(machine);
    if (!view.reader.in_job(machine) || excused)
      continue;
    const auto rank = v.silent ? ranks.end() : ranks.find(machine);
    const char* name = v.silent ? "LentoSilentMachine" : "LentoDeviatingMachine";
    WantedAlert& w = out[std::string(name) + " " + machine];
    w.alert = alert_named(name, view.job);
    w.alert.labels.emplace_back("machine", machine);
    w.alert.starts_ms = v.onset_ms;
    w.since_ms = v.raised_ms;
    w.over = machine + " is like its peers again";
    w.of_rows = true;
    w.may_hook = !v.in_a_crowd;
    w.machine = machine;
    if (v.silent)
      annotate_silence(view.reader.targets(), machine, w.alert);
    else
      annotate_deviation(view, v, rank == ranks.end() ? nullptr : rank->second, w.alert);
    annotate_events(view, machine, v.onset_ms, w.alert);
    if (rank != ranks.end())
      ranks.erase(rank);
  }
}

// Adds the alerts of machines whose GPU reports an error of hardware.
void add_codes(const JobView& view, WantedAlerts& out) {
  const Scan& scan = view.judge.scan();
  const CodeCatalogue xids = view.judge.options().xids;
  for (const CodeEvent& e : scan.codes()) {
    const std::string& machine = scan.fleet().machines[e.machine];
    const CodeMeaning meaning = xids ? xids(e.code) : CodeMeaning{};
    if (!e.stands || !meaning.fault || !view.reader.in_job(machine))
      continue;
    const std::string device =
        device_of(view.reader.answer(), scan.fleet().metrics[e.metric], machine, e.begin_ms);
    WantedAlert& w = out["LentoGpuError " + machine];
    w.alert = alert_named("LentoGpuError", view.job);
    w.alert.labels.emplace_back("machine", machine);
    w.alert.starts_ms = w.since_ms = e.begin_ms;
    w.alert.annotations = {{"code", std::to_string(e.code)}};
    if (!device.empty())
      w.alert.annotations.emplace_back("device", device);
    w.alert.annotations.emplace_back(
        "summary",
        machine + (device.empty() ? "" : " (device " + device + ")") + ": " + code_text(e, xids));
    w.alert.annotations.emplace_back("next_step", meaning.action);
    w.over = machine + " reports no error code any more";
    w.of_rows = true;
    w.machine = machine;
  }
}

void add_clocks(const JobView& view, WantedAlerts& out) {
  const StoreClock& clock = view.reader.clock();
  for (const auto& [machine, b] : view.reader.clocks_apart().machines()) {
    if ((!b.arrives && !b.refused) || !view.reader.in_job(machine))
      continue;
    WantedAlert& w = out["LentoClockApart " + machine];
    w.alert = alert_named("LentoClockApart", view.job);
    w.alert.labels.emplace_back("machine", machine);
    const int64_t late = clock.now_ms() - (clock.steady_ms() - b.looked_ms) - b.newest_ms;
    const std::string how =
        b.arrives ? "samples of " + machine + " arrive, stamped " + seconds_text(late) +
                        " in the past: its clock is behind, or its samples are held up"
                  : "the exporter of " + machine +
                        " gives as many samples as before, but the store keeps none: its clock went back";
    w.alert.annotations = {{"summary", how + "; it is not judged"}};
    w.over = machine + " stamps its samples like its peers again, or sends none";
  }
}

void add_rank(const JobView& view, const Finding& f, WantedAlerts& out) {
  WantedAlert& w = out["LentoSlowRank " + f.category + " " + f.subject];
  w.alert = alert_named("LentoSlowRank", view.job);
  w.alert.labels.emplace_back("kind", f.category);
  w.alert.labels.emplace_back("subject", f.subject);
  const finding::Place where = f.where.value_or(finding::Place{});
  for (const auto& [name, value] :
       {std::pair{"machine", where.host}, std::pair{"rank", where.rank}, std::pair{"gpu", where.gpu}}) {
    if (!value.empty())
      w.alert.labels.emplace_back(name, value);
  }
  w.alert.annotations = {{"summary", f.summary}, {"next_step", f.next_step}};
  if (f.when)  // the rank's clock may be ahead of the store's, so that the start would lie in the future
    w.alert.starts_ms = std::min(view.reader.clock().now_ms(), int64_t(f.when->begin * 1000));
  w.over = f.category + " " + f.subject + " is over, or is told with its machine";
}

void add_one(const char* name, const JobView& view, const std::string& summary, WantedAlerts& out) {
  WantedAlert& w = out[name];
  w.alert = alert_named(name, view.job);
  w.alert.annotations = {{"summary", summary}};
}

}  // namespace

WantedAlerts wanted_alerts(const JobView& view) {
  WantedAlerts out;
  std::map<std::string, const Finding*> of_machine;
  for (const Finding& f : view.ranks) {
    if (f.where)
      of_machine.emplace(f.where->host, &f);
  }
  const std::map<std::string, const Finding*> all = of_machine;
  if (view.judge.begun()) {
    add_verdicts(view, of_machine, out);
    add_codes(view, out);
    add_clocks(view, out);
  }
  for (const Finding& f : view.ranks) {
    const bool joined = f.where && all.contains(f.where->host) && !of_machine.contains(f.where->host);
    if (!joined)
      add_rank(view, f, out);
  }
  if (const auto slower = view.judge.slower_than_predicted()) {
    add_one("LentoSlowFleet", view, slower->summary, out);
    out["LentoSlowFleet"].over = "the fleet is as fast as predicted again";
  }
  if (!view.why_blind.empty()) {
    add_one("LentoBlind", view, view.job + " cannot be judged: " + view.why_blind, out);
    out["LentoBlind"].over = "the job is seen again";
  }
  for (auto& [key, w] : out) {
    w.alert.labels.emplace_back("severity", "warning");
    const int64_t now = view.reader.clock().now_ms();
    if (w.alert.starts_ms == 0)
      w.alert.starts_ms = now;
    if (w.since_ms == 0)
      w.since_ms = now;
  }
  return out;
}

std::string why_rows_blind(const StoreReader& reader, const JobJudge& judge) {
  constexpr int64_t kOldRows = 600'000;
  constexpr int64_t kCoarse = 120'000;  // ms; with longer steps the shortest window exceeds 15 minutes
  const StoreReader::Sight& sight = reader.sight();
  const int64_t step = reader.cadence().step_ms();
  const int64_t steady = reader.clock().steady_ms();
  // The alert is documented to follow within two minutes or four steps, so the limit is a little shorter.
  const int64_t limit = std::max<int64_t>(100'000, 7 * step / 2);
  const int64_t answered = std::max(sight.answered_ms, sight.started_ms);
  if (steady - answered > limit) {
    std::string why =
        "no answer that holds three quarters of the machines for " + seconds_text(steady - answered);
    if (!sight.failure.empty())
      why += ": " + sight.failure.substr(0, sight.failure.find('\n'));
    return why;
  }
  if (!judge.begun())
    return "";
  if (reader.lag_ms() > std::max<int64_t>(kOldRows, 4 * step))
    return "its newest rows are " + seconds_text(reader.lag_ms()) + " old";
  if (step > kCoarse)
    return "its samples are " + seconds_text(step) + " apart";
  const auto filled = int64_t(judge.scan().needed_s() * 1000);
  if (steady - sight.looked_ms > filled + limit)
    return "no metric has enough samples on " + std::to_string(judge.options().min_peers) +
           " machines of a group";
  return "";
}

}  // namespace lento::fleet
