// Parses paragraphs with a heading and a number for each rank below it.
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
  std::string_view unit;  // unit after the number; points into the line
};
std::optional<RankRow> rank_row(std::string_view line);

// Returns the name in the heading of a paragraph ("forward-compute:"), or "" when the line is no heading.
std::string heading_of(std::string_view line);

// Removes the number at the beginning of `text` and returns it, or NaN when there is none.
double take_number(std::string_view& text);

}  // namespace lento::desk
