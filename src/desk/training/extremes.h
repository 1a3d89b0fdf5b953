// Quantities of which a straggler detector states the smallest and the largest value over all ranks, with the
// rank that had it. Programs spell them differently: one table brings them to the same rows.
#pragma once

#include <string_view>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

struct Extremes {
  std::string_view megatron;  // behind "Mn" and "Mx"
  std::string_view composer;  // behind "Min" and "Max"
  Quantity quantity;          // of the bad end; its better side is the good end
  bool bad_is_smallest() const {
    return quantity.better == Better::Higher;
  }
};

// The clock is first: where it fell it explains the others.
const std::vector<Extremes>& extremes();

}  // namespace lento::desk
