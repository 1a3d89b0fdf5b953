// The last samples of every series, each contiguous and oldest first, without moving memory: every value is
// written twice, `capacity` apart.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace lento::fleet {

class RowRing {
 public:
  RowRing(size_t series, size_t capacity)
      : capacity_(capacity),
        values_(series * 2 * capacity, std::numeric_limits<float>::quiet_NaN()) {
  }

  void push(std::span<const float> row) {
    float* at = values_.data() + next_;
    for (const float v : row) {
      at[0] = at[capacity_] = v;
      at += 2 * capacity_;
    }
    next_ = (next_ + 1) % capacity_;
    ++pushed_;
  }

  // The last n values of a series; n <= capacity. Values never pushed are NaN.
  const float* window(size_t series, size_t n) const {
    return values_.data() + series * 2 * capacity_ + next_ + capacity_ - n;
  }
  size_t capacity() const {
    return capacity_;
  }
  size_t pushed() const {
    return pushed_;
  }

 private:
  size_t capacity_;
  size_t next_ = 0;  // also the start of the oldest-first view
  size_t pushed_ = 0;
  std::vector<float> values_;
};

}  // namespace lento::fleet
