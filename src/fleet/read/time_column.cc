// Scores each column by how likely it holds times. A whole name counts most, then dates in the cells, then a
// part of the name when the cells rise row by row.
#include "fleet/read/time_column.h"

#include <algorithm>

#include "base/ascii.h"
#include "fleet/read/column_names.h"
#include "fleet/read/source.h"

namespace lento::fleet {
namespace {

double time_score(const TableColumns& table, size_t c) {
  const Cells& cells = table.cells[c];
  const std::string name = base::lower_case(table.header[c]);
  const bool is_date = cells.filled > 0 && cells.mostly(cells.dates);
  const bool fits = table.empty || is_date || cells.mostly(cells.numbers);
  const double shown = is_date ? 2 : fits ? 1 : 0;
  if (names_time(name))
    return 4 + shown;
  if (name == "epoch" && cells.largest > 1e8)  // seconds since 1970, no epoch of a training
    return 3;
  for (const std::string& word : words_of(name))
    if (is_time_word(word))
      return is_date || cells.rises() ? 1 + shown : 0;
  return is_date ? 2 : 0;
}

std::string joined(const std::vector<std::string>& names) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i)
    text += (i ? ", " : "") + names[i];
  return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more" : text;
}

// Returns the error for a table without times. In one value per machine, a machine with another role looks
// the same as a faulty one.
base::Error no_time(const TableColumns& table) {
  const bool machine = std::ranges::any_of(table.header, [](const std::string& name) {
    return names_machine(name);
  });
  return base::Error(
      table.where,
      "no column of times: time column 'time' is not in the header",
      (machine ? "a machine is judged by how it changes: give a row a machine and time, or number the rows "
                 "of each machine in a column 'step'; a time of another name: --time-column; columns: "
               : "name it with --time-column; columns: ") +
          joined(table.header));
}

}  // namespace

size_t time_column(const TableColumns& table) {
  const size_t none = table.header.size();
  size_t found = none;
  double best = 0;
  for (size_t c = 0; c < none; ++c) {
    const double score = table.used[c] ? 0 : time_score(table, c);
    if (score > best) {
      best = score;
      found = c;
    }
  }
  const bool by_step = found == none;
  for (size_t c = 0; c < none && by_step; ++c)
    if (!table.used[c] && names_step(table.header[c]) && table.cells[c].is_number() && table.cells[c].rises())
      found = c;
  if (found == none)
    throw no_time(table);
  return found;
}

std::string unit_of_time(const std::string& name, const Cells& cells) {
  if (names_step(name))
    return std::string(kStepUnit);
  if (cells.filled > 0 && !cells.mostly(cells.numbers))
    return "";
  const std::vector<std::string> words = words_of(name);
  for (const std::string_view unit : {"ms", "us", "ns", "s"})
    if (words.size() > 1 && words.back() == unit)
      return std::string(unit);
  return cells.largest > 1e17 ? "ns" : cells.largest > 1e14 ? "us" : cells.largest > 1e11 ? "ms" : "s";
}

}  // namespace lento::fleet
