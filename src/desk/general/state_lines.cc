// Takes lines that state whether a part or a service works, in the forms that tools share: a check and its
// outcome, a part and its state, a value and its limit. Words for states: states.h.
#include "desk/general/state_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "desk/general/cells.h"
#include "desk/general/general.h"
#include "desk/general/report_lines.h"
#include "desk/general/states.h"
#include "desk/read/host_parts.h"
#include "desk/read/rank_word.h"

namespace lento::desk {

namespace {

// Returns whether a line counts no failure: "0 tests completed and failed residual checks", "12 checks
// passed, 0 failed", "tests failed: 0". In "GPU 0 test failed" the number names a part.
bool counts_none(std::string_view text) {
  static const Pattern behind("failed~:~{count:int}");
  Match match;
  return text.starts_with("0 ") || text.find(", 0 fail") != text.npos ||
         (behind.match(text, match) && match.integer("count") == 0);
}

}  // namespace

// Takes the outcome of a check among other words, or a line at the level of an error: "ERROR: Health check
// failed: why", "NHC: check passed".
bool StateLines::outcome(std::string_view text, Sink& sink) {
  constexpr std::array<std::string_view, 4> kChecks{"check", "checks", "test", "tests"};
  constexpr std::array<std::string_view, 6> kOutcomes{"passed", "failed", "pass", "fail", "succeeded", "ok"};
  bool is_check = false;
  for (const std::string& word : label_words(text)) {
    is_check = is_check || std::ranges::find(kChecks, word) != kChecks.end();
    if (!is_check || std::ranges::find(kOutcomes, word) == kOutcomes.end())
      continue;
    if (word.starts_with("fail") && !counts_none(text))
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
void StateLines::alarm(std::string_view text, bool is_failed_check, Sink& sink) {
  constexpr size_t kMostText = 160;
  const std::string meaning(text.substr(0, kMostText));
  Subject subject = context_.subject(true);
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

// Takes a row such as "FAN3 | 0 RPM | cr" or "Node #3 - 172.16.5.14 - READY": the first cell names a part,
// and the first cell with a word for a condition states that of the part. An address is that of a host.
bool StateLines::row_of_state(std::string_view text, Sink& sink) {
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
  const Subject subject =
      address == cells.end() ? Subject{context_.host(), cells[0], ""} : Subject{*address, "", ""};
  return entries_.condition("state", at == cells.end() ? cells.back() : *at, subject, sink);
}

// Compares a value with its limit: "Package id 0:  +61.0 C  (high = +88.0 C, crit = +98.0 C)".
bool StateLines::limit(std::string_view text, Sink& sink) {
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
        match.text("key") + " is " + match.text("value") + ", at or above its limit of " + match.text("most"),
        context_.subject(false),
        sink);
  return true;
}

// Takes a check and its outcome: "Check of something ........ Healthy", "[FAIL] check", "check [ OK ]".
bool StateLines::check(std::string_view text, Sink& sink) {
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
  Subject subject = context_.subject(false);
  if (const std::string own = part_of(key); !own.empty()) {  // "GPU[4] : XGMI Error count: 2 (...)"
    subject = context_.part(own);
    if (const size_t colon = key.find(": "); colon != key.npos)
      key.remove_prefix(colon + 2);
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
        is_host_word(key) ? Subject{std::string(key), "", ""} : context_.part(std::string(key)),
        sink);
  if (!word.empty() && key.size() < kLongestName && has_letter(key) &&
      entries_.condition(key, word, subject, sink))
    return true;
  return words_of_state(text, sink);
}

// Takes a sentence that states the condition of a device or service: "https://n7:2379 is unhealthy: ...".
bool StateLines::sentence(std::string_view text, Sink& sink) {
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
bool StateLines::words_of_state(std::string_view text, Sink& sink) {
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

// Takes a state with the parts that are in it ("Online: [ n1 n2 ]", "* OFFLINE: [ n3 ]"), or a part with
// its state ("OST0004: active.").
bool StateLines::listed_parts(std::string_view key, std::string_view value, Sink& sink) {
  key = without_blanks(key.substr(std::min(key.find_first_not_of("* "), key.size())));
  if (is_state_word(key) && value.starts_with("[")) {
    for (const std::string& name : blank_cells(value))
      if (name != "[" && name != "]")
        entries_
            .condition("state", key, is_host_word(name) ? Subject{name, "", ""} : context_.part(name), sink);
    return true;
  }
  if (value.ends_with("."))
    value.remove_suffix(1);
  const bool is_part = key.find(' ') == key.npos && key.find_first_of("0123456789") != key.npos &&
                       (has_letter(key) || is_address(key));
  return is_part && (is_state_word(value) || condition_of(value) == Condition::Bad) &&
         entries_.condition(
             "state",
             value,
             is_host_word(key) ? Subject{std::string(key), "", ""} : context_.part(std::string(key)),
             sink);
}

}  // namespace lento::desk
