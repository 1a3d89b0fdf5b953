// Quantities of which a straggler detector reports the smallest and largest value over all ranks, with the
// rank that had it. One table maps the spellings of several programs to the same rows.
#pragma once

#include <string_view>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

struct Extremes {
  std::string_view megatron;  // name after "Mn" and "Mx"
  std::string_view composer;  // name after "Min" and "Max"
  Quantity quantity;          // of the worst value; its better side is the opposite end
  bool bad_is_smallest() const {
    return quantity.better == Better::Higher;
  }
};

// Lists the quantities. The clock is first, because a lower clock explains the other deviations.
const std::vector<Extremes>& extremes();

}  // namespace lento::desk
