// Passes the cells of each row of a table to Entries under the names of their columns. table_heads.cc finds
// the heads.
#include "desk/general/tables.h"

#include <algorithm>
#include <array>

#include "base/number.h"
#include "desk/general/cells.h"
#include "desk/general/pair_rows.h"
#include "desk/general/states.h"
#include "desk/general/table_words.h"
#include "desk/read/host_parts.h"
#include "desk/read/rank_word.h"
#include "desk/read/waiting.h"

namespace lento::desk {
bool Tables::table_row(std::string_view text, const std::string& host, Sink& sink) {
  host_ = host;
  if (columns_.empty())
    return false;
  if (separator_ != ' ') {
    const std::vector<std::string> cells = separator_ == ',' ? comma_cells(text) : bar_cells(text);
    const bool is_row = cells.size() == columns_.size() && fields(columns_, cells, prefix_, sink);
    has_rows_ = has_rows_ || is_row;
    return is_row;
  }
  const std::string plain = has_bars_ ? without_bars(std::string(text)) : "";
  if (has_bars_)
    text = plain;
  const std::vector<std::string> by_gap = gap_cells(text);
  const std::vector<std::string> by_blank = name_joined(blank_cells(text), name_words_);
  bool any = false;
  if (is_ruled_ && !begins_.empty() && !cells_below_begins(text).empty())
    any = fields(columns_, cells_below_begins(text), prefix_, sink);
  else if (by_gap.size() == columns_.size())
    any = fields(columns_, by_gap, prefix_, sink);
  else if (by_blank.size() == columns_.size())
    any = fields(columns_, by_blank, prefix_, sink);
  else if (by_blank.size() == words_.size())
    any = fields(words_, by_blank, prefix_, sink);
  else if (by_blank.size() == words_.size() + 1 && by_blank[0].ends_with(":"))  // "Mem:  2063595  71022"
    any = fields(words_, {by_blank.begin() + 1, by_blank.end()}, prefix_ + by_blank[0] + " ", sink);
  else if (const auto aligned = cells_below_begins(text);  // cells are left empty
           by_gap.size() < columns_.size() && !aligned.empty())
    any = fields(columns_, aligned, prefix_, sink);
  else if (const auto below = cells_below(text); !below.empty())
    any = fields(words_, below, prefix_, sink);
  has_rows_ = has_rows_ || any;
  return any;
}

// Returns the cells of a row below the columns of the rule or the head. Empty when a word of the row lies
// across two columns.
std::vector<std::string> Tables::cells_below_begins(std::string_view text) const {
  std::vector<std::string> cells;
  for (size_t i = 0; i < begins_.size(); ++i) {
    const size_t begin = std::min(begins_[i] - std::min(begins_[i], indent_), text.size());
    const size_t behind = i + 1 < begins_.size() ? begins_[i + 1] : std::string::npos;
    const size_t end = std::min(behind - std::min(behind, indent_), text.size());
    if (begin > 0 && begin < text.size() && text[begin - 1] != ' ')
      return {};
    cells.emplace_back(without_blanks(text.substr(begin, end - begin)));
  }
  return cells;
}

// Adds the part that a row names to those that the host lists, so that hosts can be compared by the parts
// that they list. Only for tables with a rule below the head, and for names with a digit.
void Tables::list_part(
    const std::vector<std::string>& columns,
    const std::vector<std::string>& cells,
    const Subject& subject,
    Sink& sink) {
  std::string name = subject.device.empty() ? cells[0] : subject.device;
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
  const std::vector<std::string> words = label_words(columns[0]);
  if (is_number && !words.empty())
    name = words.back() + name;
  if (is_ruled_ && name.size() < kLongestName && name.find_first_of("0123456789") != name.npos)
    entries_.part(name, sink, true);
}

// Returns the words of a row that are below those of the head, one for each. Empty when fewer than two thirds
// of the columns, or fewer than three, have one.
std::vector<std::string> Tables::cells_below(std::string_view text) const {
  std::vector<std::string> cells(words_.size());
  size_t filled = 0;
  size_t column = 0;
  for (size_t at = 0;
       column < words_.size() && (at = head_line_.find(words_[column], at)) != std::string::npos;
       ++column) {
    const size_t end = at + words_[column].size();
    size_t begin = std::min(at, text.size());
    while (begin > 0 && begin < text.size() && text[begin] != ' ' && text[begin - 1] != ' ')
      --begin;
    while (begin < text.size() && begin < end && text[begin] == ' ')
      ++begin;
    if (begin < std::min(end, text.size()))
      cells[column] = text.substr(begin, text.find(' ', begin) - begin);
    filled += !cells[column].empty();
    at = end;
  }
  return filled * 3 >= words_.size() * 2 && filled > 2 ? cells : std::vector<std::string>{};
}

// Takes one row of a table: first the cells that name its subject, then its numbers and states. Returns
// whether one of these has a known meaning.
bool Tables::fields(
    const std::vector<std::string>& columns,
    const std::vector<std::string>& cells,
    const std::string& prefix,
    Sink& sink) {
  if (take_pair_row(columns, cells, sink)) {
    entries_.note_rows();
    return true;
  }
  Subject subject;
  std::string name = prefix;
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool is_plain = cells[i].find_first_not_of("0123456789") == std::string::npos;
    const bool is_path = cells[i].starts_with("/");
    if (names_rank(columns[i]) && is_plain)
      subject.rank = rank_in("rank " + cells[i]).number;
    else if (names_host(columns[i]) && !is_plain && !is_path)
      subject.host = cells[i];
    else if ((names_member(columns[i]) || (is_path && i == 0)) && subject.device.empty())
      subject.device = is_plain ? label_words(columns[i])[0] + cells[i] : cells[i];
  }
  for (size_t i = 0; i < columns.size() && subject.empty(); ++i)
    if (names_something(columns[i]) && has_letter(cells[i]) && !names_code(cells[i]) &&
        cells[i].find(" /") == std::string::npos && !cells[i].starts_with("/"))  // "POST /v1/completions"
      subject.device = cells[i];
  if (subject.empty())
    subject.device = fused_name(columns, cells);
  if (subject.empty() && name_words_ == 1 && cells[0].find_first_of(" :") != std::string::npos)
    subject.host = host_among(cells[0]);  // "Brick node7:/bricks/b1"
  const bool is_named = !subject.empty();
  list_part(columns, cells, subject, sink);
  if (is_out_of_service(columns, cells))
    return true;
  if (std::string missing; is_incomplete(columns, cells, missing)) {
    if (missing.empty())
      entries_.note_states(sink);
    else
      entries_.open_state(
          cells[label_words(columns[0]) == std::vector<std::string>{"namespace"} ? 1 : 0] + ": " + missing,
          sink,
          "the states and events of what is missing, on the hosts where it should run");
    return true;
  }
  if (!is_named)
    subject.device = device_;
  if (subject.host.empty())
    subject.host = host_;
  const bool is_name = name_words_ > 1 || has_letter(cells[0]);
  const bool is_row_named = !is_named && is_name && !means(columns[0]) && !cell_value(cells[0]);
  if (is_row_named)
    name += cells[0] + " ";  // "Triad:"
  const bool is_keyed = !is_named && prefix.empty() && names_size(columns[0]) && !has_letter(cells[0]);
  if (is_keyed)
    name += columns[0] + " " + cells[0] + " ";
  of_row_ = is_row_named ? column_measure(cells[0]) : Measure{};
  if (is_row_named && of_row_.meaning == Meaning::None && !unit_.empty())
    of_row_ = measure_of("", unit_);
  bool any = false;
  for (size_t i = is_keyed; i < columns.size(); ++i) {
    // Rates of a named device, or beside a response time, are the load on it and not its speed.
    const bool is_load = measure_of("", columns[i]).meaning == Meaning::Rate && (is_named || is_load_);
    if (!is_load)
      any = cell(columns[i], cells[i], name, subject, sink) || any;
  }
  return any;
}

