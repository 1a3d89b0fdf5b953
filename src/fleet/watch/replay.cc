// Runs a watch over recorded samples, to examine an alert later. The watch runs the same code as with a live
// store and a real clock.
#include "fleet/watch/replay.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace lento::fleet {
namespace {

struct ReplayClock : Clock {
  int64_t ms = 0;
  int64_t steady_ms() const override {
    return ms;
  }
  int64_t wall_ms() const override {
    return ms;
  }
};

struct NoAlerts : AlertSink {
  bool send(const std::vector<Alert>&) override {
    return true;
  }
};

struct NoRunner : HookRunner {
  bool start(const HookCall&) override {
    return false;
  }
  std::vector<std::pair<std::string, int>> ended() override {
    return {};
  }
};

// Returns the last of the steps [from, to) in which the machine has a sample, or SIZE_MAX without one.
size_t last_sample(const MetricSeries& s, size_t machine, size_t from, size_t to) {
  for (size_t step = to; step-- > from;) {
    for (size_t k = 0; k < s.metrics.size(); ++k) {
      if (!std::isnan(s.at(k, step, machine)))
        return step;
    }
  }
  return SIZE_MAX;
}

}  // namespace

MetricSeries ReplayStore::read(int64_t begin, int64_t end, int64_t, base::ReadReport& report) {
  const MetricSeries& all = series_;
  end = std::min(end, clock_.steady_ms());
  const auto step_after = [&](int64_t ms) {
    const int64_t since = std::max<int64_t>(0, ms - all.begin_ms);
    return std::min(all.steps, size_t((since + all.step_ms - 1) / all.step_ms));
  };
  const size_t from = step_after(begin);
  const size_t to = std::max(from, step_after(end + 1));
  MetricSeries out;
  std::vector<size_t> machines;
  for (size_t m = 0; m < all.machines.size(); ++m) {
    const size_t last = last_sample(all, m, from, to);
    if (last == SIZE_MAX)
      continue;
    machines.push_back(m);
    out.machines.push_back(all.machines[m]);
    out.labels.push_back(m < all.labels.size() ? all.labels[m] : Labels{});
    out.newest_ms.push_back(all.time_ms(last));
  }
  if (machines.empty())
    throw base::Error({name()}, "no sample in this period");
  out.metrics = all.metrics;
  out.begin_ms = all.time_ms(from);
  out.step_ms = all.step_ms;
  out.sample_gap_ms = all.step_ms;
  out.steps = to - from;
  out.devices = all.devices;
  for (size_t k = 0; k < all.metrics.size(); ++k) {
    const auto devices = all.device_of.find(k);
    for (size_t step = from; step < to; ++step) {
      for (const size_t m : machines) {
        out.values.push_back(all.at(k, step, m));
        report.taken += !std::isnan(out.values.back());
        if (devices != all.device_of.end())
          out.device_of[k].push_back(devices->second[step * all.machines.size() + m]);
      }
    }
  }
  return out;
}

finding::Diagnosis replay(
    const MetricSeries& series,
    const WatchLog& log,
    const WatchOptions& options,
    int64_t interval_ms,
    const base::Progress& progress) {
  if (interval_ms <= 0)
    throw base::Error({"--interval"}, "must be over 0");
  WatchOptions o = options;
  o.step_s = double(series.step_ms) / 1000;
  o.hook = o.hook_live = false;
  ReplayClock clock;
  clock.ms = series.begin_ms;
  ReplayStore store(series, clock);
  NoAlerts alerts;
  NoRunner hooks;
  FleetWatch watch({clock, store, alerts, hooks}, log, o);
  const int64_t end = series.time_ms(series.steps);
  for (clock.ms += series.step_ms; clock.ms <= end && !progress.stopped(); clock.ms += interval_ms) {
    watch.step();
    progress("seconds", double(clock.ms - series.begin_ms) / 1000, double(end - series.begin_ms) / 1000);
  }
  return watch.diagnosis();
}

}  // namespace lento::fleet
