// Counts what the cells of one column hold, from which the type of the column is guessed.
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "fleet/read/table_cells.h"

namespace lento::fleet {

// Returns whether a cell is empty or a word for no value, such as "[N/A]".
bool is_empty_cell(std::string_view text);

// Statistics of a column over its first rows.
struct Cells {
  size_t filled = 0;
  size_t refused = 0;  // "[N/A]" and its like
  size_t numbers = 0;
  size_t integers = 0;
  size_t dates = 0;
  size_t rising = 0;   // numbers above the one before
  size_t falling = 0;  // and below it
  double largest = 0;  // by size
  std::set<std::string> distinct;
  double before = -std::numeric_limits<double>::infinity();  // the last number

  void add(const std::string& text, const NumberForm& form);
};

}  // namespace lento::fleet
