// A sketch as a table on one time grid: a row per (core, transfer pattern), a column per time bin.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "chip/detect/path.h"
#include "chip/sketch/sketch.h"

namespace lento::chip {

struct Cell {
  float level = 0;   // log2 cycles per byte, octaves, mean
  float lowest = 0;  // level of the fastest transfer
  int count = 0;     // 0: nothing recorded
};

struct Row {
  int core = 0;
  Pattern pattern;
  double bytes = 0;  // mean size
  uint64_t count = 0;
  std::vector<Cell> cells;
  float lowest = 0;  // of its fastest transfer, octaves
};

// Minus the logarithm of a Student t with 3 degrees of freedom at z deviations, 0 at its middle: heavy tails
// keep any one value from deciding alone.
double unlikely(double z);

struct Cells {
  uint64_t bin_cycles = 1;
  size_t bins = 0;
  std::vector<Row> rows;
};

// Returns rows in the order of core and pattern. Patterns that name cores or ports outside the grid are left
// out. The bins are `bin_cycles` wide, so that a run that took longer can be compared with another. A wider
// bin of a core counts as several equal ones. 0: as wide as the widest bin of the sketch. Precondition: a
// power of two.
Cells cells_of(const Sketch& sketch, const Grid& grid, uint64_t bin_cycles = 0);

// Returns the path of each row.
std::vector<Path> paths_of(const Cells& cells, const spec::Chip& chip, const Grid& grid);

struct Bins {
  size_t begin = 0;
  size_t end = 0;
};
// The bins that an interval of cycles touches, one at least. Precondition: there are bins.
Bins bins_of(const Cells& cells, uint64_t begin, uint64_t end);

// Expected row: level by bin, deviation of one record, deviation common to a bin.
struct Baseline {
  std::vector<float> level;
  float lowest = 0;  // of the fastest transfer of a time bin, median over bins
  float single = 0.5F;
  float common = 0.1F;  // until it is estimated
  // Number of successive bins that carry as much information as one independent bin. The transfers of a run
  // wait in one periodic order (rhythm) for a while and then in another.
  float correlation_bins = 1;
  // Returns the variance of the mean of `count` records.
  double variance(int count) const {
    return common * common + single * single / float(count);
  }
};
// Takes the baseline from another sketch of the same mapping, for the `rows` of `cells` in their order. Rows
// that `reference` lacks get the median excess over the unloaded path.
std::vector<Baseline>
baselines_from(const Cells& cells, const Cells& reference, const std::vector<Path>& paths);
// Takes the baseline from the run itself: the lower quartile of a row's bins, limited to the unloaded path
// plus the usual excess of all rows, so that a row that is slow all the time has no slow baseline.
std::vector<Baseline> baselines_within(const Cells& cells, const std::vector<Path>& paths);

// Returns the mean of several baselines of the same rows. Their distance from one another becomes part of
// `common`, because healthy runs may have different rhythms. Precondition: at least one, all of one shape.
std::vector<Baseline> pooled(const std::vector<std::vector<Baseline>>& draws);

}  // namespace lento::chip
