// Simulates a job with a storm of pause frames, offers it as a store and counts the alerts of a watch that
// pulls from it.
#include "lab/fleet/storms.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/simulate/simulate.h"
#include "fleet/watch/replay.h"
#include "fleet/watch/watch.h"
#include "lab/fleet/sim_store.h"

namespace lento::fleet {
namespace {

constexpr double kWatchedFor = 900;  // s before the earliest storm: how rare bursts are is known by then
constexpr double kBar = 120;         // s
constexpr int64_t kInterval = 5000;  // ms between pulls
constexpr std::array<size_t, 3> kSizes{16, 64, 256};

// A simulated job as a store shows it, every machine a target that is up.
class StormStore : public ReplayStore {
 public:
  StormStore(const MetricSeries& series, const Clock& clock)
      : ReplayStore(series, clock),
        machines_(series.machines) {
  }
  std::optional<std::vector<Target>> targets() override {
    std::vector<Target> out;
    for (const std::string& machine : machines_)
      out.push_back({machine, true});
    return out;
  }

 private:
  const std::vector<std::string>& machines_;
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
  SimulatedFleet fleet = storm_of(c);
  fleet.series.begin_ms = kSimStart;
  const std::string& sender = fleet.series.machines[fleet.truth.machine];
  SimClock clock;
  StormStore store(fleet.series, clock);
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
