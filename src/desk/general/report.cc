// Reports of tools that no reader is made for. Three shapes hold what most of them state:
//
//   pairs  = [NAME newline] {[blanks] KEY (":" | "=" | "|") VALUE}
//            An unindented NAME names the part of what follows.
//   table  = COLUMN {gap COLUMN} newline {CELL {gap CELL}}
//            A gap is two or more blanks or a tab.
//   box    = {"|" COLUMNS {"|" COLUMNS}} "|==" {{"|" CELLS {"|" CELLS}}}
//            A row has as many lines as the head. Unicode's lines are read as "|", "=" (heavy) and "-".
//
// A head may stand in a comment ("# Size  Bandwidth (MB/s)"). Where a column has no meaning of its own, that
// of the row's name counts ("Request latency (ms)" and "avg"). A column of sizes is a part of the names of
// its row.
//
// A number whose label or unit says that it is a rate, a duration, a clock or a counter of errors is a state
// of its part, which its peers are compared with: the same report of other hosts, or the rows of one table. A
// word of a state ("OK", "Alarm") behind a key or in a column that is named so is good, or an event.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "desk/general/general.h"
#include "desk/general/labels.h"
#include "desk/general/states.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kMostCells = 64;
constexpr size_t kLongestName = 80;

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? std::string_view{}
                            : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// Parts between gaps of two or more blanks, or a tab.
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

std::vector<std::string> bar_cells(std::string_view line) {
  std::vector<std::string> cells;
  while (cells.size() < kMostCells) {
    const size_t end = line.find('|');
    cells.emplace_back(without_blanks(line.substr(0, end)));
    if (end == line.npos)
      break;
    line.remove_prefix(end + 1);
  }
  return cells;
}

// "\"OK\"," of a JSON document is OK.
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

// The number that a cell is, with its unit.
std::optional<LabelledValue> cell_value(std::string_view cell) {
  const std::vector<LabelledValue> values = labelled_values(cell);
  const bool begins = !cell.empty() && cell[0] >= '0' && cell[0] <= '9';
  const bool is_one =
      values.size() == 1 || (values.size() == 2 && cell.find("\xc2\xb1") != cell.npos);  // "812 ± 3"
  return begins && is_one ? std::optional(values[0]) : std::nullopt;
}

// The line with Unicode's box drawing (U+2500 to U+257F) in ASCII.
std::string without_box_drawing(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_drawing =
        text[i] == '\xe2' && i + 2 < text.size() && (text[i + 1] == '\x94' || text[i + 1] == '\x95');
    if (!is_drawing) {
      out += text[i];
      continue;
    }
    const std::string_view sign = text.substr(i, 3);
    const bool is_upright = sign == "\xe2\x94\x82" || sign == "\xe2\x94\x83" || sign == "\xe2\x95\x91";
    const bool is_heavy = sign == "\xe2\x94\x81" || sign == "\xe2\x95\x90";
    const bool is_light = sign == "\xe2\x94\x80";
    out += is_upright ? '|' : is_heavy ? '=' : is_light ? '-' : '+';
    i += 2;
  }
  return out;
}

// "Size", "Batch size": a column by which the rows of a table differ.
bool names_size(const std::string& column) {
  constexpr std::array<std::string_view, 8>
      kSizes{"size", "batch", "concurrency", "message", "users", "threads", "clients", "length"};
  const std::vector<std::string> words = label_words(column);
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(kSizes, word) != kSizes.end();
  });
}

bool is_speed(Meaning meaning) {
  return meaning == Meaning::Rate || meaning == Meaning::Clock || meaning == Meaning::Duration;
}

struct ReportValue {
  Quantity quantity;
  Subject subject;
  std::vector<double> values;
  int64_t line = 0;
  bool is_meant = false;
};

// A state of a whole that follows from one of its parts: reported where no part states its own.
struct LesserState {
  std::string meaning;
  Subject subject;
  std::string line;
  int64_t number = 0;
};

class Report : public Reader {
  static constexpr size_t kMostNames = 4096;
  static constexpr size_t kMostValues = 1024;  // of one name
  static constexpr int64_t kMostLines = 200'000;

