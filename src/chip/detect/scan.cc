// Scans components, factors and intervals for the highest log-likelihood ratio against a healthy chip.
//
// Levels are log2 of cycles per byte, in octaves (Cell). T_k are the cycles of a transfer of row k on its
// path without other traffic. When component c on the path is slower by f, the level rises from the baseline
// y0 to
//
//   y1 = log2(2^y0 + (T_k(c, f) - T_k) / bytes)
//
// A cell with mean level y of n records adds to the log-likelihood ratio (Student's t with 3 degrees of
// freedom, whose heavy tails keep any one row from deciding alone)
//
//   rho((y - y0) / s) - rho((y - y1) / s1),   rho(z) = 2 log(1 + z^2 / 3),   s^2 = common^2 + single^2 / n
//
// Below y1, s1 = s. Above y1, s1 = w s is wider, because queues behind a slow server only add time: w =
// kMostWider for a component that at most kFewPatterns rows cross. From kManyPatterns on the second density
// is normalised by a further term - log((1 + w) / 2), and w^2 = 1 + ((y1 - y0) / s)^2, at most kMostWider, is
// what the server's own delay adds. Between both numbers w and the term are interpolated.
//
// A positive ratio is divided by the autocorrelation time of the row (Baseline::correlation_bins). The ratios
// are summed over the rows of each bin. The run of successive bins with the largest sum (Kadane's algorithm)
// is the estimate of begin and end. Cost: components x factors x cells of the rows that cross them. On a
// large chip few rows cross a component, so it is scanned over a copy of these rows.
#include "chip/detect/scan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "chip/detect/factor.h"
#include "chip/detect/tuning.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

double offset_of(const Row& row) {
  return level_offset(row.pattern.kind) / double{kLevelsPerOctave};
}

// A row (the transfers of one core and pattern) whose path crosses a component, and the cycles per byte of
// that component on the path.
struct Crossing {
  size_t row = 0;
  Path::Share share;
};

// Returns by how many cycles per byte a transfer of the row becomes longer, without other traffic, when the
// component is slower by `factor`.
double extra_of(const Row& row, const Path& path, const Path::Share& component, double factor) {
  return (path.cycles(row.bytes, component, factor) - path.cycles(row.bytes)) / std::max(1.0, row.bytes);
}

// Returns the weight with which cell_evidence() normalises the density of slow cells, 0 to 1, for a component
// that so many patterns cross.
double normalised_share(size_t patterns) {
  return std::clamp((double(patterns) - kFewPatterns) / (kManyPatterns - kFewPatterns), 0.0, 1.0);
}

// Returns the log-likelihood ratio of a cell, slow component against healthy chip. `healthy` and `faulted`
// are the expected levels, octaves. The density for the slow component is wider above its centre. `many` is
// the weight, 0 to 1, with which it is lowered to the same integral as the other density: unless it is, every
// scattered cell counts for a slow component.
double cell_evidence(const Cell& cell, double healthy, double faulted, const Baseline& base, double many) {
  const double s = std::sqrt(base.variance(cell.count));
  const double z = (cell.level - faulted) / s;
  const double own = std::min(kMostWider, std::hypot(1, (faulted - healthy) / s));
  const double times = kMostWider + many * (own - kMostWider);
  const double slow = unlikely(z > 0 ? z / times : z) + many * std::log((1 + times) / 2);
  const double evidence = unlikely((cell.level - healthy) / s) - slow;
  // A healthy row is slow in many successive bins while it waits for its peer, so evidence for a slow
  // component is divided by the autocorrelation time. Cells at the healthy level are independent.
  return evidence > 0 ? evidence / base.correlation_bins : evidence;
}

struct Stretch {
  size_t begin = 0;
  size_t end = 0;
  double sum = 0;
};

Stretch best_stretch(const std::vector<double>& values) {
  Stretch best;
  Stretch now;
  for (size_t i = 0; i < values.size(); ++i) {
    if (now.sum <= 0)
      now = {i, i, 0};
    now.sum += values[i];
    now.end = i + 1;
    if (now.sum > best.sum)
      best = now;
  }
  return best;
}

// Returns whether two runs of bins overlap by more than half of the longer one.
bool alike(const Stretch& a, const Stretch& b) {
  const size_t begin = std::max(a.begin, b.begin);
  const size_t end = std::min(a.end, b.end);
  return end > begin && 2 * (end - begin) > std::max(a.end - a.begin, b.end - b.begin);
}

std::vector<Crossing> rows_through(const ScanInput& in, const Component& component) {
  std::vector<Crossing> rows;
  for (size_t r = 0; r < in.paths.size(); ++r)
    if (in.paths[r].crosses(component))
      rows.push_back({r, in.paths[r].share_of(component)});
  return rows;
}

// Calls visit(bin, cell, healthy level, level with the component slower by `factor`, baseline) for each cell
// of these rows that holds records.
template <class Visit>
void for_each_cell(const ScanInput& in, std::span<const Crossing> rows, double factor, Visit visit) {
  for (const auto& [r, share] : rows) {
    const Row& row = in.cells.rows[r];
    const double offset = offset_of(row);
    const double extra = extra_of(row, in.paths[r], share, factor);
    double last_level = NAN;  // equal to none
    double last_faulted = 0;
    for (size_t b = 0; b < in.cells.bins; ++b) {
      if (row.cells[b].count == 0)
        continue;
      const double level = in.baselines[r].level[b];
      if (level != last_level)
        last_faulted = std::log2(std::exp2(level - offset) + extra) + offset;
      last_level = level;
      visit(b, row.cells[b], level, last_faulted, in.baselines[r]);
    }
  }
}

