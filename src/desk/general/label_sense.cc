// Derives the role of a number in a log (a speed, a step, a rank, a time) from its label and unit, by words
// that trainers and benchmarks share.
#include "desk/general/label_sense.h"

#include <algorithm>
#include <array>
#include <span>

#include "desk/general/states.h"
#include "desk/read/rank_word.h"

namespace lento::desk {
namespace {

// Words for work that a rank does alone.
constexpr std::array<std::string_view, 15> kLocalWork{
    "compute",
    "forward",
    "backward",
    "fwd",
    "bwd",
    "kernel",
    "gemm",
    "matmul",
    "cpu",
    "data",
    "load",
    "busy",
    "encode",
    "decode",
    "optimizer"};
bool holds_word(const std::vector<std::string>& words, std::span<const std::string_view> any) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(any, word) != any.end();
  });
}

// Returns the unit of a value in seconds when its label names the time since the program began
// ("ExecutionTime = 12.31 s", "uptime=512.3"), else -1.
double seconds_since_start(const LabelledValue& value, const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 4> kNames{"uptime", "elapsed", "runtime", "wall"};
  const Measure time = measure_of("time", value.unit);
  const bool is_time = time.meaning == Meaning::Duration && !value.label.empty() &&
                       (!value.unit.empty() || holds_word(words, kNames));
  return is_time ? time.scale : -1;
}

}  // namespace

LabelSense sense_of(const LabelledValue& value) {
  const std::vector<std::string> words = label_words(value.label);
  LabelSense sense;
  sense.measure = measure_of(value.label, value.unit);
  sense.is_rank = names_rank(value.label);
  sense.is_step = sense.measure.meaning == Meaning::Step;
  sense.seconds = seconds_since_start(value, words);
  const std::string unit = value.unit.empty() && words.size() > 1 ? words.back() : value.unit;  // "comm_ms"
  if (sense.measure.meaning == Meaning::None && !unit.empty() && !is_other_time(value.label)) {
    constexpr std::array<std::string_view, 3> kTimes{"time", "latency", "duration"};
    sense.measure = measure_of("time", unit);
    sense.source = holds_word(words, kTimes) ? Source::Named : Source::Unnamed;  // "elapsed_time = 0.02s"
    if (sense.measure.meaning != Meaning::Duration)
      sense.measure = {};
  }
  const bool is_time = std::ranges::find(words, "time") != words.end();
  if (sense.measure.meaning == Meaning::None && value.unit.empty() && words.size() > 1 && is_time &&
      !is_other_time(value.label) && sense.seconds < 0) {  // "real time  57.7"
    sense.measure = {Meaning::Duration, "", 1};
    sense.source = Source::Unnamed;
  }
  const Meaning meaning = sense.measure.meaning;
  sense.is_series = meaning == Meaning::Rate || meaning == Meaning::Duration || meaning == Meaning::Work;
  sense.name = !value.label.empty()              ? value.label
               : sense.source == Source::Unnamed ? "time in " + value.unit
                                                 : value.unit;
  return sense;
}

bool has_meaning_alone(std::string_view word) {
  return condition_of(word) != Condition::Unknown || names_condition(word) || names_device(word) ||
         names_host(word) || polarity_of(word) != Polarity::None || names_rank(word) ||
         measure_of(word, "").meaning != Meaning::None || is_other_time(word);
}

bool is_local_work(const std::vector<std::string>& words) {
  return holds_word(words, kLocalWork);
}

}  // namespace lento::desk
