// expected_dropped() simulates a queue with a single server: one input arrives every `arrival` tile cycles,
// each that is not lost starts a run of main, and a run is long (LongRuns) once in every_runs runs or as soon
// as every_cycles have passed since the last long one.
#include "tile/unit/verify/drops.h"

#include <algorithm>
#include <cmath>

namespace lento::tile {

double most_dropped_of_stream(const RegionReport& m, uint64_t arrival) {
  const double lost = double((m.busy_cycles + arrival) / arrival);
  return lost / (lost + double(std::max<uint64_t>(m.streamed_least, 1)));
}

double expected_dropped(const RegionReport& m, uint64_t arrival, uint32_t queue) {
  if (arrival >= m.lossless_period)
    return 0;
  if (m.lossless_period == UINT64_MAX)
    return 1;
  if (m.streamed > 0)
    return most_dropped_of_stream(m, arrival);
  constexpr uint64_t kMostInputs = 100'000;
  constexpr uint64_t kPeriods = 64;  // most periods of long runs that are simulated
  const LongRuns& long_runs = m.long_runs;
  const uint64_t period = std::max(long_runs.every_runs, long_runs.every_cycles / arrival);
  const uint64_t inputs = std::min(kMostInputs, kPeriods * (period + m.worst_cycles / arrival + 1));
  uint64_t free_after = 0;  // last cycle of the run
  uint64_t waiting = 0;
  uint64_t lost = 0;
  uint64_t runs = 0;
  uint64_t next_long = 0;  // cycle
  const auto begin = [&](uint64_t cycle) {
    const bool is_long = long_runs.every_cycles > 0 ? cycle >= next_long
                                                    : runs % std::max<uint64_t>(long_runs.every_runs, 1) == 0;
    if (is_long)
      next_long = cycle + long_runs.every_cycles;
    ++runs;
    free_after = cycle + (is_long ? m.worst_cycles : long_runs.short_cycles);
  };
  for (uint64_t k = 0; k < inputs; ++k) {
    const uint64_t now = 1 + k * arrival;
    for (; waiting > 0 && free_after < now; --waiting)
      begin(free_after + 1);
    if (free_after < now)
      begin(now);
    else if (waiting < queue)
      ++waiting;
    else
      ++lost;
  }
  return double(lost) / double(inputs);
}

}  // namespace lento::tile
