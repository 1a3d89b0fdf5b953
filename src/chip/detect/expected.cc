// Simulates each hypothesis with the seeds of the healthy runs. The difference of the levels between a run
// with the fault and the healthy run with the same seed is the effect of the fault, which is added to the
// healthy levels.
#include "chip/detect/expected.h"

#include <algorithm>
#include <cmath>

#include "chip/detect/tuning.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

std::vector<Fault> as_faults(const std::vector<Suspect>& suspects, const Grid& grid) {
  std::vector<Fault> out;
  for (const Suspect& s : suspects) {
    std::vector<SlowInterval> slow_intervals = s.slow_intervals;
    if (slow_intervals.empty())
      slow_intervals.push_back({s.begin, s.end, s.factor});
    for (const SlowInterval& slow_interval : slow_intervals) {
      Fault f = fault_of(s.component, grid);
      f.factor = slow_interval.factor;
      f.begin = slow_interval.begin;
      f.end = slow_interval.end;
      out.push_back(std::move(f));
    }
  }
  return out;
}

const Row* find_row(const Cells& cells, const Row& like) {
  const auto key = [](const Row& row) {
    return std::pair(row.core, row.pattern.packed());
  };
  const auto at = std::lower_bound(
      cells.rows.begin(),
      cells.rows.end(),
      key(like),
      [&](const Row& row, const auto& wanted) {
        return key(row) < wanted;
      });
  return at != cells.rows.end() && key(*at) == key(like) ? &*at : nullptr;
}

double misfit_of(const Row& row, const Baseline& base, size_t begin, size_t end) {
  double off = 0;
  int count = 0;
  for (size_t b = begin; b < end; ++b) {
    off += float(row.cells[b].count) * (row.cells[b].level - base.level[b]);
    count += row.cells[b].count;
  }
  if (count == 0)
    return 0;
  off /= count;
  // Bins that are slower than expected wait in the same queues and are not independent, so their misfit is
  // divided by the autocorrelation time. Bins that are faster do not wait and count as independent.
  const double together = off > 0 ? std::max(1.0, double{base.correlation_bins} / kBinsTogether) : 1;
  return unlikely(off / std::sqrt(base.variance(count))) / together;
}

// Returns the misfit of a row (Expected::misfit()): the mean of two sums over its groups of kBinsTogether
// bins, one of the misfit of the mean level of the group, the other of the misfit of the mean level of all
// bins. The second shows which rows are slow, and by how much, also when the run is out of step with its
// simulation.
double misfit_of_row(const Row& row, const Baseline& base, size_t begin, size_t end) {
  double sum = 0;
  int groups = 0;
  for (size_t b = begin; b < end; b += kBinsTogether) {
    const double one = misfit_of(row, base, b, std::min(end, b + kBinsTogether));
    sum += one;
    groups += one > 0;
  }
  return (sum + groups * misfit_of(row, base, begin, end)) / 2;
}

bool holds(const Row& row, size_t bin) {
  return bin < row.cells.size() && row.cells[bin].count > 0;
}

// Sets the change of level of the bins in which the simulation has no record, because it is ahead of or
// behind the healthy run, to the mean change of the other bins.
void fill_gaps(const Row& simulated, Bins bins, std::vector<float>& change) {
  float sum = 0;
  float weight = 0;
  for (size_t b = bins.begin; b < bins.end; ++b) {
    if (!holds(simulated, b))
      continue;
    sum += change[b] * float(simulated.cells[b].count);
    weight += float(simulated.cells[b].count);
  }
  if (weight == 0)
    return;
  for (size_t b = bins.begin; b < bins.end; ++b)
    if (!holds(simulated, b))
      change[b] = sum / weight;
}