  bool row(std::string_view line, Sink& sink) override {
    if (++lines_ > kMostLines)
      return false;
    const std::string drawn = line.find("\xe2") == line.npos ? "" : without_box_drawing(line);
    const std::string_view text = without_blanks(drawn.empty() ? line : drawn);
    if (text.empty()) {
      if (has_rows_) {  // a blank line may stand between the head and its rows
        columns_.clear();
        words_.clear();
      }
      return false;
    }
    if ((text.front() == '|' && (text.back() == '|' || text.back() == '+')) || text.front() == '+')
      return box_line(text, sink);
    if (text.front() == '|' || text.front() == '`')  // the branch of a tree
      return words_of_state(text.substr(std::min(text.find_first_not_of("|`-+ "), text.size())), sink);
    if (text.find_first_not_of("-=+ ") == text.npos)  // a rule
      return false;
    if (table_row(text, sink) || bar_row(text, sink))
      return true;
    if (is_heading(line)) {
      heading_ = text;
      return false;
    }
    return begin_table(text) || limit(text, sink) || check(text, sink) || sentence(text, sink) ||
           pair(text, sink) || numbers(text, sink);
  }

  // An unindented word alone in its line.
  static bool is_heading(std::string_view line) {
    return line[0] != ' ' && line[0] != '\t' && line.size() < kLongestName && has_letter(line) &&
           line.find_first_of(" \t:=|,;()[]{}<>\"'") == line.npos;
  }

  // A head has names only, and one of them is a measure, a state or a part.
  bool begin_table(std::string_view text) {
    const bool is_comment = text.front() == '#' && text.size() > 1;
    if (is_comment)
      text = without_blanks(
          text.substr(text.find_first_not_of('#') == text.npos ? 1 : text.find_first_not_of('#')));
    std::vector<std::string> cells = gap_cells(text);
    const bool is_pair = is_comment || (cells.size() == 2 && names_size(cells[0]));
    bool is_head = cells.size() >= (is_pair ? 2 : 3);
    bool means_something = false;
    for (const std::string& cell : cells) {
      const bool is_number = cell[0] >= '0' && cell[0] <= '9' && !cell.starts_with("10^");
      is_head = is_head && has_letter(cell) && !is_number && cell.size() < kLongestName;
      means_something = means_something || means(cell);
    }
    if (!is_head || !means_something)
      return false;
    prefix_.clear();
    if (cells[0].ends_with(":")) {  // "RX:  bytes  packets  errors" stands above rows of numbers
      prefix_ = cells[0].substr(0, cells[0].size() - 1) + " ";
      cells.erase(cells.begin());
    }
    has_rows_ = false;
    columns_ = std::move(cells);
    head_line_ = text;
    words_ = blank_cells(text);  // where single blanks stand between columns
    return true;
  }

  static bool means(const std::string& name) {
    const Meaning meaning = column_measure(name).meaning;
    const bool is_number = meaning != Meaning::None && meaning != Meaning::Step && meaning != Meaning::Work;
    return is_number || names_condition(name) || names_device(name) || names_host(name);
  }

  // The unit of a column may end its name: "Best Rate MB/s".
  static Measure column_measure(const std::string& name) {
    const size_t at = name.ends_with(")") ? name.rfind('(') : name.rfind(' ');
    std::string unit = at == name.npos ? name : name.substr(at + 1);
    if (unit.ends_with(")"))
      unit.pop_back();
    const Measure by_unit = measure_of(name, unit);
    return by_unit.meaning == Meaning::None ? measure_of(name, "") : by_unit;
  }

  bool table_row(std::string_view text, Sink& sink) {
    if (columns_.empty())
      return false;
    const std::vector<std::string> by_gap = gap_cells(text);
    const std::vector<std::string> by_blank = blank_cells(text);
    bool any = false;
    if (by_gap.size() == columns_.size())
      any = fields(columns_, by_gap, prefix_, sink);
    else if (by_blank.size() == columns_.size())
      any = fields(columns_, by_blank, prefix_, sink);
    else if (by_blank.size() == words_.size())
      any = fields(words_, by_blank, prefix_, sink);
    else if (const auto below = cells_below(text); !below.empty())
      any = fields(words_, below, prefix_, sink);
    has_rows_ = has_rows_ || any;
    return any;
  }

