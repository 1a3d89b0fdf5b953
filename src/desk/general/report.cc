// Reports of tools that no reader is made for. Three shapes hold what most of them state:
//
//   pairs  = {heading | [blanks] KEY (":" | "=" | "|") VALUE}
//   heading = [blanks] NAME [":"]
//            A heading, or a pair that names a hardware part ("GPU: 3", "hca_id: mlx5_0"), names the part
//            that the next lines are about, up to a line that is indented no deeper.
//   table  = COLUMN {gap COLUMN} newline {CELL {gap CELL}}
//            Hosts or devices may be the columns ("node0  node1"), above rows that are named after measures.
//            A gap is two or more blanks, a tab, or a comma in all lines. A time of day may precede it.
//   box    = {"|" COLUMNS {"|" COLUMNS}} "|==" {{"|" CELLS {"|" CELLS}}}
//            A row has as many lines as the head.
//
// A head may be in a comment ("# Size  Bandwidth (MB/s)"), and boxes in Unicode's lines. Where a column
// has no meaning of its own, that of the row's name counts ("Request latency (ms)" and "avg"). The cell
// of a column of sizes ("Batch size") becomes a part of the name of each number in its row.
//
// What a key and its value mean is decided in one place for all of them (entries.h).
#include <algorithm>
#include <array>
#include <cmath>

#include "base/json.h"
#include "desk/general/cells.h"
#include "desk/general/entries.h"
#include "desk/general/general.h"
#include "desk/general/label_sense.h"
#include "desk/general/letter_rows.h"
#include "desk/general/part_context.h"
#include "desk/general/report_lines.h"
#include "desk/general/states.h"
#include "desk/general/tables.h"
#include "desk/general/tree.h"
#include "desk/read/host_parts.h"
#include "desk/read/rank_word.h"
#include "desk/read/rest_lines.h"

namespace lento::desk {
namespace {

class Report : public RestReader {
  static constexpr int64_t kMostLines = 200'000;

  bool takes_log_lines() const override {
    return false;
  }
  bool found_nothing() const override {
    return found_nothing_;
  }
  bool has_meaning(std::string_view word) const override {
    return has_meaning_alone(word);
  }

  bool row(std::string_view line, Sink& sink) override {
    found_nothing_ = ++lines_ > kMostLines;
    if (found_nothing_)
      return false;
    const std::string drawn = line.find("\xe2") == line.npos ? "" : without_box_drawing(line);
    std::string_view text = without_clock(without_blanks(drawn.empty() ? line : drawn));
    take_host(text);
    if (text.empty()) {
      tables_.blank_line();
      return false;
    }
    const size_t indent = line.find_first_not_of(" \t");
    tables_.set_indent(indent);
    if ((text.front() == '|' && (text.back() == '|' || text.back() == '+')) || text.front() == '+') {
      const std::vector<std::string> cells = box_cells(text);
      const bool is_read = tables_.box_line(text, host_, sink);
      // Two cells of words are the head of a box.
      const bool is_pair =
          tables_.is_pair_of_box(cells) &&
          (is_state_word(cells[1]) || cells[1].find_first_of("0123456789") != std::string::npos);
      return is_read || (is_pair && pair(cells[0] + ": " + cells[1], sink));
    }
    if (text.starts_with("|-") || text.starts_with("`-") || text.starts_with("| ")) {
      const std::string_view leaf = text.substr(std::min(text.find_first_not_of("|`-+ "), text.size()));
      if (leaf.find(" = ") == leaf.npos)  // the branch of a tree
        return words_of_state(leaf, sink);
      text = leaf;
    }
    if (text.find_first_not_of("-=+ ") == text.npos) {  // a rule below a head
      tables_.rule(text);
      return false;
    }
    if (text.front() == '{' && text.back() == '}' && record(text, sink))
      return true;
    note_unit(text);
    tables_.note_line(text);
    // Indented rows below a heading are about the part that it names.
    const bool is_set_in = line.starts_with(" ") || line.starts_with("\t");
    tables_.set_device(is_set_in ? context_.device(true) : "");
    if (tables_.table_row(text, host_, sink) || letters_.take(text, host_) || row_of_state(text, sink))
      return true;
    if (is_heading(line)) {
      context_.name(0, text);
      return false;
    }
    if (const std::string_view part = headed_part(text);
        !part.empty() || (text.ends_with(":") && text.find('|') == text.npos)) {
      context_.name(indent, part.empty() ? part_of(text) : part);
      if (!part.empty() && names_device(part.substr(0, part.find(' '))))
        entries_.part(std::string(part), sink);
      return false;
    }
    context_.enter(indent);
    indent_ = indent;
    is_read_ = false;
    found_nothing_ =
        !(value_of_file(text, sink) || named_values(text, sink) || tables_.begin_table(text) ||
          limit(text, sink) || check(text, sink) || sentence(text, sink) || pair(text, sink) ||
          outcome(text, sink) || numbers(text, sink));
    return !found_nothing_;
  }

