// Stores the history of a watch, so that a verdict can show the machine beside its peers since the watch
// began. All samples of a day and 64 machines would be most of a watch's memory. Means over equal numbers of
// rows, which double as the history grows, have a fixed cost and give 256 to 512 points, fewer for rows of
// over 8,192 values. That is enough for a picture.
#include "fleet/scan/history.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lento::fleet {
namespace {

constexpr size_t kMostColumns = 512;
constexpr size_t kLeastColumns = 16;
constexpr size_t kMostHistoryCells = size_t{1} << 22;  // 16 MiB

}  // namespace

History::History(const ScanFleet& fleet)
    : width_(fleet.machines.size() * fleet.metrics.size()),
      step_ms_(fleet.step_ms),
      counts_(width_, 0) {
  most_ = std::clamp(kMostHistoryCells / std::max<size_t>(1, width_), kLeastColumns, kMostColumns) / 2 * 2;
}

void History::push(int64_t time_ms, std::span<const float> row) {
  if (columns_.empty() || time_ms != last_ms_ + step_ms_) {  // rows that jump begin anew
    columns_.clear();
    rows_a_column_ = 1;
    begin_ms_ = time_ms;
  }
  last_ms_ = time_ms;
  if (columns_.empty() || in_last_ == rows_a_column_) {
    if (columns_.size() == most_)
      halve();
    columns_.emplace_back(width_, std::numeric_limits<float>::quiet_NaN());
    std::ranges::fill(counts_, 0u);
    in_last_ = 0;
  }
  std::vector<float>& column = columns_.back();
  for (size_t i = 0; i < width_; ++i) {
    if (std::isnan(row[i]))
      continue;
    ++counts_[i];
    column[i] = counts_[i] == 1 ? row[i] : column[i] + (row[i] - column[i]) / float(counts_[i]);
  }
  ++in_last_;
}

// Replaces each two neighbouring columns by one with their means, which covers twice as many rows.
void History::halve() {
  for (size_t c = 0; 2 * c + 1 < columns_.size(); ++c) {
    std::vector<float> joined = std::move(columns_[2 * c]);
    const std::vector<float>& other = columns_[2 * c + 1];
    for (size_t i = 0; i < width_; ++i)
      joined[i] = std::isnan(joined[i])  ? other[i]
                  : std::isnan(other[i]) ? joined[i]
                                         : (joined[i] + other[i]) / 2;
    columns_[c] = std::move(joined);
  }
  columns_.resize(columns_.size() / 2);
  rows_a_column_ *= 2;
}

MetricSeries History::series(const ScanFleet& fleet) const {
  MetricSeries s;
  s.machines = fleet.machines;
  s.labels = fleet.labels;
  s.metrics = fleet.metrics;
  s.begin_ms = begin_ms_;
  s.step_ms = step_ms_ * int64_t(rows_a_column_);
  s.steps = columns_.size();
  for (size_t k = 0; k < s.metrics.size(); ++k) {
    for (const std::vector<float>& column : columns_) {
      const auto from = column.begin() + std::ptrdiff_t(k * s.machines.size());
      s.values.insert(s.values.end(), from, from + std::ptrdiff_t(s.machines.size()));
    }
  }
  return s;
}

}  // namespace lento::fleet
