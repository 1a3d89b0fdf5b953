// A run of main that takes n cycles drops at most floor(n / arrival) inputs. most_dropped() bounds the mean
// of that over many runs by a concave function of the runs' mean cycles. expected_dropped() simulates a queue
// with one server, inputs at a fixed distance in time, and long runs as often as LongRuns allows.
#include "tile/unit/verify/drops.h"

#include <algorithm>
#include <cmath>

namespace lento::tile {
namespace {

double share_of(double dropped_for_each_taken) {
  return dropped_for_each_taken / (1 + dropped_for_each_taken);
}

// Bounds the mean number of inputs that come during a run when runs take `mean` cycles on average and each
// takes best_cycles to worst_cycles. The bound is concave in `mean` and joins the points (k * arrival cycles,
// k inputs).
double most_during(const RegionReport& m, double mean, uint64_t arrival) {
  const auto a = double(arrival);
  const double least = std::floor(double(m.best_cycles) / a);
  const double most = std::floor(double(m.worst_cycles) / a);
  const double first = (least + 1) * a;  // cycles at which one more input comes
  if (first > double(m.worst_cycles))
    return least;
  if (mean < first)
    return least + std::max(0.0, mean - double(m.best_cycles)) / (first - double(m.best_cycles));
  return std::min(mean / a, most);
}

// Bounds the share of dropped inputs when main takes further inputs by hist.in. A stretch of n cycles without
// hist.in drops floor(n / arrival) inputs. The last stretch also drops the input that still waits when main
// returns.
double most_dropped_of_stream(const RegionReport& m, uint64_t arrival) {
  const uint64_t dropped = (m.busy_cycles + arrival) / arrival;
  return share_of(double(dropped) / double(std::max<uint64_t>(m.streamed_least, 1)));
}

}  // namespace

double most_dropped(const RegionReport& m, uint64_t arrival) {
  if (arrival >= m.lossless_period)
    return 0;
  if (m.lossless_period == UINT64_MAX)
    return 1;
  if (m.streamed > 0)
    return most_dropped_of_stream(m, arrival);
  double most = share_of(std::floor(double(m.worst_cycles) / double(arrival)));
  if (m.long_runs.every_runs > 1)
    most = std::min(most, share_of(most_during(m, m.long_runs.mean_cycles, arrival)));
  if (m.long_runs.every_cycles > 0 && m.long_runs.short_cycles < arrival)
    most = std::min(
        most,
        std::floor(double(m.worst_cycles) / double(arrival)) * double(arrival) /
            double(m.long_runs.every_cycles));
  return most;
}

double drop_burst(const RegionReport& m, uint64_t arrival) {
  const auto a = double(arrival);
  const double first = (std::floor(double(m.best_cycles) / a) + 1) * a;
  const double once = std::floor(double(m.worst_cycles) / a);
  return once + m.long_runs.burst / (first - double(m.best_cycles));
}

double expected_dropped(const RegionReport& m, uint64_t arrival, uint32_t queue) {
  if (arrival >= m.lossless_period || m.lossless_period == UINT64_MAX || m.streamed > 0)
    return most_dropped(m, arrival);
  constexpr uint64_t kMostInputs = 100'000;
  constexpr uint64_t kPeriods = 64;  // of long runs that are simulated
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
