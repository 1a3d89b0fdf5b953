// The memory of the out-of-order core as times only: L1s, a shared L2, misses in flight, address translation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lento::tile {

// Tags of a set-associative cache with least-recently-used replacement. The most recent way of a set is
// first.
class TagArray {
 public:
  TagArray(uint32_t sets, uint32_t ways)
      : ways_(ways),
        sets_(sets),
        tags_(size_t{sets} * ways, kNone) {
  }

  // Returns whether `line` was in the cache. Afterwards it is.
  bool touch(uint32_t line) {
    const auto set = tags_.begin() + static_cast<std::ptrdiff_t>(size_t{line % sets_} * ways_);
    const auto at = std::find(set, set + ways_, line);
    const bool hit = at != set + ways_;
    std::rotate(set, hit ? at : set + ways_ - 1, hit ? at + 1 : set + ways_);
    *set = line;
    return hit;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t ways_;
  uint32_t sets_;
  std::vector<uint32_t> tags_;
};

struct CoreMemoryShape {
  uint32_t line_bytes = 64;
  uint32_t l1_bytes = 32 << 10;
  uint32_t l1_ways = 8;
  uint32_t l2_bytes = 1 << 20;
  uint32_t l2_ways = 16;
  uint32_t tlb_entries = 32;
  uint32_t page_bytes = 4096;
  uint32_t misses = 16;  // in flight, data side
  uint32_t hit_cycles = 3;
  uint32_t l2_cycles = 15;
  uint32_t dram_cycles = 120;
  uint32_t walk_cycles = 20;
};

class CoreMemory {
 public:
  struct Answer {
    uint64_t ready = 0;
    bool l1_miss = false;
    bool l2_miss = false;
    bool tlb_miss = false;
  };

  explicit CoreMemory(const CoreMemoryShape& s)
      : shape_(s),
        code_(s.l1_bytes / s.line_bytes / s.l1_ways, s.l1_ways),
        data_(s.l1_bytes / s.line_bytes / s.l1_ways, s.l1_ways),
        l2_(s.l2_bytes / s.line_bytes / s.l2_ways, s.l2_ways),
        code_pages_(1, s.tlb_entries),
        data_pages_(1, s.tlb_entries),
        flights_(s.misses) {
  }

  // Fetches the line around `address` at cycle `now`. A hit costs nothing.
  Answer fetch(uint32_t address, uint64_t now) {
    Answer out{now};
    translate(code_pages_, address, out);
    out.l1_miss = !code_.touch(address / shape_.line_bytes);
    if (out.l1_miss)
      out.ready += below(address, out);
    return out;
  }

  // Performs a load or the write of a store. A line that is on its way is waited for.
  Answer access(uint32_t address, uint64_t now) {
    Answer out{now};
    translate(data_pages_, address, out);
    const uint32_t line = address / shape_.line_bytes;
    const bool here = data_.touch(line);
    for (const Flight& f : flights_) {
      if (f.line == line && f.ready > out.ready) {
        out.l1_miss = true;
        out.ready = f.ready;
        return out;
      }
    }
    out.l1_miss = !here;
    if (here) {
      out.ready += shape_.hit_cycles;
      return out;
    }
    Flight& slot = *std::ranges::min_element(flights_, [](const Flight& a, const Flight& b) {
      return a.ready < b.ready;
    });
    out.ready = std::max(out.ready, slot.ready) + below(address, out);
    slot = {line, out.ready};
    return out;
  }

 private:
  struct Flight {
    uint32_t line = UINT32_MAX;
    uint64_t ready = 0;
  };
  void translate(TagArray& pages, uint32_t address, Answer& out) {
    out.tlb_miss = !pages.touch(address / shape_.page_bytes);
    if (out.tlb_miss)
      out.ready += shape_.walk_cycles;
  }
  uint64_t below(uint32_t address, Answer& out) {
    out.l2_miss = !l2_.touch(address / shape_.line_bytes);
    if (out.l2_miss)
      return shape_.dram_cycles;
    return shape_.l2_cycles;
  }

  CoreMemoryShape shape_;
  TagArray code_;
  TagArray data_;
  TagArray l2_;
  TagArray code_pages_;
  TagArray data_pages_;
  std::vector<Flight> flights_;
};

}  // namespace lento::tile
