// Healthy fleets whose work differs: begin and end of a job, restarts, unlike hardware, caches of exporters,
// counters, limits of a scale.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/fleet/scan_draw.h"

namespace lento::fleet {
namespace {

constexpr Grid kUsual;

// Each machine does something else before and after its own moments.
void idle_outside(Draw& d, size_t earliest, size_t spread, bool ends) {
  d.steady_power({});
  for (size_t m = 0; m < kUsual.machines; ++m) {
    const size_t at = earliest + d.rng.below(spread);
    for (size_t t = 0; t < kUsual.steps; ++t) {
      if (ends ? t >= at : t < at)
        d.c.series.row(0, t)[m] = float(d.rng.normal(900, 20));
    }
  }
}

void restart_of_the_job(Draw& d) {
  d.steady_power({});
  for (size_t m = 0; m < kUsual.machines; ++m) {
    const size_t back = 270 + d.rng.below(8);
    for (size_t t = 240; t < back; ++t)
      d.c.series.row(0, t)[m] = float(d.rng.normal(900, 20));
  }
}

void gaps_of_hosts(Draw& d) {
  d.steady_power({});
  for (const size_t m : d.some(3)) {
    const size_t from = d.any_time();
    for (size_t t = from; t < from + 4; ++t)
      d.c.series.row(0, t)[m] = t < from + 3 ? Draw::kMissing : float(d.rng.normal(3000, 100));
  }
}

void steps_of_a_fan(Draw& d) {
  d.lay_out({}, {"fan_speed_percent"});
  for (size_t m = 0; m < kUsual.machines; ++m) {
    double state = 0;
    for (size_t t = 0; t < kUsual.steps; ++t) {
      state = 0.9 * state + d.rng.normal(0, 1.5);
      d.c.series.row(0, t)[m] = float(5 * std::round((40 + state) / 5));
    }
  }
}

void disks_that_fill(Draw& d) {
  d.lay_out({}, {"disk_free_bytes"});
  for (size_t m = 0; m < kUsual.machines; ++m) {
    const double slope = d.rng.uniform(0.5, 2);
    const double phase = d.rng.uniform(0, 60);
    for (size_t t = 0; t < kUsual.steps; ++t)
      d.c.series.row(0, t)[m] = float(4e12 - slope * 1e9 * std::fmod(double(t) + phase, 60));
  }
}

void held_samples(Draw& d, size_t rows) {
  d.steady_power({});
  for (size_t m = 0; m < kUsual.machines; ++m) {
    const size_t phase = d.rng.below(rows);
    for (size_t t = 1; t < kUsual.steps; ++t) {
      if ((t + phase) % rows != 0)
        d.c.series.row(0, t)[m] = d.c.series.row(0, t - 1)[m];
    }
  }
}

void warm_up(Draw& d) {
  d.lay_out({}, {"temperature_c"});
  for (size_t m = 0; m < kUsual.machines; ++m) {
    const double slowness = d.rng.uniform(20, 60);
    const double role = d.rng.normal(0, 1.5);
    for (size_t t = 0; t < kUsual.steps; ++t)
      d.c.series.row(0, t)[m] =
          float(62 + role - 24 * std::exp(-double(t) / slowness) + d.rng.normal(0, 0.5));
  }
}

void common_load(Draw& d) {
  d.lay_out({}, {"network_receive"});
  for (size_t t = 0; t < kUsual.steps; ++t) {
    const double load = std::exp(d.rng.normal(0, 1));
    for (size_t m = 0; m < kUsual.machines; ++m)
      d.c.series.row(0, t)[m] = float(1e9 * load * std::exp(d.rng.normal(0, 0.05)));
  }
}

void lonely_evaluations(Draw& d) {
  d.steady_power({});
  for (size_t t = 30; t < kUsual.steps; t += 60)
    d.multiply(0, 0, t, t + 6, 0.6);
}

// Draws each value from a distribution of its machine and metric alone.
FleetKind alike(const char* name, const char* metric, double (*value)(base::Rng&, size_t t, size_t m)) {
  return {name, [metric, value](Draw& d) {
            d.lay_out({}, {metric});
            d.fill(0, [&](size_t t, size_t m) {
              return value(d.rng, t, m);
            });
          }};
}

std::vector<FleetKind> alike_kinds() {
  return {
      alike(
          "two kinds of hardware",
          "power_w",
          [](base::Rng& r, size_t, size_t m) {
            return m % 2 ? r.normal(700, 10) : r.normal(550, 25);
          }),
      alike(
          "one noisy host",
          "power_w",
          [](base::Rng& r, size_t, size_t m) {
            return r.normal(700, m == 9 ? 60 : 12);
          }),
      alike(
          "turns of two",
          "gpu_util",
          [](base::Rng&, size_t t, size_t m) {
            return t % 2 == m % 2 ? 100.0 : 0.0;
          }),
      alike(
          "exponential waits",
          "collective_wait_s",
          [](base::Rng& r, size_t, size_t) {
            return -std::log(1 - r.uniform());
          }),
      alike(
          "clock offset about zero",
          "clock_offset_ns",
          [](base::Rng& r, size_t, size_t) {
            return r.normal(0, 500);
          }),
      alike(
          "utilisation at its limit",
          "gpu_utilization",
          [](base::Rng& r, size_t, size_t) {
            return std::min(100.0, std::round(r.normal(98, 3)));
          }),
      alike(
          "one host with twice the traffic",
          "network_transmit",
          [](base::Rng& r, size_t, size_t m) {
            return (m == 0 ? 2e8 : 1e8) * std::exp(r.normal(0, 0.2));
          }),
      alike(
          "a counter that grows",
          "process_cpu_seconds",
          [](base::Rng& r, size_t t, size_t m) {
            return 1e5 + 15 * double(t) * (1 + 0.01 * double(m % 7)) + r.uniform();
          }),
      alike(
          "racks in the wave of a day",
          "temperature_c",
          [](base::Rng& r, size_t t, size_t m) {
            const double wave = std::sin(2 * std::numbers::pi * double(t) / 480);
            return 55 + 2 * double(m / 16) + 3 * wave + r.normal(0, 0.5);
          }),
      alike(
          "missing on a third",
          "power_w",
          [](base::Rng& r, size_t, size_t m) {
            return m % 3 == 0 ? double(Draw::kMissing) : r.normal(700, 20);
          }),
      alike("constant", "power_limit_w", [](base::Rng&, size_t, size_t) {
        return 700.0;
      })};
}

}  // namespace

const std::vector<FleetKind>& healthy_work() {
  static const std::vector<FleetKind> list = [] {
    std::vector<FleetKind> out = alike_kinds();
    const auto add = [&](const char* name, std::function<void(Draw&)> draw) {
      out.push_back({name, std::move(draw)});
    };
    add("jobs that end one by one", [](Draw& d) {
      idle_outside(d, 450, 4, true);
    });
    add("jobs that begin one by one", [](Draw& d) {
      idle_outside(d, 5, 40, false);
    });
    add("restart of the job", restart_of_the_job);
    add("gaps of three hosts", gaps_of_hosts);
    add("steps of a fan", steps_of_a_fan);
    add("disks that fill", disks_that_fill);
    add("samples held for four rows", [](Draw& d) {
      held_samples(d, 4);
    });
    add("warm-up of a third", warm_up);
    add("load of the job", common_load);
    add("evaluations on one host", lonely_evaluations);
    add("corrected errors of unequal rates", [](Draw& d) {
      std::vector<double> rate(kUsual.machines);
      for (double& r : rate)
        r = d.rng.gamma(0.3, 1);
      d.lay_out({}, {"ecc_corrected_rate"});
      d.fill(0, [&](size_t, size_t m) {
        return double(d.poisson(rate[m]));
      });
    });
    add("fifteen minutes", [](Draw& d) {
      d.steady_power({16, 60, 15'000});
    });
    return out;
  }();
  return list;
}

}  // namespace lento::fleet
