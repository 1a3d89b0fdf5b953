#include "chip/fit/differences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "chip/fit/tuning.h"
#include "chip/sketch/level.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

constexpr size_t kStatistics = 2;
constexpr size_t kKinds = 4;
// The fastest transfer, and the median time bin; octaves.
using Statistics = std::array<double, kStatistics>;

std::optional<Statistics> statistics_of(const Row& row) {
  if (row.count < kLeastRecords)
    return std::nullopt;
  std::vector<std::pair<double, double>> levels;
  for (const Cell& cell : row.cells)
    if (cell.count > 0)
      levels.emplace_back(cell.level, cell.count);
  if (levels.empty())
    return std::nullopt;
  return Statistics{row.lowest, evidence::weighted_quantile(std::move(levels), 0.5)};
}

using Known = std::map<std::pair<int, uint32_t>, Statistics>;

Known statistics_by_row(const Cells& cells) {
  Known out;
  for (const Row& row : cells.rows)
    if (const auto s = statistics_of(row))
      out[{row.core, row.pattern.packed()}] = *s;
  return out;
}

// One statistic of a pattern that is in the recorded run and in every simulated one; octaves.
struct Shared {
  size_t row = 0;
  size_t kind = 0;
  size_t statistic = 0;
  double recorded = 0;
  std::vector<double> draws;
};

std::vector<Shared> shared_patterns(const Cells& cells, const std::vector<Known>& draws) {
  std::vector<Shared> out;
  for (size_t r = 0; r < cells.rows.size(); ++r) {
    const Row& row = cells.rows[r];
    const auto recorded = statistics_of(row);
    if (!recorded)
      continue;
    std::vector<Statistics> simulated;
    for (const Known& draw : draws) {
      const auto at = draw.find({row.core, row.pattern.packed()});
      if (at != draw.end())
        simulated.push_back(at->second);
    }
    if (simulated.size() < draws.size())
      continue;
    for (size_t s = 0; s < kStatistics; ++s) {
      Shared one{r, size_t(row.pattern.kind), s, (*recorded)[s], {}};
      for (const Statistics& draw : simulated)
        one.draws.push_back(draw[s]);
      out.push_back(std::move(one));
    }
  }
  return out;
}

// Draws are few: what they scatter is told by all patterns of a kind together, and by each a little itself.
std::vector<Difference> differences_from(const std::vector<Shared>& shared) {
  std::array<std::array<std::vector<double>, kStatistics>, kKinds> variances;
  for (const Shared& s : shared)
    variances[s.kind][s.statistic].push_back(evidence::variance(s.draws));
  std::array<Statistics, kKinds> usual{};
  for (size_t kind = 0; kind < kKinds; ++kind)
    for (size_t s = 0; s < kStatistics; ++s)
      usual[kind][s] = evidence::mean(variances[kind][s]);
  std::vector<Difference> out;
  for (const Shared& s : shared) {
    const double both = 1 + 1.0 / double(s.draws.size());  // the recorded run, and the mean of the draws
    const double own = evidence::variance(s.draws);
    const double variance = both * (own + usual[s.kind][s.statistic]) / 2 + kResolution * kResolution;
    out.push_back({int(s.row), s.recorded - evidence::mean(s.draws), std::sqrt(variance)});
  }
  return out;
}

// With this draw in the place of the recorded run.
std::vector<Shared> as_recorded(std::vector<Shared> shared, size_t draw) {
  for (Shared& s : shared) {
    s.recorded = s.draws[draw];
    s.draws.erase(s.draws.begin() + std::ptrdiff_t(draw));
  }
  return shared;
}

double mean_level(const std::vector<Sketch>& draws, size_t core, const Pattern& pattern) {
  double sum = 0;
  for (const Sketch& draw : draws) {
    const SketchEntry* entry = draw.cores()[core].find(pattern);
    if (entry == nullptr)
      return 0;
    sum += entry->mean;
  }
  return sum / double(draws.size());
}

std::optional<CoreDifference>
core_difference(const CoreSketch& core, size_t index, const std::vector<Sketch>& draws) {
  std::vector<std::pair<double, double>> by_length;
  double cycles = 0;
  for (const CoreSketch::Entry& held : core.entries()) {
    const Pattern pattern = Pattern::unpack(held.entry->key);
    if (pattern.kind != ProbeKind::Compute)
      continue;
    const double expected = mean_level(draws, index, pattern);
    if (expected <= 0)
      continue;
    const double length =
        held.entry->count * double{held.entry->mean_work} * cycles_per_work(ProbeKind::Compute, expected);
    by_length.emplace_back((held.entry->mean - expected) / kLevelsPerOctave, length);
    cycles += length;
  }
  if (by_length.empty())
    return std::nullopt;
  return CoreDifference{int(index), evidence::weighted_quantile(std::move(by_length), 0.5), cycles};
}

}  // namespace

Differences differences_of(
    const Sketch& recorded,
    const Cells& cells,
    const std::vector<Sketch>& draws,
    const Grid& grid) {
  Differences out;
  std::vector<Known> known;
  for (const Sketch& draw : draws)
    known.push_back(statistics_by_row(cells_of(draw, grid)));
  const std::vector<Shared> shared = shared_patterns(cells, known);
  out.transfers = differences_from(shared);
  for (size_t draw = 0; draw < draws.size() && draws.size() > 2; ++draw)
    out.by_chance.push_back(differences_from(as_recorded(shared, draw)));
  for (size_t c = 0; c < recorded.cores().size(); ++c)
    if (const auto d = core_difference(recorded.cores()[c], c, draws))
      out.cores.push_back(*d);
  return out;
}

}  // namespace lento::chip