  // Reads a line that states the unit of later numbers without one: "Bandwidths are in MB/sec", "SUMMARY rate
  // (in ops/sec):".
  void note_unit(std::string_view text) {
    static const Pattern units("are in {unit:word}");
    static const Pattern title_units("(in {unit}):");
    static const Pattern output_units("is in {unit:word}");
    static const Pattern heading_units("({unit:name})$");
    Match match;
    const bool is_heading =
        text.find_first_of("0123456789:=|") == text.npos && heading_units.match(text, match);
    if (!(is_heading || units.match(text, match) || title_units.match(text, match) ||
          output_units.match(text, match)) ||
        !is_speed(measure_of("", match["unit"]).meaning))
      return;
    unit_ = match.text("unit");
    tables_.set_unit(unit_);
  }

  // Takes a line that is a JSON object which names a host or a device: {"node": "n7", "gemm-flops": 61210.2}.
  bool record(std::string_view text, Sink& sink) {
    try {
      return walk_tree(base::parse_json(text, ""), entries_, sink, TreeRoot::Part);
    } catch (const base::Error&) {
      return false;
    }
  }

  // Removes the name of the host that wrote the line, and keeps it: "node7: text".
  void take_host(std::string_view& text) {
    const size_t colon = text.find(": ");
    std::string_view name = text.substr(0, colon);
    const size_t slashes = name.find("://");  // " * http://10.4.0.20:9000: Avg: 812 MiB/s"
    const bool is_server = slashes != name.npos && name.find_first_of(" /", slashes + 3) == name.npos;
    if (is_server)
      name = name.substr(slashes + 3, name.rfind(':') > slashes ? name.rfind(':') - slashes - 3 : name.npos);
    const bool is_host = colon != text.npos && (is_server || is_host_word(name));
    host_ = is_host ? std::string(name) : "";
    if (is_host)
      text = without_blanks(text.substr(colon + 1));
  }

  Subject part(std::string device) const {
    const RankWord rank = rank_in(device);
    const bool is_rank = !rank.number.empty() && rank.begin == 0 && rank.end == device.size();
    return is_rank ? Subject{host_, "", rank.number} : Subject{host_, std::move(device), ""};
  }

  // Takes the outcome of a check among other words, or a line at the level of an error: "ERROR: Health check
  // failed: why", "NHC: check passed".
  bool outcome(std::string_view text, Sink& sink) {
    constexpr std::array<std::string_view, 4> kChecks{"check", "checks", "test", "tests"};
    constexpr std::array<std::string_view, 6>
        kOutcomes{"passed", "failed", "pass", "fail", "succeeded", "ok"};
    bool is_check = false;
    for (const std::string& word : label_words(text)) {
      is_check = is_check || std::ranges::find(kChecks, word) != kChecks.end();
      if (!is_check || std::ranges::find(kOutcomes, word) == kOutcomes.end())
        continue;
      if (word.starts_with("fail"))
        alarm(text, true, sink);
      else
        entries_.note_states(sink);
      return true;
    }
    const bool is_remark = text.starts_with("(no ") && text.ends_with(")") &&
                           condition_of(text.substr(1, text.size() - 2)) == Condition::Good;
    if (is_remark || (text.starts_with("-I- ") && text.ends_with("successfully")))
      entries_.note_states(sink);
    if (!is_at_error_level(text))
      return false;
    alarm(text, false, sink);
    return true;
  }

  // Writes the failure that a line states. A line at the level of an error that names no host and no part
  // becomes an open question.
  void alarm(std::string_view text, bool is_failed_check, Sink& sink) {
    constexpr size_t kMostText = 160;
    const std::string meaning(text.substr(0, kMostText));
    Subject subject = part(context_.device(true));
    for (size_t at = 0; at < text.size() && subject.host.empty();) {
      const size_t end = std::min(text.find_first_of(" /:,()[]\"'", at), text.size());
      if (is_host_word(text.substr(at, end - at)))
        subject.host = text.substr(at, end - at);
      at = end + 1;
    }
    if (is_failed_check || !subject.empty() || !sink.subject().host.empty()) {
      entries_.bad_state(meaning, subject, sink);
      return;
    }
    Event event;
    event.kind = "unread/state";
    event.meaning = meaning;
    sink.event(std::move(event));
    sink.took();
  }

