// Paragraphs with a heading and a number of each rank below it.
//
//   heading = NAME ":"                                 "  forward-compute:"
//   row     = ("rank" | "Rank") N ":" X [UNIT]         "     rank  3: 1291.54", "    Rank 3: 9.98ms"
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "desk/read/observation.h"

namespace lento::desk {

struct RankRow {
  std::string rank;
  double value = kUnknown;
  std::string_view unit;  // what stands behind the number, a part of the line
};
std::optional<RankRow> rank_row(std::string_view line);

// Returns the name of the heading of a block of rows of ranks ("forward-compute:"), "" when the line is none.
std::string heading_of(std::string_view line);

// The number in front of `text`, which it is taken off; NaN when there is none.
double take_number(std::string_view& text);

}  // namespace lento::desk
