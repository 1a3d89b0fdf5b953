// What a watch needs of the world, so that it can be tested without one: clocks, a store of metrics, who
// takes alerts, who runs a hook.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "fleet/read/metric_series.h"
#include "fleet/read/prometheus.h"

namespace lento::fleet {

// Time spans are measured by the steady clock, which never steps. The wall clock is only asked for a first
// idea of the time, and for what is written into a ledger.
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

  // Samples in [begin, end] on a grid whose steps are multiples of `step_ms` (0: the step is to be found).
  // Throws base::Error when the store does not answer or has none.
  virtual MetricSeries read(int64_t begin_ms, int64_t end_ms, int64_t step_ms, base::ReadReport& report) = 0;
  // The targets now: empty when the store does not know any, nothing when it did not answer.
  virtual std::optional<std::vector<Target>> targets() = 0;
  // The store's clock; nothing when it does not tell.
  virtual std::optional<int64_t> now_ms() = 0;
};

struct AlertSink {
  virtual ~AlertSink() = default;
  // Never throws: who cannot take them is told later. False while somebody was not told.
  virtual bool send(const std::vector<Alert>& alerts) = 0;
};

// What a hook is run for.
struct HookCall {
  std::string machine;
  std::string job;
  Alert alert;  // the verdict, as the Alertmanager gets it
};

struct HookRunner {
  virtual ~HookRunner() = default;
  // Starts the hook; false when it cannot be started.
  virtual bool start(const HookCall& call) = 0;
  // Those that ended since the last call, with their exit status.
  virtual std::vector<std::pair<std::string, int>> ended() = 0;
};

}  // namespace lento::fleet
