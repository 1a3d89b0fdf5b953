// A sketch as a table on one time grid: a row per (core, transfer pattern), a column per time bin.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "chip/detect/path.h"
#include "chip/sketch/sketch.h"

namespace lento::chip {

// The transfers of one row in one time bin. A level is log2(cycles per byte) plus the constant level_offset()
// of the kind of transfer, in octaves.
struct Cell {
  float level = 0;   // mean
  float lowest = 0;  // level of the fastest transfer
  int count = 0;     // 0: nothing recorded
};

// The transfers of one pattern that one core recorded, by time bin.
struct Row {
  int core = 0;
  Pattern pattern;
  double bytes = 0;  // mean size of a transfer
  uint64_t count = 0;
  std::vector<Cell> cells;
  float lowest = 0;  // level of its fastest transfer
};

// Returns minus the log-density of Student's t with 3 degrees of freedom at z standard deviations from its
// centre, less that at the centre. Its heavy tails keep a single value from deciding alone.
double unlikely(double z);

struct Cells {
  uint64_t bin_cycles = 1;
  size_t bins = 0;
  std::vector<Row> rows;
};

// Returns the rows of a sketch in the order of core and pattern, without the patterns that name cores or
// ports outside the grid. `bin_cycles` is the width of a time bin, a power of two, so that runs of different
// length can be compared. 0: the widest bin of the sketch. Where a core recorded in wider bins, each becomes
// several equal ones.
Cells cells_of(const Sketch& sketch, const Grid& grid, uint64_t bin_cycles = 0);

// Returns the path of the transfers of each row.
std::vector<Path> paths_of(const Cells& cells, const spec::Chip& chip, const Grid& grid);

struct Bins {
  size_t begin = 0;
  size_t end = 0;
};
// Returns the time bins that the cycles [begin, end) touch, at least one. Precondition: there are bins.
Bins bins_of(const Cells& cells, uint64_t begin, uint64_t end);

// The expectation for a row. Levels (see Cell) and standard deviations are in octaves.
struct Baseline {
  std::vector<float> level;  // by time bin
  float lowest = 0;          // level of the fastest transfer of a time bin, median over bins
  float single = 0.5F;       // standard deviation of one record
  float common = 0.1F;       // standard deviation that all records of a bin share
  // Number of successive bins that together have the information of one independent bin. Queues make the
  // transfers of a run wait in one periodic order for a while and then in another, so that neighbouring bins
  // deviate together.
  float correlation_bins = 1;
  // Returns the variance of the mean level of `count` records in one bin, octaves squared.
  double variance(int count) const {
    return common * common + single * single / float(count);
  }
};
// Takes the baseline from another sketch of the same mapping, for the `rows` of `cells` in their order. Rows
// that `reference` lacks get those of baselines_within().
std::vector<Baseline>
baselines_from(const Cells& cells, const Cells& reference, const std::vector<Path>& paths);
// Takes the baseline from the run itself: the lower quartile of the levels in the bins of a row. It exceeds
// the level of the path without other traffic by at most the upper quartile of this excess over all rows plus
// kVisible, so that a row that is slow all the time has no slow baseline.
std::vector<Baseline> baselines_within(const Cells& cells, const std::vector<Path>& paths);

// Returns the mean of the baselines of several runs. The square of `common` grows by twice the variance of
// their mean levels, because the transfers of healthy runs may wait in different periodic orders.
// Precondition: at least one run, and the same rows and bins in all.
std::vector<Baseline> pooled(const std::vector<std::vector<Baseline>>& draws);

}  // namespace lento::chip
