// Healthy fleets differ in everything that is nobody's fault: metrics of few values, roles, newcomers,
// phases, drifts, bursts, heavy tails, gaps. Each kind is a few lines over one grid, with random numbers of
// its own stream, so that a draw is repeated by kind and seed.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>

#include "base/error.h"
#include "base/rng.h"
#include "lab/fleet/scan_cases.h"

namespace lento::fleet {
namespace {

using base::Rng;
constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

struct Grid {
  size_t machines = 64;
  size_t steps = 480;
  int64_t step_ms = 15'000;
};

struct Draw {
  ScanCase c;
  Rng rng;

  void lay_out(const Grid& g, std::vector<std::string> metrics) {
    fleet::MetricSeries& s = c.series;
    for (size_t m = 0; m < g.machines; ++m)
      s.machines.push_back("host" + std::to_string(m));
    s.labels.resize(g.machines);
    s.metrics = std::move(metrics);
    s.step_ms = g.step_ms;
    s.steps = g.steps;
    s.values.assign(s.metrics.size() * g.steps * g.machines, kMissing);
  }
  // value(step, machine) for one metric.
  void fill(size_t metric, const std::function<double(size_t, size_t)>& value) {
    fleet::MetricSeries& s = c.series;
    for (size_t m = 0; m < s.machines.size(); ++m) {
      for (size_t t = 0; t < s.steps; ++t)
        s.row(metric, t)[m] = float(value(t, m));
    }
  }
  void multiply(size_t metric, size_t machine, size_t from, size_t to, double factor) {
    fleet::MetricSeries& s = c.series;
    for (size_t t = from; t < std::min(to, s.steps); ++t)
      s.row(metric, t)[machine] *= float(factor);
  }
  int poisson(double mean) {
    const double limit = std::exp(-mean);
    double product = rng.uniform();
    int n = 0;
    while (product > limit) {
      product *= rng.uniform();
      ++n;
    }
    return n;
  }
  // Sampled power of a job whose iterations leave dips: most samples lie on a plateau.
  double power() {
    return rng.uniform() < 0.2 ? rng.uniform(4000, 6500) : rng.normal(6900, 60);
  }
  void steady_power(const Grid& g) {
    lay_out(g, {"power_w"});
    fill(0, [&](size_t, size_t) {
      return power();
    });
  }
  void steady_step_time(const Grid& g) {
    lay_out(g, {"compute_duration_s"});
    fill(0, [&](size_t, size_t) {
      return 5 * std::exp(rng.normal(0, 0.03));
    });
  }
  size_t any_time() {
    const size_t steps = c.series.steps;
    return steps / 3 + rng.below(steps / 3);
  }
  std::vector<size_t> some(size_t count) {
    std::vector<size_t> all(c.series.machines.size());
    for (size_t m = 0; m < all.size(); ++m)
      all[m] = m;
    for (size_t i = 0; i < count; ++i)
      std::swap(all[i], all[i + rng.below(all.size() - i)]);
    all.resize(count);
    std::ranges::sort(all);
    return all;
  }
  void plant(size_t metric, size_t count, double factor) {
    const size_t from = any_time();
    c.slow = some(count);
    c.onset_ms = c.series.time_ms(from);
    for (const size_t m : c.slow)
      multiply(metric, m, from, c.series.steps, factor);
  }
};

using Recipe = std::function<void(Draw&)>;
struct Named {
  const char* name;
  Recipe draw;
};

void counts(Draw& d, const char* metric, const std::function<double()>& value) {
  d.lay_out({}, {metric});
  d.fill(0, [&](size_t, size_t) {
    return value();
  });
}

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
        d.c.series.row(0, t)[m] = kMissing;
    }
  }
}

