// A set-associative cache of tags with least recently used replacement. It stores no data, because all harts
// read values from the simulated memory. The most recent way of a set comes first, so that a hit is usually
// one comparison.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/platform/platform.h"

namespace lento::memory {

class Cache {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  explicit Cache(const CacheShape& shape)
      : ways_(uint32_t(shape.ways)),
        mask_(uint32_t(shape.bytes / shape.line_bytes / shape.ways - 1)),
        lines_((mask_ + size_t{1}) * ways_, kNone),
        lost_(lines_.size()) {
  }

  // Returns whether the line is in the cache and makes it the most recently used of its set.
  bool hit(uint32_t line) {
    uint32_t* const set = &lines_[size_t{line & mask_} * ways_];
    if (set[0] == line) [[likely]]
      return true;
    if (ways_ != 2)
      return ways_ > 2 && promote(set, line);
    if (set[1] != line)
      return false;
    std::swap(set[0], set[1]);
    return true;
  }

  // Returns whether a hit would change nothing, because the line is the most recent of its set.
  bool newest(uint32_t line) const {
    return lines_[size_t{line & mask_} * ways_] == line;
  }

  // Enters the line and returns the line that was evicted, or kNone.
  uint32_t fill(uint32_t line) {
    const size_t at = size_t{line & mask_} * ways_;
    for (uint32_t way = 0; way < ways_; ++way) {
      if (lost_[at + way].line == line)
        lost_[at + way].line = kNone;
    }
    uint32_t* const set = &lines_[at];
    if (promote(set, line))
      return kNone;
    uint32_t* slot = std::find(set, set + ways_, kNone);  // an invalid way first
    if (slot == set + ways_)
      --slot;
    const uint32_t gone = *slot;
    std::rotate(set, slot, slot + 1);
    set[0] = line;
    return gone;
  }

  // Invalidates the line because of a store of `culprit`.
  void invalidate(uint32_t line, uint16_t culprit, uint32_t culprit_pc) {
    const size_t at = size_t{line & mask_} * ways_;
    for (uint32_t way = 0; way < ways_; ++way) {
      if (lines_[at + way] != line)
        continue;
      lines_[at + way] = kNone;
      lost_[at + way] = {line, culprit_pc, culprit};
    }
  }

  struct Lost {
    uint32_t line = kNone;
    uint32_t culprit_pc = 0;
    uint16_t culprit = 0;
  };
  // Returns the store that invalidated the line since this cache last contained it, or nullptr.
  const Lost* lost(uint32_t line) const {
    const size_t at = size_t{line & mask_} * ways_;
    for (uint32_t way = 0; way < ways_; ++way) {
      if (lost_[at + way].line == line)
        return &lost_[at + way];
    }
    return nullptr;
  }

  void clear() {
    std::ranges::fill(lines_, kNone);
  }

 private:
  // Moves the line to the front of its set. Returns false when it is not there.
  bool promote(uint32_t* set, uint32_t line) {
    uint32_t* const end = set + ways_;
    uint32_t* const at = std::find(set, end, line);
    if (at == end)
      return false;
    std::rotate(set, at, at + 1);
    return true;
  }

  uint32_t ways_;
  uint32_t mask_;
  std::vector<uint32_t> lines_;
  std::vector<Lost> lost_;
};

}  // namespace lento::memory
