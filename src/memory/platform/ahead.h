// What a hart has done before its turn, and what it was before that.
//
// A load that hits the most recent line of its set changes nothing that others can see, nor can a hart that
// is sure to find its write buffer full disturb anybody. Both may be done before the hart is the first in the
// global order (cycle, hart), as long as they can be taken back: when a store, a grant or a device does
// something earlier in the order that they should have seen, the hart goes back to the state before the first
// of them and does again what comes before the intruder. So results are those of the strict order, byte for
// byte.
#pragma once

#include <array>

#include "memory/platform/cache.h"
#include "riscv/hart.h"

namespace lento::memory {

struct Ahead {
  // Enough for a loop between two stores; what is taken back is done again.
  static constexpr uint32_t kMost = 32;

  struct Step {
    Cycles at = 0;
    uint32_t line = Cache::kNone;  // kNone: the wait for room in the write buffer
  };

  bool empty() const {
    return used == 0;
  }
  bool full() const {
    return used == kMost;
  }
  void add(Cycles at, uint32_t line) {
    steps[used++] = {at, line};
  }
  Cycles last() const {
    return steps[used - 1].at;
  }
  // Was the line read later than `until`?
  bool read_after(Cycles until, uint32_t line) const {
    for (uint32_t i = used; i-- > 0 && steps[i].at > until;) {
      if (steps[i].line == line)
        return true;
    }
    return false;
  }

  uint32_t used = 0;
  std::array<Step, kMost> steps;  // by time
  // Before the first step:
  riscv::Hart hart;
  Cycles time = 0;
  uint64_t loads = 0;
  uint64_t store_stalls = 0;
  uint32_t pc = 0;
  uint32_t quick_line = Cache::kNone;
  uint32_t current_line = Cache::kNone;
};

}  // namespace lento::memory
