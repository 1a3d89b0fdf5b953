// The state of every memory line while a recording is replayed: the cores that hold it, and its last writer
// and reader.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::memory {

struct LineState {
  static constexpr size_t kCores = 256;  // cores with a bit of their own; others share one
  static constexpr uint64_t kNoLine = UINT64_MAX;

  uint64_t key = kNoLine;
  std::array<uint64_t, kCores / 64> holders = {};
  uint64_t busy_until = 0;
  uint64_t writer_pc = 0;
  uint64_t reader_pc = 0;
  uint32_t writer = UINT32_MAX;  // core with a modified copy; none once another core has read it
  uint32_t last_writer = UINT32_MAX;
  uint32_t last_reader = UINT32_MAX;  // other than the last writer
  uint32_t leaving = UINT32_MAX;      // core whose modified copy is requested, and which uses it
  uint64_t leaves_at = 0;             // until this cycle, when the request arrives
  bool waited_for = false;
  bool seen = false;

  bool held_by(size_t core) const {
    return holders[core % kCores / 64] >> core % 64 & 1;
  }
  void hold(size_t core) {
    holders[core % kCores / 64] |= uint64_t{1} << core % 64;
  }
  // Removes the core's copy, which left its cache. A modified copy is written back to memory.
  void lose(size_t core) {
    holders[core % kCores / 64] &= ~(uint64_t{1} << core % 64);
    if (writer == core)
      writer = UINT32_MAX;
  }
  bool held_by_others(size_t core) const {
    auto others = holders;
    others[core % kCores / 64] &= ~(uint64_t{1} << core % 64);
    return std::ranges::any_of(others, [](uint64_t w) {
      return w != 0;
    });
  }
};

// Lines by number, with open addressing because every access looks one up.
class LineTable {
 public:
  // Returns the state of a line and makes it when new.
  LineState& of(uint64_t key) {
    size_t at = slot(key);
    while (table_[at].key != key && table_[at].key != LineState::kNoLine)
      at = (at + 1) & mask_;
    if (table_[at].key == key)
      return table_[at];
    if (2 * ++used_ > mask_) {
      grow();
      return of_fresh(key);
    }
    table_[at].key = key;
    return table_[at];
  }
  // Returns nullptr when the line was never looked up with of().
  LineState* find(uint64_t key) {
    size_t at = slot(key);
    while (table_[at].key != key && table_[at].key != LineState::kNoLine)
      at = (at + 1) & mask_;
    return table_[at].key == key ? &table_[at] : nullptr;
  }
  template <class Use>
  void each(Use&& use) const {
    for (const LineState& line : table_) {
      if (line.key != LineState::kNoLine)
        use(line);
    }
  }

 private:
  size_t slot(uint64_t key) const {
    return (key * 0x9e3779b97f4a7c15ULL >> 20) & mask_;
  }
  LineState& of_fresh(uint64_t key) {
    size_t at = slot(key);
    while (table_[at].key != LineState::kNoLine)
      at = (at + 1) & mask_;
    table_[at].key = key;
    return table_[at];
  }
  void grow() {
    std::vector<LineState> old(2 * table_.size());
    old.swap(table_);
    mask_ = table_.size() - 1;
    for (const LineState& line : old) {
      if (line.key != LineState::kNoLine)
        of_fresh(line.key) = line;
    }
  }

  std::vector<LineState> table_ = std::vector<LineState>(1 << 12);
  size_t mask_ = table_.size() - 1;
  size_t used_ = 0;
};

}  // namespace lento::memory
