// Boxes in reports: rows between bars, of as many lines as the head above the rule (grammar: report.cc).
#include <algorithm>

#include "desk/general/cells.h"
#include "desk/general/tables.h"

namespace lento::desk {
namespace {

bool holds_names(const std::vector<std::string>& cells) {
  return cells.size() > 1 && std::ranges::all_of(cells, [&](const std::string& cell) {
           const bool is_figure = !cell.empty() && cell[0] >= '0' && cell[0] <= '9';
           const bool is_share = is_figure && cell.find_first_not_of("0123456789.%") == cell.npos &&
                                 cell.ends_with("%") && &cell != &cells[0];  // "97.5%" of the requests
           return is_share || (has_letter(cell) && !is_figure);
         });
}

// Returns whether a cell ends with a unit in parentheses: "BW (GB/sec)".
bool holds_unit(const std::string& cell) {
  const size_t open = cell.rfind('(');
  return cell.ends_with(")") && open != cell.npos &&
         measure_of_unit(cell.substr(open + 1, cell.size() - open - 2)).meaning != Meaning::None;
}

bool is_plain_number(const std::vector<std::string>& cells) {
  return !cells.empty() && !cells[0].empty() && cells[0].find_first_not_of("0123456789") == std::string::npos;
}

// Joins the lines of a head to one name for each column: "NEURON" above "DEVICE".
std::vector<std::string> stacked(const std::vector<std::vector<std::string>>& head) {
  std::vector<std::string> names = head[0];
  for (size_t line = 1; line < head.size(); ++line)
    for (size_t i = 0; i < names.size() && i < head[line].size(); ++i)
      names[i] += (names[i].empty() || head[line][i].empty() ? "" : " ") + head[line][i];
  return names;
}

}  // namespace

// Takes a line of a box, in which a row has as many lines as the head.
bool Tables::box_line(std::string_view text, const std::string& host, Sink& sink) {
  host_ = host;
  const bool is_rule = text.find_first_not_of("|+-=: ") == text.npos;
  if (is_rule) {
    const bool is_markdown = text.find('+') == text.npos && head_.empty();
    constexpr size_t kMostHeadLines = 4;
    const bool is_grid = head_.empty() && !box_.empty() && box_.size() <= kMostHeadLines &&
                         std::ranges::all_of(box_, holds_names);
    if (!box_.empty() && (is_markdown || is_grid || text.find('=') != text.npos))
      head_ = std::move(box_);
    box_.clear();
    return false;
  }
  std::vector<std::string> cells = box_cells(text);
  constexpr size_t kMostBoxLines = 8;
  if (box_.size() < kMostBoxLines)
    box_.push_back(std::move(cells));
  if (head_.empty())
    return false;
  // A title of names may stand above the names of the columns, which state units: "size (Bytes)".
  if (!has_box_rows_ && head_.size() == 1 && holds_names(box_[0]) &&
      std::ranges::any_of(box_[0], holds_unit)) {
    head_ = std::move(box_);
    box_.clear();
    return false;
  }
  has_box_rows_ = true;
  is_ruled_ = true;
  // A row has as many lines as the head. Where two lines of the box both begin with a whole number, each is a
  // row of its own, and the lines of the head are joined to one name for each column.
  const bool is_stacked =
      head_.size() > 1 && box_.size() > 1 && is_plain_number(box_[0]) && is_plain_number(box_[1]);
  if (is_stacked)
    head_ = {stacked(head_)};
  if (box_.size() < head_.size())
    return false;
  bool any = false;
  for (size_t at = 0; at + head_.size() <= box_.size(); at += head_.size())
    any = box_row(
              {box_.begin() + std::ptrdiff_t(at), box_.begin() + std::ptrdiff_t(at + head_.size())},
              sink) ||
          any;
  box_.clear();
  return any;
}

bool Tables::box_row(const std::vector<std::vector<std::string>>& lines, Sink& sink) {
  std::vector<std::string> columns;
  std::vector<std::string> values;
  for (size_t line = 0; line < head_.size(); ++line) {
    if (head_[line].size() != lines[line].size())
      return false;
    for (size_t i = 0; i < head_[line].size(); ++i) {
      std::vector<std::string> names = gap_cells(head_[line][i]);
      std::vector<std::string> cells = gap_cells(lines[line][i]);
      if (names.size() != cells.size()) {
        names = {head_[line][i]};
        cells = {lines[line][i]};
      }
      columns.insert(columns.end(), names.begin(), names.end());
      values.insert(values.end(), cells.begin(), cells.end());
    }
  }
  return fields(columns, values, "", sink);
}

}  // namespace lento::desk
