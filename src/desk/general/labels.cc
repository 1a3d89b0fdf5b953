// Finds numbers from the left and looks back for their label.
#include "desk/general/labels.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/number.h"

namespace lento::desk {
namespace {

constexpr size_t kMostValues = 32;
constexpr size_t kLongestLabel = 64;

bool is_figure(char c) {
  return c >= '0' && c <= '9';
}
bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_name_char(char c) {
  return is_alpha(c) || is_figure(c) || c == '_' || c == '/' || c == '.' || c == '-' || c == '@';
}
// Returns whether a unit may hold the character: letters, "/", "%" and the two bytes of the micro sign.
bool is_unit_char(char c) {
  return is_alpha(c) || c == '/' || c == '%' || static_cast<unsigned char>(c) >= 0xb5;
}

struct Found {
  double value = 0;
  size_t end = 0;
  bool has_point = false;
};

// Returns the number at `at`, unless it is a part of a date, a time of day, an address or a word.
std::optional<Found> number_at(std::string_view line, size_t at) {
  const auto has = [&](size_t i, auto test) {
    return i < line.size() && test(line[i]);
  };
  if (at > 0 && (is_alpha(line[at - 1]) || line[at - 1] == '_' || line[at - 1] == '.' ||
                 line[at - 1] == '#' || line[at - 1] == '^'))
    return std::nullopt;
  const bool is_joined = at > 1 && (line[at - 1] == ':' || line[at - 1] == '-' || line[at - 1] == '/');
  if (is_joined && is_figure(line[at - 2]))
    return std::nullopt;
  std::string text;
  size_t end = at;
  constexpr size_t kLongest = 40;
  for (; end < line.size() && text.size() < kLongest; ++end) {
    const char c = line[end];
    const bool is_separator = c == ',' && end + 3 < line.size() && is_figure(line[end + 1]) &&
                              is_figure(line[end + 2]) && is_figure(line[end + 3]);
    const bool is_point = c == '.' && has(end + 1, is_figure) && text.find('.') == text.npos;
    if (is_separator)
      continue;
    if (!is_figure(c) && !is_point)
      break;
    text += c;
  }
  if (has(end, [](char c) {
        return c == 'e' || c == 'E';
      })) {
    size_t last = end + 1;
    last += has(last, [](char c) {
      return c == '+' || c == '-';
    });
    if (has(last, is_figure)) {
      while (has(last, is_figure) && last - end < 6)
        ++last;
      text.append(line.substr(end, last - end));
      end = last;
    }
  }
  const bool goes_on = end + 1 < line.size() &&
                       (line[end] == ':' || line[end] == '-' || line[end] == '.' || line[end] == '/') &&
                       is_figure(line[end + 1]) && line[end] != '/';
  const auto value = base::try_double(text);
  if (!value || goes_on || has(end, [](char c) {
        return c == '_' || c == 'x' || c == '^';
      }))
    return std::nullopt;
  return Found{*value, end, text.find('.') != text.npos};
}

// Returns a span of hours, minutes and seconds behind a label with "elapsed" in seconds: "elapsed_time":
// "0:05:12".
std::optional<Found> span_at(std::string_view line, size_t at) {
  constexpr size_t kLongest = 12;
  size_t end = at;
  double seconds = 0;
  double part = 0;
  int colons = 0;
  for (; end < line.size() && end - at < kLongest && (is_figure(line[end]) || line[end] == ':'); ++end) {
    part = line[end] == ':' ? 0 : part * 10 + (line[end] - '0');
    if (line[end] == ':')
      ++colons;
    const bool is_last = end + 1 == line.size() || line[end + 1] == ':' || !is_figure(line[end + 1]);
    if (is_last && line[end] != ':')
      seconds = seconds * 60 + part;
  }
  const size_t label = line.find_last_not_of(" \":=", at > 0 ? at - 1 : 0);
  constexpr size_t kShortest = 7;
  if (colons != 2 || label == line.npos || label < kShortest)
    return std::nullopt;
  const std::string_view before = line.substr(label >= 13 ? label - 13 : 0, std::min<size_t>(label + 1, 14));
  return before.find("elapsed") != before.npos ? std::optional(Found{seconds, end, false}) : std::nullopt;
}

// Returns the end of the label before `at`, without the blanks and signs between label and number.
size_t label_end(std::string_view line, size_t at, bool& is_bracketed) {
  while (at > 0) {
    const char c = line[at - 1];
    is_bracketed = is_bracketed || c == '(';
    constexpr std::string_view kSigns = " \t=:\"'($!";
    const bool is_cell = c == '|' && line.starts_with('|');  // "| fps | 812 |"
    if (kSigns.find(c) == kSigns.npos && !is_cell)
      break;
    --at;
  }
  return at;
}

// Returns the label in front of a number: the words before `end`, back to a number or to signs between words.
// Text before `first` belongs to the number in front: "412 ms tokens/s 79000".
std::string label_before(std::string_view line, size_t first, size_t end) {
  size_t begin = end;
  while (begin > first && end - begin < kLongestLabel) {
    size_t word = begin;
    while (word > first && is_name_char(line[word - 1]))
      --word;
    const bool has_letter =
        std::any_of(line.begin() + std::ptrdiff_t(word), line.begin() + std::ptrdiff_t(begin), is_alpha);
    if (word == begin || is_figure(line[word]) || !has_letter)  // " - " separates parts of a line
      break;
    begin = word;
    const bool has_space = begin > 1 && line[begin - 1] == ' ' && is_name_char(line[begin - 2]);
    if (!has_space)
      break;
    --begin;
  }
  while (begin < end && !is_name_char(line[begin]))
    ++begin;
  return std::string(line.substr(begin, end - begin));
}

// Returns a unit in brackets at the end of the label ("Throughput (req/sec): 7.3") and moves `end` before it.
// A remark in brackets, "throughput (completion token): 5016 token/s", is skipped too.
std::string bracketed_unit(std::string_view line, size_t& end) {
  const char close = end > 0 ? line[end - 1] : ' ';
  if (close != ')' && close != ']')
    return "";
  const size_t open = line.rfind(close == ')' ? '(' : '[', end - 1);
  constexpr size_t kLongestUnit = 32;
  if (open == line.npos || end - open > kLongestUnit)
    return "";
  const std::string unit(line.substr(open + 1, end - open - 2));
  const bool is_unit = measure_of_unit(unit).meaning != Meaning::None;
  const bool is_remark = !unit.empty() && std::ranges::all_of(unit, [](char c) {
    return is_alpha(c) || c == ' ' || c == '+' || c == '/';
  });
  if (!is_unit && !is_remark)
    return "";
  end = open;
  while (end > 0 && line[end - 1] == ' ')
    --end;
  return is_unit ? unit : "";
}

// Returns up to two words behind a number that has no label in front: "30% packet loss".
std::string label_behind(std::string_view text) {
  constexpr int kMostWords = 2;
  size_t end = 0;
  for (int i = 0; i < kMostWords; ++i) {
    size_t word = end;
    while (word < text.size() && text[word] == ' ')
      ++word;
    const size_t begin = word;
    while (word < text.size() && is_alpha(text[word]))
      ++word;
    if (word == begin || (word < text.size() && text[word] != ' ' && text[word] != ',' && text[word] != ';'))
      break;
    end = word;
    if (word < text.size() && text[word] != ' ')
      break;
  }
  const size_t begin = text.find_first_not_of(' ');
  return end == 0 ? "" : std::string(text.substr(begin, end - begin));
}

bool counts_errors(const std::string& label) {
  const Meaning meaning = measure_of(label, "").meaning;
  return meaning == Meaning::Errors || meaning == Meaning::Uncorrected || meaning == Meaning::Corrected;
}

// Returns a unit of a rate among the words in front of a number, or "": "GFLOP/s rating of=431.2".
std::string rate_in(std::string_view text) {
  if (const size_t end = text.find_last_of(",;|"); end != text.npos)
    text.remove_prefix(end + 1);
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \t:=()[]"), text.size());
    const std::string_view word = text.substr(0, end);
    if (word.find('/') != word.npos && measure_of_unit(word).meaning == Meaning::Rate)
      return std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

// Returns the end of "/331000" behind a number, `end` when there is none, and 0 when two follow, as in a
// date.
size_t behind_pair(std::string_view line, size_t end) {
  size_t last = end;
  int pairs = 0;
  while (last + 1 < line.size() && line[last] == '/' &&
         (is_figure(line[last + 1]) || line[last + 1] == ' ')) {
    size_t at = line.find_first_not_of(' ', last + 1);
    if (at == line.npos || !is_figure(line[at]))
      break;
    while (at < line.size() && (is_figure(line[at]) || line[at] == '.' || line[at] == ','))
      ++at;
    last = at;
    ++pairs;
  }
  return pairs > 1 ? 0 : last;
}

// Returns the end of the brackets around a number when they hold the least and the most of something
// ("[0.002ms - 71.8ms]"), else 0.
size_t behind_range(std::string_view line, size_t at) {
  constexpr size_t kLongest = 48;
  if (at == 0 || line[at - 1] != '[')
    return 0;
  const size_t close = line.substr(0, at + kLongest).find(']', at);
  return close != line.npos && line.substr(at, close - at).find(" - ") != line.npos ? close + 1 : 0;
}

// Reads the unit behind a number into `out` and moves `end` behind it. A letter for thousands directly behind
// the number ("12k") multiplies `out.value` instead. Returns false when the number is a part of a word.
bool take_unit(std::string_view line, size_t& end, LabelledValue& out) {
  size_t begin = end;
  begin += begin + 1 < line.size() && line[begin] == ' ';
  size_t last = begin;
  while (last < line.size() && is_unit_char(line[last]))
    ++last;
  const std::string_view unit = line.substr(begin, last - begin);
  if (begin == end && unit.size() == 1 &&
      (unit == "K" || unit == "k" || unit == "M" || unit == "G" || unit == "T")) {
    out.value *= factor_of(unit[0]);
    end = last;
    return true;
  }
  // A rate in words: "812 per second", "812 requests per second".
  size_t behind = end;
  if (behind < line.size() && line[behind] == ' ' && !line.substr(behind).starts_with(" per "))
    behind = std::min(line.find(' ', behind + 1), line.size());
  if (line.substr(behind).starts_with(" per sec")) {
    out.unit = "1/s";
    end = behind + std::string_view(" per sec").size();
    return true;
  }
  // A unit of time behind a word for its kind: "0.41 elapsed seconds".
  if (const size_t word = last + 1; last < line.size() && line[last] == ' ' && !unit.empty()) {
    size_t behind_word = word;
    while (behind_word < line.size() && is_alpha(line[behind_word]))
      ++behind_word;
    const std::string_view second = line.substr(word, behind_word - word);
    constexpr std::array<std::string_view, 5> kKinds{"elapsed", "wall", "total", "cpu", "real"};
    if (second.size() > 1 && seconds_of(second) > 0 &&
        std::ranges::find(kKinds, base::lower_case(unit)) != kKinds.end()) {
      out.unit = second;
      end = behind_word;
      return true;
    }
  }
  if (measure_of_unit(unit).meaning != Meaning::None || unit == "%") {
    out.unit = unit;
    end = last;
    return true;
  }
  return begin != end || unit.empty();
}

}  // namespace

std::vector<LabelledValue> labelled_values(std::string_view line) {
  std::vector<LabelledValue> out;
  size_t before = 0;  // the end of the number in front
  for (size_t at = 0; at < line.size() && out.size() < kMostValues;) {
    if (!is_figure(line[at])) {
      ++at;
      continue;
    }
    if (const size_t behind = behind_range(line, at)) {
      at = before = behind;
      continue;
    }
    auto found = number_at(line, at);
    if (!found)
      found = span_at(line, at);
    if (!found) {
      while (at < line.size() && (is_figure(line[at]) || line[at] == '.'))
        ++at;
      continue;
    }
    LabelledValue value;
    value.value = found->value;
    if (found->end > at + 2 && line.substr(at, found->end - at).find(':') != line.npos)
      value.unit = "s";
    value.has_point = found->has_point;
    size_t end = behind_pair(line, found->end);
    const bool is_pair = end != found->end;
    if (end == 0) {
      at = found->end + 1;
      continue;
    }
    bool is_whole = take_unit(line, end, value);
    const size_t words = label_end(line, at, value.is_bracketed);
    size_t label = words;
    const std::string unit = bracketed_unit(line, label);
    if (value.unit.empty())
      value.unit = unit;
    value.label = label_before(line, before, label);
    if (unit.empty())
      value.label += line.substr(label, words - label);
    // Of "120/1000" the first number is kept only when the label names a step.
    if (is_pair && value.unit.empty())
      is_whole = measure_of(value.label, "").meaning == Meaning::Step;
    if (value.label.empty() && (value.unit.empty() || value.unit == "%"))
      value.label = label_behind(line.substr(end));
    else if (value.unit.empty() && line.substr(label, at - label).find(':') != line.npos)
      if (const std::string behind = label_behind(line.substr(end)); counts_errors(behind))
        value.label += " " + behind;  // "mc0: 0 Uncorrected Errors"
    if (value.unit.empty())
      value.unit = rate_in(line.substr(before, at - before));
    while (!is_whole && end < line.size() &&
           is_name_char(line[end]))  // "47892dbe": the number is a part of a name
      ++end;
    before = end;
    if (is_whole)
      out.push_back(std::move(value));
    at = std::max(end, at + 1);
  }
  return out;
}

}  // namespace lento::desk
