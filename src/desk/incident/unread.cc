// Judges what no reader understood: lines at the level of an error, states that are no fault by themselves,
// and numbers of ranks that no reader took. An all-clear mentions that they were not read. When their line is
// about a speed or a time, or holds nothing but the number, the number may be the slow quantity, and the
// question stays open. When the line is about something else (a loss, a seed) it becomes a note.
#include <algorithm>
#include <array>
#include <set>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

constexpr std::array<std::string_view, 22> kSpeeds{
    "time",       "ms",     "s",       "sec",      "seconds",  "it/s",    "s/it", "latency",
    "throughput", "tflops", "tflop",   "flops",    "flop/s",   "tflop/s", "gb/s", "bandwidth",
    "speed",      "score",  "forward", "backward", "duration", "elapsed"};

// Returns whether a word of the line is about speed or time, or the line has no words. Words are letters and
// slashes, compared in lower case.
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

// Returns whether the file has series of several ranks, which the reader of labelled numbers provides.
bool has_series_of_ranks(const Records& records, int32_t file) {
  constexpr size_t kFewestRanks = 4;
  std::set<std::string> ranks;
  for (const Series& series : records.series()) {
    const Quantity& quantity = records.quantities()[series.quantity];
    if (series.file == file && quantity.scope == Scope::Own && quantity.kind == Kind::Level)
      ranks.insert(records.subjects()[series.subject].rank);
  }
  ranks.erase("");
  return ranks.size() >= kFewestRanks;
}

// Notes lines with a number for each rank that no format describes.
void judge_unread(const Records& records, const JudgeOptions&, Judgement& out) {
  constexpr size_t kMost = 4;
  size_t shown = 0;
  std::set<std::pair<int32_t, int64_t>> lines;
  for (const Event& event : records.events()) {
    const bool is_state = event.kind == "unread/state";
    if (is_state && lines.emplace(event.where.file, event.where.line).second && shown++ < kMost)
      out.open.push_back(
          {(event.subject.empty() ? "" : subject_text(event.subject) + ": ") + event.meaning + " (" +
               place_text(records, event.where) + (event.action.empty() ? "), which is not understood" : ")"),
           event.action.empty() ? "what that line means, and the same file of healthy hosts" : event.action,
           field(event, "reason").empty() ? "" : event.subject.host});
    if (event.kind != "unread/ranks" || shown++ == kMost || has_series_of_ranks(records, event.where.file))
      continue;
    const std::string text = "Lines with a number of each of " + field(event, "ranks") +
                             " ranks were not read, as \"" + event.text + "\" (" +
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
