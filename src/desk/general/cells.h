// Cuts a line of a report into cells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "desk/general/labels.h"

namespace lento::desk {

std::string_view without_blanks(std::string_view text);
// Returns a line whose numbers have decimal commas ("12,31      0,00      2,10") with points, and an empty
// text for any other line. Three numbers or more have a comma and two decimals, as thousands never do.
std::string with_points(std::string_view line);

// Removes blanks, quotes and a final comma: "\"OK\"," of a JSON document is OK.
std::string_view without_quotes(std::string_view text);
bool has_letter(std::string_view text);

// Returns the cells of a line that gaps of two or more blanks, or tabs, separate. Each of these functions
// returns at most 64 cells.
std::vector<std::string> gap_cells(std::string_view line);
// Returns the words of a line, which single blanks separate too.
std::vector<std::string> blank_cells(std::string_view line);
// Returns the cells of a line between commas.
std::vector<std::string> comma_cells(std::string_view line);
// Returns the cells between the outer bars of a line of a box.
std::vector<std::string> box_cells(std::string_view line);
bool has_letter_or_figure(std::string_view text);
// Returns the cells of a line that " - " separates.
std::vector<std::string> dash_cells(std::string_view line);
// Returns whether a cell is an IPv4 address and nothing else.
bool is_address(std::string_view cell);
// Returns the cells of a line between vertical bars.
std::vector<std::string> bar_cells(std::string_view line);

// Returns the number in a cell that holds a number and its unit only. "812 +- 3" is 812.
std::optional<LabelledValue> cell_value(std::string_view cell);

}  // namespace lento::desk