  // The words of a row that stand below those of the head, one each. Empty where most columns have none.
  std::vector<std::string> cells_below(std::string_view text) const {
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

  // One row of a table: its parts first, then its numbers and states. False: it holds neither.
  bool fields(
      const std::vector<std::string>& columns,
      const std::vector<std::string>& cells,
      const std::string& prefix,
      Sink& sink) {
    Subject subject;
    std::string name = prefix;
    for (size_t i = 0; i < columns.size(); ++i) {
      const bool is_plain = cells[i].find_first_not_of("0123456789") == std::string::npos;
      if (names_host(columns[i]) && !is_plain)
        subject.host = cells[i];
      else if (names_device(columns[i]) && subject.device.empty())
        subject.device = is_plain ? label_words(columns[i])[0] + cells[i] : cells[i];
    }
    for (size_t i = 0; i < columns.size() && subject.empty(); ++i)
      if (names_something(columns[i]) && has_letter(cells[i]))
        subject.device = cells[i];
    const bool is_named = !subject.empty();
    const bool is_row_named =
        !is_named && has_letter(cells[0]) && !means(columns[0]) && !cell_value(cells[0]);
    if (is_row_named)
      name += cells[0] + " ";  // "Triad:"
    const bool is_keyed = !is_named && prefix.empty() && names_size(columns[0]) && !has_letter(cells[0]);
    if (is_keyed)
      name += columns[0] + " " + cells[0] + " ";
    const Measure of_row = is_row_named ? column_measure(cells[0]) : Measure{};
    bool any = false;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (names_condition(columns[i]))
        any = condition(columns[i], cells[i], subject, sink) || any;
      else if (const bool is_load = is_named && measure_of("", columns[i]).meaning == Meaning::Rate; is_load)
        continue;  // "r/s" of a device is what was asked of it, not what it can do
      else if (const auto value = cell_value(cells[i]); value && !(is_keyed && i == 0)) {
        Measure measure = column_measure_with(columns[i], value->unit);
        if (measure.meaning == Meaning::None && of_row.meaning != Meaning::None) {
          if (is_other_time(columns[i]))  // "max", "std": of one unlucky request
            continue;
          measure = of_row;
        }
        if (measure.meaning == Meaning::None && is_row_named && !unit_.empty()) {
          if (is_other_time(columns[i]))
            continue;
          measure = measure_of("", unit_);
        }
        any = number(name + columns[i], measure, value->value, subject, sink) || any;
      }
    }
    return any;
  }

  static Measure column_measure_with(const std::string& column, const std::string& unit) {
    return unit.empty() || unit == "%" ? column_measure(column) : measure_of(column, unit);
  }

  // "FAN3 | 0 RPM | cr": the first cell that is a state is that of what the first cell of all names.
  bool bar_row(std::string_view text, Sink& sink) {
    const std::vector<std::string> cells = bar_cells(text);
    if (cells.size() < 3 || !has_letter(cells[0]) || cells[0].size() > kLongestName)
      return false;
    const auto at = std::find_if(cells.begin() + 1, cells.end(), [](const std::string& cell) {
      return condition_of(cell) == Condition::Good || condition_of(cell) == Condition::Bad;
    });
    return condition("state", at == cells.end() ? cells.back() : *at, {"", cells[0], ""}, sink);
  }

  // "Package id 0:  +61.0 C  (high = +88.0 C, crit = +98.0 C)": a value beside its limit.
  bool limit(std::string_view text, Sink& sink) {
    static const Pattern pattern("^{key}:~(?+?){value:num}{_}crit = (?+?){most:num}");
    Match match;
    if (!pattern.match(text, match) || match["key"].size() > kLongestName)
      return false;
    const double value = match.number("value").value_or(kUnknown);
    const double most = match.number("most").value_or(kUnknown);
    if (std::isnan(value) || std::isnan(most))
      return false;
    note_states(sink);
    if (value >= most)
      event(
          match.text("key") + " is " + match.text("value") + ", at or above its limit of " +
              match.text("most"),
          {"", heading_, ""},
          sink);
    return true;
  }

