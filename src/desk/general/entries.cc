// Keeps the values of a report until the end of the file, because a name may occur many times, and peers are
// compared by the median of its values (of a counter: the largest). incident/states.cc compares the
// quantities of kGroup and kSizeGroup, those of kGroup with a tolerance of one unit of the last printed
// digit.
#include "desk/general/entries.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/units.h"
#include "desk/general/cells.h"
#include "desk/general/states.h"
#include "desk/read/report_groups.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr const char* kGroup = "report";
constexpr const char* kSizeGroup = "sizes in a report";  // compared without a tolerance
constexpr double kWhole = 100;                           // percent

// Returns whether a number is the name of something: "SOCKETID", "pid", "device index".
bool names_identity(const std::string& label) {
  const std::vector<std::string> words = label_words(label);
  return !words.empty() && (words.back().ends_with("id") || words.back() == "index");
}

// Returns the numbers in order, for parts of one name whose values differ.
std::string joined(const std::set<double>& values) {
  constexpr size_t kMost = 4;
  std::string text;
  size_t taken = 0;
  for (const double value : values)
    text += taken++ < kMost ? (text.empty() ? "" : " and ") + base::format_number(value, 10) : "";
  return text;
}

// Returns the choice in brackets among the words of a setting: "never" of "always madvise [never]".
std::string_view chosen(std::string_view value) {
  const size_t open = value.find('[');
  const size_t close = value.find(']', std::min(open, value.size()));
  const bool is_among = close != value.npos && (open == 0 || value[open - 1] == ' ') &&
                        (close + 1 == value.size() || value[close + 1] == ' ') &&
                        close + 1 - open < value.size();
  const std::string_view word = is_among ? value.substr(open + 1, close - open - 1) : std::string_view{};
  return word.empty() || value.find_first_of("0123456789,") != value.npos ? value : word;
}

// Returns whether a text can be compared with that of peers. Times, identities and addresses, which consist
// mostly of digits, differ between healthy peers.
bool is_comparable(std::string_view value) {
  constexpr size_t kLongest = 40;
  const size_t figures = size_t(std::ranges::count_if(value, [](char c) {
    return c >= '0' && c <= '9';
  }));
  return value.size() <= kLongest && has_letter(value) && figures * 2 < value.size();
}

}  // namespace

bool is_speed(Meaning meaning) {
  return meaning == Meaning::Rate || meaning == Meaning::Clock || meaning == Meaning::Duration ||
         meaning == Meaning::Capacity || meaning == Meaning::LostShare;
}

Measure column_measure(const std::string& name) {
  const bool is_bracketed = name.ends_with(")") || name.ends_with("]");
  const size_t at = is_bracketed ? name.find_last_of("([") : name.rfind(' ');
  std::string unit = at == name.npos ? name : name.substr(at + 1);
  if (is_bracketed)
    unit.pop_back();
  const std::string last = name.substr(name.rfind('_') + 1);  // "busbw_gbps"
  for (const std::string& one : {unit, last == name ? std::string() : last})
    if (const Measure by_unit = measure_of(name, one); by_unit.meaning != Meaning::None)
      return by_unit;
  return measure_of(name, "");
}

bool Entries::entry(const std::string& key, std::string_view value, const Subject& subject, Sink& sink) {
  value = chosen(value);
  if (key.empty() || key.size() > kLongestName || value.empty())
    return false;
  if (value.find("(downgraded)") != value.npos) {  // lspci -vv, also cut down to some of its lines
    bad_state(key + " is " + std::string(value), subject, sink);
    return true;
  }
  if (value.find(" (ok)") != value.npos)
    note_states(sink);
  if (flag(key, value, subject, sink) || (names_condition(key) && condition(key, value, subject, sink)))
    return true;
  if (names_condition(key) && (value == "true" || value == "false"))  // "dram_status": false
    return condition(key, value == "true" ? "good" : "bad", subject, sink);
  if (value.starts_with("No ") && condition_of(value) == Condition::Good)
    note_states(sink);
  if (share_of_members(key, value, subject, sink) ||
      (is_out_of_order(value) && !subject.empty() && condition(key, value, subject, sink)))
    return true;
  if (const auto found = cell_value(value)) {
    const bool has_unit = !found->unit.empty() && found->unit != "%";
    return number(
        key,
        has_unit ? measure_of(key, found->unit) : column_measure(key),
        found->value,
        subject,
        sink);
  }
  odd_text(key, value, subject, sink);
  return false;
}

