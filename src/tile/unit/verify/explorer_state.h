// State of one path while a region is explored: registers, scratchpad, open calls, and what amortised
// analysis keeps of the counter's cell (explorer.h).
#pragma once

#include <array>
#include <vector>

#include "tile/unit/verify/known_words.h"

namespace lento::tile {

struct State {
  std::array<AbstractValue, 32> x;
  KnownWords words;
  struct Call {
    uint32_t back;
    uint32_t entry;
  };
  std::vector<Call> calls;
  uint32_t pc = 0;
  // Upper bound of the instructions during which emit still has to wait for values in the histogram pipeline
  // (HistogramUnit::busy) or for an accumulator read.
  uint32_t filling = 0;
  // The value of the counter's cell at the last charge of its potential (struct Counter in explorer.h), and
  // the low bits of its value now. The machine has no such registers, but branches narrow them like
  // registers.
  std::array<AbstractValue, 2> ghosts;
  // Whether a branch on this path has shown that Counter::period cycles have passed since the counter's cell
  // was set.
  bool time_is_over = false;
};

}  // namespace lento::tile
