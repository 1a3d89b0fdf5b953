// Splits lines into cells at gaps, blanks, commas or bars.
#include "desk/general/cells.h"

#include <algorithm>

#include "desk/read/log_date.h"

namespace lento::desk {
namespace {

constexpr size_t kMostCells = 64;

}  // namespace

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? std::string_view{}
                            : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// Returns the cells of a line that gaps of two or more blanks, or tabs, separate.
std::vector<std::string> gap_cells(std::string_view line) {
  std::vector<std::string> cells;
  line = without_blanks(line);
  while (!line.empty() && cells.size() < kMostCells) {
    const size_t end = std::min(line.find("  "), line.find('\t'));
    cells.emplace_back(without_blanks(line.substr(0, end)));
    line = end == line.npos ? std::string_view{} : without_blanks(line.substr(end));
  }
  return cells;
}

std::vector<std::string> blank_cells(std::string_view line) {
  std::vector<std::string> cells;
  while (!(line = without_blanks(line)).empty() && cells.size() < kMostCells) {
    const size_t end = line.find_first_of(" \t");
    cells.emplace_back(line.substr(0, end));
    line = end == line.npos ? std::string_view{} : line.substr(end);
  }
  return cells;
}

namespace {

std::vector<std::string> cells_between(std::string_view line, char mark) {
  std::vector<std::string> cells;
  while (cells.size() < kMostCells) {
    const size_t end = line.find(mark);
    cells.emplace_back(without_blanks(line.substr(0, end)));
    if (end == line.npos)
      break;
    line.remove_prefix(end + 1);
  }
  return cells;
}

}  // namespace

std::vector<std::string> bar_cells(std::string_view line) {
  return cells_between(line, '|');
}

std::vector<std::string> comma_cells(std::string_view line) {
  return cells_between(line, ',');
}

std::vector<std::string> box_cells(std::string_view line) {
  std::vector<std::string> cells = bar_cells(line.substr(std::min<size_t>(1, line.size())));
  if (!cells.empty() && cells.back().empty())
    cells.pop_back();
  return cells;
}

bool has_letter_or_figure(std::string_view text) {
  return has_letter(text) || text.find_first_of("0123456789") != text.npos;
}

std::string with_points(std::string_view line) {
  constexpr size_t kFewest = 3;
  constexpr size_t kDecimals = 2;
  std::string out(line);
  size_t count = 0;
  for (size_t comma = 0; (comma = out.find(',', comma)) != out.npos; ++comma) {
    size_t before = comma;
    while (before > 0 && out[before - 1] >= '0' && out[before - 1] <= '9')
      --before;
    const size_t end = comma + 1 + digits(out, comma + 1);
    const bool is_alone =
        before < comma && (before == 0 || out[before - 1] == ' ') && (end == out.size() || out[end] == ' ');
    if (!is_alone || end != comma + 1 + kDecimals)
      return {};
    out[comma] = '.';
    ++count;
  }
  return count >= kFewest ? out : std::string{};
}

std::vector<std::string> dash_cells(std::string_view line) {
  std::vector<std::string> cells;
  for (size_t end = 0; end != line.npos && cells.size() < kMostCells;) {
    end = line.find(" - ");
    cells.emplace_back(without_blanks(line.substr(0, end)));
    line.remove_prefix(end == line.npos ? 0 : end + 3);
  }
  return cells;
}

bool is_address(std::string_view cell) {
  return std::ranges::count(cell, '.') == 3 && cell.find_first_not_of("0123456789.") == cell.npos &&
         cell.front() != '.' && cell.back() != '.';
}

// Removes blanks, quotes and a final comma: "\"OK\"," of a JSON document is OK.
std::string_view without_quotes(std::string_view text) {
  text = without_blanks(text);
  if (text.ends_with(","))
    text.remove_suffix(1);
  if (text.size() > 1 && text.starts_with("\"") && text.ends_with("\""))
    text = text.substr(1, text.size() - 2);
  return text;
}

bool has_letter(std::string_view text) {
  return text.find_first_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != text.npos;
}

// Returns the number in a cell that holds a number and its unit only.
std::optional<LabelledValue> cell_value(std::string_view cell) {
  const std::vector<LabelledValue> values = labelled_values(cell);
  const bool begins = !cell.empty() && cell[0] >= '0' && cell[0] <= '9';
  const bool is_one =
      values.size() == 1 || (values.size() == 2 && cell.find("\xc2\xb1") != cell.npos);  // "812 ± 3"
  return begins && is_one ? std::optional(values[0]) : std::nullopt;
}

}  // namespace lento::desk
