// Runs few hooks and none twice, because a hook drains a machine, which may cost the job more than the fault.
// The ledger records a hook before it runs. A hook whose outcome was lost is reported and not repeated.
#include "fleet/watch/hooks.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace lento::fleet {

WatchHooks::WatchHooks(Options options, const Clock& clock, HookRunner& runner, const WatchLog& log)
    : o_(std::move(options)),
      ledger_(o_.ledger),
      clock_(clock),
      runner_(runner),
      log_(log) {
}

void WatchHooks::cleared(const std::string& machine, const std::string& key) {
  waiting_.erase(key);
  if (!o_.wanted)
    return;
  try {
    ledger_.cleared(o_.job, machine, clock_.wall_ms());
  } catch (const base::Error& e) {
    log_.note(e.what());
  }
}

void WatchHooks::collect() {
  for (const auto& [machine, status] : runner_.ended()) {
    log_.note("the hook for " + machine + " ended with status " + std::to_string(status));
    try {
      ledger_.ended(o_.job, machine, clock_.wall_ms(), status);
    } catch (const base::Error& e) {
      log_.note(e.what());
    }
  }
}

void WatchHooks::close() {
  runner_.stop();
  collect();
}

void WatchHooks::run(const std::string& key, const HookCall& call, size_t members) {
  constexpr size_t kShare = 20;  // machines of the job for each hook that may run in an hour
  waiting_.erase(key);
  const std::string& machine = call.machine;
  const size_t cap = std::min(size_t(o_.per_hour), std::max<size_t>(1, members / kShare));
  try {
    switch (ledger_.claim(o_.job, machine, clock_.wall_ms(), cap)) {
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
  if (!o_.live)
    return log_.note("dry run: the hook would run for " + machine);
  ++ran_;
  if (runner_.start(call))
    return;
  log_.note("the hook for " + machine + " could not be started");
  ledger_.ended(o_.job, machine, clock_.wall_ms(), 127);
}

std::vector<Alert> WatchHooks::unknown(int64_t now) {
  constexpr int64_t kHour = 3'600'000;
  constexpr int64_t kEvery = 30'000;
  const int64_t steady = clock_.steady_ms();
  unknown_.clear();
  if (!o_.live || (looked_ms_ != INT64_MIN && steady - looked_ms_ < kEvery))
    return {};
  looked_ms_ = steady;
  unknown_ = ledger_.unknown(o_.job, clock_.wall_ms());
  std::vector<Alert> alerts;
  for (const HookLedger::Event& e : unknown_) {
    ++unknown_seen_;
    const std::string text = "the hook for " + e.machine + " was started at " + rfc3339(e.time_ms) +
                             " and its outcome is not known: look at the machine, it is not run again";
    Alert& a = alerts.emplace_back();
    a.labels = {
        {"alertname", "LentoHookUnknown"},
        {"task", o_.job},
        {"machine", e.machine},
        {"severity", "warning"}};
    a.annotations = {{"summary", text}};
    a.starts_ms = now;
    a.ends_ms = now + kHour;
  }
  return alerts;
}

void WatchHooks::unknown_told() {
  for (const HookLedger::Event& e : std::exchange(unknown_, {}))
    ledger_.told_unknown(e, clock_.wall_ms());
}

}  // namespace lento::fleet
