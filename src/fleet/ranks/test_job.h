// A training job in memory with a planted fault, for the tests of this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks::test {

// Eight ranks on four hosts: pairs inside a host (tp), and four ranks across hosts (dp).
struct Small {
  int steps = 60;
  double noise = 0.02;
  int slow_rank = -1;
  int slow_host = -1;
  int slow_nic = -1;
  int slow_fabric = -1;  // host whose inner links are slow
  int from = 0;
  double factor = 1.3;
  bool sequences = true;
  bool swap_sizes = false;
  double offset_ms = 7;
  double drift_ppm = 30;
  uint64_t seed = 4;
};

inline std::vector<RankTrace> build(const Small& s) {
  std::vector<RankTrace> out(8);
  std::vector<double> now(8, 0);
  base::Rng rng(s.seed, "test");
  const auto local = [&](int r, double ns) {
    const int h = r / 2;
    return int64_t(1e15 + ns * (1 + h * s.drift_ppm * 1e-6) + h * s.offset_ms * 1e6);
  };
  for (int r = 0; r < 8; ++r) {
    RankTrace& t = out[r];
    t.layout = "kineto";
    t.rank = r;
    t.world = 8;
    t.host = "host" + std::to_string(r / 2);
    t.device = r % 2;
    const int pair = r / 2 * 2;
    t.communicators.push_back({"tp" + std::to_string(pair), "TP", 2, 1, r % 2, {pair, pair + 1}});
    const int first = r % 2;
    t.communicators.push_back(
        {"dp" + std::to_string(first), "DP", 4, 4, r / 2, {first, first + 2, first + 4, first + 6}});
    // Groups of ranks on two hosts, so that a slow NIC can be traced to two of the four hosts that all dp
    // groups cross.
    const int half = r / 4;
    t.communicators.push_back(
        {"cp" + std::to_string(half) + std::to_string(first),
         "CP",
         2,
         2,
         (r / 2) % 2,
         {half * 4 + first, half * 4 + 2 + first}});
  }
  const auto collective =
      [&](const std::vector<int>& ranks, int communicator, double ns, int step, int64_t number) {
        double last = 0;
        bool crosses = false;
        for (const int r : ranks) {
          last = std::max(last, now[r]);
          crosses = crosses || r / 2 == s.slow_nic;
        }
        const bool inside = communicator == 0 && ranks[0] / 2 == s.slow_fabric;
        const bool slow = ((crosses && communicator > 0) || inside) && step >= s.from;
        const double end = last + ns * (slow ? s.factor : 1) * std::exp(rng.normal(0, s.noise));
        for (const int r : ranks) {
          const int64_t bytes = s.swap_sizes && r == 3 && step == 5 ? 4096 : 1 << 20;
          out[r].records.push_back(
              {local(r, now[r]),
               local(r, end),
               bytes,
               s.sequences ? number : -1,
               communicator,
               -1,
               step,
               fleet::ranks::CollectiveOp::AllReduce});
          now[r] = end;
        }
      };
  for (int step = 0; step < s.steps; ++step) {
    for (int part = 0; part < 4; ++part) {
      for (int r = 0; r < 8; ++r) {
        double own = 5e6 * std::exp(rng.normal(0, s.noise));
        const bool slow = (r == s.slow_rank || r / 2 == s.slow_host) && step >= s.from;
        now[r] += own * (slow ? s.factor : 1);
      }
      for (int h = 0; h < 4; ++h)
        collective({2 * h, 2 * h + 1}, 0, 1e6, step, step * 4 + part);
    }
    for (int half = 0; half < 2; ++half) {
      for (int first = 0; first < 2; ++first)
        collective({half * 4 + first, half * 4 + 2 + first}, 2, 3e6, step, step);
    }
    for (int first = 0; first < 2; ++first)
      collective({first, first + 2, first + 4, first + 6}, 1, 4e6, step, step);
  }
  return out;
}

// Reduces the job to the content of a log without verbose mode: durations.
inline std::vector<RankTrace> without_times(std::vector<RankTrace> traces) {
  for (RankTrace& t : traces) {
    t.timed = false;
    for (CollectiveRecord& r : t.records) {
      r.end_ns -= r.begin_ns;
      r.begin_ns = 0;
    }
  }
  return traces;
}

}  // namespace lento::fleet::ranks::test
