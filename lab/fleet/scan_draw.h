// One drawn fleet: a grid of machines, steps and metrics that is filled from a stream of random numbers of
// its own, so that a draw is repeated by kind and seed.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/rng.h"
#include "lab/fleet/scan_cases.h"

namespace lento::fleet {

struct Grid {
  size_t machines = 64;
  size_t steps = 480;
  int64_t step_ms = 15'000;
};

struct Draw {
  static constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
  ScanCase c;
  base::Rng rng;

  // Makes the series with these metrics and no sample.
  void lay_out(const Grid& g, std::vector<std::string> metrics);
  // Fills one metric with value(step, machine), machine by machine.
  void fill(size_t metric, const std::function<double(size_t, size_t)>& value);
  void multiply(size_t metric, size_t machine, size_t from, size_t to, double factor);
  int poisson(double mean);
  // Sampled power of a job whose iterations leave dips: most samples lie on a plateau.
  double power() {
    return rng.uniform() < 0.2 ? rng.uniform(4000, 6500) : rng.normal(6900, 60);
  }
  void steady_power(const Grid& g);
  void steady_step_time(const Grid& g);
  // Fills the only metric of a fleet of the usual size.
  void counts(const char* metric, const std::function<double()>& value);
  size_t any_time();                       // a step of the middle third
  std::vector<size_t> some(size_t count);  // machines, sorted
  // Multiplies the metric of `count` machines from some time on to the end.
  void plant(size_t metric, size_t count, double factor);
};

struct FleetKind {
  const char* name;
  std::function<void(Draw&)> draw;
};
const std::vector<FleetKind>& healthy_fleets();
const std::vector<FleetKind>& healthy_work();
const std::vector<FleetKind>& planted_fleets();

}  // namespace lento::fleet