// Returns the autocorrelation time of the levels of one row, in bins, from the deviations of each simulated
// run (`draws`) from the mean of all runs in the same bin. 1 when too little was recorded.
float correlation_bins_of(const std::vector<const Row*>& draws) {
  size_t bins = SIZE_MAX;
  for (const Row* row : draws)
    bins = std::min(bins, row->cells.size());
  std::vector<double> off(draws.size());
  std::vector<double> last(draws.size());
  double square = 0;
  double product = 0;
  double seen = 0;
  for (size_t b = 0; b < bins; ++b) {
    if (!std::ranges::all_of(draws, [b](const Row* row) {
          return row->cells[b].count > 0;
        }))
      continue;
    double mean = 0;
    for (const Row* row : draws)
      mean += row->cells[b].level / double(draws.size());
    for (size_t d = 0; d < draws.size(); ++d) {
      off[d] = draws[d]->cells[b].level - mean;
      square += off[d] * off[d];
      product += off[d] * last[d];
    }
    std::swap(off, last);
    ++seen;
  }
  if (seen < double(kBinsTogether) || square <= 0)
    return 1;
  // No autocorrelation time longer than the recording can be estimated from it.
  const double r = std::clamp(product / square * seen / (seen - 1), 0.0, 1 - 1 / seen);
  return float((1 + r) / (1 - r));
}

// Returns the components for simulation number `draw`, changed by about the errors of their fit. Number 0
// leaves them as they are, odd numbers make them slower by kFactorStep and later by half a bin, even ones
// faster and earlier by as much.
std::vector<Suspect> varied(std::vector<Suspect> slow, int draw, uint64_t bin_cycles) {
  if (draw == 0)
    return slow;
  const uint64_t shift = bin_cycles / 2;
  for (Suspect& s : slow) {
    const bool later = draw % 2 == 1;
    const double times = later ? kFactorStep : 1 / kFactorStep;
    s.factor *= times;
    for (SlowInterval& slow_interval : s.slow_intervals)
      slow_interval.factor *= times;
    s.begin = later ? std::min(s.begin + shift, s.end) : s.begin - std::min(s.begin, shift);
  }
  return slow;
}

std::vector<const Cells*> all_of(const std::vector<Cells>& draws) {
  std::vector<const Cells*> out;
  for (const Cells& draw : draws)
    out.push_back(&draw);
  return out;
}

}  // namespace

Expected::Expected(const Setup& setup)
    : setup_(setup) {
  const DetectOptions& options = setup.options;
  const auto from = [&](const Cells& reference) {
    return baselines_from(setup_.cells, reference, setup_.paths);
  };
  if (options.replay) {
    std::vector<std::vector<Baseline>> draws;
    for (uint32_t i = 0; i < std::max(1u, options.healthy_draws); ++i) {
      draws_.push_back(replayed({}, i));
      draws.push_back(from(draws_.back()));
    }
    healthy_ = pooled(draws);
    add_correlation(all_of(draws_), setup_.cells, healthy_);
  }
  if (options.healthy != nullptr) {
    std::vector<Baseline> given = from(cells_of(*options.healthy, setup_.grid, setup_.cells.bin_cycles));
    // The variance between healthy runs comes from the simulated ones, because the one run that was given has
    // none.
    for (size_t r = 0; r < healthy_.size(); ++r) {
      given[r].common = std::max(given[r].common, healthy_[r].common);
      given[r].correlation_bins = healthy_[r].correlation_bins;
    }
    healthy_ = std::move(given);
  }
  if (healthy_.empty())
    healthy_ = baselines_within(setup_.cells, setup_.paths);
}

double Expected::longer() const {
  double longest = 0;
  for (const Cells& draw : draws_)
    longest = std::max(longest, double(draw.bins));
  if (setup_.options.healthy != nullptr)
    longest =
        std::max(longest, double(setup_.options.healthy->end_cycles()) / double(setup_.cells.bin_cycles));
  return longest > 0 ? double(setup_.cells.bins) / longest : 1;
}

// Sets the autocorrelation time of each row from these simulated runs, which lowers the weight of rows whose
// successive bins deviate together.
void Expected::add_correlation(
    const std::vector<const Cells*>& draws,
    const Cells& cells,
    std::vector<Baseline>& baselines) const {
  for (size_t r = 0; r < baselines.size(); ++r) {
    std::vector<const Row*> rows;
    for (const Cells* draw : draws)
      if (const Row* row = find_row(*draw, cells.rows[r]))
        rows.push_back(row);
    if (rows.size() > 1)
      baselines[r].correlation_bins = std::max(baselines[r].correlation_bins, correlation_bins_of(rows));
  }
}

