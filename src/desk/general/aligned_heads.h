// Names the columns of a row of numbers by the lines above it, where a head has several lines, names of
// several words, or names above groups of columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

struct AlignedHead {
  std::vector<std::string> columns;  // the first is that of the row's name, when `names` is not 0
  size_t names = 0;                  // words in front of the numbers of the row
  size_t lines = 0;                  // of the head
  bool is_exact = true;              // the nearest line has at most one word for each column
};

// Returns the head of a row, without columns when the lines above it are none. `above` are the lines with
// their indentation, the nearest last.
AlignedHead aligned_head(const std::vector<std::string>& above, const std::string& row);

}  // namespace lento::desk
