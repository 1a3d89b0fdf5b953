// Counts the kinds of cells in one column, from which the type of the column is guessed.
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
  size_t refused = 0;  // words for no value, such as "[N/A]"
  size_t numbers = 0;
  size_t integers = 0;
  size_t dates = 0;
  size_t rising = 0;   // numbers above the previous one
  size_t falling = 0;  // numbers below the previous one
  double largest = 0;  // largest absolute value
  std::set<std::string> distinct;
  double before = -std::numeric_limits<double>::infinity();  // the last number

  void add(const std::string& text, const NumberForm& form);
  bool mostly(size_t some) const {
    return 2 * some > filled;
  }
  bool is_text() const {
    return filled > 0 && !mostly(numbers) && !mostly(dates);
  }
  bool is_number() const {
    return !is_text() && !mostly(dates);
  }
  // Returns whether times rise. When a table lists one machine after another, the times fall once per
  // machine.
  bool rises() const {
    return 10 * falling <= rising;
  }
};

}  // namespace lento::fleet
