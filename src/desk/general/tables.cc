// Recognises the head of a table by the meaning of its names, by a rule below it, or by a row of numbers
// below it, and passes the cells of each row to Entries under the names of their columns.
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
namespace {

const std::vector<std::string> kMetric{"metric"};

}  // namespace

// Returns whether the text is a row of numbers that follows a line of as many words.
bool Tables::is_first_row(std::string_view text) const {
  constexpr size_t kFewestWords = 5;
  const char last = text[text.find_last_of(" \t") + 1];
  if (last < '0' || last > '9')
    return false;
  std::vector<std::string> words = blank_cells(text);
  const std::vector<std::string> head = blank_cells(without_bars(candidate_));
  if (words.size() == head.size() && words.size() > kFewestWords && words[0].ends_with(":"))
    words[0] = "0";  // the name of the row, below a name of the column of names
  if (words.size() == head.size() + 1 && words[0].ends_with(":"))
    words.erase(words.begin());
  const auto is_number = [](const std::string& word) {
    return cell_value(word).has_value();
  };
  return words.size() >= kFewestWords && head.size() == words.size() &&
         std::ranges::none_of(head, is_number) && std::ranges::all_of(words, is_number);
}

// Begins a table whose head is the line before the current one (`candidate_`) and whose columns are `cells`.
// Does nothing when a table is open, there are fewer than two cells, or a cell is a number and no name.
void Tables::promote(std::vector<std::string> cells) {
  const bool is_head = cells.size() >= 2 && std::ranges::all_of(cells, [](const std::string& cell) {
                         return has_letter(cell) && cell.size() < kLongestName && !cell_value(cell);
                       });
  if (!is_head || !columns_.empty())
    return;
  head_line_ = candidate_;
  words_ = blank_cells(without_bars(candidate_));
  start_table(std::move(cells));
}

void Tables::start_table(std::vector<std::string> cells) {
  has_rows_ = false;
  is_ruled_ = false;
  begins_.clear();
  columns_ = std::move(cells);
  is_load_ = std::ranges::any_of(columns_, names_response_time);
}

// Begins a table when the line is a head: it has names only, and one of them is that of a measure, of a
// condition or of a kind of device or host. Returns whether it is.
bool Tables::begin_table(std::string_view text) {
  const bool is_comment = text.front() == '#' && text.size() > 1;
  if (is_comment)
    text = without_blanks(text.substr(std::min(text.find_first_not_of('#'), text.size())));
  // "Metric,avg,min": the rows state what they measure.
  const auto commas = std::ranges::count(text, ',');
  const bool is_of_metrics = commas > 0 && label_words(text.substr(0, text.find(','))) == kMetric;
  std::vector<std::string> cells = gap_cells(text);
  const size_t gaps = cells.size();
  const bool is_comma = is_of_metrics || (gaps < 3 && commas > 1);
  const bool is_barred = !is_comma && std::ranges::count(text, '|') > 1;
  if (is_comma)
    cells = comma_cells(text);
  if (is_barred) {
    cells = bar_cells(text);
    for (std::string& cell : cells)  // "data_size(Bytes): | avg_time(us):"
      if (cell.ends_with(":"))
        cell.pop_back();
  }
  if (cells.size() < 2 || (is_comma && is_head_of_samples(cells)))
    return false;
  if (names_parts(cells)) {
    separator_ = ' ';
    cells.insert(cells.begin(), "");
    prefix_.clear();
    words_.clear();
    start_table(std::move(cells));
    return true;
  }
  const bool is_pair = is_comment || is_of_metrics || (cells.size() == 2 && names_size(cells[0]));
  bool is_head = cells.size() >= (is_pair ? 2 : 3);
  bool means_something = is_of_metrics;
  for (const std::string& cell : cells) {
    if (cell.empty() && is_comma && &cell == &cells[0])  // the index of a data frame
      continue;
    if (cell.empty() || (&cell != &cells[0] && cell.ends_with(":")) || holds_number(cell))
      return false;
    const char first = cell[cell.size() > 1 && (cell[0] == '+' || cell[0] == '-') ? 1 : 0];
    const bool is_number = first >= '0' && first <= '9' && !cell.starts_with("10^");
    is_head = is_head && has_letter(cell) && !is_number && cell.size() < kLongestName;
    means_something = means_something || means(cell);
  }
  if (!is_head || !means_something)
    return false;
  separator_ = is_comma ? ',' : is_barred ? '|' : ' ';
  prefix_.clear();
  if (cells[0].ends_with(":")) {  // "RX:  bytes  packets  errors" is the head of rows of numbers
    prefix_ = cells[0].substr(0, cells[0].size() - 1) + " ";
    cells.erase(cells.begin());
  }
  head_line_ = text;
  words_ = blank_cells(text);  // where single blanks separate columns
  const bool is_by_gap = separator_ == ' ' && prefix_.empty() && gaps == cells.size();
  start_table(std::move(cells));
  for (size_t i = 0, at = 0; is_by_gap && i < columns_.size(); at += columns_[i++].size()) {
    at = head_line_.find(columns_[i], at);
    begins_.push_back(at + indent_);
  }
  return true;
}

bool Tables::means(const std::string& name) {
  if (label_words(name) == std::vector<std::string>{"desired"})
    return true;
  const Meaning meaning = column_measure(name).meaning;
  const bool is_number = meaning != Meaning::None && meaning != Meaning::Step && meaning != Meaning::Work;
  return is_number || names_condition(name) || names_member(name) || names_host(name) || names_rank(name) ||
         polarity_of(name) != Polarity::None;
}

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
  const std::vector<std::string> by_gap = gap_cells(text);
  const std::vector<std::string> by_blank = blank_cells(text);
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
    if (names_something(columns[i]) && has_letter(cells[i]))
      subject.device = cells[i];
  if (subject.empty() && cells[0].find_first_of(" :") != std::string::npos)
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
          sink);
    return true;
  }
  if (!is_named)
    subject.device = device_;
  if (subject.host.empty())
    subject.host = host_;
  const bool is_row_named = !is_named && has_letter(cells[0]) && !means(columns[0]) && !cell_value(cells[0]);
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

void Tables::rule(std::string_view text) {
  std::vector<size_t> begins;
  std::vector<std::string> names;
  const std::string head = std::string(candidate_indent_, ' ') + candidate_;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    names.emplace_back(
        without_blanks(std::string_view(head).substr(std::min(at + indent_, head.size()), end - at)));
    begins.push_back(at + indent_);
    at = std::min(text.find_first_not_of(' ', end), text.size());
  }
  const bool is_open = columns_.empty() || head_line_ == candidate_;
  // A name of the head may not lie across two columns, as where numbers are set to the right.
  const bool is_aligned = std::ranges::all_of(begins, [&](size_t begin) {
    return begin == 0 || begin >= head.size() || head[begin - 1] == ' ';
  });
  if (begins.size() < 3 || !is_open || !is_aligned) {
    promote(gap_cells(candidate_));
    is_ruled_ = is_ruled_ || (head_line_ == candidate_ && !columns_.empty());
    return;
  }
  columns_.clear();
  promote(std::move(names));
  is_ruled_ = !columns_.empty();
  if (is_ruled_)
    begins_ = std::move(begins);
}

void Tables::note_line(std::string_view text) {
  if (columns_.empty() && is_first_row(text))
    promote(blank_cells(without_bars(candidate_)));
  candidate_ = text;
  candidate_indent_ = indent_;
}

void Tables::blank_line() {
  if (!has_rows_)  // a blank line may separate the head from its rows
    return;
  columns_.clear();
  words_.clear();
}

}  // namespace lento::desk
