// Derives the meaning of a number from its unit (units.cc), or from the words of its label.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "desk/general/kept_measure.h"
#include "desk/general/labels.h"

namespace lento::desk {
namespace {

using Vocabulary = std::span<const std::string_view>;

bool is_digit_of_word(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_among(Vocabulary words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}
bool any_of_label(const std::vector<std::string>& label, Vocabulary words) {
  return std::ranges::any_of(label, [&](const std::string& word) {
    return is_among(words, word);
  });
}

// Words which show that a label is no speed of the work even when it holds a word for a time or a rate: "eval
// time", "learning rate".
constexpr std::array<std::string_view, 33> kOtherNames{
    "eta",      "remaining", "left",   "start",  "begin",       "end",       "wall",    "loss",   "lr",
    "learning", "val",       "eval",   "queue",  "queued",      "load",      "loading", "data",   "memory",
    "mem",      "save",      "warmup", "stdev",  "stddev",      "std",       "timeout", "uptime", "age",
    "cap",      "compile",   "limit",  "target", "uncertainty", "validation"};
constexpr std::array<std::string_view, 7>
    kOtherRates{"val", "validation", "learning", "limit", "target", "cap", "supported"};
// Words which show that a time is that of a single request or step. They do not exclude rates with a unit,
// because the largest rate is what a test reached.
constexpr std::array<std::string_view, 4> kExtremeNames{"max", "min", "maximum", "minimum"};
constexpr std::array<std::string_view, 21> kRateNames{
    "goodput", "gteps", "efficiency", "fps",   "sps", "ips", "throughput", "gf",  "tf",  "tgs", "teps",
    "tflops",  "tflop", "gflops",     "flops", "tps", "wps", "ups",        "qps", "mfu", "iops"};
constexpr std::array<std::string_view, 4> kBandwidthNames{"bandwidth", "bw", "busbw", "algbw"};
constexpr std::array<std::string_view, 7>
    kTimeNames{"time", "latency", "latencies", "lat", "duration", "timing", "runtime"};
// Words for the middle of many times, which need a unit of time.
constexpr std::array<std::string_view, 5> kMiddles{"avg", "mean", "average", "median", "p50"};
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
// Words for where the time was spent, which need a unit of time: "Self CUDA" of a profiler.
constexpr std::array<std::string_view, 3> kWorkers{"cuda", "kernel", "self"};
constexpr std::array<std::string_view, 9>
    kSteps{"step", "steps", "iter", "iters", "it", "iteration", "iterations", "update", "updates"};
constexpr std::array<std::string_view, 26> kErrors{
    "error",           "errors",  "errs",      "err",        "drop",     "drops",     "dropped",
    "missed",          "crc",     "failures",  "retrans",    "replay",   "replays",   "retransmits",
    "retransmissions", "retries", "resets",    "timeouts",   "overruns", "discarded", "corrupted",
    "flaps",           "naks",    "underruns", "violations", "discards"};
constexpr std::array<std::string_view, 7>
    kUncorrected{"uncor", "uncorrected", "uncorrectable", "uncorr", "uce", "dbe", "ue"};
constexpr std::array<std::string_view, 5> kWork{"batch", "bsz", "wpb", "seq", "seqlen"};
constexpr std::array<std::string_view, 5> kResponses{"rtt", "exe", "await", "svctm", "response"};
constexpr std::array<std::string_view, 3> kLostShares{"iowait", "steal", "stolen"};
constexpr std::array<std::string_view, 19> kSizes{
    "size",
    "width",
    "mtu",
    "capacity",
    "lanes",
    "cores",
    "cpus",
    "sockets",
    "threads",
    "channels",
    "dimms",
    "slots",
    "gpus",
    "nodes",
    "disks",
    "ports",
    "links",
    "memtotal",
    "processors"};
// Words which show that a size is not one of the machine: a program chose it, or it changes with use.
constexpr std::array<std::string_view, 26> kOtherSizes{
    "free",   "used",   "batch",   "block", "page",      "pages", "queue",   "buffer", "packet",
    "sector", "min",    "cache",   "swap",  "hugepages", "huge",  "time",    "step",   "avail",
    "offset", "window", "message", "msg",   "file",      "files", "offline", "sample"};

// Returns whether a label names how much of something a machine or device has: "CPU(s)", "memory size",
// "Total memory", "active_mtu".
bool is_size_of_part(std::string_view label, const std::vector<std::string>& words) {
  if (any_of_label(words, kOtherSizes))
    return false;
  constexpr std::array<std::string_view, 3> kMemory{"memory", "mem", "ram"};
  const bool is_total_memory =
      std::ranges::find(words, "total") != words.end() && any_of_label(words, kMemory);
  return is_total_memory || any_of_label(words, kSizes) || label.find("(s)") != label.npos;
}

// Returns whether a label names the number of the current step ("step", "begin iteration", "num_updates") and
// not how many steps there are or lie between two actions ("max_steps", "save every step").
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

// Returns the meaning of a label whose number has no unit.
Measure measure_of_words(const std::vector<std::string>& words) {
  const auto per = std::ranges::find(words, "per");
  if (any_of_label(words, kErrors))
    return {Meaning::Errors, "", 1};
  if (per != words.end() && per + 1 != words.end() && (per[1].starts_with("sec") || per[1] == "s"))
    return {Meaning::Rate, "1/s", 1};
  if (any_of_label(words, kRateNames) || any_of_label(words, kBandwidthNames))
    return {Meaning::Rate, "", 1};
  if (words.size() > 1 && (words.back() == "mhz" || words.back() == "ghz"))
    return {Meaning::Clock, "Hz", words.back() == "mhz" ? 1e6 : 1e9};
  const double seconds = words.size() > 1 ? seconds_of(words.back()) : 0;
  if (any_of_label(words, kResponses))
    return {Meaning::Duration, "", 1};
  const bool is_time = any_of_label(words, kTimeNames) || seconds > 0;
  if (is_time && (words.size() == 1 || any_of_label(words, kUnitsOfWork) || any_of_label(words, kMiddles)))
    return {Meaning::Duration, seconds > 0 ? "s" : "", seconds > 0 ? seconds : 1};
  return any_of_label(words, kWork) ? Measure{Meaning::Work, "", 1} : Measure{};
}

}  // namespace

bool names_response_time(std::string_view label) {
  return any_of_label(label_words(label), kResponses);
}

std::vector<std::string> label_words(std::string_view label) {
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : label) {
    const bool is_inside = is_letter_of_word(c) || is_digit_of_word(c);
    const bool is_hump = c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z';
    const bool was_inside = is_letter_of_word(before) || is_digit_of_word(before);
    if (is_inside && (!was_inside || is_hump))
      words.emplace_back();
    if (is_inside)
      words.back() += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    before = c;
  }
  return words;
}

// Returns a unit among the words of a label, or "": "seconds/ns =  209.5", "bogo ops/s (real time)".
static std::string_view unit_in_label(std::string_view label) {
  while (!label.empty()) {
    const size_t end = std::min(label.find(' '), label.size());
    const std::string_view word = label.substr(0, end);
    if (word.find('/') != word.npos && measure_of_unit(word).meaning != Meaning::None)
      return word;
    label.remove_prefix(std::min(end + 1, label.size()));
  }
  return {};
}

// Returns whether a unit counts errors in a second: "rxdrop/s", "txerr/s".
static bool counts_errors(std::string_view unit) {
  std::string_view what = unit.substr(0, unit.find('/'));
  if (what.starts_with("rx") || what.starts_with("tx"))
    what.remove_prefix(2);
  return is_among(kErrors, what);
}

static Measure derive_from_label(std::string_view label, std::string_view unit) {
  const std::vector<std::string> words = label_words(label);
  if (unit.empty())
    unit = unit_in_label(label);
  const Measure by_unit = measure_of_unit(unit);
  if (by_unit.meaning == Meaning::Rate && counts_errors(unit))
    return {Meaning::Errors, "", 1};
  if (by_unit.meaning == Meaning::Rate)
    return any_of_label(words, kOtherRates) ? Measure{} : by_unit;
  // "30% packet loss", and mtr's "Loss%". The loss of a training has no percent.
  if (std::ranges::find(words, "loss") != words.end() &&
      (std::ranges::find(words, "packet") != words.end() || label.ends_with("Loss%")))
    return {Meaning::LostShare, "%", 1};
  constexpr std::array<std::string_view, 2> kFromAfar{"miss", "foreign"};  // pages of another node's memory
  if (std::ranges::find(words, "numa") != words.end() && any_of_label(words, kFromAfar))
    return {Meaning::Errors, "", 1};
  if (unit.empty() && is_position(words))
    return {Meaning::Step, "", 1};
  if (by_unit.meaning == Meaning::None && any_of_label(words, kUncorrected))
    return {Meaning::Uncorrected, "", 1};
  constexpr std::array<std::string_view, 5> kCorrected{"ce", "corrected", "correctable", "corr", "sbe"};
  if (any_of_label(words, kCorrected))
    return {Meaning::Corrected, "", 1};
  constexpr std::array<std::string_view, 2> kVmstat{"wa", "st"};
  const bool is_lost = any_of_label(words, kLostShares) || (words.size() == 1 && is_among(kVmstat, words[0]));
  if (is_lost && by_unit.meaning == Meaning::None)
    return {Meaning::LostShare, "%", 1};
  if (by_unit.meaning == Meaning::None && is_size_of_part(label, words))
    return {Meaning::Capacity, "", 1};
  // Beside these words an error word is no counter. The other words of kOtherNames exclude only times and
  // rates: "queue_0_tx_missed" and "memory errors" are counters.
  constexpr std::array<std::string_view, 12> kNoCounts{
      "loss",
      "lr",
      "learning",
      "val",
      "eval",
      "validation",
      "limit",
      "target",
      "cap",
      "std",
      "stdev",
      "stddev"};
  if (unit.empty() && any_of_label(words, kErrors) && !any_of_label(words, kNoCounts) &&
      !any_of_label(words, kExtremeNames))
    return {Meaning::Errors, "", 1};
  if (any_of_label(words, kOtherNames) || any_of_label(words, kExtremeNames))
    return {};
  if (by_unit.meaning == Meaning::Clock)
    return by_unit;
  if (by_unit.meaning == Meaning::Duration) {
    const bool is_per = unit.find('/') != unit.npos;
    const bool is_sum = (std::ranges::find(words, "total") != words.end() ||
                         std::ranges::find(words, "elapsed") != words.end()) &&
                        !any_of_label(words, kUnitsOfWork);
    const bool is_named = any_of_label(words, kTimeNames) || any_of_label(words, kUnitsOfWork) ||
                          any_of_label(words, kResponses) || any_of_label(words, kMiddles) ||
                          any_of_label(words, kWorkers);
    return is_per || (is_named && !is_sum) ? by_unit : Measure{};
  }
  return words.empty() || !unit.empty() ? Measure{} : measure_of_words(words);
}

Measure measure_of(std::string_view label, std::string_view unit) {
  thread_local std::unordered_map<std::string, Measure> kept;
  std::string text;
  text.append(label).append(1, '\n').append(unit);
  return kept_measure(kept, std::move(text), [&] {
    return derive_from_label(label, unit);
  });
}

bool is_other_time(std::string_view label) {
  const std::vector<std::string> words = label_words(label);
  return any_of_label(words, kOtherNames) || any_of_label(words, kExtremeNames);
}

}  // namespace lento::desk
