// Makes cells from rows of samples. A cell holds statistics of one machine's metric over a few rows, relative
// to its peers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fleet/scan/kinds.h"
#include "fleet/scan/level.h"

namespace lento::fleet {

// The last rows of all metrics, with a value at row[metric * machines + machine].
class RowWindow {
 public:
  RowWindow(size_t rows, size_t width)
      : rows_(rows),
        width_(width),
        values_(rows * width) {
  }
  void push(std::span<const float> row);
  bool full() const {
    return pushed_ >= rows_;
  }
  size_t rows() const {
    return rows_;
  }
  size_t filled() const {
    return std::min<size_t>(rows_, pushed_);
  }
  // Returns the row `back` rows before the last one.
  std::span<const float> row(size_t back) const {
    return {values_.data() + ((pushed_ - 1 - back) % rows_) * width_, width_};
  }

 private:
  size_t rows_;
  size_t width_;
  uint64_t pushed_ = 0;
  std::vector<float> values_;
};

// The 90 % and the 10 % quantile of the peers' values in one row, in this order. NaN without values.
using PeerQuantiles = std::array<float, 2>;

struct CellSource {
  const RowWindow& rows;
  size_t first = 0;               // column of the metric's first machine
  std::span<const size_t> peers;  // machines of one group
  size_t rows_a_cell = 1;
  size_t back = 0;  // rows since the end of the cell; its quantiles are those of the whole window
};

// Returns the 90 % and the 10 % quantile of the peers' values in the last row.
PeerQuantiles peer_quantiles_of(const CellSource& source);

// Returns the rows of one metric and group, oldest first, for scale_of().
std::vector<float> gather(const CellSource& source);

// The peers' values at the time of a cell, for each statistic.
struct CellPeers {
  std::array<float, kStatistics>
      level{};  // level of the peers: median of the means, quantile of the PeerQuantiles
  std::array<float, kStatistics> median{};  // median of the cells, which was subtracted from each
};
// Makes one cell for each of the peers, in the layout of CellRing::push, NaN for a machine without half of
// its samples. `quantiles` holds the peers' quantiles in each row (peer_quantiles_of), the newest row first.
CellPeers fill_cells(
    const CellSource& source,
    const Scale& scale,
    const std::deque<PeerQuantiles>& quantiles,
    std::vector<float>& cells);

}  // namespace lento::fleet
