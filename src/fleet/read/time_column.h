// Finds the column of times in a table, by its name and its first cells.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "fleet/read/column_cells.h"

namespace lento::fleet {

struct TableColumns {
  const std::vector<std::string>& header;
  const std::vector<Cells>& cells;  // of the first rows, by column
  const std::vector<bool>& used;    // columns with another role
  const base::Location& where;
  bool empty = false;  // without rows
};

// Returns the column of times, or else one that counts steps. Throws base::Error when there is neither.
size_t time_column(const TableColumns& table);

// Returns the unit from the name of the column, or from the size of the numbers, which are assumed to be
// recent Unix times. "" for dates.
std::string unit_of_time(const std::string& name, const Cells& cells);

}  // namespace lento::fleet
