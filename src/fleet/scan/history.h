// Stores a live job's past in bounded memory, for pictures and means, as columns that each hold the means of
// the same number of rows. When all columns are in use, each two neighbours are joined, so that a column
// holds twice as many rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fleet/read/metric_series.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

class History {
 public:
  explicit History(const ScanFleet& fleet);

  // Adds a row in the layout of Scan::push. A row that is not one step after the last discards the history.
  void push(int64_t time_ms, std::span<const float> row);
  MetricSeries series(const ScanFleet& fleet) const;  // empty before the first row

 private:
  void halve();

  size_t most_;  // largest number of columns
  size_t width_;
  size_t rows_a_column_ = 1;
  size_t in_last_ = 0;    // number of rows in the last column
  int64_t begin_ms_ = 0;  // time of the first row
  int64_t last_ms_ = 0;
  int64_t step_ms_;
  std::vector<std::vector<float>> columns_;  // means
  std::vector<uint32_t> counts_;             // number of samples of each value in the last column
};

}  // namespace lento::fleet
