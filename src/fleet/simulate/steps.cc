// Simulates the gauges of a synchronous training job, one sample per second. Every step draws one observed
// time for each machine and lasts as long as the slowest plus the exchange. The gauges show it once it has
// finished.
#include "fleet/simulate/steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/rng.h"

namespace lento::fleet {
namespace {

enum StepMetric {
  kCompute,
  kWait,
  kStep
};

// Throws base::Error for times that are not positive.
void check(const StepJob& job) {
  if (job.machines.empty())
    throw base::Error({}, "a job needs at least one machine");
  for (const StepMachine& m : job.machines) {
    for (const auto* times : {&m.compute_s, &m.compute_after_s}) {
      if (std::any_of(times->begin(), times->end(), [](double t) {
            return !(t > 0) || !std::isfinite(t);
          }))
        throw base::Error({m.name}, "a step's compute time must be positive");
    }
    if (m.compute_s.empty())
      throw base::Error({m.name}, "the machine has no compute times");
  }
}

// Returns the series without values.
MetricSeries empty_series(const StepJob& job) {
  MetricSeries s;
  s.metrics = {"compute_time_s", "wait_ratio", "step_time_s"};
  s.steps = size_t(job.seconds);
  for (const StepMachine& m : job.machines)
    s.machines.push_back(m.name);
  s.labels.resize(s.machines.size());
  s.values.assign(s.metrics.size() * s.steps * s.machines.size(), std::numeric_limits<float>::quiet_NaN());
  return s;
}

struct Step {
  std::vector<double> compute;
  double length = 0;
};

// Draws the compute time of each machine. The slowest determines the step.
Step draw_step(const StepJob& job, double now, base::Rng& rng) {
  Step step;
  for (const StepMachine& machine : job.machines) {
    const bool after = now >= job.onset_s && !machine.compute_after_s.empty();
    const std::vector<double>& times = after ? machine.compute_after_s : machine.compute_s;
    step.compute.push_back(times[rng.below(times.size())]);
  }
  step.length = *std::ranges::max_element(step.compute) + job.exchange_s;
  return step;
}

// Writes the gauges of a finished step into the samples of this second.
void show(MetricSeries& s, size_t second, const Step& step, double exchange_s) {
  for (size_t m = 0; m < step.compute.size(); ++m) {
    s.row(kCompute, second)[m] = float(step.compute[m]);
    s.row(kWait, second)[m] = float(1 - (step.compute[m] + exchange_s) / step.length);
    s.row(kStep, second)[m] = float(step.length);
  }
}

}  // namespace

MetricSeries simulate_steps(const StepJob& job) {
  check(job);
  MetricSeries s = empty_series(job);
  base::Rng rng(job.seed, "fleet.steps");
  Step finished;
  Step running = draw_step(job, 0, rng);
  double end = running.length;  // of the running step
  for (size_t second = 0; second < s.steps; ++second) {
    while (end <= double(second)) {
      finished = std::move(running);
      running = draw_step(job, end, rng);
      end += running.length;
    }
    show(s, second, finished, job.exchange_s);
  }
  return s;
}

}  // namespace lento::fleet