  // "Check of something ........ Healthy", "[FAIL] check", "check [ OK ]"
  bool check(std::string_view text, Sink& sink) {
    std::string_view key = text;
    std::string_view word;
    if (const size_t dots = text.find("..."); dots != text.npos) {
      key = text.substr(0, dots);
      word = text.substr(text.find_last_of('.') + 1);
    } else if (text.front() == '[' && text.find(']') != text.npos) {
      word = text.substr(1, text.find(']') - 1);
      key = text.substr(text.find(']') + 1);
    } else if (const size_t open = text.find_last_of("[(");
               open != text.npos && (text.back() == ']' || text.back() == ')')) {
      key = text.substr(0, open);
      word = text.substr(open + 1, text.size() - open - 2);
    } else {
      return words_of_state(text, sink);
    }
    key = without_blanks(key);
    return !word.empty() && key.size() < kLongestName && has_letter(key) &&
           condition(key, without_blanks(word), {"", heading_, ""}, sink);
  }

  // "https://n7:2379 is unhealthy: ..."
  bool sentence(std::string_view text, Sink& sink) {
    const size_t at = text.find(" is ");
    if (at == text.npos || at > kLongestName || text.substr(0, at).find(' ') != text.npos)
      return false;
    std::string_view word = text.substr(at + 4);
    word = word.substr(0, word.find_first_of(":, "));
    return condition("state", word, {"", std::string(text.substr(0, at)), ""}, sink);
  }

  // "ens1f0 DOWN 94:6d:...", "2:0:0:1 sdc 8:32 failed faulty running": capitals behind a name, or the last
  // words.
  bool words_of_state(std::string_view text, Sink& sink) {
    const std::vector<std::string> words = blank_cells(text);
    if (words.size() < 3)
      return false;
    const bool is_capital = words[1].find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    if (is_capital && has_letter(words[0]) && condition_of(words[1]) != Condition::Neutral &&
        condition("state", words[1], {"", words[0], ""}, sink))
      return true;
    size_t first = words.size();
    while (first > 0 && condition_of(words[first - 1]) != Condition::Unknown)
      --first;
    if (first < 2 || words.size() - first < 2)
      return false;
    const auto bad =
        std::find_if(words.begin() + std::ptrdiff_t(first), words.end(), [](const std::string& word) {
          return condition_of(word) == Condition::Bad;
        });
    std::string name = words[0];
    for (size_t i = 1; i < first; ++i)
      name += " " + words[i];
    return name.size() < kLongestName &&
           condition("state", bad == words.end() ? words.back() : *bad, {"", name, ""}, sink);
  }

  bool pair(std::string_view text, Sink& sink) {
    const size_t colon = text.find(": ");
    const size_t at = std::min(colon, text.find(" = "));
    if (at == text.npos)
      return false;
    const std::string_view key = without_quotes(text.substr(0, at));
    const std::string_view value = without_quotes(text.substr(at + (at == colon ? 1 : 2)));
    if ((key == "Id" || key == "id" || key == "Name" || key == "name") && value.size() < kLongestName)
      heading_ = value;
    return key.size() < kLongestName && names_condition(key) &&
           condition(key, value, {"", heading_, ""}, sink);
  }

  // "GPU #3: 51494 Gflops/s", "Device 3  812 GB/s", "cuda:3 ...": the part that a line begins with, whose
  // colon or blank ends it.
  static std::string part_of(std::string_view text) {
    const size_t word = text.find_first_of(" #:=[");
    constexpr std::array<std::string_view, 4> kOthers{"Worker", "worker", "GCD", "Socket"};
    const std::string_view name = text.substr(0, word);
    if (word == text.npos || (!names_device(name) && std::ranges::find(kOthers, name) == kOthers.end()))
      return "";
    size_t at = word;
    while (at < text.size() &&
           (text[at] == ' ' || text[at] == '#' || text[at] == ':' || text[at] == '[' || text[at] == '='))
      ++at;
    const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    const bool is_number =
        end > at && end - at < 4 && end < text.size() && text[end] != '.' && text[end] != '%';
    return is_number ? label_words(text.substr(0, word))[0] + std::string(text.substr(at, end - at)) : "";
  }

