// State of one path while a region is explored: registers, scratchpad, open calls and the counter's word.
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
  // The counter's cell (explorer.h): its value where its potential was charged last, and the low bits of its
  // value now. They are no registers of the machine, but branches narrow them as if they were.
  std::array<AbstractValue, 2> ghosts;
  // Whether this path has tested that the counter's period of time is over.
  bool time_is_over = false;
};

}  // namespace lento::tile