  // Takes the values of several names: "Latencies  [min, mean, max]  1.2ms, 3.4ms, 9.9ms".
  bool named_values(std::string_view text, Sink& sink) {
    const size_t open = text.find('[');
    const size_t close = text.find(']', std::min(open, text.size()));
    if (close == text.npos || open == 0 || open > kLongestName)
      return false;
    const std::vector<std::string> names = comma_cells(text.substr(open + 1, close - open - 1));
    const std::vector<std::string> values = comma_cells(text.substr(close + 1));
    if (names.size() < 2 || names.size() != values.size() ||
        !std::ranges::all_of(names, has_letter_or_figure))
      return false;
    const std::string key(without_blanks(text.substr(0, open)));
    bool any = false;
    for (size_t i = 0; i < names.size(); ++i)
      any = entries_.entry(key + " " + names[i], values[i], part(context_.device(true)), sink) || any;
    return any;
  }

  // Takes a row such as "FAN3 | 0 RPM | cr" or "Node #3 - 172.16.5.14 - READY": the first cell names a part,
  // and the first cell with a word for a condition states that of the part. An address is that of a host.
  bool row_of_state(std::string_view text, Sink& sink) {
    const bool is_barred = text.find('|') != text.npos;
    const std::vector<std::string> cells = is_barred ? bar_cells(text) : dash_cells(text);
    if (cells.size() < 3 || !has_letter(cells[0]) || cells[0].size() > kLongestName)
      return false;
    const auto at = std::find_if(cells.begin() + 1, cells.end(), [&](const std::string& cell) {
      return is_barred ? condition_of(cell) == Condition::Good || condition_of(cell) == Condition::Bad
                       : is_state_word(cell);
    });
    if (!is_barred && (at == cells.end() || cells[0].find_first_of("0123456789") == std::string::npos))
      return false;
    const auto address = std::find_if(cells.begin() + 1, cells.end(), is_address);
    const Subject subject = address == cells.end() ? Subject{host_, cells[0], ""} : Subject{*address, "", ""};
    return entries_.condition("state", at == cells.end() ? cells.back() : *at, subject, sink);
  }

  // Compares a value with its limit: "Package id 0:  +61.0 C  (high = +88.0 C, crit = +98.0 C)".
  bool limit(std::string_view text, Sink& sink) {
    static const Pattern pattern("^{key}:~(?+?){value:num}{_}crit = (?+?){most:num}");
    Match match;
    if (!pattern.match(text, match) || match["key"].size() > kLongestName)
      return false;
    const double value = match.number("value").value_or(kUnknown);
    const double most = match.number("most").value_or(kUnknown);
    if (std::isnan(value) || std::isnan(most))
      return false;
    entries_.note_states(sink);
    if (value >= most)
      entries_.bad_state(
          match.text("key") + " is " + match.text("value") + ", at or above its limit of " +
              match.text("most"),
          part(context_.device(false)),
          sink);
    return true;
  }

  // Takes a check and its outcome: "Check of something ........ Healthy", "[FAIL] check", "check [ OK ]".
  bool check(std::string_view text, Sink& sink) {
    // "Speed 8GT/s (downgraded), Width x8 (ok)": the last brackets do not hold the state of the line.
    if (text.find("(downgraded)") != text.npos)
      return false;
    std::string_view key = text;
    std::string_view word;
    if (const size_t dots = text.find("..."); dots != text.npos) {
      key = text.substr(0, dots);
      word = text.substr(text.find_last_of('.') + 1);
    } else if (text.front() == '[' && text.find(']') != text.npos) {
      word = text.substr(1, text.find(']') - 1);
      key = text.substr(text.find(']') + 1);
      if (key.starts_with(":"))  // "[Error]: text" is a line at a level
        return false;
    } else if (const size_t open = text.find_last_of("[(");
               open != text.npos && (text.back() == ']' || text.back() == ')')) {
      key = text.substr(0, open);
      word = text.substr(open + 1, text.size() - open - 2);
    } else {
      return words_of_state(text, sink);
    }
    key = without_blanks(key);
    word = without_blanks(word);
    while (!word.empty() && (word.front() == '[' || word.front() == '('))
      word = without_blanks(word.substr(1));
    while (!word.empty() && (word.back() == ']' || word.back() == ')'))
      word = without_blanks(word.substr(0, word.size() - 1));
    if (key.find(' ') == key.npos && key.find_first_of("0123456789") != key.npos)  // the name of a part
      return entries_.condition(
          "state",
          word,
          is_host_word(key) ? Subject{std::string(key), "", ""} : part(std::string(key)),
          sink);
    if (!word.empty() && key.size() < kLongestName && has_letter(key) &&
        entries_.condition(key, word, part(context_.device(false)), sink))
      return true;
    return words_of_state(text, sink);
  }