  bool numbers(std::string_view text, Sink& sink) {
    const Subject part{"", part_of(text), ""};
    // "Bandwidths are in MB/sec": of the numbers behind that have no unit of their own.
    // "SUMMARY rate (in ops/sec):" too.
    static const Pattern units("are in {unit:word}");
    static const Pattern title_units("(in {unit}):");
    Match match;
    if ((units.match(text, match) || title_units.match(text, match)) &&
        is_speed(measure_of("", match["unit"]).meaning))
      unit_ = match.text("unit");
    bool any = false;
    const size_t colon = text.find(": ");
    constexpr size_t kLongestTitle = 48;
    const bool has_title = colon < kLongestTitle;
    const std::vector<LabelledValue> values = labelled_values(text);
    // A number in brackets repeats the one in front of it in another unit, where that is a speed.
    const bool is_repeated = std::ranges::any_of(values, [](const LabelledValue& value) {
      return !value.is_bracketed && is_speed(measure_of(value.label, value.unit).meaning);
    });
    const bool is_unlabelled = std::ranges::all_of(values, [](const LabelledValue& value) {
      return value.label.empty() && value.unit.empty();
    });
    unlabelled_ += is_unlabelled && !values.empty();
    for (const LabelledValue& value : values) {
      if (is_unlabelled) {
        const size_t index = size_t(&value - values.data()) + 1;
        number(
            "number " + std::to_string(index) + " of line " + std::to_string(unlabelled_) + " of numbers",
            {},
            value.value,
            {},
            sink);
        continue;
      }
      const std::string title =
          has_title && part.empty() &&
                  (value.label.empty() || !text.substr(0, colon).starts_with(value.label))
              ? std::string(text.substr(0, colon + 1)) + " "
              : "";
      if (!value.is_bracketed || !is_repeated)
        any = number(
                  title + (value.label.empty() ? value.unit : value.label),
                  measure_of(value.label, value.unit.empty() && value.has_point ? unit_ : value.unit),
                  value.value,
                  part,
                  sink) ||
              any;
    }
    return any;
  }

  bool
  number(const std::string& name, const Measure& measure, double value, const Subject& subject, Sink& sink) {
    if (measure.meaning == Meaning::Uncorrected && value > 0) {
      event(name + " " + std::to_string(int64_t(std::min(value, 1e15))), subject, sink);
      return true;
    }
    const bool is_errors = measure.meaning == Meaning::Errors || measure.meaning == Meaning::Uncorrected;
    const bool is_meant = is_errors || is_speed(measure.meaning);
    // A number without a known meaning is compared with its peers, but one that differs accuses nobody: the
    // outcome is then *cannot judge*.
    const bool is_compared = has_letter(name) && subject.empty();
    if ((!is_meant && !is_compared) || (is_speed(measure.meaning) && !(value > 0)) ||
        name.size() > kLongestName)
      return false;
    const std::string key = subject.host + '\n' + subject.device + '\n' + name + '\n' + measure.unit;
    auto at = values_.find(key);
    if (at == values_.end()) {
      if (values_.size() == kMostNames)
        return false;
      at = values_.try_emplace(key).first;
      at->second.is_meant = is_meant;
      at->second.subject = subject;
      at->second.line = sink.number();
      Quantity& quantity = at->second.quantity;
      quantity = {name, measure.unit, is_errors ? Kind::Counter : Kind::Level, Better::Lower, kGroup};
      if (measure.meaning == Meaning::Rate || measure.meaning == Meaning::Clock)
        quantity.better = Better::Higher;
      if (!is_meant) {
        quantity.better = Better::Neither;
        quantity.group = kUnreadGroup;
      }
      quantity.advice =
          "run the same there again, alone; then look at its clocks, temperatures, links and kernel log";
    }
    if (at->second.values.size() < kMostValues)
      at->second.values.push_back(value * measure.scale);
    return is_meant;
  }

  bool condition(std::string_view key, std::string_view value, const Subject& subject, Sink& sink) {
    const Condition condition = condition_of(value);
    if (condition == Condition::Unknown)
      return false;
    if (condition != Condition::Neutral)
      note_states(sink);
    if (condition != Condition::Bad)
      return true;
    const std::string meaning = std::string(key) + " is " + std::string(value);
    constexpr size_t kMostLesser = 64;
    if (!is_consequence(value))
      event(meaning, subject, sink);
    else if (lesser_.size() < kMostLesser)
      lesser_.push_back({meaning, subject, std::string(sink.line()), sink.number()});
    return true;
  }

