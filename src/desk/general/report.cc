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
#include "desk/general/state_lines.h"
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
    const std::string pointed = line.find(',') == line.npos ? "" : with_points(line);
    std::string_view text = without_clock(without_blanks(
        !drawn.empty()     ? drawn
        : !pointed.empty() ? pointed
                           : line));
    if (!tables_.is_open())  // below a head a date is a cell
      text = without_date(text);
    take_host(text);
    const size_t kept = entries_.kept();
    const bool is_taken = take_statement(line, text, sink);
    const bool is_frame = text.find_first_not_of("-=+{}[]|* ") == text.npos || is_title_;
    is_read_in_full_ = is_read_in_full_ && (is_taken || is_frame || entries_.kept() > kept);
    return is_taken;
  }

  // Takes a line as it stands in the report and without its date, host and blanks.
  bool take_statement(std::string_view line, std::string_view text, Sink& sink) {
    is_title_ = false;
    if (text.empty()) {
      tables_.blank_line();
      return false;
    }
    const size_t indent = line.find_first_not_of(" \t");
    tables_.set_indent(indent);
    if ((text.front() == '|' && (text.back() == '|' || text.back() == '+')) || text.front() == '+') {
      if (text.front() == '|' && text.find_first_not_of("|-+= ") != text.npos)
        tables_.note_above(text);
      return box_line(text, sink);
    }
    if (text.starts_with("|-") || text.starts_with("`-") || text.starts_with("| ")) {
      const std::string_view leaf = text.substr(std::min(text.find_first_not_of("|`-+ "), text.size()));
      if (leaf.find(" = ") == leaf.npos)  // the branch of a tree
        return states_.words_of_state(leaf, sink);
      text = leaf;
    }
    if (text.find_first_not_of("-=+| ") == text.npos) {  // a rule below a head
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
    if (tables_.table_row(text, context_.host(), sink) || letters_.take(text, context_.host()) ||
        states_.row_of_state(text, sink))
      return true;
    if (text == "on" || text == "off")  // the power of a host, by the tools that switch it
      return entries_.condition("power", text == "on" ? "up" : "down", context_.subject(true), sink);
    is_title_ = true;
    const std::string_view last = text.substr(text.rfind(' ') + 1);  // "Brick node7:/bricks/b1"
    const bool is_server = names_server(last) && std::ranges::count(text, ' ') < 2;
    if (is_heading(line) || is_server) {
      context_.name(0, is_server ? last : text);
      return false;
    }
    if (text.ends_with(": {"))  // a document behind the name of its part
      text.remove_suffix(2);
    if (const std::string_view part = headed_part(text);
        !part.empty() || (text.ends_with(":") && text.find('|') == text.npos)) {
      context_.name(indent, part.empty() ? part_of(text) : part);
      if (!part.empty() && names_device(part.substr(0, part.find(' '))))
        entries_.part(std::string(part), sink);
      return false;
    }
    is_title_ = false;
    context_.enter(indent);
    indent_ = indent;
    is_read_ = false;
    found_nothing_ =
        !(value_of_file(text, sink) || named_values(text, sink) || tables_.begin_table(text) ||
          states_.limit(text, sink) || states_.check(text, sink) || states_.sentence(text, sink) ||
          pair(text, sink) || states_.outcome(text, sink) || numbers(text, sink) || output(text, sink));
    return !found_nothing_;
  }

  // Takes a line of a box: a rule, a row, or pairs ("|  CUDA OOMs: 0  |  cudaMalloc retries: 512  |").
  bool box_line(std::string_view text, Sink& sink) {
    const std::vector<std::string> cells = box_cells(text);
    const bool is_of_pairs = cells.size() > 1 && std::ranges::all_of(cells, [](const std::string& cell) {
                               return cell.find(": ") != std::string::npos;
                             });
    if (is_of_pairs) {
      bool any = false;
      for (const std::string& cell : cells) {
        is_read_ = false;
        any = pair(cell, sink) || numbers(cell, sink) || any;
      }
      return any;
    }
    const bool is_read = tables_.box_line(text, context_.host(), sink);
    // Two cells of words are the head of a box.
    const bool is_pair =
        tables_.is_pair_of_box(cells) &&
        (is_state_word(cells[1]) || cells[1].find_first_of("0123456789") != std::string::npos);
    return is_read || (is_pair && pair(cells[0] + ": " + cells[1], sink));
  }

  // Reads a line that states the unit of later numbers without one: "Bandwidths are in MB/sec", "SUMMARY rate
  // (in ops/sec):".
  void note_unit(std::string_view text) {
    static const Pattern units("are in {unit:word}");
    static const Pattern rates("are in {_} per second");
    static const Pattern title_units("(in {unit}):");
    static const Pattern output_units("is in {unit:word}");
    static const Pattern heading_units("({unit:name})$");
    Match match;
    if (rates.match(text, match)) {  // "are in 1000s of bytes per second"
      unit_ = "1/s";
      tables_.set_unit(unit_);
      return;
    }
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
    context_.set_host(is_host ? std::string(name) : "");
    if (is_host)
      text = without_blanks(text.substr(colon + 1));
  }

  // Takes the only word that a command wrote on a host: "node7: 6.8.0-45-generic".
  bool output(std::string_view text, Sink& sink) {
    const bool is_word = !context_.host().empty() && text.find_first_of(" \t=:") == text.npos;
    return is_word && entries_.entry("output", text, context_.subject(true), sink);
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
      any = entries_.entry(key + " " + names[i], values[i], context_.subject(true), sink) || any;
    return any;
  }

  // Takes a line with the path and content of a file that holds one value (FileOfValue).
  bool value_of_file(std::string_view text, Sink& sink) {
    const FileOfValue file = file_of_value(text);
    return !file.key.empty() && entries_.entry(file.key, file.value, context_.part(file.device), sink);
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
    if (states_measure(key) && !is_state_word(value))
      return false;
    if (states_.listed_parts(key, value, sink))
      return true;
    if (names_part(key) && !value.empty() && value.size() < kLongestName)
      name_part(key, value, sink);
    const std::string device = context_.device(!names_condition(key));
    const bool is_link_state = value.find("(downgraded)") != value.npos || value.find(" (ok)") != value.npos;
    if (is_link_state)
      return entries_.entry(std::string(key), value, context_.part(device), sink);
    const size_t numbers = labelled_values(value).size();
    const auto whole = cell_value(value);
    const bool is_measure = numbers > 0 && (numbers > 1 || !unit_.empty() || !whole || !whole->label.empty());
    if (is_measure && !names_condition(key) && !(is_gap && has_letter(value.substr(0, 1))))
      return false;
    const bool is_known = entries_.entry(std::string(key), value, context_.part(device), sink);
    is_read_ = numbers == 1 && (!is_gap || is_known);
    return is_known;
  }

  void name_part(std::string_view key, std::string_view value, Sink& sink) {
    const std::string device =
        is_figures(value) ? label_words(key)[0] + std::string(value) : std::string(value);
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

  // Returns whether a text holds a number with its unit, so that it is no name: "ior-easy-write 3.01 GiB/s".
  static bool states_measure(std::string_view text) {
    return std::ranges::any_of(labelled_values(text), [](const LabelledValue& value) {
      return !value.unit.empty();
    });
  }

  // Returns the meaning of a label by the unit that its title states: "individual time (sec): cpu= 412.7".
  static Measure measure_of_title(std::string_view title, const std::string& label) {
    title = without_blanks(title);
    const size_t open = title.rfind('(');
    if (!title.ends_with(")") || open == title.npos)
      return {};
    const std::string_view unit = title.substr(open + 1, title.size() - open - 2);
    return measure_of(std::string(title.substr(0, open)) + label, unit);
  }

  bool numbers(std::string_view text, Sink& sink) {
    if (is_read_)
      return false;
    const std::string first = part_of(text);
    const std::string own = first.empty() ? bracketed_part(text) : first;
    const Subject subject = context_.part(own.empty() ? context_.device(true) : own);
    const size_t colon = text.find(": ");
    constexpr size_t kLongestTitle = 48;
    const bool has_title = colon < kLongestTitle && own.empty() && !states_measure(text.substr(0, colon));
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
      Measure measure = measure_of(value.label, value.unit.empty() && value.has_point ? unit_ : value.unit);
      if (measure.meaning == Meaning::None && value.unit.empty() && !value.label.empty())
        measure = measure_of_title(text.substr(0, has_title ? colon : 0), value.label);
      if (!value.is_bracketed || !is_repeated)
        any = entries_.number(
                  title + (value.label.empty() ? value.unit : value.label),
                  measure,
                  value.value,
                  subject,
                  sink) ||
              any;
    }
    return any;
  }

  void document(std::string_view text, const std::string& path, Sink& sink) override {
    is_read_in_full_ = false;  // long texts and lists of a document are no entries
    walk_tree(base::parse_json(text, path), entries_, sink, TreeRoot::Any);
  }

  void end(Sink& sink) override {
    letters_.end(entries_, sink);
    entries_.end(is_read_in_full_, sink);
  }

  int64_t lines_ = 0;
  bool found_nothing_ = false;   // in the last line
  int64_t unlabelled_ = 0;       // lines of numbers alone
  std::string unit_;             // that a line states for those behind it
  size_t indent_ = 0;            // of the line
  bool is_title_ = false;        // the line is a heading
  bool is_read_ = false;         // the line is a pair whose number is taken
  bool is_read_in_full_ = true;  // each line of the report is an entry, a heading or a rule
  PartContext context_;
  Entries entries_;
  StateLines states_{entries_, context_};
  Tables tables_{entries_};
  LetterRows letters_;
};

}  // namespace

const Format kReport{"report by its labels", "general", {}, Shape::Rest, make<Report>, nullptr, {}, {}, true};

Formats general_formats() {
  return {&kPeerFailures, &kErrorLevel, &kStepSeries, &kReport};
}

}  // namespace lento::desk
