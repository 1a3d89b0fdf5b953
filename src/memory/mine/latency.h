// An exact histogram of integer latencies, and its quantiles under three rules (QuantileRule).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "memory/mine/contention.h"

namespace lento::memory {

class LatencyHistogram {
 public:
  void add(uint32_t latency, uint64_t count = 1) {
    if (latency < small_.size()) {
      small_[latency] += count;
    } else {
      large_[latency] += count;
    }
    total_ += count;
  }
  uint64_t total() const {
    return total_;
  }
  // Returns the number of occurrences with latency >= threshold.
  uint64_t at_least(double threshold) const;
  // Returns a quantile, 0 when empty. NearestRank: the smallest value with at least q of all at or below it.
  // Linear: type 7 of Hyndman and Fan. Grouped: linear within bins of width `bin`.
  double quantile(double q, QuantileRule rule, uint32_t bin = 10) const;
  uint64_t minimum() const;
  std::vector<std::pair<uint64_t, uint64_t>> values() const;  // rising

 private:
  uint64_t rank_value(uint64_t rank) const;  // the rank-th smallest latency, counted from 0

  std::vector<uint64_t> small_ = std::vector<uint64_t>(1 << 12);
  std::map<uint32_t, uint64_t> large_;
  uint64_t total_ = 0;
};

}  // namespace lento::memory
