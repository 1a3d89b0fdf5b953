// Numbers of ranks that no reader took: an all-clear says that they were not read. Where their line speaks of
// a speed or a time, or of nothing but the number, they may be what is slow, and the question is open. Where
// it speaks of something else (a loss, a seed) they are a note.
#include <algorithm>
#include <array>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

constexpr std::array<std::string_view, 22> kSpeeds{
    "time",       "ms",     "s",       "sec",      "seconds",  "it/s",    "s/it", "latency",
    "throughput", "tflops", "tflop",   "flops",    "flop/s",   "tflop/s", "gb/s", "bandwidth",
    "speed",      "score",  "forward", "backward", "duration", "elapsed"};

// Words of letters and slashes, in lower case.
bool speaks_of_speed(std::string_view shape) {
  std::string word;
  bool is_bare = true;
  for (size_t i = 0; i <= shape.size(); ++i) {
    const char c = i < shape.size() ? shape[i] : ' ';
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper || (c >= 'a' && c <= 'z') || (c == '/' && !word.empty())) {
      word += is_upper ? char(c - 'A' + 'a') : c;
      is_bare = false;
      continue;
    }
    if (std::ranges::find(kSpeeds, word) != kSpeeds.end())
      return true;
    word.clear();
  }
  return is_bare;
}

}  // namespace

void judge_unread(const Records& records, const JudgeOptions&, Judgement& out) {
  constexpr size_t kMost = 4;
  size_t shown = 0;
  for (const Event& event : records.events()) {
    if (event.kind != "unread/ranks" || shown++ == kMost)
      continue;
    const std::string text = std::to_string(event.count) + " lines with a number of each of " +
                             field(event, "ranks") + " ranks were not read, as \"" + event.text + "\" (" +
                             place_text(records, event.where) + ")";
    if (speaks_of_speed(field(event, "shape")))
      out.open.push_back(
          {text,
           "the same numbers as a table with columns rank, step and a name that says what they are "
           "(compute_ms)"});
    else
      out.notes.push_back(text);
  }
}

}  // namespace lento::desk