  void note_states(Sink& sink) {
    has_states_ = true;
    sink.covers("states of parts");
  }

  void event(const std::string& meaning, const Subject& subject, Sink& sink) {
    Event event;
    event.kind = "state/" + meaning;
    event.severity = Severity::Fault;
    event.origin = Origin::Unclear;
    event.subject = subject;
    event.meaning = meaning;
    event.action = "look at that part with the tool that wrote this, and at its kernel log";
    note_states(sink);
    has_fault_ = true;
    sink.event(std::move(event));
  }

  // A box has as many lines a row as its head.
  bool box_line(std::string_view text, Sink& sink) {
    const bool is_rule = text.find_first_not_of("|+-=: ") == text.npos;
    if (is_rule) {
      const bool is_markdown = text.find('+') == text.npos && head_.empty();
      const bool is_grid = head_.empty() && box_.size() == 1 && holds_names(box_[0]);
      if (!box_.empty() && (is_markdown || is_grid || text.find('=') != text.npos))
        head_ = std::move(box_);
      box_.clear();
      return false;
    }
    std::vector<std::string> cells = bar_cells(text.substr(1));
    if (!cells.empty() && cells.back().empty())
      cells.pop_back();
    constexpr size_t kMostBoxLines = 8;
    if (box_.size() < kMostBoxLines)
      box_.push_back(std::move(cells));
    if (head_.empty() || box_.size() < head_.size())
      return false;
    const bool any = box_row(sink);
    box_.clear();
    return any;
  }

  static bool holds_names(const std::vector<std::string>& cells) {
    return cells.size() > 1 && std::ranges::all_of(cells, [](const std::string& cell) {
             return has_letter(cell) && !(cell[0] >= '0' && cell[0] <= '9');
           });
  }

  bool box_row(Sink& sink) {
    std::vector<std::string> columns;
    std::vector<std::string> values;
    for (size_t line = 0; line < head_.size(); ++line) {
      if (head_[line].size() != box_[line].size())
        return false;
      for (size_t i = 0; i < head_[line].size(); ++i) {
        std::vector<std::string> names = gap_cells(head_[line][i]);
        std::vector<std::string> cells = gap_cells(box_[line][i]);
        if (names.size() != cells.size()) {
          names = {head_[line][i]};
          cells = {box_[line][i]};
        }
        columns.insert(columns.end(), names.begin(), names.end());
        values.insert(values.end(), cells.begin(), cells.end());
      }
    }
    return fields(columns, values, "", sink);
  }

  void end(Sink& sink) override {
    if (has_fault_)
      lesser_.clear();
    for (size_t i = 0; i < lesser_.size(); ++i) {
      sink.at(lesser_[i].line, lesser_[i].number, {}, {});
      event(lesser_[i].meaning, lesser_[i].subject, sink);
    }
    if (has_states_)
      sink.took();
    for (const auto& [key, value] : values_) {
      sink.at("", value.line, {}, {});
      sink.state(value.quantity, evidence::median(value.values), {value.subject});
      if (value.is_meant)
        sink.took();
    }
  }

  static constexpr const char* kGroup =
      "report";  // incident/states.cc judges both with the grain of what is printed
  static constexpr const char* kUnreadGroup = "report, without a meaning";
  int64_t lines_ = 0;
  int64_t unlabelled_ = 0;  // lines of numbers alone
  bool has_states_ = false;
  bool has_fault_ = false;
  bool has_rows_ = false;  // of the last head
  std::string heading_;
  std::string unit_;                  // that a line states for those behind it
  std::vector<std::string> columns_;  // the head of the table, set apart by gaps
  std::vector<std::string> words_;    // the same, set apart by blanks
  std::string head_line_;
  std::string prefix_;
  std::vector<std::vector<std::string>> head_;
  std::vector<std::vector<std::string>> box_;
  std::map<std::string, ReportValue> values_;
  std::vector<LesserState> lesser_;
};

}  // namespace

const Format kReport{"report by its labels", "general", {}, Shape::Rest, make<Report>, nullptr, {}, {}, true};

Formats general_formats() {
  return {&kStepSeries, &kReport};
}

}  // namespace lento::desk
