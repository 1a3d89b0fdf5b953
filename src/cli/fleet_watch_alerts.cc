// What a watch tells: alerts to an Alertmanager, a line on its output, the hook.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "cli/fleet_watch_job.h"

extern char** environ;

namespace lento::cli {

void Watch::tell() {
  if (!detector_) return;
  const int64_t now = clock_ms();
  const bool resend = now - told_ms_ >= static_cast<int64_t>(o_.resend_s * 1000);
  std::vector<fleet::Alert> alerts;
  std::set<Key> active;
  for (const fleet::Verdict& v : detector_->verdicts()) {
    if (!v.active || !active.insert(key_of(v)).second) continue;
    const bool fresh = !announced_.contains(key_of(v));
    if (fresh) announce(v);
    if (!fresh && !resend) continue;
    alerts.push_back(alert_of(v, now + 4 * static_cast<int64_t>(o_.resend_s * 1000)));
    announced_[key_of(v)] = alerts.back();
  }
  for (auto it = announced_.begin(); it != announced_.end();) {
    if (active.contains(it->first)) {
      ++it;
      continue;
    }
    alerts.push_back(it->second);
    alerts.back().ends_ms = now;
    context_.streams.err << it->first.first << " is like its peers again\n";
    it = announced_.erase(it);
  }
  tell_expectation(now, resend, alerts);
  if (resend) told_ms_ = now;
  detector_->forget_resolved(now - 86'400'000);
  send(alerts);
}

void Watch::tell_expectation(int64_t now, bool resend, std::vector<fleet::Alert>& alerts) {
  constexpr int64_t kRecent = 300'000;
  if (o_.detect.expectations.empty()) return;
  const fleet::Held held = fleet::held_against(*detector_, o_.detect, now - kRecent);
  if (held.slower.empty()) {
    if (!slow_fleet_) return;
    slow_fleet_->ends_ms = now;
    alerts.push_back(*std::exchange(slow_fleet_, std::nullopt));
    context_.streams.err << "the fleet is as fast as predicted again\n";
    return;
  }
  const bool fresh = !slow_fleet_;
  if (!fresh && !resend) return;
  if (fresh) {
    slow_fleet_.emplace();
    slow_fleet_->labels = {{"alertname", "LentoSlowFleet"}, {"task", o_.job}, {"severity", "warning"}};
    slow_fleet_->starts_ms = now;
    context_.streams.out << fleet::rfc3339(now) << " " << held.slower.front().summary << "\n";
    context_.streams.out.flush();
  }
  slow_fleet_->annotations = {{"summary", held.slower.front().summary}};
  slow_fleet_->ends_ms = now + 4 * static_cast<int64_t>(o_.resend_s * 1000);
  alerts.push_back(*slow_fleet_);
}

void Watch::send(const std::vector<fleet::Alert>& alerts) {
  if (o_.alertmanager.empty()) return;
  pending_.insert(pending_.end(), alerts.begin(), alerts.end());
  while (pending_.size() > 10'000) pending_.pop_front();
  if (pending_.empty()) return;
  try {
    base::HttpOptions http;
    http.limits.timeout_s = store_.http.limits.timeout_s;
    fleet::post_alerts(o_.alertmanager, http, {pending_.begin(), pending_.end()});
    counters_.alerts += pending_.size();
    pending_.clear();
  } catch (const std::exception& e) {
    ++counters_.failed_alerts;
    context_.warn(e.what());
  }
}

fleet::Alert Watch::alert_of(const fleet::Verdict& v, int64_t ends_ms) const {
  const fleet::Fleet& f = detector_->fleet();
  fleet::Alert a;
  a.labels = {{"alertname", v.silent ? "LentoSilentMachine" : "LentoDeviatingMachine"},
              {"task", o_.job},
              {"machine", f.machines[v.machine]},
              {"severity", "warning"}};
  if (!v.silent) {
    const fleet::MetricScore& s = v.metrics.front();
    a.annotations.emplace_back("metric", f.metrics[s.metric]);
    a.annotations.emplace_back("summary", f.machines[v.machine] + ": " + f.metrics[s.metric] + " at " +
                                              base::format_number(s.level) + ", peers " +
                                              base::format_number(s.peers) + ", score " +
                                              base::format_number(s.score, 3));
  } else {
    a.annotations.emplace_back("summary", f.machines[v.machine] + " sends no samples while its peers do");
  }
  a.starts_ms = v.onset_ms;
  a.ends_ms = ends_ms;
  return a;
}

void Watch::announce(const fleet::Verdict& v) {
  const std::string& machine = detector_->fleet().machines[v.machine];
  context_.streams.out << fleet::rfc3339(v.raised_ms) << " " << alert_of(v, 0).annotations.back().second
                       << "\n";
  context_.streams.out.flush();
  if (o_.hook.empty()) return;
  const int64_t now = clock_ms();
  std::erase_if(hook_times_, [&](int64_t t) { return now - t > 3'600'000; });
  const size_t cap = std::min<size_t>(static_cast<size_t>(o_.hook_per_hour),
                                      std::max<size_t>(1, detector_->fleet().machines.size() / 20));
  if (hook_times_.size() >= cap) {
    context_.warn("hook not run for " + machine + ": the cap of this hour is reached");
    return;
  }
  hook_times_.push_back(now);
  if (!o_.hook_live) {
    context_.streams.err << "dry run: " << o_.hook << " " << machine << "\n";
    return;
  }
  ++counters_.hooks;
  char* argv[] = {o_.hook.data(), const_cast<char*>(machine.c_str()), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, o_.hook.c_str(), nullptr, nullptr, argv, environ) != 0) {
    context_.warn("hook '" + o_.hook + "' could not be started");
  } else {
    children_.push_back(child);
  }
  std::erase_if(children_, [](pid_t p) { return waitpid(p, nullptr, WNOHANG) != 0; });
}

}  // namespace lento::cli