Stretch stretch_at(const ScanInput& in, std::span<const Crossing> rows, double factor) {
  std::vector<double> by_bin(in.cells.bins);
  const double many = normalised_share(rows.size());
  for_each_cell(
      in,
      rows,
      factor,
      [&](size_t b, const Cell& cell, double healthy, double faulted, const Baseline& base) {
        by_bin[b] += cell_evidence(cell, healthy, faulted, base, many);
      });
  return best_stretch(by_bin);
}

// A copy of the rows that cross one component, so that its scan reads no other rows.
struct Excerpt {
  Excerpt(const ScanInput& in, const std::vector<size_t>& rows)
      : cells{in.cells.bin_cycles, in.cells.bins, {}} {
    for (const size_t r : rows) {
      cells.rows.push_back(in.cells.rows[r]);
      paths.push_back(in.paths[r]);
      baselines.push_back(in.baselines[r]);
    }
  }
  Cells cells;
  std::vector<Path> paths;
  std::vector<Baseline> baselines;
};

Suspect best_of(const ScanInput& in, const Component& component) {
  const std::vector<Crossing> rows = rows_through(in, component);
  Suspect best;
  best.component = component;
  for (const double factor : kFactors) {
    const Stretch stretch = stretch_at(in, rows, factor);
    if (stretch.sum <= best.strength)
      continue;
    Suspect now = best;
    now.strength = stretch.sum;
    now.factor = factor;
    now.begin = stretch.begin * in.cells.bin_cycles;
    now.end = stretch.end * in.cells.bin_cycles;
    if (factor <= most_possible_factor(in, now))
      best = now;
  }
  return best;
}

}  // namespace

std::vector<Component> all_components(const Grid& grid) {
  std::set<Component> all;
  for (int link = 0; link < grid.link_count(); ++link)
    all.insert(link_component(grid, link));
  for (int router = 0; router < grid.router_count(); ++router)
    all.insert({Part::Router, router});
  for (int core = 0; core < grid.core_count(); ++core)
    all.insert({Part::MemoryUnit, core});
  for (int port = 0; port < grid.port_count(); ++port)
    all.insert({Part::DramPort, port});
  return {all.begin(), all.end()};
}

std::vector<Component> candidates(const std::vector<Path>& paths, const Grid& grid) {
  const auto rows = by_component(paths);
  std::vector<Component> out;
  for (const Component& c : all_components(grid)) {
    if (rows.contains(c))
      out.push_back(c);
  }
  return out;
}

// A bin that the fault covers in part holds slow and healthy transfers. Its mean level exceeds the healthy
// level by the covered share of the step to the slow level, which gives begin and end within the bin.
Suspect refitted(const ScanInput& in, Suspect suspect) {
  const std::vector<Crossing> rows = rows_through(in, suspect.component);
  Stretch stretch = stretch_at(in, rows, suspect.factor);
  const Bins found = bins_of(in.cells, suspect.begin, suspect.end);
  const Stretch before{found.begin, found.end, suspect.strength};
  if (!alike(stretch, before))
    stretch = before;
  std::vector<double> up(in.cells.bins);
  std::vector<double> all(in.cells.bins);
  for_each_cell(
      in,
      rows,
      suspect.factor,
      [&](size_t b, const Cell& cell, double healthy, double faulted, const Baseline& base) {
        const double step = faulted - healthy;
        const double weight = 1 / base.variance(cell.count);
        up[b] += weight * step * (cell.level - healthy);
        all[b] += weight * step * step;
      });
  const auto share = [&](size_t b) {
    return all[b] > 0 ? std::clamp(up[b] / all[b], 0.0, 1.0) : 0.0;
  };
  const auto outside = [&](size_t b) {
    return b < in.cells.bins && share(b) > kPartly ? share(b) : 0.0;
  };
  const auto width = double(in.cells.bin_cycles);
  const double first = share(stretch.begin);
  const double last = share(stretch.end - 1);
  const double begin = double(stretch.begin + 1) - first - outside(stretch.begin - 1);
  const double end = double(stretch.end - 1) + last + outside(stretch.end);
  suspect.begin = uint64_t(std::max(0.0, begin) * width);
  suspect.end = uint64_t(std::max(end, begin + kPartly) * width);
  return suspect;
}

std::vector<Suspect> scan(const ScanInput& input, const std::vector<Component>& components) {
  const auto rows = by_component(input.paths);
  std::vector<Suspect> out;
  for (const Component& c : components) {
    const auto found = rows.find(c);
    if (found == rows.end())
      continue;
    const Excerpt seen(input, found->second);
    Suspect s = best_of({seen.cells, seen.paths, seen.baselines}, c);
    if (s.strength > 0)
      out.push_back(std::move(s));
  }
  // Components come in the order link, router, memory unit, DRAM port, and a stable sort keeps it among
  // equals: a link precedes the router at its end.
  std::ranges::stable_sort(out, [](const Suspect& a, const Suspect& b) {
    return a.strength > b.strength;
  });
  return out;
}

}  // namespace lento::chip