std::vector<LeftOut> Expected::left_out() const {
  const std::vector<Cells>& draws = settled_.empty() ? draws_ : settled_;
  std::vector<LeftOut> out;
  for (size_t run = 0; run < draws.size() && draws.size() > 1; ++run) {
    LeftOut one{&draws[run], paths_of(draws[run], setup_.chip, setup_.grid), {}};
    std::vector<const Cells*> others;
    std::vector<std::vector<Baseline>> levels;
    for (size_t i = 0; i < draws.size(); ++i) {
      if (i == run)
        continue;
      others.push_back(&draws[i]);
      levels.push_back(baselines_from(draws[run], draws[i], one.paths));
    }
    one.baselines = pooled(levels);
    add_correlation(others, draws[run], one.baselines);
    out.push_back(std::move(one));
  }
  return out;
}

int Expected::left() const {
  if (!setup_.options.replay)
    return 0;
  return std::min(setup_.options.most_replays - used_, int(std::max(0.0, affordable())));
}

double Expected::affordable() const {
  constexpr double kEndless = 1e6;  // more runs than any search makes
  return std::min(kEndless, setup_.options.most_records / std::max(1.0, double(setup_.records))) - spent_;
}

Cells Expected::replayed(const std::vector<Suspect>& slow, uint32_t draw, uint64_t until) const {
  return cells_of(
      setup_.options.replay(as_faults(slow, setup_.grid), draw, until),
      setup_.grid,
      setup_.cells.bin_cycles);
}

std::vector<Baseline> Expected::with(const std::vector<Suspect>& slow, uint64_t until) {
  if (slow.empty())
    return healthy_;
  ++used_;
  return with_found(slow, until);
}

std::vector<Baseline> Expected::with_found(const std::vector<Suspect>& found, uint64_t until) {
  spent_ += std::min(1.0, double(until) / double(setup_.cells.bins * setup_.cells.bin_cycles));
  return moved(found, replayed(found, 0, until), 0);
}

std::vector<Baseline> Expected::settled(const std::vector<Suspect>& slow) {
  settled_.clear();
  std::vector<std::vector<Baseline>> all;
  for (uint32_t draw = 0; draw < std::min<size_t>(draws_.size(), setup_.options.faulty_draws); ++draw) {
    const std::vector<Suspect> about = varied(slow, int(draw), setup_.cells.bin_cycles);
    settled_.push_back(replayed(about, draw));
    ++spent_;
    all.push_back(moved(about, settled_.back(), draw));
  }
  std::vector<Baseline> out = pooled(all);
  add_correlation(all_of(settled_), setup_.cells, out);
  return out;
}

std::vector<Baseline> Expected::moved(const std::vector<Suspect>& slow, const Cells& faulty, uint32_t draw)
    const {
  std::vector<Baseline> out = healthy_;
  for (size_t r = 0; r < out.size(); ++r) {
    const Row* then = find_row(faulty, setup_.cells.rows[r]);
    const Row* before = find_row(draws_[draw], setup_.cells.rows[r]);
    if (then == nullptr || before == nullptr)
      continue;
    Baseline& base = out[r];
    std::vector<float> change(base.level.size());
    for (size_t b = 0; b < change.size(); ++b)
      if (holds(*then, b))
        change[b] = then->cells[b].level - (holds(*before, b) ? before->cells[b].level : base.level[b]);
    for (const Suspect& s : slow)
      fill_gaps(*then, bins_of(setup_.cells, s.begin, s.end), change);
    for (size_t b = 0; b < change.size(); ++b)
      base.level[b] += change[b];
  }
  return out;
}

double Expected::misfit(
    const std::vector<Baseline>& baselines,
    const std::vector<size_t>& rows,
    uint64_t begin,
    uint64_t end) const {
  const Cells& cells = setup_.cells;
  const Bins bins = bins_of(cells, begin, end);
  double sum = 0;
  for (const size_t r : rows)
    sum += misfit_of_row(cells.rows[r], baselines[r], bins.begin, bins.end);
  return sum;
}

Chance Expected::chance(const std::vector<size_t>& rows, uint64_t begin, uint64_t end) const {
  std::vector<double> misfits;
  for (const LeftOut& one : left_out()) {
    const Bins bins = bins_of(*one.cells, begin, end);
    misfits.push_back(0);
    for (const size_t r : rows)
      if (const Row* row = find_row(*one.cells, setup_.cells.rows[r]))
        misfits.back() +=
            misfit_of_row(*row, one.baselines[size_t(row - one.cells->rows.data())], bins.begin, bins.end);
  }
  return {evidence::median(misfits), std::sqrt(evidence::variance(misfits))};
}

}  // namespace lento::chip
