// Recognises the head of a table by the meaning of its names, by a rule below it, or by a row of numbers
// below it.
#include <algorithm>
#include <array>

#include "desk/general/aligned_heads.h"
#include "desk/general/cells.h"
#include "desk/general/states.h"
#include "desk/general/table_words.h"
#include "desk/general/tables.h"
#include "desk/read/rank_word.h"

namespace lento::desk {
namespace {

const std::vector<std::string> kMetric{"metric"};
constexpr size_t kFewestNumbers = 5;  // of a row that makes the line before it a head

// Returns the words of a head, where a share belongs to the word behind it: "99.9% percentile[usec]".
std::vector<std::string> head_words(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string& word : blank_cells(without_bars(line))) {
    const bool is_behind_share = !words.empty() && words.back().ends_with("%") && has_letter(word) &&
                                 words.back().find_first_not_of("0123456789.%") == std::string::npos;
    if (is_behind_share)
      words.back() += " " + word;
    else
      words.push_back(word);
  }
  return words;
}

// Returns whether a cell may be the name of a column.
bool may_be_name(const std::string& cell) {
  if (cell.empty() || cell.starts_with(":") || holds_number(cell))
    return false;
  const char first = cell[cell.size() > 1 && (cell[0] == '+' || cell[0] == '-') ? 1 : 0];
  const bool is_number = first >= '0' && first <= '9' && !cell.starts_with("10^");
  return has_letter(cell) && !is_number && cell.size() < kLongestName;
}

bool is_number_alone(const std::string& word) {
  return word.find(' ') == std::string::npos && cell_value(word).has_value();
}

}  // namespace

// Returns whether the text is a row of numbers that follows a line of as many words. Words in front of the
// numbers are the name of the row, whose number is set to `names`.
bool Tables::is_first_row(std::string_view text, size_t& names) const {
  names = 0;
  const char last = text[text.find_last_of(" \t") + 1];
  if (last < '0' || last > '9')
    return false;
  std::vector<std::string> words = blank_cells(text);
  const std::vector<std::string> head = head_words(candidate_);
  if (words.size() == head.size() + 1 && words[0].ends_with(":"))
    words.erase(words.begin());
  if (words.size() != head.size() || words.size() < kFewestNumbers ||
      std::ranges::any_of(head, is_number_alone))
    return false;
  const auto behind = std::find_if(words.rbegin(), words.rend(), [](const std::string& word) {
    return !is_number_alone(word);
  });
  names = size_t(words.rend() - behind);
  const bool is_named = words[0].ends_with(":") || (names == 2 && head[0].ends_with(":"));
  return names == 0 || (names < 3 && is_named && words.size() - names >= kFewestNumbers);
}

// Begins a table whose head is the line before the current one (`candidate_`) and whose columns are `cells`.
// Does nothing when a table is open, there are fewer than two cells, or a cell is a number and no name.
void Tables::promote(std::vector<std::string> cells) {
  const bool is_head = cells.size() >= 2 && std::ranges::all_of(cells, [](const std::string& cell) {
                         return has_letter(cell) && cell.size() < kLongestName && !is_number_alone(cell);
                       });
  if (!is_head || !columns_.empty())
    return;
  head_line_ = candidate_;
  words_ = head_words(candidate_);
  start_table(std::move(cells));
}

void Tables::start_table(std::vector<std::string> cells) {
  has_rows_ = false;
  name_words_ = 1;
  is_ruled_ = false;
  has_bars_ = false;
  begins_.clear();
  columns_ = std::move(cells);
  is_load_ = std::ranges::any_of(columns_, names_response_time);
}

// Makes the first `count` words of the rows their name, as below "HOST: node7".
void Tables::name_rows(size_t count) {
  words_ = name_joined(words_, count);
  words_[0] = "";
  name_words_ = count;
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
    // "face |bytes    packets": the bars lie between groups of columns.
    if (std::ranges::any_of(cells, [](const std::string& cell) {
          return cell.find("  ") != std::string::npos;
        }))
      return false;
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
  const bool has_index = is_comma && cells[0].empty();  // of a data frame
  if (cells.size() < (is_pair ? 2 : 3) || !std::all_of(cells.begin() + has_index, cells.end(), may_be_name) ||
      std::any_of(cells.begin() + 1, cells.end(), [](const std::string& cell) {
        return cell.ends_with(":");
      }))
    return false;
  if (!is_of_metrics && std::ranges::none_of(cells, means))
    return false;
  separator_ = is_comma ? ',' : is_barred ? '|' : ' ';
  prefix_.clear();
  size_t names = 1;
  if (separator_ == ' ' && cells[0].find(": ") != std::string::npos) {  // "HOST: node7  Loss%  Snt"
    names = blank_cells(cells[0]).size();
    cells[0] = "";
  } else if (cells[0].ends_with(":")) {  // "RX:  bytes  packets  errors" is the head of rows of numbers
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
  if (names > 1)
    name_rows(names);
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
  if (columns_.empty()) {
    AlignedHead head = aligned_head(above_, std::string(indent_, ' ') + std::string(text));
    size_t names = 0;
    const bool is_row = is_first_row(text, names);
    if (head.lines > size_t(is_row) && (!is_row || head.is_exact) &&
        (!unit_.empty() || std::ranges::any_of(head.columns, means))) {
      start_table(std::move(head.columns));
      words_ = columns_;
      head_line_.clear();
      separator_ = ' ';
      prefix_.clear();
      name_words_ = std::max<size_t>(head.names, 1);
      has_bars_ = true;
    } else if (is_row) {
      promote(head_words(candidate_));
      if (names > 1 && !columns_.empty()) {
        name_rows(names);
        columns_ = words_;
      }
    }
  }
  note_above(text);
  candidate_ = text;
  candidate_indent_ = indent_;
}

void Tables::note_above(std::string_view text) {
  constexpr size_t kMostLines = 3;
  if (above_.size() == kMostLines)
    above_.erase(above_.begin());
  above_.push_back(std::string(indent_, ' ') + std::string(text));
}

void Tables::blank_line() {
  if (!has_rows_)  // a blank line may separate the head from its rows
    return;
  columns_.clear();
  words_.clear();
}

}  // namespace lento::desk
