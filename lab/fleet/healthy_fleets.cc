// Healthy fleets differ in everything that is nobody's fault: metrics of few values, roles, newcomers,
// phases, drifts, bursts, heavy tails, gaps. A detector that names a machine of any of them gives a false
// alarm.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/fleet/scan_draw.h"

namespace lento::fleet {
namespace {

void roles(Draw& d, size_t count, double factor) {
  d.steady_power({});
  const size_t first = d.c.series.machines.size() - count;
  for (size_t m = first; m < d.c.series.machines.size(); ++m)
    d.multiply(0, m, 0, d.c.series.steps, factor);
}

void autoregressive(Draw& d, double keep, double noise) {
  d.lay_out({}, {"temperature_c"});
  std::vector<double> state(64, 0);
  for (size_t t = 0; t < d.c.series.steps; ++t) {
    for (size_t m = 0; m < 64; ++m) {
      state[m] = keep * state[m] + d.rng.normal(0, noise);
      d.c.series.row(0, t)[m] = float(60 * std::exp(state[m]));
    }
  }
}

// Every `period` steps the job does something else for `length` steps.
void phases(Draw& d, size_t period, size_t length, const std::function<double(size_t)>& factor) {
  d.steady_power({});
  for (size_t t = period; t < d.c.series.steps; ++t) {
    for (size_t m = 0; m < 64 && t % period < length; ++m)
      d.c.series.row(0, t)[m] *= float(factor(m));
  }
}

void bursts(Draw& d, double an_hour, size_t longest, double factor) {
  d.steady_power({64, 1800, 2000});
  const double chance = an_hour * 2 / 3600;
  for (size_t m = 0; m < 64; ++m) {
    for (size_t t = 0; t < d.c.series.steps; ++t) {
      if (d.rng.uniform() < chance)
        d.multiply(0, m, t, t + 1 + d.rng.below(longest), factor);
    }
  }
}

void gaps(Draw& d, double share, size_t longest) {
  d.steady_power({64, 1800, 2000});
  for (size_t m = 0; m < 64; ++m) {
    for (size_t t = 0; t < d.c.series.steps; ++t) {
      const size_t until = d.rng.uniform() < share ? t + 1 + d.rng.below(longest) : t;
      for (; t < std::min(until, d.c.series.steps); ++t)
        d.c.series.row(0, t)[m] = Draw::kMissing;
    }
  }
}

void late_joiners(Draw& d) {
  d.steady_power({});
  for (size_t m = 58; m < 64; ++m) {
    const size_t from = 120 + d.rng.below(120);
    for (size_t t = 0; t < d.c.series.steps; ++t) {
      if (t < from)
        d.c.series.row(0, t)[m] = Draw::kMissing;
      else
        d.c.series.row(0, t)[m] *= float(1 - 0.5 * std::exp(-double(t - from) / 20));
    }
  }
}

void start_ramp(Draw& d) {
  d.steady_power({});
  for (size_t m = 0; m < 64; ++m) {
    const double from = d.rng.uniform(0, 20);
    for (size_t t = 0; t < d.c.series.steps; ++t)
      d.c.series.row(0, t)[m] *= float(double(t) < from ? 0.2 : 1 - 0.3 * std::exp(-(double(t) - from) / 10));
  }
}

void shared_meter(Draw& d) {
  d.lay_out({}, {"power_w"});
  std::vector<double> shared(64);
  for (size_t t = 0; t < 480; ++t) {
    for (size_t m = 0; m < 64; m += 2) {
      shared[m] = 0.9 * shared[m] + d.rng.normal(0, 0.02);
      for (size_t i = m; i < m + 2; ++i)
        d.c.series.row(0, t)[i] = float(6900 * std::exp(shared[m] + d.rng.normal(0, 0.01)));
    }
  }
}

void sawtooth(Draw& d) {
  d.lay_out({}, {"memory_used_bytes"});
  std::vector<double> phase(64);
  for (double& p : phase)
    p = d.rng.uniform();
  d.fill(0, [&](size_t t, size_t m) {
    const double at = double(t) / 60 + phase[m];
    return 1e11 * (1 + 0.3 * (at - std::floor(at)) + d.rng.normal(0, 0.002));
  });
}

void codes(Draw& d) {
  d.lay_out({}, {"DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"});
  const size_t sticky = d.rng.below(64);
  const size_t from = d.any_time();
  d.fill(0, [&](size_t t, size_t m) {
    return m == sticky && t >= from ? 31.0 : 0.0;
  });
  d.fill(1, [&](size_t, size_t) {
    return d.rng.uniform() < 0.3 ? 4.0 : 0.0;
  });
}

void four_metrics(Draw& d, const Grid& g) {
  d.lay_out(g, {"power_w", "node_procs_running", "temperature_c", "network_receive"});
  d.fill(0, [&](size_t, size_t) {
    return d.power();
  });
  d.fill(1, [&](size_t, size_t) {
    return double(d.poisson(2));
  });
  d.fill(2, [&](size_t, size_t) {
    return std::round(d.rng.normal(62, 2));
  });
  d.fill(3, [&](size_t, size_t) {
    return 1e9 * std::exp(d.rng.normal(0, 1));
  });
}

}  // namespace

const std::vector<FleetKind>& healthy_fleets() {
  static const std::vector<FleetKind> list{
      {"utilisation 100 or 0",
       [](Draw& d) {
         d.counts("DCGM_FI_DEV_GPU_UTIL", [&] {
           return d.rng.uniform() < 0.9 ? 100.0 : 0.0;
         });
       }},
      {"processes running",
       [](Draw& d) {
         d.counts("node_procs_running", [&] {
           return std::max(0.0, std::round(d.rng.normal(3, 1)));
         });
       }},
      {"Poisson counts of 1",
       [](Draw& d) {
         d.counts("node_procs_blocked", [&] {
           return double(d.poisson(1));
         });
       }},
      {"Poisson counts of 0.3",
       [](Draw& d) {
         d.counts("node_procs_blocked", [&] {
           return double(d.poisson(0.3));
         });
       }},
      {"rare counts",
       [](Draw& d) {
         d.counts("pcie_replay_rate", [&] {
           return d.rng.uniform() < 0.001 ? 1.0 : 0.0;
         });
       }},
      {"flag 0 or 4",
       [](Draw& d) {
         d.counts("power_brake", [&] {
           return d.rng.uniform() < 0.3 ? 4.0 : 0.0;
         });
       }},
      {"last stage +6 %",
       [](Draw& d) {
         roles(d, 8, 1.06);
       }},
      {"four hosts +3 %",
       [](Draw& d) {
         roles(d, 4, 1.03);
       }},
      {"one host -3 %",
       [](Draw& d) {
         roles(d, 1, 0.97);
       }},
      {"one host -20 %",
       [](Draw& d) {
         roles(d, 1, 0.8);
       }},
      {"less memory free on one",
       [](Draw& d) {
         d.lay_out({}, {"node_memory_MemAvailable_bytes"});
         d.fill(0, [&](size_t, size_t m) {
           return (m ? 1.47e12 : 1.45e12) * std::exp(d.rng.normal(0, 0.001));
         });
       }},
      {"six join late", late_joiners},
      {"codes", codes},
      {"normal",
       [](Draw& d) {
         d.counts("power_w", [&] {
           return d.rng.normal(700, 30);
         });
       }},
      {"log-normal",
       [](Draw& d) {
         d.counts("network_receive", [&] {
           return 1e9 * std::exp(d.rng.normal(0, 1));
         });
       }},
      {"Student with 2 degrees",
       [](Draw& d) {
         d.counts("clock_offset_us", [&] {
           return d.rng.normal() / std::sqrt(d.rng.gamma(1, 1));
         });
       }},
      {"Pareto",
       [](Draw& d) {
         d.counts("request_latency_us", [&] {
           return std::pow(1 - d.rng.uniform(), -1 / 1.5);
         });
       }},
      {"autoregressive 0.98",
       [](Draw& d) {
         autoregressive(d, 0.98, 0.01);
       }},
      {"random walk",
       [](Draw& d) {
         autoregressive(d, 1, 0.005);
       }},
      {"slow drifts",
       [](Draw& d) {
         d.lay_out({}, {"temperature_c"});
         std::vector<double> slope(64);
         for (double& s : slope)
           s = d.rng.normal(0, 0.05);
         d.fill(0, [&](size_t t, size_t m) {
           return 60 * std::exp(slope[m] * double(t) / 480 + d.rng.normal(0, 0.01));
         });
       }},
      {"wave of the day, unequal gains",
       [](Draw& d) {
         d.lay_out({64, 1440, 60'000}, {"temperature_c"});
         d.fill(0, [&](size_t t, size_t m) {
           return 60 + (3 + 0.1 * double(m % 4)) * std::sin(2 * std::numbers::pi * double(t) / 1440) +
                  d.rng.normal(0, 0.5);
         });
       }},
      {"evaluations, one stage responds less",
       [](Draw& d) {
         phases(d, 80, 12, [](size_t m) {
           return m < 8 ? 0.7 : 0.6;
         });
       }},
      {"evaluations",
       [](Draw& d) {
         phases(d, 80, 12, [](size_t) {
           return 0.6;
         });
       }},
      {"alternating phases",
       [](Draw& d) {
         phases(d, 80, 40, [](size_t m) {
           return m < 8 ? 0.9 : 0.85;
         });
       }},
      {"checkpoints on rank 0",
       [](Draw& d) {
         phases(d, 40, 2, [](size_t m) {
           return m == 0 ? 0.5 : 1.0;
         });
       }},
      {"bursts",
       [](Draw& d) {
         bursts(d, 1, 30, 0.4);
       }},
      {"rare bursts",
       [](Draw& d) {
         bursts(d, 0.03, 30, 0.4);
       }},
      {"integer temperature",
       [](Draw& d) {
         d.counts("temperature_c", [&] {
           return std::round(d.rng.normal(62, 2));
         });
       }},
      {"mostly zero",
       [](Draw& d) {
         d.counts("disk_written", [&] {
           return d.rng.uniform() < 0.1 ? 1e6 * std::exp(d.rng.normal(0, 1)) : 0.0;
         });
       }},
      {"gaps",
       [](Draw& d) {
         gaps(d, 0.01, 15);
       }},
      {"missing samples",
       [](Draw& d) {
         gaps(d, 0.05, 1);
       }},
      {"start at different times", start_ramp},
      {"clock of two steps",
       [](Draw& d) {
         d.counts("sm_clock_mhz", [&] {
           return d.rng.uniform() < 0.95 ? 1980.0 : 1965.0;
         });
       }},
      {"meters shared by two", shared_meter},
      {"unequal noise",
       [](Draw& d) {
         d.lay_out({}, {"power_w"});
         d.fill(0, [&](size_t, size_t m) {
           return 700 * std::exp(d.rng.normal(0, m < 6 ? 0.09 : 0.03));
         });
       }},
      {"memory in sawtooth", sawtooth},
      {"16 machines, 4 metrics, a day",
       [](Draw& d) {
         four_metrics(d, {16, 1440, 60'000});
       }},
      {"8 machines, 1 s",
       [](Draw& d) {
         four_metrics(d, {8, 1200, 1000});
       }},
      {"4 machines, 1 ms",
       [](Draw& d) {
         four_metrics(d, {4, 24'000, 1});
       }},
  };
  return list;
}

}  // namespace lento::fleet
