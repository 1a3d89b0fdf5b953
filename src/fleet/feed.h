// The interfaces of a watch to the outside, which tests replace: clocks, a metric store, receivers of alerts,
// runners of hooks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "fleet/read/metric_series.h"
#include "fleet/read/prometheus.h"

namespace lento::fleet {

// Time spans are measured by the steady clock, which never steps. The wall clock gives only a first estimate
// of the time and the entries of a ledger.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t steady_ms() const = 0;
  virtual int64_t wall_ms() const = 0;
};
const Clock& system_clock();

// A target of the store's scrapes: a machine that is part of the job, whether it answers or not.
struct Target {
  std::string machine;
  bool up = false;
};

struct Feed {
  virtual ~Feed() = default;
  virtual std::string name() const = 0;

  // Returns samples in [begin, end] on a grid whose steps are multiples of `step_ms` (0: estimated from the
  // samples). Throws base::Error when the store does not answer or has no sample.
  virtual MetricSeries read(int64_t begin_ms, int64_t end_ms, int64_t step_ms, base::ReadReport& report) = 0;
  // Returns the scrape targets now: empty when the store has none, nullopt when it did not answer.
  virtual std::optional<std::vector<Target>> targets() = 0;
  // Returns how many samples the targets of each machine exposed some time ago, whether the store kept them
  // or not. Empty when the store does not report it.
  virtual std::map<std::string, double> exposed(int64_t /*ago_ms*/) {
    return {};
  }
  // Returns the store's clock, or nothing when the store does not report it.
  virtual std::optional<int64_t> now_ms() = 0;
};

// An event on a machine that its metrics do not show: an error of its driver, a link that went down.
struct MachineEvent {
  std::string machine;
  int64_t time_ms = 0;  // since 1970
  std::string text;     // "Xid 63: ..."
};

struct EventFeed {
  virtual ~EventFeed() = default;
  // Returns the events since `begin_ms`, the oldest first. Never throws; unreadable sources add no event.
  virtual std::vector<MachineEvent> since(int64_t begin_ms) = 0;
};

struct AlertSink {
  virtual ~AlertSink() = default;
  // Sends alerts and never throws. A receiver that cannot be reached gets them in a later call. Returns false
  // while a receiver lacks any of them.
  virtual bool send(const std::vector<Alert>& alerts) = 0;
};

// The job, machine and alert for which a hook is started.
struct HookCall {
  std::string machine;
  std::string job;
  Alert alert;  // the verdict, as the Alertmanager gets it
};

struct HookRunner {
  virtual ~HookRunner() = default;
  // Starts the hook. Returns false when it cannot be started.
  virtual bool start(const HookCall& call) = 0;
  // Returns the machine and exit status of each hook that ended since the last call.
  virtual std::vector<std::pair<std::string, int>> ended() = 0;
  // Ends the hooks that still run, because the watch ends. ended() returns them afterwards.
  virtual void stop() {
  }
};

}  // namespace lento::fleet