// Takes a flag, whose key determines which value is bad: "Link detected: no", "HW Slowdown: Active",
// {"Ready": "Unknown"}. Returns false when it is no flag.
bool Entries::flag(const std::string& key, std::string_view value, const Subject& subject, Sink& sink) {
  const Polarity polarity = polarity_of(key);
  std::optional<bool> is_true = truth_of(value);
  if (names_single_flag(key) && (value == "0" || value == "1"))
    is_true = value == "1";
  const bool is_unknown = polarity == Polarity::Good && (value == "Unknown" || value == "unknown");
  if (polarity == Polarity::None || (!is_true && !is_unknown))
    return false;
  note_states(sink);
  if (is_unknown || *is_true != (polarity == Polarity::Good))
    bad_state(key + " is " + std::string(value), subject, sink);
  return true;
}

bool Entries::condition(std::string_view key, std::string_view value, const Subject& subject, Sink& sink) {
  const Condition condition = condition_of(value);
  if (condition == Condition::Unknown)
    return false;
  ++kept_;
  if (condition != Condition::Neutral)
    note_states(sink);
  if (condition != Condition::Bad)
    return true;
  const std::string meaning = std::string(key) + " is " + std::string(value);
  if (is_consequence(value))
    lesser_state(meaning, subject, sink);
  else
    bad_state(meaning, subject, sink);
  return true;
}

void Entries::lesser_state(const std::string& meaning, const Subject& subject, Sink& sink) {
  constexpr size_t kMostLesser = 64;
  if (lesser_.size() < kMostLesser)
    lesser_.push_back({meaning, subject, std::string(sink.line()), sink.number()});
}

// Takes how many members of a whole are well: "Drives: 3/4 OK".
bool Entries::share_of_members(
    const std::string& key,
    std::string_view value,
    const Subject& subject,
    Sink& sink) {
  static const Pattern pattern("^{n:int}/{all:int} {state:name}$");
  Match match;
  if (!pattern.match(value, match) || condition_of(match["state"]) != Condition::Good)
    return false;
  note_states(sink);
  if (match["n"] != match["all"])
    lesser_state(key + " is " + std::string(value), subject, sink);
  return true;
}

Entries::Value*
Entries::value_of(const std::string& name, const std::string& unit, const Subject& subject, Sink& sink) {
  const std::string key =
      subject.host + '\n' + subject.device + '\n' + subject.rank + '\n' + name + '\n' + unit;
  auto at = values_.find(key);
  ++kept_;
  if (at != values_.end())
    return &at->second;
  if (values_.size() == kMostNames)
    return nullptr;
  at = values_.try_emplace(key).first;
  at->second.subject = subject;
  at->second.line = sink.number();
  return &at->second;
}

