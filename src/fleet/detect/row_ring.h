// The last rows of all series, row after row: a push is one copy, and a sample is held once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace lento::fleet {

class RowRing {
 public:
  RowRing(size_t series, size_t capacity)
      : series_(series),
        capacity_(capacity),
        values_(series * capacity, std::numeric_limits<float>::quiet_NaN()) {
  }

  void push(std::span<const float> row) {
    std::ranges::copy(row, values_.begin() + static_cast<std::ptrdiff_t>(oldest_ * series_));
    oldest_ = (oldest_ + 1) % capacity_;
    ++pushed_;
  }

  // Row i of the last n, oldest first; n <= capacity. Values never pushed are NaN.
  std::span<const float> row(size_t n, size_t i) const {
    const size_t at = (oldest_ + capacity_ - n + i) % capacity_;
    return {values_.data() + at * series_, series_};
  }

  // The last n values of a series, oldest first, to to[i * stride].
  void read(size_t series, size_t n, float* to, size_t stride) const {
    const size_t first = (oldest_ + capacity_ - n) % capacity_;
    const size_t before_end = std::min(n, capacity_ - first);
    const float* from = values_.data() + series;
    for (size_t i = 0; i < before_end; ++i)
      to[i * stride] = from[(first + i) * series_];
    for (size_t i = before_end; i < n; ++i)
      to[i * stride] = from[(i - before_end) * series_];
  }

  size_t capacity() const {
    return capacity_;
  }
  size_t pushed() const {
    return pushed_;
  }

 private:
  size_t series_;
  size_t capacity_;
  size_t oldest_ = 0;  // the row that the next push overwrites
  size_t pushed_ = 0;
  std::vector<float> values_;
};

}  // namespace lento::fleet
