// Fleets with a planted fault: one machine, several at once, a rack, the job as a whole.
#include <algorithm>
#include <cmath>

#include "lab/fleet/scan_draw.h"

namespace lento::fleet {
namespace {

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
  d.counts("node_procs_running", [&] {
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

}  // namespace

const std::vector<FleetKind>& planted_fleets() {
  static const std::vector<FleetKind> list{
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

}  // namespace lento::fleet
