// The steps that a hart has done before its turn, and its state before them.
//
// A load that hits the most recent line of its set changes nothing that other harts can observe, and neither
// does the wait of a hart whose write buffer is certain to be full. Both may be done before the hart is the
// first in the global order (cycle, hart), as long as they can be taken back. When a store, a grant or a
// device acts earlier in the order and would have changed such a step, the hart goes back to the state before
// the first step and repeats those that precede the interference. Results are therefore those of the strict
// order, byte for byte.
#pragma once

#include <array>

#include "memory/platform/cache.h"
#include "riscv/hart.h"

namespace lento::memory {

struct Ahead {
  // Most steps before the hart's turn, enough for a loop between two stores. A larger limit costs more,
  // because undone steps are repeated.
  static constexpr uint32_t kMost = 32;

  struct Step {
    Cycles at = 0;
    uint32_t line = Cache::kNone;  // kNone: no load, but a wait for room in the write buffer
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
  // Returns whether the line was read later than `until`.
  bool read_after(Cycles until, uint32_t line) const {
    for (uint32_t i = used; i-- > 0 && steps[i].at > until;) {
      if (steps[i].line == line)
        return true;
    }
    return false;
  }

  uint32_t used = 0;
  std::array<Step, kMost> steps;  // in order of time
  // State before the first step.
  riscv::Hart hart;
  Cycles time = 0;
  uint64_t loads = 0;
  uint64_t store_stalls = 0;
  uint32_t pc = 0;
  uint32_t quick_line = Cache::kNone;
  uint32_t current_line = Cache::kNone;
};

}  // namespace lento::memory
