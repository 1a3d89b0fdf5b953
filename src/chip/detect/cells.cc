// Builds the table of a sketch on one time grid, and the levels and the noise that are expected of each row
// on a healthy chip. They come from another sketch or from the lower quartile of the run itself.
#include "chip/detect/cells.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "chip/detect/tuning.h"
#include "chip/sketch/level.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

bool exists(const Pattern& p, const Grid& grid) {
  if (p.kind == ProbeKind::Compute)
    return false;
  return p.subject < (p.kind == ProbeKind::Message ? grid.core_count() : grid.port_count());
}

Cell cell_of(const TimeBin& bin, int shared_by) {
  return {
      float(bin.mean()) / kLevelsPerOctave,
      float(bin.lowest) * 16 / kLevelsPerOctave,
      (bin.count() + shared_by - 1) / shared_by};
}

std::vector<Cell> rebinned(std::span<const TimeBin> bins, uint64_t width, uint64_t wanted) {
  std::vector<Cell> out;
  if (width > wanted) {
    // A wide bin becomes at most as many parts as the row has bins, which bounds the memory. A reference run
    // so much longer than this one is no baseline for it in any case.
    const auto parts = int(std::min<uint64_t>(width / wanted, bins.size()));
    for (const TimeBin& bin : bins)
      out.insert(out.end(), size_t(parts), cell_of(bin, parts));
    return out;
  }
  const uint64_t ratio = std::min<uint64_t>(wanted / width, bins.size());
  for (size_t b = 0; b + ratio <= bins.size(); b += ratio) {
    TimeBin sum;
    for (const TimeBin& bin : bins.subspan(b, ratio))
      sum.merge(bin);
    out.push_back(cell_of(sum, 1));
  }
  return out;
}

float median_lowest(const Row& row) {
  std::vector<double> values;
  for (const Cell& c : row.cells)
    if (c.count > 0)
      values.push_back(c.lowest);
  return float(evidence::median(values));
}

// Returns the level (see Cell) of a transfer on a path without other traffic, octaves.
double unloaded_level(const Row& row, const Path& path) {
  const double offset = level_offset(row.pattern.kind) / double{kLevelsPerOctave};
  return std::log2(std::max(1.0, path.cycles(row.bytes)) / std::max(1.0, row.bytes)) + offset;
}

struct Spread {
  double mean = 0;
  double single = 0;
  double common = kLeastNoise;
  uint64_t count = 0;
};

// Splits the variance of the mean levels of bins with n records into single^2 / n + common^2, octaves
// squared. `single` takes as much of it as the noise of one record on its path allows (at most `most`), and
// `common` takes the rest.
Spread spread_of(const Row& row, double most) {
  Spread s;
  s.single = std::max(kLeastNoise, most);
  double sum = 0;
  double weight = 0;
  for (const Cell& c : row.cells) {
    sum += c.level * float(c.count);
    weight += c.count;
    s.count += uint64_t(c.count);
  }
  if (weight == 0)
    return s;
  s.mean = sum / weight;
  double square = 0;
  double inverse = 0;
  double used = 0;
  for (const Cell& c : row.cells) {
    if (c.count == 0)
      continue;
    square += (c.level - s.mean) * (c.level - s.mean);
    inverse += 1.0 / c.count;
    ++used;
  }
  if (used < double(kBinsTogether))
    return s;
  const double variance = square / (used - 1);
  const double per_record = inverse / used;
  s.single = std::clamp(std::sqrt(variance / per_record), kLeastNoise, s.single);
  const double left = variance - s.single * s.single * per_record;
  s.common = std::max(std::sqrt(std::max(left, 0.0)), kLeastNoise);
  return s;
}

// Returns the mean level of a reference row over `bin`, which counts twice, and the two bins on either side
// of it. Where these hold fewer than kBinsTogether records, `fallback` (the mean over the run) counts as that
// many more.
float local_level(const Row& row, size_t bin, double fallback) {
  double sum = 0;
  double weight = 0;
  const size_t begin = bin >= 2 ? bin - 2 : 0;
  const size_t end = std::min(row.cells.size(), bin + 2 + 1);
  for (size_t i = begin; i < end; ++i) {
    const double w = row.cells[i].count * (i == bin ? 2.0 : 1.0);
    sum += row.cells[i].level * w;
    weight += w;
  }
  if (weight < double(kBinsTogether)) {
    sum += fallback * double(kBinsTogether);
    weight += double(kBinsTogether);
  }
  return float(sum / weight);
}

}  // namespace

double unlikely(double z) {
  constexpr double kDegrees = 3;  // of freedom
  return (kDegrees + 1) / 2 * std::log1p(z * z / kDegrees);
}

