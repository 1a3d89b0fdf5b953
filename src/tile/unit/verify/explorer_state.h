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
  // State of the counter's word, by Counter::Kind (explorer.h). Masked: the value (AbstractValue::id) whose
  // low bits decide whether the last store of the word began a new period, or 0 when that is decided. Window,
  // Elapsed: whether this path has tested that the period is over.
  uint32_t open_number = 0;
  uint32_t open_plus = 0;  // the stored value is that number plus this
  bool time_is_over = false;
};

}  // namespace lento::tile
