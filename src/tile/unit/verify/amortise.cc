// Solves the linear program of amortise.h with a dense simplex, which suffices for few rows and one column
// for each kind of run (at most 32). Every limit is at least 0, so the simplex can start from x = 0, no run
// at all.
#include "tile/unit/verify/amortise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace lento::tile {
namespace {

constexpr double kTiny = 1e-9;

// The solution of a linear program, and the price of each row: by how much the maximum grows for each unit by
// which the row's limit is raised (the dual variables).
struct Optimum {
  std::vector<double> x;
  std::vector<double> prices;
};

// Returns the x >= 0 that maximises gains * x under row * x <= limit for each row, with the prices of the
// rows. `t` holds the rows, each with its limit as last entry, and in its last row the gains. A column of `t`
// belongs to a variable that is 0 at present: at first those of x, later also slacks (limit - row * x).
// Bland's rule, which takes the variable of smallest index, prevents cycles.
Optimum maximise(std::vector<std::vector<double>> t) {
  const size_t m = t.size() - 1;
  const size_t n = t[m].size() - 1;
  std::vector<size_t> column(n);
  std::vector<size_t> row(m);
  std::iota(column.begin(), column.end(), 0);
  std::iota(row.begin(), row.end(), n);
  for (int steps = 0; steps < 10'000; ++steps) {
    size_t in = n;
    for (size_t j = 0; j < n; ++j) {
      if (t[m][j] > kTiny && (in == n || column[j] < column[in]))
        in = j;
    }
    size_t out = m;
    for (size_t i = 0; i < m && in < n; ++i) {
      if (t[i][in] <= kTiny)
        continue;
      const double later = out == m ? -1 : t[i][n] / t[i][in] - t[out][n] / t[out][in];
      if (later < -kTiny || (later <= kTiny && row[i] < row[out]))
        out = i;
    }
    if (out == m)
      break;
    const double pivot = std::exchange(t[out][in], 1.0);
    for (double& v : t[out])
      v /= pivot;
    for (size_t i = 0; i <= m; ++i) {
      const double times = i == out ? 0 : std::exchange(t[i][in], 0.0);
      for (size_t j = 0; j <= n && times != 0; ++j)
        t[i][j] -= times * t[out][j];
    }
    std::swap(column[in], row[out]);
  }
  Optimum best{std::vector<double>(n), std::vector<double>(m)};
  for (size_t i = 0; i < m; ++i) {
    if (row[i] < n)
      best.x[row[i]] = t[i][n];
  }
  for (size_t j = 0; j < n; ++j) {
    if (column[j] >= n)
      best.prices[column[j] - n] = std::max(0.0, -t[m][j]);
  }
  return best;
}

// The prices of the tracked cells, in cost (bytes sent or inputs lost) for each count of a counter and each
// tile cycle of a clock. A run is credited price times change.
struct Potential {
  std::vector<double> price_of_low;   // for each unit of Change::low
  std::vector<double> price_of_high;  // for each unit of -Change::high, for counters that count down
  std::vector<double> share;          // runs of each kind in the mix, where sum(amounts * share) <= 1
};

bool is_clock(const ManyRuns& runs, size_t cell) {
  return runs.tracked[cell].clock.number != 0;
}

// Returns the mix of runs with the largest total gain (bytes sent or inputs lost, as `gains`), and the price
// of each tracked cell. `gains` and `amounts` are those of one run of each kind: an amount is 1 for the run,
// or the number of inputs that come in it. `cycles` tile cycles pass for each unit of amount.
Potential best_potential(
    const ManyRuns& runs,
    const std::vector<double>& gains,
    const std::vector<double>& amounts,
    double cycles) {
  const size_t cells = runs.tracked.size();
  Potential out{std::vector<double>(cells), std::vector<double>(cells), {}};
  std::vector<std::vector<double>> rows = {amounts};
  // For each row its price, and the number by which the row was divided.
  std::vector<std::pair<double*, double>> priced = {{nullptr, 1}};
  rows[0].push_back(1);
  const auto limit = [&](size_t cell, int64_t Change::*end, double sign, double most, double& price) {
    std::vector<double> row;
    for (const RunKind& kind : runs.kinds)
      row.push_back(sign * double(kind.changes[cell].*end));
    const auto [low, high] = std::ranges::minmax(row);
    const double unit = std::max({-low, high, 1.0});
    if (unit >= double(kMostChange))
      return;
    row.push_back(most);
    for (double& v : row)
      v /= unit;
    rows.push_back(row);
    priced.emplace_back(&price, unit);
  };
  for (size_t i = 0; i < cells; ++i) {
    limit(i, &Change::low, 1, is_clock(runs, i) ? cycles : 0, out.price_of_low[i]);
    if (!is_clock(runs, i))
      limit(i, &Change::high, -1, 0, out.price_of_high[i]);
  }
  rows.push_back(gains);
  rows.back().push_back(0);
  const Optimum best = maximise(rows);
  for (size_t i = 1; i < priced.size(); ++i)
    *priced[i].first = best.prices[i] / priced[i].second;
  out.share = best.x;
  return out;
}

// Returns the largest lower bound (Change::low) by which a kind of run advances the clock `cell`, in tile
// cycles, at least 1.
double certain_advance(const ManyRuns& runs, size_t cell) {
  int64_t out = 1;
  for (const RunKind& kind : runs.kinds)
    out = std::max(out, kind.changes[cell].low);
  return double(out);
}

// Returns the part of the cost of one run of the given kind (bytes sent or inputs lost, as the prices are)
// that its changes of the tracked cells pay for: price_of_low times the least change of each, less
// price_of_high times the most. Callers subtract it from the run's cost.
double paid(const Potential& potential, const RunKind& kind) {
  double out = 0;
  for (size_t i = 0; i < kind.changes.size(); ++i)
    out += potential.price_of_low[i] * double(kind.changes[i].low) -
           potential.price_of_high[i] * double(kind.changes[i].high);
  return out;
}

// Returns the cost (bytes sent or inputs lost, as the prices are) that each elapsed tile cycle pays for: the
// sum of the prices of those tracked cells that hold an arrival time (Tracked::clock).
double paid_by_time(const ManyRuns& runs, const Potential& potential) {
  double out = 0;
  for (size_t i = 0; i < runs.tracked.size(); ++i)
    out += is_clock(runs, i) ? potential.price_of_low[i] : 0;
  return out;
}

// Returns the largest cost (bytes sent or inputs lost, as the prices are) that the tracked cells pay for
// once, however many runs there are. A counter may start at one end of its span (ManyRuns::spans) and stop at
// the other. A clock may be advanced by certain_advance before the first run, and again in the last window.
double paid_once(const ManyRuns& runs, const Potential& potential) {
  double out = 0;
  for (size_t i = 0; i < runs.tracked.size(); ++i)
    out += is_clock(runs, i)
               ? 2 * potential.price_of_low[i] * certain_advance(runs, i)
               : (potential.price_of_low[i] + potential.price_of_high[i]) * double(runs.spans[i]);
  return out;
}

}  // namespace