  // Takes a sentence that states the condition of a device or service: "https://n7:2379 is unhealthy: ...".
  bool sentence(std::string_view text, Sink& sink) {
    const size_t blank = text.find(' ');
    if (text.ends_with(".") && blank != text.npos &&
        text.substr(0, blank).find_first_of("0123456789") != text.npos &&
        is_state_word(text.substr(blank + 1, text.size() - blank - 2)))  // "OST0004 active."
      return entries_.condition(
          "state",
          text.substr(blank + 1, text.size() - blank - 2),
          {"", std::string(text.substr(0, blank)), ""},
          sink);
    const size_t at = text.find(" is ");
    if (at == text.npos || at > kLongestName || text.substr(0, at).find(' ') != text.npos)
      return false;
    std::string_view word = text.substr(at + 4);
    word = word.substr(0, word.find_first_of(":, "));
    return entries_.condition("state", word, {"", std::string(text.substr(0, at)), ""}, sink);
  }

  // Takes a state in capitals behind a name, or in the last words of a line: "ens1f0 DOWN 94:6d:...",
  // "2:0:0:1 sdc 8:32 failed faulty running".
  bool words_of_state(std::string_view text, Sink& sink) {
    const std::vector<std::string> words = blank_cells(text);
    if (words.size() < 3 || words[0].ends_with(":"))
      return false;
    const bool is_capital = words[1].find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    if (is_capital && has_letter(words[0]) && condition_of(words[1]) != Condition::Neutral &&
        entries_.condition("state", words[1], {"", words[0], ""}, sink))
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
           entries_.condition("state", bad == words.end() ? words.back() : *bad, {"", name, ""}, sink);
  }

  // Takes a line with the path and content of a file that holds one value (FileOfValue).
  bool value_of_file(std::string_view text, Sink& sink) {
    const FileOfValue file = file_of_value(text);
    return !file.device.empty() && entries_.entry(file.key, file.value, part(file.device), sink);
  }

  bool pair(std::string_view text, Sink& sink) {
    if (!part_of(text).empty())  // its numbers are those of that part
      return false;
    const size_t colon = std::min(text.find(": "), text.find(":\t"));
    size_t at = std::min(colon, text.find(" = "));
    const bool is_gap = at == text.npos && gap_cells(text).size() == 2 && !is_figures(gap_cells(text)[0]);
    if (is_gap)  // "NAME   VALUE"
      at = text.find("  ");
    if (at == text.npos)
      return false;
    const std::string_view key = without_quotes(text.substr(0, at));
    const std::string_view value = without_quotes(text.substr(at + (at == colon ? 1 : 2)));
    if (listed_parts(key, value, sink))
      return true;
    if (names_part(key) && !value.empty() && value.size() < kLongestName)
      name_part(key, value, sink);
    const std::string device = context_.device(!names_condition(key));
    const bool is_link_state = value.find("(downgraded)") != value.npos || value.find(" (ok)") != value.npos;
    if (is_link_state)
      return entries_.entry(std::string(key), value, part(device), sink);
    const size_t numbers = labelled_values(value).size();
    const auto whole = cell_value(value);
    const bool is_measure = numbers > 0 && (numbers > 1 || !unit_.empty() || !whole || !whole->label.empty());
    if (is_measure && !names_condition(key) && !(is_gap && has_letter(value.substr(0, 1))))
      return false;
    const bool is_known = entries_.entry(std::string(key), value, part(device), sink);
    is_read_ = numbers == 1 && (!is_gap || is_known);
    return is_known;
  }