bool Tables::cell(
    const std::string& column,
    const std::string& value,
    const std::string& name,
    const Subject& subject,
    Sink& sink) {
  if (names_condition(column) || polarity_of(column) != Polarity::None)
    return entries_.entry(column, value, subject, sink);
  if (!subject.empty() && is_state_word(value) && column != subject.device)
    return entries_.condition(column, value, subject, sink);
  if (names_fill(column) && value.ends_with("%")) {
    entries_.note_states(sink);
    if (value == "100%")
      entries_.bad_state(column + " is " + value, subject, sink);
    return true;
  }
  const auto number = cell_value(value);
  if (!number || (!subject.empty() && is_waiting(label_words(column))))  // it waits for another
    return false;
  const bool has_unit = !number->unit.empty() && number->unit != "%";
  Measure measure = has_unit ? measure_of(column, number->unit) : column_measure(column);
  if (measure.meaning == Meaning::None && !name.empty())  // "Mem: " and "total"
    measure = column_measure(name + column);
  if (measure.meaning == Meaning::None && !unit_.empty() && !has_unit && !is_other_time(column) &&
      measure_of(column, "").meaning == Meaning::None && column_measure(column).meaning == Meaning::None)
    measure = measure_of("", unit_);
  if (measure.meaning == Meaning::None && has_unit && seconds_of(number->unit) > 0 && !name.empty() &&
      !is_other_time(name + column) && !is_waiting(label_words(name + column)))
    measure = measure_of_unit(number->unit);  // the time of what the row names
  if (measure.meaning == Meaning::None && of_row_.meaning != Meaning::None) {
    if (is_other_time(column))  // "max", "std": of one unlucky request
      return false;
    measure = of_row_;
  }
  return entries_.number(name + column, measure, number->value, subject, sink);
}

}  // namespace lento::desk