void bound_output(const ManyRuns& runs, uint64_t shortest, RegionReport& main) {
  std::vector<double> bytes;
  for (const RunKind& kind : runs.kinds)
    bytes.push_back(double(kind.bytes));
  const std::vector<double> one(bytes.size(), 1.0);
  const Potential potential = best_potential(runs, bytes, one, double(shortest));
  double in_run = 0;
  for (size_t k = 0; k < bytes.size(); ++k)
    in_run = std::max(in_run, bytes[k] - paid(potential, runs.kinds[k]));
  const double by_time = paid_by_time(runs, potential);
  if (in_run + double(shortest) * by_time >= double(main.worst_bytes) * (1 - kTiny))
    return;
  main.bytes_per_run = in_run;
  main.burst = paid_once(runs, potential);
  for (size_t i = 0; i < runs.tracked.size(); ++i) {
    if (is_clock(runs, i) && potential.price_of_low[i] > 0)
      main.window_cycles = std::max(main.window_cycles, uint64_t(certain_advance(runs, i)));
  }
  main.window_bytes = by_time * double(main.window_cycles);
}

void bound_drops(const ManyRuns& runs, uint64_t arrival, VerifyReport& report) {
  std::vector<double> lost;
  std::vector<double> inputs;  // those that come during a run, and the one that began it
  std::vector<double> gains;   // among mixes that lose as much, the slowest is expected
  for (const RunKind& kind : runs.kinds) {
    lost.push_back(double(kind.cycles / arrival));
    inputs.push_back(1 + lost.back());
    gains.push_back(lost.back() + 1e-7 * double(kind.cycles) / double(arrival));
  }
  const Potential potential = best_potential(runs, gains, inputs, double(arrival));
  const double by_time = paid_by_time(runs, potential) * double(arrival);
  double share = 0;
  uint64_t shortest = UINT64_MAX;
  uint64_t longest = 0;
  for (size_t k = 0; k < lost.size(); ++k) {
    share = std::max(share, (lost[k] - paid(potential, runs.kinds[k])) / inputs[k]);
    if (potential.share[k] > kTiny) {
      shortest = std::min(shortest, runs.kinds[k].cycles);
      longest = std::max(longest, runs.kinds[k].cycles);
    }
  }
  // Describes the mix by two sorts of run. A kind of the mix counts as long when its run takes at least as
  // many cycles as the mean of `shortest` and `longest`. long_ones and short_ones are the runs of both sorts
  // for each input, and `cycles` are those of the short runs together.
  double long_ones = 0;
  double short_ones = 0;
  double cycles = 0;
  for (size_t k = 0; k < lost.size(); ++k) {
    const bool is_short = runs.kinds[k].cycles - shortest < longest - runs.kinds[k].cycles;
    const double runs_of_kind = potential.share[k] > kTiny ? potential.share[k] : 0;
    (is_short ? short_ones : long_ones) += runs_of_kind;
    cycles += is_short ? runs_of_kind * double(runs.kinds[k].cycles) : 0;
  }
  LongRuns& mix = report.main.long_runs;
  mix.short_cycles = short_ones > 0 ? uint64_t(std::ceil(cycles / short_ones)) : longest;
  if (long_ones > 0 && by_time > 0)
    mix.every_cycles = uint64_t(std::llround(double(arrival) / long_ones));
  else if (long_ones > 0)
    mix.every_runs = uint64_t(std::llround((long_ones + short_ones) / long_ones));
  report.predicted_drop_share = std::clamp(share + by_time, 0.0, 1.0);
  report.drop_burst = double(report.main.worst_cycles / arrival) + paid_once(runs, potential);
}

}  // namespace lento::tile
