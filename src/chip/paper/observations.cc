// Converts levels of the sketch to octaves above the profile or above the unloaded path, and averages them
// by component and time bin.
#include "chip/paper/observations.h"

#include <algorithm>
#include <cmath>

#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

double octaves(double level) {
  return level / kLevelsPerOctave;
}

// Adds the sketch of one core to the observations.
void add_core(Observations& out, const CoreSketch& core, int index, double nominal) {
  for (const Episode& e : core.episodes())
    out.stretches.push_back(
        {index, uint64_t{e.begin} << kTickShift, uint64_t{e.end} << kTickShift, e.count, octaves(e.mean)});
  for (const CoreSketch::Entry& kept : core.entries()) {
    const Pattern pattern = Pattern::unpack(kept.entry->key);
    if (pattern.kind != ProbeKind::Compute)
      continue;
    out.computes.push_back(
        {index,
         pattern.subject,
         kept.entry->count,
         octaves(kept.entry->mean - nominal),
         kept.entry->mean_work});
  }
}

// Returns the mean level, in octaves (Cell), of each pattern of each core over the run.
std::map<std::pair<int, uint32_t>, double> means_of(const Cells& cells) {
  std::map<std::pair<int, uint32_t>, double> out;
  for (const Row& row : cells.rows) {
    double sum = 0;
    double weight = 0;
    for (const Cell& c : row.cells) {
      sum += c.level * float(c.count);
      weight += c.count;
    }
    if (weight > 0)
      out[{row.core, row.pattern.packed()}] = sum / weight;
  }
  return out;
}

double unloaded_level(const Row& row, const Path& path) {
  return std::log2(std::max(1.0, path.cycles(row.bytes)) / std::max(1.0, row.bytes)) +
         octaves(level_offset(row.pattern.kind));
}

// Returns by time bin the mean over the records of some rows of Observations::above, octaves.
Samples mean_over(const Observations& seen, const std::vector<size_t>& rows) {
  Samples out(seen.bins());
  for (const size_t r : rows) {
    const Row& row = seen.cells.rows[r];
    for (size_t b = 0; b < out.size(); ++b) {
      out[b].octaves += seen.above[r][b] * row.cells[b].count;
      out[b].count += row.cells[b].count;
    }
  }
  for (Sample& s : out)
    if (s.count > 0)
      s.octaves /= s.count;
  return out;
}

}  // namespace

Observations observe(const Sketch& sketch, const spec::Chip& chip, const Sketch* profile) {
  const Grid grid(chip);
  Observations out;
  out.cores = std::min(int(sketch.cores().size()), grid.core_count());
  out.run_cycles = sketch.end_cycles();
  out.cells = cells_of(sketch, grid);
  for (int c = 0; c < out.cores; ++c)
    add_core(out, sketch.cores()[size_t(c)], c, compute_level(chip.core.ops_per_cycle));
  std::map<std::pair<int, uint32_t>, double> expected;
  if (profile != nullptr)
    expected = means_of(cells_of(*profile, grid));
  for (const Row& row : out.cells.rows) {
    out.paths.emplace_back(chip, grid, row.pattern, row.core);
    const auto known = expected.find({row.core, row.pattern.packed()});
    const double level = known != expected.end() ? known->second : unloaded_level(row, out.paths.back());
    std::vector<double> above(out.bins());
    for (size_t b = 0; b < above.size(); ++b)
      if (row.cells[b].count > 0)
        above[b] = row.cells[b].level - level;
    out.above.push_back(std::move(above));
  }
  return out;
}

Profile::Profile(const DetectOptions& options) {
  if (options.healthy != nullptr) {
    sketch_ = options.healthy;
  } else if (options.replay) {
    replayed_ = options.replay({}, 0);
    sketch_ = &replayed_;
  }
}

Samples latency_through(const Observations& seen, const Component& component) {
  std::vector<size_t> rows;
  for (size_t r = 0; r < seen.paths.size(); ++r)
    if (seen.paths[r].crosses(component))
      rows.push_back(r);
  return mean_over(seen, rows);
}

Samples latency_at(const Observations& seen, int core) {
  std::vector<size_t> rows;
  for (size_t r = 0; r < seen.cells.rows.size(); ++r)
    if (seen.cells.rows[r].core == core)
      rows.push_back(r);
  return mean_over(seen, rows);
}

Samples slowness_of(const Observations& seen, int core) {
  Samples out(seen.bins(), Sample{0, 1});
  for (const SlowStretch& s : seen.stretches) {
    if (s.core != core)
      continue;
    const size_t last = std::min<size_t>(out.size(), s.end / seen.cells.bin_cycles + 1);
    for (size_t b = s.begin / seen.cells.bin_cycles; b < last; ++b)
      out[b].octaves = std::max(out[b].octaves, s.octaves);
  }
  return out;
}

Suspect suspect_over(const Observations& seen, const Component& component, size_t begin, size_t end) {
  Suspect s;
  s.component = component;
  s.begin = seen.bin_begin(begin);
  s.end = std::min(seen.bin_begin(end), std::max(seen.run_cycles, s.begin + 1));
  return s;
}

}  // namespace lento::chip