bool Entries::number(
    const std::string& name,
    const Measure& measure,
    double value,
    const Subject& subject,
    Sink& sink) {
  if (measure.meaning == Meaning::LostShare && value <= kWhole)
    return number("share without " + name, {Meaning::Capacity, "%", 1}, kWhole - value, subject, sink);
  if (measure.meaning == Meaning::Uncorrected && value > 0) {
    bad_state(name + " " + std::to_string(int64_t(std::min(value, 1e15))), subject, sink);
    return true;
  }
  const bool is_errors = measure.meaning == Meaning::Errors || measure.meaning == Meaning::Uncorrected;
  const bool is_size = measure.meaning == Meaning::Capacity;
  const bool is_meant = is_errors || is_speed(measure.meaning);
  // A number without a meaning is compared with its peers too. The outcome is *cannot judge* when one
  // differs.
  const bool is_compared = has_letter(name) && !names_identity(name) && measure.meaning != Meaning::Corrected;
  const bool is_of_part = !subject.device.empty() || !subject.rank.empty();
  if ((!is_meant && !is_compared) || (is_speed(measure.meaning) && !is_size && !(value > 0)) ||
      name.size() > kLongestName)
    return false;
  Value* const kept = value_of(name, measure.unit, subject, sink);
  if (!kept)
    return false;
  if (kept->values.empty()) {
    kept->is_meant = is_meant;
    kept->quantity = {name, measure.unit, is_errors ? Kind::Counter : Kind::Level, Better::Lower, kGroup};
    if (measure.meaning == Meaning::Rate || measure.meaning == Meaning::Clock || is_size)
      kept->quantity.better = Better::Higher;
    if (is_size && measure.unit.empty())
      kept->quantity.group = kSizeGroup;
    if (!is_meant) {
      kept->quantity.better = Better::Neither;
      kept->quantity.group = is_of_part ? kPartsGroup : kUnreadGroup;
    }
    kept->quantity.advice =
        is_size
            ? "look for what is missing there, in its kernel log and in its firmware's inventory"
            : "run the same there again, alone; then look at its clocks, temperatures, links and kernel log";
  }
  if (kept->values.size() < kMostValues)
    kept->values.push_back(value * measure.scale);
  return is_meant;
}

// Keeps a text without a known meaning. When all peers but one share it, the odd one raises a question.
void Entries::odd_text(const std::string& key, std::string_view value, const Subject& subject, Sink& sink) {
  if (!is_comparable(value) || !has_letter(key))
    return;
  Value* const kept = value_of(key, "\ttext", subject, sink);
  if (!kept || !kept->text.empty() || !kept->values.empty())
    return;
  kept->text = value;
  kept->quantity = {key, "", Kind::FewValued, Better::Neither, kUnreadGroup};
}

void Entries::part(const std::string& device, Sink& sink, bool by_name) {
  if (Value* const kept = value_of("part", "\tpart", {"", device, ""}, sink))
    kept->quantity = {"listed part", "", Kind::Annotation, Better::Neither, by_name ? kListedByName : ""};
}

void Entries::note_states(Sink& sink) {
  ++kept_;
  has_states_ = true;
  sink.covers("states of parts");
}

void Entries::bad_state(const std::string& meaning, const Subject& subject, Sink& sink) {
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

void Entries::open_state(const std::string& meaning, Sink& sink, const std::string& remedy) {
  Event event;
  event.kind = "unread/state";
  event.meaning = meaning;
  event.action = remedy;
  note_states(sink);
  sink.event(std::move(event));
}

void Entries::end(bool is_read_in_full, Sink& sink) {
  if (has_fault_)
    lesser_.clear();
  for (const LesserState& state : lesser_) {
    sink.at(state.line, state.number, {}, {});
    bad_state(state.meaning, state.subject, sink);
  }
  if (has_states_ || has_rows_)
    sink.took();
  constexpr size_t kFewestSettings = 3;  // two pairs may be anything
  const bool is_known = is_read_in_full && values_.size() >= kFewestSettings;
  for (const auto& [key, value] : values_) {
    sink.at("", value.line, {}, {});
    Quantity quantity = value.quantity;
    const std::set<double> distinct(value.values.begin(), value.values.end());
    if (is_known && quantity.better == Better::Neither && quantity.kind != Kind::Annotation) {
      quantity.group += kInFull;
      sink.took();
    }
    if (key.ends_with("\tpart")) {
      sink.state(quantity, "listed", {value.subject});
      sink.took();
    } else if (!value.text.empty())
      sink.state(quantity, value.text, {value.subject});
    else if (quantity.group.starts_with(kPartsGroup) && distinct.size() > 1)
      sink.state(quantity, joined(distinct), {value.subject});
    else
      // Several values may have one name. The median of counters would hide the only one that is high.
      sink.state(
          quantity,
          quantity.kind == Kind::Counter ? *std::ranges::max_element(value.values)
                                         : evidence::median(value.values),
          {value.subject});
    if (value.is_meant)
      sink.took();
  }
}

}  // namespace lento::desk
