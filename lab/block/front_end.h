// An instruction front end that replays line visits: L1I, misses in flight, prefetch queue.
//
// 32 KB, 8-way LRU, 64-byte lines, 16 requests in flight, a 32-entry prefetch queue that issues 2 a cycle,
// 4-wide fetch that waits for its line. The first visits warm up and are not counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lab/block/entangling.h"
#include "lab/block/line_trace.h"

namespace lento::tile {

enum class PrefetchPolicy : uint8_t {
  None,
  NextLine,
  Entangling
};

struct FrontEndOptions {
  PrefetchPolicy policy = PrefetchPolicy::None;
  EntanglingOptions entangling;
  size_t first_visit = 0;    // those before it are left out
  size_t visits = 0;         // how many are replayed from there; 0: all
  size_t warm_up = 0;        // how many of these are not counted; 0: a quarter
  bool real_memory = false;  // false: every miss costs 15 cycles; true: L2 512 KB 15, LLC 2 MB 35, DRAM 200
  // Called for every visit with the cycle of its fetch, which a tile beside this front end observes.
  std::function<void(uint64_t cycle, uint64_t line)> observe;
};

struct FrontEndCounters {
  uint64_t accesses = 0;
  uint64_t misses = 0;
  uint64_t instructions = 0;
  uint64_t cycles = 0;
  uint64_t useful = 0;
  uint64_t late = 0;
  uint64_t wrong = 0;
  FrontEndCounters& operator+=(const FrontEndCounters& other);
  double miss_rate() const {
    return ratio(misses, accesses);
  }
  double mpki() const {
    return 1000 * ratio(misses, instructions);
  }
  double coverage() const {
    return ratio(useful, useful + misses);
  }
  double accuracy() const {
    return ratio(useful, useful + late + wrong);
  }
  static double ratio(uint64_t a, uint64_t b) {
    return b ? double(a) / double(b) : 0;
  }
};

FrontEndCounters run_front_end(const LineTrace& trace, const FrontEndOptions& options);

}  // namespace lento::tile