Cells cells_of(const Sketch& sketch, const Grid& grid, uint64_t bin_cycles) {
  Cells out;
  out.bin_cycles = std::max<uint64_t>(bin_cycles, 1);
  if (bin_cycles == 0)
    for (const CoreSketch& core : sketch.cores())
      out.bin_cycles = std::max(out.bin_cycles, core.bin_cycles());
  const size_t cores = std::min(sketch.cores().size(), size_t(grid.core_count()));
  for (size_t c = 0; c < cores; ++c) {
    const CoreSketch& core = sketch.cores()[c];
    for (const CoreSketch::Entry& kept : core.entries()) {
      const Pattern pattern = Pattern::unpack(kept.entry->key);
      if (kept.bins == nullptr || !exists(pattern, grid))
        continue;
      Row row{
          int(c),
          pattern,
          kept.entry->mean_work,
          kept.entry->count,
          rebinned({kept.bins, core.shape().bins}, core.bin_cycles(), out.bin_cycles),
          float(kept.entry->lowest) / kLevelsPerOctave};
      while (!row.cells.empty() && row.cells.back().count == 0)
        row.cells.pop_back();
      out.bins = std::max(out.bins, row.cells.size());
      out.rows.push_back(std::move(row));
    }
  }
  for (Row& row : out.rows)
    row.cells.resize(out.bins);
  std::ranges::sort(out.rows, [](const Row& a, const Row& b) {
    return std::pair(a.core, a.pattern.packed()) < std::pair(b.core, b.pattern.packed());
  });
  return out;
}

std::vector<Path> paths_of(const Cells& cells, const spec::Chip& chip, const Grid& grid) {
  std::vector<Path> out;
  for (const Row& row : cells.rows)
    out.emplace_back(chip, grid, row.pattern, row.core);
  return out;
}

Bins bins_of(const Cells& cells, uint64_t begin, uint64_t end) {
  const size_t first = std::min<uint64_t>(begin / cells.bin_cycles, cells.bins - 1);
  const uint64_t last = end / cells.bin_cycles + (end % cells.bin_cycles > 0);
  return {first, std::clamp<uint64_t>(last, first + 1, cells.bins)};
}

std::vector<Baseline>
baselines_from(const Cells& cells, const Cells& reference, const std::vector<Path>& paths) {
  std::map<std::pair<int, uint32_t>, const Row*> known;
  for (const Row& row : reference.rows)
    known[{row.core, row.pattern.packed()}] = &row;
  std::vector<Baseline> out = baselines_within(cells, paths);
  for (size_t r = 0; r < cells.rows.size(); ++r) {
    const Row& row = cells.rows[r];
    const auto found = known.find({row.core, row.pattern.packed()});
    if (found == known.end())
      continue;
    const Spread spread = spread_of(*found->second, paths[r].noise());
    if (spread.count == 0)
      continue;
    out[r].single = float(spread.single);
    out[r].common = float(spread.common);
    out[r].lowest = median_lowest(*found->second);
    for (size_t b = 0; b < cells.bins; ++b)
      out[r].level[b] = local_level(*found->second, b, spread.mean);
  }
  return out;
}

std::vector<Baseline> baselines_within(const Cells& cells, const std::vector<Path>& paths) {
  std::vector<double> excess;
  std::vector<double> own(cells.rows.size());
  for (size_t r = 0; r < cells.rows.size(); ++r) {
    std::vector<double> levels;
    for (const Cell& c : cells.rows[r].cells)
      if (c.count > 0)
        levels.push_back(c.level);
    own[r] = evidence::quantile(levels, kFewest) - unloaded_level(cells.rows[r], paths[r]);
    excess.push_back(own[r]);
  }
  const double common_excess = evidence::quantile(excess, 1 - kFewest) + kVisible;
  std::vector<Baseline> out(cells.rows.size());
  for (size_t r = 0; r < cells.rows.size(); ++r) {
    const double level = unloaded_level(cells.rows[r], paths[r]) + std::min(own[r], common_excess);
    out[r].level.assign(cells.bins, float(level));
    out[r].lowest = float(unloaded_level(cells.rows[r], paths[r]));
    const Spread spread = spread_of(cells.rows[r], paths[r].noise());
    out[r].single = float(spread.single);
    out[r].common = float(kVisible);
  }
  return out;
}

std::vector<Baseline> pooled(const std::vector<std::vector<Baseline>>& draws) {
  std::vector<Baseline> out = draws[0];
  const auto n = double(draws.size());
  for (size_t r = 0; r < out.size(); ++r) {
    std::vector<double> means;
    double single = 0;
    double common = 0;
    double lowest = 0;
    for (const std::vector<Baseline>& draw : draws) {
      double sum = 0;
      for (const float level : draw[r].level)
        sum += level;
      means.push_back(sum / double(std::max<size_t>(draw[r].level.size(), 1)));
      single += draw[r].single / n;
      common += draw[r].common / n;
      lowest += draw[r].lowest / n;
    }
    for (size_t b = 0; b < out[r].level.size(); ++b) {
      double sum = 0;
      for (const std::vector<Baseline>& draw : draws)
        sum += draw[r].level[b];
      out[r].level[b] = float(sum / n);
    }
    out[r].single = float(single);
    out[r].lowest = float(lowest);
    out[r].common = float(std::sqrt(common * common + 2 * evidence::variance(means)));
  }
  return out;
}

}  // namespace lento::chip
