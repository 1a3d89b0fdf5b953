// Prints the tables of a diagnosis as aligned columns, for commands whose result is a table.
#include "cli/tables.h"

#include <algorithm>
#include <variant>

namespace lento::cli {
namespace {

// Returns the width of each column.
std::vector<size_t> widths_of(const finding::TableFigure& table, size_t rows) {
  std::vector<size_t> widths;
  for (const std::string& name : table.columns)
    widths.push_back(name.size());
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < std::min(widths.size(), table.rows[r].size()); ++c)
      widths[c] = std::max(widths[c], table.rows[r][c].size());
  return widths;
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t c = 0; c < std::min(cells.size(), widths.size()); ++c)
    line += cells[c] + std::string(widths[c] - cells[c].size() + 2, ' ');
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string tables_as_text(const finding::Diagnosis& diagnosis, size_t most_rows) {
  std::string text;
  for (const finding::Figure& figure : diagnosis.figures) {
    const auto* table = std::get_if<finding::TableFigure>(&figure.body);
    if (table == nullptr)
      continue;
    const size_t rows = std::min(table->rows.size(), most_rows);
    const std::vector<size_t> widths = widths_of(*table, rows);
    text += "\n" + figure.title + "\n" + line_of(table->columns, widths);
    for (size_t r = 0; r < rows; ++r)
      text += line_of(table->rows[r], widths);
    if (rows < table->rows.size())
      text += "(" + std::to_string(table->rows.size() - rows) + " more rows with --figures)\n";
  }
  return text;
}

}  // namespace lento::cli
