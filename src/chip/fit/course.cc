#include "chip/fit/course.h"

#include <algorithm>
#include <cmath>

#include "chip/fit/tuning.h"

namespace lento::chip {
namespace {

struct Sum {
  double misfit = 0;
  double groups = 0;
};

void add_group(const Row& row, const Baseline& base, size_t begin, size_t end, Sum& sum) {
  double off = 0;
  int count = 0;
  for (size_t b = begin; b < end; ++b) {
    off += float(row.cells[b].count) * (row.cells[b].level - base.level[b]);
    count += row.cells[b].count;
  }
  if (count == 0)
    return;
  const double deviation = std::sqrt(base.variance(count));
  sum.misfit += unlikely(off / count / deviation) + std::log(deviation);
  ++sum.groups;
}

}  // namespace

double course_misfit(
    const Cells& recorded,
    const std::vector<Sketch>& draws,
    const spec::Chip& chip,
    const Grid& grid) {
  const std::vector<Path> paths = paths_of(recorded, chip, grid);
  std::vector<std::vector<Baseline>> levels;
  for (const Sketch& draw : draws)
    levels.push_back(baselines_from(recorded, cells_of(draw, grid, recorded.bin_cycles), paths));
  const std::vector<Baseline> expected = pooled(levels);
  Sum sum;
  for (size_t r = 0; r < recorded.rows.size(); ++r)
    for (size_t b = 0; b < recorded.bins; b += kBinsInGroup)
      add_group(recorded.rows[r], expected[r], b, std::min(recorded.bins, b + kBinsInGroup), sum);
  return sum.groups > 0 ? sum.misfit / sum.groups : 0;
}

}  // namespace lento::chip
