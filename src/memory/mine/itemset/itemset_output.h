// The results of one search thread: a count, or sets with the path that leads to them.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "memory/mine/itemset/itemset.h"

namespace lento::memory {

// Returns whether a union of item classes meets the constraint.
inline bool meets(const SetConstraint& need, uint64_t classes) {
  return (classes & need.need_all) == need.need_all &&
         __builtin_popcountll(classes & need.count_mask) >= need.count_min;
}

struct SetOutput {
  explicit SetOutput(const SetSink& to, std::atomic<bool>& stop_flag)
      : sink(to),
        stop(stop_flag) {
  }

  // Adds `sets` to the count. An overflow stops all threads.
  void add(Uint128 sets) {
    if (__builtin_add_overflow(count, sets, &count))
      overflow();
  }
  void overflow() {
    too_many = true;
    stop.store(true, std::memory_order_relaxed);
  }
  void emit(uint64_t support) {
    sink(path, support);
    if (--most == 0)
      stop.store(true, std::memory_order_relaxed);
  }

  const SetSink& sink;
  std::atomic<bool>& stop;
  Uint128 count = 0;
  bool too_many = false;
  uint64_t most = UINT64_MAX;  // sets that may still be emitted before all threads stop
  std::vector<uint32_t> path;  // items of the set at hand, as the caller numbers them
};

}  // namespace lento::memory
