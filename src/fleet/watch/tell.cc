// Reports what changed: alerts, lines on the output, and the hook.
#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/scan/expected.h"
#include "fleet/watch/watch.h"

namespace lento::fleet {
namespace {

using finding::Finding;

constexpr int64_t kDay = 86'400'000;
constexpr int64_t kSettled = 60'000;  // after the last sign of an outage evidence is clean again
constexpr int64_t kOldRows = 600'000;
constexpr int64_t kCoarse = 120'000;  // a step over this: the shortest window is over a quarter of an hour

constexpr auto first_of_pair = [](const auto& pair) -> const auto& {
  return pair.first;
};

// Returns labels that are equal in every watch of the job, so that an Alertmanager takes their alerts for
// one.
std::vector<std::pair<std::string, std::string>> rank_labels(const std::string& job, const Finding& f) {
  std::vector<std::pair<std::string, std::string>> out{
      {"alertname", "LentoSlowRank"},
      {"task", job},
      {"kind", f.category},
      {"subject", f.subject},
      {"severity", "warning"}};
  const finding::Place where = f.where.value_or(finding::Place{});
  for (const auto& [name, value] :
       {std::pair{"machine", where.host}, std::pair{"rank", where.rank}, std::pair{"gpu", where.gpu}}) {
    if (!value.empty())
      out.emplace_back(name, value);
  }
  return out;
}

}  // namespace

int64_t FleetWatch::expiry(int64_t now) const {
  return now + 4 * int64_t(o_.resend_s * 1000);
}

void FleetWatch::say(int64_t ms, const Alert& alert) const {
  if (log_.line_of)
    log_.say(log_.line_of(ms, alert));
  else
    log_.say(rfc3339(ms) + " " + alert.annotations.back().second);
}

void FleetWatch::say_end(int64_t ms, const Alert& alert) const {
  if (log_.say_ends)
    say(ms, alert);
}

void FleetWatch::tell() {
  const int64_t steady = world_.clock.steady_ms();
  const int64_t now = now_ms();
  const bool resend = told_ms_ == INT64_MIN || steady - told_ms_ >= int64_t(o_.resend_s * 1000);
  std::vector<Alert> alerts;
  const bool joined = world_.ranks && take_ranks(world_.ranks->standing());
  if (scan_) {
    tell_clocks(now, resend, alerts);
    tell_verdicts(now, resend || joined, alerts);
    tell_expectation(now, resend, alerts);
    scan_->forget_resolved(now - kDay);
  }
  tell_ranks(now, resend, alerts);
  tell_blindness(now, resend, alerts);
  const std::vector<HookLedger::Event> unknown = unknown_hooks(now, alerts);
  if (resend)
    told_ms_ = steady;
  counters_.alerts += alerts.size();
  const bool told = world_.alerts.send(alerts);
  for (const HookLedger::Event& e : unknown) {
    if (told)
      ledger_.told_unknown(e, world_.clock.wall_ms());
  }
  run_hooks();
}

void FleetWatch::tell_verdicts(int64_t now, bool resend, std::vector<Alert>& alerts) {
  const int64_t steady = world_.clock.steady_ms();
  std::set<Key> active;
  for (const MachineVerdict& v : standing_verdicts(*scan_)) {
    const Key key{scan_->fleet().machines[v.machine], v.silent};
    const auto behind = behind_.find(key.first);
    if (v.silent && behind != behind_.end() && (behind->second.arrives || behind->second.open))
      continue;
    if (!in_job(key.first))
      continue;
    active.insert(key);
    const auto [at, fresh] = standing_.try_emplace(key);
    Standing& s = at->second;
    s.well_ms = 0;
    if (!fresh && !resend)
      continue;
    const int64_t start = s.alert.starts_ms;
    s.alert = alert_of(v);
    if (!fresh)
      s.alert.starts_ms = start;
    s.alert.ends_ms = expiry(now);
    alerts.push_back(s.alert);
    if (!fresh)
      continue;
    say(v.raised_ms, s.alert);
    s.hook_waits = o_.hook && !v.in_a_crowd;
    dirty_ = true;
  }
  for (auto it = standing_.begin(); it != standing_.end();) {
    Standing& s = it->second;
    const bool gone = !in_job(it->first.first);
    if (active.contains(it->first) || (failing_ && !gone)) {
      ++it;
      continue;
    }
    if (s.well_ms == 0)
      s.well_ms = steady;
    if (!gone && steady - s.well_ms < int64_t(o_.hold_off_s * 1000)) {
      s.alert.ends_ms = expiry(now);
      if (resend)
        alerts.push_back(s.alert);
      ++it;
      continue;
    }
    s.alert.ends_ms = now;
    alerts.push_back(s.alert);
    say_end(now, s.alert);
    log_.note(it->first.first + (gone ? " has left the job" : " is like its peers again"));
    try {
      if (o_.hook)
        ledger_.cleared(o_.job, it->first.first, world_.clock.wall_ms());
    } catch (const base::Error& e) {
      log_.note(e.what());
    }
    it = standing_.erase(it);
    dirty_ = true;
  }
}

void FleetWatch::tell_clocks(int64_t now, bool resend, std::vector<Alert>& alerts) {
  for (auto& [machine, b] : behind_) {
    if (!b.arrives || !in_job(machine)) {
      if (!b.alert)
        continue;
      b.alert->ends_ms = now;
      say_end(now, *b.alert);
      alerts.push_back(*std::exchange(b.alert, std::nullopt));
      log_.note(machine + " stamps its samples like its peers again, or sends none");
      continue;
    }
    const bool fresh = !b.alert;
    if (!fresh && !resend)
      continue;
    if (fresh) {
      b.alert.emplace();
      b.alert->labels = {
          {"alertname", "LentoClockApart"},
          {"task", o_.job},
          {"machine", machine},
          {"severity", "warning"}};
      b.alert->starts_ms = now;
    }
    const int64_t late = now - (world_.clock.steady_ms() - b.looked_ms) - b.newest_ms;
    b.alert->annotations = {
        {"summary",
         "samples of " + machine + " arrive, stamped " + seconds_text(late) +
             " in the past: its clock is behind, or its samples are held up; it is not judged"}};
    if (fresh)
      say(now, *b.alert);
    b.alert->ends_ms = expiry(now);
    alerts.push_back(*b.alert);
  }
}

void FleetWatch::tell_expectation(int64_t now, bool resend, std::vector<Alert>& alerts) {
  std::optional<Finding> slower;
  for (size_t i = 0; i < medians_.size() && !slower; ++i) {
    std::vector<double> values;
    for (const auto& [ms, median] : medians_[i])
      values.push_back(median);
    const finding::Expectation& e = o_.scan.expectations[i];
    const auto metric = expected_metric(e, scan_->fleet().metrics, o_.scan.expected_metric);
    if (metric && !values.empty())
      slower = slow_fleet(e, scan_->fleet().metrics[*metric], evidence::median(values));
  }
  if (!slower) {
    if (!slow_fleet_)
      return;
    slow_fleet_->ends_ms = now;
    say_end(now, *slow_fleet_);
    alerts.push_back(*std::exchange(slow_fleet_, std::nullopt));
    log_.note("the fleet is as fast as predicted again");
    return;
  }
  const bool fresh = !slow_fleet_;
  if (!fresh && !resend)
    return;
  if (fresh) {
    slow_fleet_.emplace();
    slow_fleet_->labels = {{"alertname", "LentoSlowFleet"}, {"task", o_.job}, {"severity", "warning"}};
    slow_fleet_->starts_ms = now;
  }
  slow_fleet_->annotations = {{"summary", slower->summary}};
  if (fresh)
    say(now, *slow_fleet_);
  slow_fleet_->ends_ms = expiry(now);
  alerts.push_back(*slow_fleet_);
}

// Returns why the job cannot be judged at present, "" while it can.
std::string FleetWatch::why_blind() const {
  const int64_t steady = world_.clock.steady_ms();
  const std::string ranks = world_.ranks ? world_.ranks->why_blind(steady) : "";
  if (!ranks.empty() || !o_.metrics)
    return ranks;
  // The alert is due within two minutes or four steps, so the condition is noticed a little earlier.
  const int64_t limit = std::max<int64_t>(100'000, 7 * step_ms_ / 2);
  const int64_t answered = std::max(answered_ms_, started_ms_);
  if (steady - answered > limit) {
    std::string why =
        "no answer that holds three quarters of the machines for " + seconds_text(steady - answered);
    if (failing_)
      why += ": " + failure_.substr(0, failure_.find('\n'));
    return why;
  }
  if (!scan_)
    return "";
  const int64_t lag = now_ms() - (next_ms_ - step_ms_);
  if (lag > std::max<int64_t>(kOldRows, 4 * step_ms_))
    return "its newest rows are " + seconds_text(lag) + " old";
  if (step_ms_ > kCoarse)
    return "its samples are " + seconds_text(step_ms_) + " apart";
  const int64_t filled = int64_t(scan_->needed_s() * 1000);
  if (steady - looked_ms_ > std::max(limit, filled + limit))
    return "no metric has enough samples on " + std::to_string(o_.scan.min_peers) + " machines of a group";
  return "";
}

void FleetWatch::tell_blindness(int64_t now, bool resend, std::vector<Alert>& alerts) {
  const std::string why = why_blind();
  if (why.empty()) {
    if (!blind_)
      return;
    blind_->ends_ms = now;
    say_end(now, *blind_);
    alerts.push_back(*std::exchange(blind_, std::nullopt));
    log_.note("the job is seen again");
    return;
  }
  const bool fresh = !blind_;
  if (!fresh && !resend)
    return;
  if (fresh) {
    blind_.emplace();
    blind_->labels = {{"alertname", "LentoBlind"}, {"task", o_.job}, {"severity", "warning"}};
    blind_->starts_ms = now;
  }
  blind_->annotations = {{"summary", o_.job + " cannot be judged: " + why}};
  if (fresh)
    say(now, *blind_);
  blind_->ends_ms = expiry(now);
  alerts.push_back(*blind_);
}

// Divides findings about collectives into those on machines with deviating metrics and others. Returns true
// when a machine's alert gained or lost such a finding.
bool FleetWatch::take_ranks(const std::vector<Finding>& standing) {
  std::map<std::string, Finding> joined;
  for (const Finding& f : standing) {
    const bool deviates = f.where && standing_.contains(Key{f.where->host, false});
    if (deviates)
      joined.emplace(f.where->host, f);
  }
  const bool changed = !std::ranges::equal(joined, rank_of_, {}, first_of_pair, first_of_pair);
  rank_of_ = std::move(joined);
  return changed;
}

void FleetWatch::tell_ranks(int64_t now, bool resend, std::vector<Alert>& alerts) {
  if (!world_.ranks)
    return;
  std::set<std::string> stands;
  for (const Finding& f : world_.ranks->standing()) {
    if (f.where && rank_of_.contains(f.where->host))
      continue;
    const std::string key = f.category + " " + f.subject;
    stands.insert(key);
    const auto [at, fresh] = slow_ranks_.try_emplace(key);
    if (!fresh && !resend)
      continue;
    Alert& a = at->second;
    if (fresh) {
      a.labels = rank_labels(o_.job, f);
      a.starts_ms = f.when ? std::min(now, int64_t(f.when->begin * 1000)) : now;  // their clock may be ahead
      log_.say(rfc3339(now) + " " + f.category + ": " + f.summary);
    }
    a.annotations = {{"summary", f.summary}, {"next_step", f.next_step}};
    a.ends_ms = expiry(now);
    alerts.push_back(a);
  }
  for (auto it = slow_ranks_.begin(); it != slow_ranks_.end();) {
    if (stands.contains(it->first)) {
      ++it;
      continue;
    }
    it->second.ends_ms = now;
    alerts.push_back(it->second);
    log_.note(it->first + " is over, or is told with its machine");
    it = slow_ranks_.erase(it);
  }
}

// Returns the GPU that was the lowest or highest in the rows last read.
std::string FleetWatch::device_of(const std::string& metric, const std::string& machine) const {
  const auto k = std::ranges::find(last_.metrics, metric);
  const auto m = std::ranges::find(last_.machines, machine);
  if (k == last_.metrics.end() || m == last_.machines.end())
    return "";
  const auto devices = last_.device_of.find(size_t(k - last_.metrics.begin()));
  if (devices == last_.device_of.end())
    return "";
  std::map<uint16_t, size_t> votes;
  const size_t column = size_t(m - last_.machines.begin());
  for (size_t step = 0; step < last_.steps; ++step) {
    if (const uint16_t d = devices->second[step * last_.machines.size() + column])
      ++votes[d];
  }
  const auto most = std::ranges::max_element(votes, [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  if (most == votes.end())
    return "";
  return last_.devices[most->first];
}

Alert FleetWatch::alert_of(const MachineVerdict& v) const {
  const ScanFleet& f = scan_->fleet();
  const std::string& machine = f.machines[v.machine];
  Alert a;
  a.labels = {
      {"alertname", v.silent ? "LentoSilentMachine" : "LentoDeviatingMachine"},
      {"task", o_.job},
      {"machine", machine},
      {"severity", "warning"}};
  a.starts_ms = v.onset_ms;
  if (v.silent) {
    const auto up = up_.find(machine);
    const std::string how = up == up_.end() ? "" : up->second ? " (its exporter answers)" : " (up is 0)";
    a.annotations = {{"summary", machine + " sends no samples while its peers do" + how}};
    return a;
  }
  const std::string& metric = f.metrics[v.metric];
  const std::string device = device_of(metric, machine);
  a.annotations.emplace_back("metric", metric);
  if (!device.empty())
    a.annotations.emplace_back("device", device);
  a.annotations.emplace_back(
      "summary",
      machine + (device.empty() ? "" : " (device " + device + ")") + ": " + v.text);
  if (const auto rank = rank_of_.find(machine); rank != rank_of_.end()) {
    const Finding& by = rank->second;
    a.annotations.insert(a.annotations.begin(), {"collectives", by.category + ": " + by.summary});
    a.annotations.insert(a.annotations.begin(), {"rank", by.where->rank});
    a.annotations.insert(a.annotations.begin(), {"gpu", by.where->gpu});
  }
  return a;
}

// Returns whether the evidence is free of outages. Evidence that an outage could have caused does not count.
bool FleetWatch::clean_evidence() const {
  return !failing_ && !blind_ &&
         (outage_ms_ == INT64_MIN || world_.clock.steady_ms() - outage_ms_ > kSettled + step_ms_);
}

void FleetWatch::run_hooks() {
  if (!o_.hook)
    return;
  for (const auto& [machine, status] : world_.hooks.ended()) {
    log_.note("the hook for " + machine + " ended with status " + std::to_string(status));
    try {
      ledger_.ended(o_.job, machine, world_.clock.wall_ms(), status);
    } catch (const base::Error& e) {
      log_.note(e.what());
    }
  }
  if (!scan_ || !clean_evidence())
    return;
  for (auto& [key, s] : standing_) {
    if (!s.hook_waits || s.well_ms != 0)
      continue;
    s.hook_waits = false;
    run_hook({key.first, o_.job, s.alert});
  }
}

void FleetWatch::run_hook(const HookCall& call) {
  const std::string& machine = call.machine;
  const size_t share = std::max<size_t>(1, scan_->roll().members() / 20);
  const size_t cap = std::min<size_t>(size_t(o_.hook_per_hour), share);
  try {
    switch (ledger_.claim(o_.job, machine, world_.clock.wall_ms(), cap)) {
      case HookLedger::Answer::Before:
        return log_.note("hook not run for " + machine + ": the ledger says that it was");
      case HookLedger::Answer::Capped:
        return log_.note("hook not run for " + machine + ": the cap of this hour is reached");
      case HookLedger::Answer::Run:
        break;
    }
  } catch (const base::Error& e) {
    return log_.note(e.what());
  }
  if (!o_.hook_live)
    return log_.note("dry run: the hook would run for " + machine);
  ++counters_.hooks;
  if (world_.hooks.start(call))
    return;
  log_.note("the hook for " + machine + " could not be started");
  ledger_.ended(o_.job, machine, world_.clock.wall_ms(), 127);
}

// Returns hooks that an earlier process started without recording their end.
std::vector<HookLedger::Event> FleetWatch::unknown_hooks(int64_t now, std::vector<Alert>& alerts) {
  constexpr int64_t kHour = 3'600'000;
  constexpr int64_t kEvery = 30'000;
  const int64_t steady = world_.clock.steady_ms();
  if (!o_.hook_live || (hooks_looked_ms_ != INT64_MIN && steady - hooks_looked_ms_ < kEvery))
    return {};
  hooks_looked_ms_ = steady;
  std::vector<HookLedger::Event> unknown = ledger_.unknown(o_.job, world_.clock.wall_ms());
  for (const HookLedger::Event& e : unknown) {
    ++counters_.unknown_hooks;
    const std::string text = "the hook for " + e.machine + " was started at " + rfc3339(e.time_ms) +
                             " and its outcome is not known: look at the machine, it is not run again";
    Alert a;
    a.labels = {
        {"alertname", "LentoHookUnknown"},
        {"task", o_.job},
        {"machine", e.machine},
        {"severity", "warning"}};
    a.annotations = {{"summary", text}};
    a.starts_ms = now;
    a.ends_ms = now + kHour;
    say(now, a);
    alerts.push_back(std::move(a));
  }
  return unknown;
}

}  // namespace lento::fleet
