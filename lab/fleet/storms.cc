#include "lab/fleet/storms.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/simulate/simulate.h"
#include "fleet/watch/watch.h"
#include "lab/fleet/sim_store.h"

namespace lento::fleet {
namespace {

constexpr double kWatchedFor = 900;  // s before the earliest storm: how rare bursts are is known by then
constexpr double kBar = 120;         // s
constexpr int64_t kInterval = 5000;  // ms between pulls
constexpr std::array<size_t, 3> kSizes{16, 64, 256};

// A simulated job as a store shows it: samples up to now, every machine a target that is up.
class Replay : public Feed {
 public:
  Replay(const MetricSeries& series, const SimClock& clock)
      : series_(series),
        clock_(clock) {
  }
  std::string name() const override {
    return "replayed";
  }
  MetricSeries read(int64_t begin, int64_t end, int64_t grid_ms, base::ReadReport& report) override {
    SeriesBuilder builder(report);
    end = std::min(end, clock_.steady);
    for (size_t k = 0; k < series_.metrics.size(); ++k) {
      const uint32_t metric = builder.metric(series_.metrics[k]);
      for (size_t m = 0; m < series_.machines.size(); ++m)
        add(builder, {metric, builder.machine(series_.machines[m]), 0}, k, m, begin, end);
    }
    GridOptions grid;
    grid.step_ms = grid_ms;
    if (grid_ms > 0)
      grid.begin_ms = begin / grid_ms * grid_ms;
    MetricSeries out = builder.build(grid, {name()});
    for (size_t m = 0; m < out.machines.size(); ++m)
      out.labels[m] = series_.labels[m];
    return out;
  }
  std::optional<std::vector<Target>> targets() override {
    std::vector<Target> out;
    for (const std::string& machine : series_.machines)
      out.push_back({machine, true});
    return out;
  }
  std::optional<int64_t> now_ms() override {
    return clock_.steady;
  }

 private:
  void add(
      SeriesBuilder& builder,
      const fleet::SeriesBuilder::Key& key,
      size_t metric,
      size_t machine,
      int64_t begin,
      int64_t end) const {
    const int64_t first = std::max<int64_t>(0, (begin - kSimStart) / series_.step_ms);
    for (int64_t i = first; i < int64_t(series_.steps); ++i) {
      const int64_t t = kSimStart + i * series_.step_ms;
      if (t > end)
        return;
      const float value = series_.at(metric, size_t(i), machine);
      if (t >= begin && !std::isnan(value))
        builder.add(key, t, value, {});
    }
  }

  const MetricSeries& series_;
  const SimClock& clock_;
};

bool is_storm(const FleetTruth& truth) {
  const auto shows = [&](const char* what) {
    return std::ranges::find(truth.shown, what) != truth.shown.end();
  };
  return shows("PFC") && !shows("CPU") && !shows("GPU") && truth.contrast_s > kBar;
}

SimulatedFleet storm_of(const StormCase& c) {
  constexpr uint64_t kTries = 1000;
  FleetJob job;
  job.preset = fleet_preset("paper");
  job.machines = c.machines;
  job.jitters = c.jitters;
  job.earliest_onset_s = kWatchedFor;
  job.extra_metrics = false;
  job.seed = c.seed;
  for (uint64_t attempt = 0; attempt < kTries; ++attempt) {
    job.index = c.index * kTries + attempt;
    SimulatedFleet fleet = simulate_fleet(job);
    if (is_storm(fleet.truth))
      return fleet;
  }
  throw base::Error({}, "none of a thousand simulated faults is a storm");
}

std::string of_all(size_t part, size_t all) {
  return std::to_string(part) + " of " + std::to_string(all);
}

std::vector<std::string> row_of(const std::string& size, const std::vector<const StormResult*>& results) {
  std::vector<double> delays;
  size_t in_time = 0;
  size_t wrong = 0;
  for (const StormResult* r : results) {
    wrong += r->wrong.size();
    if (!r->named_after_s)
      continue;
    delays.push_back(*r->named_after_s);
    in_time += *r->named_after_s <= kBar;
  }
  if (delays.empty())
    return {size, of_all(0, results.size()), of_all(0, results.size()), "", "", std::to_string(wrong)};
  return {
      size,
      of_all(delays.size(), results.size()),
      of_all(in_time, results.size()),
      base::format_number(evidence::median(delays), 3) + " s",
      base::format_number(*std::ranges::max_element(delays), 3) + " s",
      std::to_string(wrong)};
}

}  // namespace

StormResult run_storm(const StormCase& c) {
  const SimulatedFleet fleet = storm_of(c);
  const std::string& sender = fleet.series.machines[fleet.truth.machine];
  SimClock clock;
  Replay store(fleet.series, clock);
  SimAlerts alerts(clock);
  SimHooks hooks;
  FleetWatch watch({clock, store, alerts, hooks}, {}, {});
  const int64_t end = kSimStart + int64_t(fleet.series.steps) * fleet.series.step_ms;
  for (clock.steady += kInterval; clock.steady < end; clock.steady += kInterval)
    watch.step();
  StormResult r;
  r.machine = sender;
  r.lasts_s = fleet.truth.contrast_s;
  const double onset = double(kSimStart) + fleet.truth.onset_s * 1000;
  for (const Told& t : alerts.told) {
    if (t.kind != "LentoDeviatingMachine" && t.kind != "LentoSilentMachine")
      continue;
    const bool right = t.machine == sender && double(t.at) >= onset;
    if (!right)
      r.wrong.push_back(t.machine);
    else if (!r.named_after_s)
      r.named_after_s = (double(t.at) - onset) / 1000;
  }
  return r;
}

finding::TableFigure
measure_storms(uint64_t seed, uint64_t storms, unsigned threads, const base::Progress& progress) {
  std::vector<StormCase> cases;
  for (const bool jitters : {false, true}) {
    for (uint64_t i = 0; i < storms; ++i)
      cases.push_back({seed, i, kSizes[i % kSizes.size()], jitters});
  }
  std::vector<StormResult> results(cases.size());
  base::parallel_for(cases.size(), threads, [&](size_t i) {
    if (!progress.stopped())
      results[i] = run_storm(cases[i]);
  });
  finding::TableFigure table;
  table.columns = {"machines", "named", "within 120 s", "median", "longest", "wrongly accused"};
  for (const bool jitters : {false, true}) {
    for (const size_t size : kSizes) {
      std::vector<const StormResult*> row;
      for (size_t i = 0; i < cases.size(); ++i) {
        if (cases[i].jitters == jitters && cases[i].machines == size)
          row.push_back(&results[i]);
      }
      if (!row.empty())
        table.rows.push_back(row_of(std::to_string(size) + (jitters ? ", with jitters" : ", quiet"), row));
    }
  }
  return table;
}

}  // namespace lento::fleet
