// Orders the harts that can act by (cycle, hart). The hart that ran moves a few places and the others stay,
// which is cheaper than a search for the two smallest.
#pragma once

#include <array>
#include <cstddef>

#include "memory/platform/platform.h"

namespace lento::memory {

class Order {
 public:
  static constexpr uint64_t kNone = UINT64_MAX;

  Order() {
    keys_.fill(kNone);
  }

  static constexpr Cycles kEnd = Cycles{1} << 58;  // no hart acts in this cycle or later

  // Returns the smallest key, cycle << 6 | hart, or kNone when there is no hart. Cycles stay below kEnd.
  uint64_t first() const {
    return keys_[0];
  }
  uint64_t second() const {
    return keys_[1];
  }

  // Enters or moves the hart.
  void place(uint32_t hart, Cycles cycle) {
    const uint64_t key = cycle << 6 | hart;
    if ((keys_[0] & 63) == hart && keys_[0] <= key)
      return move_first(key);
    size_t at = present_ >> hart & 1 ? find(hart) : used_++;
    present_ |= uint64_t{1} << hart;
    for (; keys_[at + 1] < key; ++at)
      keys_[at] = keys_[at + 1];
    for (; at > 0 && keys_[at - 1] > key; --at)
      keys_[at] = keys_[at - 1];
    keys_[at] = key;
  }

  // Removes the hart, which cannot act until it is placed again.
  void remove(uint32_t hart) {
    if (!(present_ >> hart & 1))
      return;
    present_ &= ~(uint64_t{1} << hart);
    for (size_t at = find(hart); at < used_; ++at)
      keys_[at] = keys_[at + 1];
    --used_;
  }

 private:
  // Moves the first hart, usually the one that just ran, in one pass without branches that depend on the
  // keys.
  void move_first(uint64_t key) {
    for (size_t i = 1; i < used_; ++i) {
      const uint64_t next = keys_[i];
      keys_[i - 1] = next < key ? next : key;
      key = next < key ? key : next;
    }
    keys_[used_ - 1] = key;
  }
  size_t find(uint32_t hart) const {
    size_t at = 0;
    while ((keys_[at] & 63) != hart)
      ++at;
    return at;
  }

  std::array<uint64_t, Platform::kMaxHarts + 2> keys_;  // in rising order, kNone behind the last
  uint64_t present_ = 0;
  size_t used_ = 0;
};

}  // namespace lento::memory