void late_joiners(Draw& d) {
  d.steady_power({});
  for (size_t m = 58; m < 64; ++m) {
    const size_t from = 120 + d.rng.below(120);
    for (size_t t = 0; t < d.c.series.steps; ++t) {
      if (t < from)
        d.c.series.row(0, t)[m] = kMissing;
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

const std::vector<Named>& healthy() {
  static const std::vector<Named> list{
      {"utilisation 100 or 0",
       [](Draw& d) {
         counts(d, "DCGM_FI_DEV_GPU_UTIL", [&] {
           return d.rng.uniform() < 0.9 ? 100.0 : 0.0;
         });
       }},
      {"processes running",
       [](Draw& d) {
         counts(d, "node_procs_running", [&] {
           return std::max(0.0, std::round(d.rng.normal(3, 1)));
         });
       }},
      {"Poisson counts of 1",
       [](Draw& d) {
         counts(d, "node_procs_blocked", [&] {
           return double(d.poisson(1));
         });
       }},
      {"Poisson counts of 0.3",
       [](Draw& d) {
         counts(d, "node_procs_blocked", [&] {
           return double(d.poisson(0.3));
         });
       }},
      {"rare counts",
       [](Draw& d) {
         counts(d, "pcie_replay_rate", [&] {
           return d.rng.uniform() < 0.001 ? 1.0 : 0.0;
         });
       }},
      {"flag 0 or 4",
       [](Draw& d) {
         counts(d, "power_brake", [&] {
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
         counts(d, "power_w", [&] {
           return d.rng.normal(700, 30);
         });
       }},
      {"log-normal",
       [](Draw& d) {
         counts(d, "network_receive", [&] {
           return 1e9 * std::exp(d.rng.normal(0, 1));
         });
       }},
      {"Student with 2 degrees",
       [](Draw& d) {
         counts(d, "clock_offset_us", [&] {
           return d.rng.normal() / std::sqrt(d.rng.gamma(1, 1));
         });
       }},
      {"Pareto",
       [](Draw& d) {
         counts(d, "request_latency_us", [&] {
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
         counts(d, "temperature_c", [&] {
           return std::round(d.rng.normal(62, 2));
         });
       }},
      {"mostly zero",
       [](Draw& d) {
         counts(d, "disk_written", [&] {
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
         counts(d, "sm_clock_mhz", [&] {
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

void group_under_label(Draw& d) {
  d.steady_power({});
  const size_t from = d.any_time();
  const size_t rack = d.rng.below(4);
  d.c.onset_ms = d.c.series.time_ms(from);
  for (size_t m = 0; m < 64; ++m) {
    d.c.series.labels[m].emplace_back("rack", "r" + std::to_string(m / 16));
    if (m / 16 != rack)
      continue;
    d.c.slow.push_back(m);
    d.multiply(0, m, from, 480, 0.7);
  }
}

void whole_job(Draw& d, double power, double time) {
  d.lay_out({}, {"power_w", "step_time_s"});
  const size_t from = d.any_time();
  d.c.whole_job = true;
  d.c.onset_ms = d.c.series.time_ms(from);
  d.fill(0, [&](size_t t, size_t) {
    return d.power() * (t >= from ? power : 1);
  });
  d.fill(1, [&](size_t t, size_t) {
    return 5 * std::exp(d.rng.normal(0, 0.03)) * (t >= from ? time : 1);
  });
}

void hang(Draw& d) {
  d.lay_out({}, {"power_w", "DCGM_FI_DEV_GPU_UTIL"});
  const size_t from = d.any_time();
  d.c.whole_job = true;
  d.c.onset_ms = d.c.series.time_ms(from);
  d.fill(0, [&](size_t t, size_t) {
    return t >= from ? d.rng.normal(118, 2) : d.rng.normal(640, 20);
  });
  d.fill(1, [&](size_t t, size_t) {
    return t >= from || d.rng.uniform() < 0.9 ? 100.0 : 0.0;
  });
}

void few_valued_fault(Draw& d) {
  counts(d, "node_procs_running", [&] {
    return std::max(0.0, std::round(d.rng.normal(3, 1)));
  });
  const size_t from = d.any_time();
  d.c.slow = d.some(1);
  d.c.onset_ms = d.c.series.time_ms(from);
  for (size_t t = from; t < 480; ++t)
    d.c.series.row(0, t)[d.c.slow[0]] += 2;
}

void recovers(Draw& d) {
  d.steady_power({64, 1800, 2000});
  const size_t from = d.any_time();
  d.c.slow = d.some(1);
  d.c.onset_ms = d.c.series.time_ms(from);
  d.multiply(0, d.c.slow[0], from, from + 300, 0.8);
}

void leak(Draw& d) {
  d.lay_out({}, {"node_memory_MemAvailable_bytes"});
  const size_t from = d.any_time();
  d.c.slow = d.some(1);
  d.c.onset_ms = d.c.series.time_ms(from);
  d.fill(0, [&](size_t t, size_t m) {
    const double lost = m == d.c.slow[0] && t > from ? 0.002 * double(t - from) : 0;
    return 1e12 * std::exp(d.rng.normal(0, 0.01)) * std::max(0.05, 1 - lost);
  });
}

const std::vector<Named>& planted() {
  static const std::vector<Named> list{
      {"power x0.9, 2 s",
       [](Draw& d) {
         d.steady_power({64, 1800, 2000});
         d.plant(0, 1, 0.9);
       }},
      {"power x0.85, 15 s",
       [](Draw& d) {
         d.steady_power({});
         d.plant(0, 1, 0.85);
       }},
      {"power x0.85, 60 s",
       [](Draw& d) {
         d.steady_power({64, 360, 60'000});
         d.plant(0, 1, 0.85);
       }},
      {"power to nothing",
       [](Draw& d) {
         d.steady_power({});
         d.plant(0, 1, 0);
       }},
      {"compute time x1.1",
       [](Draw& d) {
         d.steady_step_time({});
         d.plant(0, 1, 1.1);
       }},
      {"2 of 64 at once",
       [](Draw& d) {
         d.steady_power({});
         d.plant(0, 2, 0.8);
       }},
      {"2 of 4",
       [](Draw& d) {
         d.steady_power({4, 480, 15'000});
         d.plant(0, 2, 0.7);
       }},
      {"3 of 8",
       [](Draw& d) {
         d.steady_power({8, 480, 15'000});
         d.plant(0, 3, 0.7);
       }},
      {"8 of 64",
       [](Draw& d) {
         d.steady_power({});
         d.plant(0, 8, 0.7);
       }},
      {"17 of 64",
       [](Draw& d) {
         d.steady_power({});
         d.plant(0, 17, 0.7);
       }},
      {"32 of 64",
       [](Draw& d) {
         d.steady_power({});
         d.plant(0, 32, 0.7);
       }},
      {"16 of one rack", group_under_label},
      {"whole job slower",
       [](Draw& d) {
         whole_job(d, 0.88, 1.15);
       }},
      {"hang", hang},
      {"two more processes", few_valued_fault},
      {"ten minutes x0.8", recovers},
      {"memory leak", leak},
  };
  return list;
}

std::vector<std::string> names(const std::vector<Named>& list) {
  std::vector<std::string> out;
  for (const Named& n : list)
    out.emplace_back(n.name);
  return out;
}

}  // namespace

const std::vector<std::string>& healthy_kinds() {
  static const std::vector<std::string> list = names(healthy());
  return list;
}

const std::vector<std::string>& planted_kinds() {
  static const std::vector<std::string> list = names(planted());
  return list;
}

ScanCase draw_case(const std::string& kind, uint64_t seed) {
  for (const auto* list : {&healthy(), &planted()}) {
    for (const Named& n : *list) {
      if (kind != n.name)
        continue;
      Draw d{{}, Rng(seed, kind)};
      d.c.kind = kind;
      n.draw(d);
      return std::move(d.c);
    }
  }
  throw base::Error({}, "no kind of fleet '" + kind + "'");
}

}  // namespace lento::fleet
