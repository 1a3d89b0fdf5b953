// The largest job of the paper's range, 1,500 machines and seven metrics without a fault. That is the worst
// case, because every metric is judged to the end. One row per second in the default mode; a pull of 900 s in
// the faithful mode.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>

#include "fleet/minder/minder.h"
#include "fleet/scan/scan.h"
#include "fleet/simulate/simulate.h"
#include "lab/fleet/methods.h"

namespace lento::fleet {
namespace {

constexpr size_t kMachines = 1500;

MetricSeries healthy_job(double seconds) {
  FleetJob job;
  job.preset = fleet_preset("paper");
  job.faulty = false;
  job.machines = kMachines;
  job.seconds = seconds;
  return simulate_fleet(job).series;
}

double resident_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

// Share of a core: seconds of CPU for each second of the job. The peak includes the simulated job itself.
void default_mode(benchmark::State& state) {
  const MetricSeries s = healthy_job(900);
  ScanOptions options;
  options.metrics = paper_metrics();
  options.budget = {1, 30 * 86400.0};
  const double before = resident_megabytes();
  std::vector<float> row(s.metrics.size() * kMachines);
  for (auto _ : state) {
    Scan scan({s.machines, s.labels, s.metrics, s.step_ms, 0}, options);
    for (size_t t = 0; t < s.steps; ++t) {
      for (size_t k = 0; k < s.metrics.size(); ++k)
        std::ranges::copy(s.row(k, t), row.begin() + std::ptrdiff_t(k * kMachines));
      scan.push(s.time_ms(t), row);
    }
    benchmark::DoNotOptimize(scan.episodes().size());
  }
  state.counters["share_of_core"] = benchmark::Counter(
      double(state.iterations() * s.steps),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["scan_MB"] = resident_megabytes() - before;
}
BENCHMARK(default_mode)->Unit(benchmark::kMillisecond)->Iterations(1);

FleetModel quick_model(const MetricSeries& s) {
  FleetModel model;
  for (const std::string& name : paper_metrics()) {
    const size_t metric = metric_index(s, name);
    const Plane plane = normalised_plane(s, metric, bounds_of(s, metric));
    TrainOptions options;
    options.windows = 10'000;
    options.epochs = 5;
    model.metrics.push_back(train_vae(
        [&](size_t i, float* out) {
          const size_t machine = i * 7919 % kMachines;
          const size_t at = i * 104'729 % (s.steps - vae::kWindow);
          for (size_t t = 0; t < vae::kWindow; ++t)
            out[t] = plane.x[(at + t) * plane.stride + machine];
        },
        options));
    model.metrics.back().metric = name;
    model.metrics.back().threshold = 3;
  }
  return model;
}

void faithful_mode(benchmark::State& state) {
  const MetricSeries s = healthy_job(900);
  const FleetModel model = quick_model(s);
  MinderOptions options;
  options.pivots = size_t(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(minder(s, model, options));
}
BENCHMARK(faithful_mode)->Arg(64)->Arg(0)->ArgName("pivots")->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace lento::fleet