  // Takes a state with the parts that are in it ("Online: [ n1 n2 ]", "* OFFLINE: [ n3 ]"), or a part with
  // its state ("OST0004: active.").
  bool listed_parts(std::string_view key, std::string_view value, Sink& sink) {
    key = without_blanks(key.substr(std::min(key.find_first_not_of("* "), key.size())));
    if (is_state_word(key) && value.starts_with("[")) {
      for (const std::string& name : blank_cells(value))
        if (name != "[" && name != "]")
          entries_.condition("state", key, is_host_word(name) ? Subject{name, "", ""} : part(name), sink);
      return true;
    }
    if (value.ends_with("."))
      value.remove_suffix(1);
    const bool is_part = key.find(' ') == key.npos && key.find_first_of("0123456789") != key.npos;
    return is_part && (is_state_word(value) || condition_of(value) == Condition::Bad) &&
           entries_.condition(
               "state",
               value,
               is_host_word(key) ? Subject{std::string(key), "", ""} : part(std::string(key)),
               sink);
  }

  void name_part(std::string_view key, std::string_view value, Sink& sink) {
    const std::string device = is_figures(value) ? std::string(key) + std::string(value) : std::string(value);
    context_.name(indent_, device);
    if (names_device(key))
      entries_.part(device, sink);
  }

  static bool is_figures(std::string_view text) {
    return text.find_first_not_of("0123456789") == text.npos;
  }

  // Returns whether the value of this key names a hardware part: "Id", "Name", "hca_id", "GPU", "Device".
  static bool names_part(std::string_view key) {
    const std::vector<std::string> words = label_words(key);
    const bool is_name = words.size() == 1 && (words[0] == "id" || words[0] == "name");
    return is_name || names_device(key);
  }

  bool numbers(std::string_view text, Sink& sink) {
    if (is_read_)
      return false;
    const std::string first = part_of(text);
    const std::string own = first.empty() ? bracketed_part(text) : first;
    const Subject subject = part(own.empty() ? context_.device(true) : own);
    const size_t colon = text.find(": ");
    constexpr size_t kLongestTitle = 48;
    const bool has_title = colon < kLongestTitle && own.empty();
    const std::vector<LabelledValue> values = labelled_values(text);
    // A number in brackets behind a speed repeats that speed in another unit.
    const bool is_repeated = std::ranges::any_of(values, [](const LabelledValue& value) {
      return !value.is_bracketed && is_speed(measure_of(value.label, value.unit).meaning);
    });
    const bool is_unlabelled = std::ranges::all_of(values, [](const LabelledValue& value) {
      return value.label.empty() && value.unit.empty();
    });
    unlabelled_ += is_unlabelled && !values.empty();
    bool any = false;
    for (const LabelledValue& value : values) {
      if (is_unlabelled) {
        const size_t index = size_t(&value - values.data()) + 1;
        entries_.number(
            "number " + std::to_string(index) + " of line " + std::to_string(unlabelled_) + " of numbers",
            {},
            value.value,
            {},
            sink);
        continue;
      }
      const std::string title =
          has_title && (value.label.empty() || !text.substr(0, colon).starts_with(value.label))
              ? std::string(text.substr(0, colon + 1)) + " "
              : "";
      if (!value.is_bracketed || !is_repeated)
        any = entries_.number(
                  title + (value.label.empty() ? value.unit : value.label),
                  measure_of(value.label, value.unit.empty() && value.has_point ? unit_ : value.unit),
                  value.value,
                  subject,
                  sink) ||
              any;
    }
    return any;
  }

  void document(std::string_view text, const std::string& path, Sink& sink) override {
    walk_tree(base::parse_json(text, path), entries_, sink, TreeRoot::Any);
  }

  void end(Sink& sink) override {
    letters_.end(entries_, sink);
    entries_.end(sink);
  }

  int64_t lines_ = 0;
  bool found_nothing_ = false;  // in the last line
  int64_t unlabelled_ = 0;      // lines of numbers alone
  std::string unit_;            // that a line states for those behind it
  size_t indent_ = 0;           // of the line
  bool is_read_ = false;        // the line is a pair whose number is taken
  std::string host_;            // that the line names
  PartContext context_;
  Entries entries_;
  Tables tables_{entries_};
  LetterRows letters_;
};

}  // namespace

const Format kReport{"report by its labels", "general", {}, Shape::Rest, make<Report>, nullptr, {}, {}, true};

Formats general_formats() {
  return {&kPeerFailures, &kErrorLevel, &kStepSeries, &kReport};
}

}  // namespace lento::desk
