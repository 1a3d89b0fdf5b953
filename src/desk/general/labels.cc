// Finds numbers from the left and looks back for their label. The meaning follows from the unit first, and
// from the words of the label where there is none.
#include "desk/general/labels.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/number.h"

namespace lento::desk {
namespace {

using Vocabulary = std::span<const std::string_view>;

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
// Letters, "/", "%" and the two bytes of the micro sign.
bool is_unit_char(char c) {
  return is_alpha(c) || c == '/' || c == '%' || static_cast<unsigned char>(c) >= 0xb5;
}

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return out;
}

bool is_among(Vocabulary words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}
bool any_of_label(const std::vector<std::string>& label, Vocabulary words) {
  return std::ranges::any_of(label, [&](const std::string& word) {
    return is_among(words, word);
  });
}

struct Found {
  double value = 0;
  size_t end = 0;
  bool has_point = false;
};

// The number at `at`, unless it is a part of a date, a time of day, an address or a word.
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

struct Prefix {
  char letter;
  double factor;
};
constexpr std::array<Prefix, 5> kPrefixes{{{'k', 1e3}, {'m', 1e6}, {'g', 1e9}, {'t', 1e12}, {'p', 1e15}}};

double factor_of(char letter) {
  for (const Prefix& prefix : kPrefixes)
    if (prefix.letter == letter)
      return prefix.factor;
  return 1;
}

// "kB", "MiB", "Gbits", "GBytes": the unit of one and how many of them. Empty: no such unit.
std::pair<std::string, double> data_unit(std::string_view text) {
  double factor = 1;
  if (const double thousand = text.empty() ? 1 : factor_of(in_lower_case(text.substr(0, 1))[0]);
      thousand > 1) {
    factor = thousand;
    text.remove_prefix(1);
    if (text.starts_with("i")) {
      constexpr double kKibi = 1.024;
      for (double power = 1; power < thousand; power *= 1e3)
        factor *= kKibi;
      text.remove_prefix(1);
    }
  }
  if (text == "B" || text == "Byte" || text == "Bytes" || text == "bytes")
    return {"B/s", factor};
  if (text == "b" || text == "bit" || text == "bits")
    return {"bit/s", factor};
  return {"", 1};
}

struct TimeUnit {
  std::string_view text;
  double seconds;
};
constexpr std::array<TimeUnit, 13> kTimeUnits{
    {{"s", 1},
     {"sec", 1},
     {"secs", 1},
     {"second", 1},
     {"seconds", 1},
     {"ms", 1e-3},
     {"msec", 1e-3},
     {"millis", 1e-3},
     {"us", 1e-6},
     {"usec", 1e-6},
     {"\xc2\xb5s", 1e-6},
     {"ns", 1e-9},
     {"nsec", 1e-9}}};

double seconds_of(std::string_view text) {
  for (const TimeUnit& unit : kTimeUnits)
    if (unit.text == text)
      return unit.seconds;
  return 0;
}

// "Gflops", "TFLOP/s", "TFLOPs/s/GPU" without what stands behind the slash.
std::optional<double> flops_of(const std::string& head) {
  const size_t at = head.find("flop");
  if (at == head.npos || at > 1)
    return std::nullopt;
  return at == 0 ? 1 : factor_of(head[0]);
}

Measure measure_of_unit(std::string_view unit) {
  constexpr std::string_view kMillions = "10^6";  // netperf
  if (unit.starts_with(kMillions)) {
    Measure measure = measure_of_unit(unit.substr(kMillions.size()));
    measure.scale *= 1e6;
    return measure;
  }
  const std::string lower = in_lower_case(unit);
  if (constexpr std::string_view kPer = "per "; lower.starts_with(kPer) && lower.size() > kPer.size()) {
    const double seconds = seconds_of(std::string_view(lower).substr(kPer.size()));
    return seconds > 0 ? Measure{Meaning::Rate, "1/s", 1 / seconds} : Measure{};
  }
  const size_t slash = lower.find('/');
  const std::string head = lower.substr(0, slash);
  const std::string tail = slash == lower.npos ? "" : lower.substr(slash + 1);
  if (const auto flops = flops_of(head))
    return {Meaning::Rate, "FLOP/s", *flops};
  if (slash != lower.npos) {
    const std::string per = tail.substr(0, tail.find('/'));
    constexpr std::array<std::string_view, 4> kSeconds{"s", "sec", "second", "seconds"};
    if (is_among(kSeconds, per)) {
      const auto [data, factor] = data_unit(unit.substr(0, slash));
      return {Meaning::Rate, data.empty() ? lower : data, factor};
    }
    const double seconds = seconds_of(head);
    return seconds > 0 && !per.empty() ? Measure{Meaning::Duration, "s", seconds} : Measure{};
  }
  if (const double seconds = seconds_of(lower); seconds > 0)
    return {Meaning::Duration, "s", seconds};
  constexpr std::array<std::string_view, 4> kBare{"tps", "qps", "fps", "iops"};
  if (is_among(kBare, lower))
    return {Meaning::Rate, lower, 1};
  if (unit == "GF" || unit == "TF" || unit == "PF")  // HPL
    return {Meaning::Rate, "FLOP/s", factor_of(lower[0])};
  if (lower == "mhz" || lower == "ghz")
    return {Meaning::Clock, "Hz", lower == "mhz" ? 1e6 : 1e9};
  if (lower.ends_with("ps") && unit.size() > 3) {  // Gbps, MBps
    const auto [data, factor] = data_unit(unit.substr(0, unit.size() - 2));
    return data.empty() ? Measure{} : Measure{Meaning::Rate, data, factor};
  }
  return {};
}

// What is no speed of the work, although its name holds a word of time or rate.
constexpr std::array<std::string_view, 33> kOtherNames{
    "eta",      "remaining", "left",   "start",  "begin",       "end",       "wall",    "loss",   "lr",
    "learning", "val",       "eval",   "queue",  "queued",      "load",      "loading", "data",   "memory",
    "mem",      "save",      "warmup", "stdev",  "stddev",      "std",       "timeout", "uptime", "age",
    "cap",      "compile",   "limit",  "target", "uncertainty", "validation"};
constexpr std::array<std::string_view, 7>
    kOtherRates{"val", "validation", "learning", "limit", "target", "cap", "supported"};
// A largest rate is what a test reached. A largest time is that of one unlucky request.
constexpr std::array<std::string_view, 4> kExtremeNames{"max", "min", "maximum", "minimum"};
constexpr std::array<std::string_view, 18> kRateNames{
    "fps",
    "sps",
    "ips",
    "throughput",
    "gf",
    "tf",
    "tgs",
    "teps",
    "tflops",
    "tflop",
    "gflops",
    "flops",
    "tps",
    "wps",
    "ups",
    "qps",
    "mfu",
    "iops"};
constexpr std::array<std::string_view, 2> kBandwidthNames{"bandwidth", "bw"};
constexpr std::array<std::string_view, 4> kTimeNames{"time", "latency", "duration", "timing"};
constexpr std::array<std::string_view, 13> kUnitsOfWork{
    "step",
    "iter",
    "iteration",
    "batch",
    "token",
    "forward",
    "backward",
    "fwd",
    "bwd",
    "train",
    "compute",
    "epoch",
    "request"};
constexpr std::array<std::string_view, 9>
    kSteps{"step", "steps", "iter", "iters", "it", "iteration", "iterations", "update", "updates"};
constexpr std::array<std::string_view, 12> kErrors{
    "error",
    "errors",
    "errs",
    "err",
    "drop",
    "drops",
    "dropped",
    "missed",
    "crc",
    "failures",
    "retrans",
    "discards"};
constexpr std::array<std::string_view, 6>
    kUncorrected{"uncor", "uncorrected", "uncorrectable", "uncorr", "uce", "dbe"};
constexpr std::array<std::string_view, 5> kWork{"batch", "bsz", "wpb", "seq", "seqlen"};

// "step", "begin iteration", "num_updates", but no size or limit of steps: "max_steps", "save every step".
bool is_position(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 14> kOfSize{
      "total",
      "max",
      "min",
      "maximum",
      "minimum",
      "warmup",
      "eval",
      "val",
      "save",
      "log",
      "every",
      "per",
      "time",
      "validation"};
  return !words.empty() && is_among(kSteps, words.back()) && !any_of_label(words, kOfSize) &&
         !any_of_label(words, kTimeNames);
}

// A label without a unit behind its number.
Measure measure_of_words(const std::vector<std::string>& words) {
  const auto per = std::ranges::find(words, "per");
  if (any_of_label(words, kUncorrected))
    return {Meaning::Uncorrected, "", 1};
  if (any_of_label(words, kErrors))
    return {Meaning::Errors, "", 1};
  if (per != words.end() && per + 1 != words.end() && (per[1].starts_with("sec") || per[1] == "s"))
    return {Meaning::Rate, "1/s", 1};
  if (any_of_label(words, kRateNames) || any_of_label(words, kBandwidthNames))
    return {Meaning::Rate, "", 1};
  if (words.size() > 1 && (words.back() == "mhz" || words.back() == "ghz"))
    return {Meaning::Clock, "Hz", words.back() == "mhz" ? 1e6 : 1e9};
  const double seconds = words.size() > 1 ? seconds_of(words.back()) : 0;
  if (std::ranges::find(words, "await") != words.end())  // iostat: time of a request
    return {Meaning::Duration, "", 1};
  const bool is_time = any_of_label(words, kTimeNames) || seconds > 0;
  if (is_time && (words.size() == 1 || any_of_label(words, kUnitsOfWork)))
    return {Meaning::Duration, seconds > 0 ? "s" : "", seconds > 0 ? seconds : 1};
  return any_of_label(words, kWork) ? Measure{Meaning::Work, "", 1} : Measure{};
}

// The end of the label before `at`, blanks and signs between left out.
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

// Words before `end`, until something that is no word of a label.
std::string label_before(std::string_view line, size_t end) {
  size_t begin = end;
  while (begin > 0 && end - begin < kLongestLabel) {
    size_t word = begin;
    while (word > 0 && is_name_char(line[word - 1]))
      --word;
    const bool has_letter =
        std::any_of(line.begin() + std::ptrdiff_t(word), line.begin() + std::ptrdiff_t(begin), is_alpha);
    if (word == begin || is_figure(line[word]) || !has_letter)  // " - " stands between parts of a line
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

// A unit in brackets at the end of the label: "Throughput (req/sec): 7.3". A remark in brackets,
// "throughput (completion token): 5016 token/s", is passed over.
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

// Up to two words behind a number that has none in front: "30% packet loss".
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

// A unit of a rate among the words in front of a number: "GFLOP/s rating of=431.2".
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

// The end of "/331000" behind a number, or `end` where none follows. 0: two follow, as in a date.
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

// The unit behind a number, and the factor of a letter for thousands. False: the number is a part of a word.
bool take_unit(std::string_view line, size_t& end, LabelledValue& out) {
  size_t begin = end;
  begin += begin + 1 < line.size() && line[begin] == ' ';
  size_t last = begin;
  while (last < line.size() && is_unit_char(line[last]))
    ++last;
  const std::string_view unit = line.substr(begin, last - begin);
  if (begin == end && unit.size() == 1 &&
      (unit == "K" || unit == "k" || unit == "M" || unit == "G" || unit == "T")) {
    out.value *= factor_of(in_lower_case(unit)[0]);
    end = last;
    return true;
  }
  // "812 per second", "812 requests per second"
  size_t behind = end;
  if (behind < line.size() && line[behind] == ' ' && !line.substr(behind).starts_with(" per "))
    behind = std::min(line.find(' ', behind + 1), line.size());
  if (line.substr(behind).starts_with(" per sec")) {
    out.unit = "1/s";
    end = behind + std::string_view(" per sec").size();
    return true;
  }
  // "0.41 elapsed seconds"
  if (const size_t word = last + 1; last < line.size() && line[last] == ' ' && !unit.empty()) {
    size_t behind_word = word;
    while (behind_word < line.size() && is_alpha(line[behind_word]))
      ++behind_word;
    const std::string_view second = line.substr(word, behind_word - word);
    constexpr std::array<std::string_view, 5> kKinds{"elapsed", "wall", "total", "cpu", "real"};
    if (second.size() > 1 && seconds_of(second) > 0 && is_among(kKinds, in_lower_case(unit))) {
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

std::vector<std::string> label_words(std::string_view label) {
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : label) {
    const bool is_inside = is_alpha(c) || is_figure(c);
    const bool is_hump = c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z';
    const bool was_inside = is_alpha(before) || is_figure(before);
    if (is_inside && (!was_inside || is_hump))
      words.emplace_back();
    if (is_inside)
      words.back() += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    before = c;
  }
  return words;
}

Measure measure_of(std::string_view label, std::string_view unit) {
  const std::vector<std::string> words = label_words(label);
  const Measure by_unit = measure_of_unit(unit);
  if (by_unit.meaning == Meaning::Rate)
    return any_of_label(words, kOtherRates) ? Measure{} : by_unit;
  if (std::ranges::find(words, "packet") != words.end() && std::ranges::find(words, "loss") != words.end())
    return {Meaning::Errors, "", 1};
  if (unit.empty() && is_position(words))
    return {Meaning::Step, "", 1};
  if (any_of_label(words, kOtherNames) || any_of_label(words, kExtremeNames))
    return {};
  if (by_unit.meaning == Meaning::Clock)
    return by_unit;
  if (by_unit.meaning == Meaning::Duration) {
    const bool is_per = unit.find('/') != unit.npos;
    const bool is_sum = (std::ranges::find(words, "total") != words.end() ||
                         std::ranges::find(words, "elapsed") != words.end()) &&
                        !any_of_label(words, kUnitsOfWork);
    const bool is_named = any_of_label(words, kTimeNames) || any_of_label(words, kUnitsOfWork);
    return is_per || (is_named && !is_sum) ? by_unit : Measure{};
  }
  return words.empty() || !unit.empty() ? Measure{} : measure_of_words(words);
}

bool is_other_time(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  return any_of_label(words, kOtherNames) || any_of_label(words, kExtremeNames);
}

std::vector<LabelledValue> labelled_values(std::string_view line) {
  std::vector<LabelledValue> out;
  size_t before = 0;  // the end of the number in front
  for (size_t at = 0; at < line.size() && out.size() < kMostValues;) {
    if (!is_figure(line[at])) {
      ++at;
      continue;
    }
    const auto found = number_at(line, at);
    if (!found) {
      while (at < line.size() && (is_figure(line[at]) || line[at] == '.'))
        ++at;
      continue;
    }
    LabelledValue value;
    value.value = found->value;
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
    value.label = label_before(line, label);
    if (unit.empty())
      value.label += line.substr(label, words - label);
    // "120/1000" has a meaning only when its label makes it a position.
    if (is_pair && value.unit.empty())
      is_whole = measure_of(value.label, "").meaning == Meaning::Step;
    if (value.label.empty() && (value.unit.empty() || value.unit == "%"))
      value.label = label_behind(line.substr(end));
    if (value.unit.empty())
      value.unit = rate_in(line.substr(before, at - before));
    before = end;
    if (is_whole)
      out.push_back(std::move(value));
    at = std::max(end, at + 1);
  }
  return out;
}

}  // namespace lento::desk
