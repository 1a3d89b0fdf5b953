// Lines that a program wrote at the level of an error and that no reader understands. A log of a known form
// with such a line is no proof that nothing is wrong: the line is quoted and leaves a question open.
//
//   line = any of: "[" LEVEL "]" | blank LEVEL blank | LEVEL ":"      LEVEL = "ERROR" | "FATAL" | "CRITICAL"
//        | ("E" | "F") MONTH DAY TIME THREAD FILE ":" N "]" text                                        glog
//
// The level must be among the first words, as it may be a word of the message elsewhere.
#include <algorithm>
#include <array>

#include "desk/general/general.h"

namespace lento::desk {
namespace {

const LineForm kLevelForms[] = {
    {"[ERROR]", {"[2026-03-04 05:06:07] [ERROR] [tid 7] training of a link failed"}},
    {"[FATAL]", {"[FATAL] no memory"}},
    {"^[Error]: ", {"[Error]: The execution of the internal task times out."}},
    {"ERROR ", {"2026-03-04 05:06:07,123 - root - ERROR - the store is gone"}},
    {"FATAL ", {"05:06:07 FATAL cannot go on"}},
    {"CRITICAL ", {"2026-03-04 05:06:07 CRITICAL lost quorum"}},
    {"ERROR: ", {"ERROR: the health check gave 3"}},
    {"level=error ", {"time=2026-03-04T05:06:07Z level=error msg=\"no device\""}},
    {"^E{_:count} {_:word} {_:int} {_:word}] ", {"E1120 09:18:44.654321   1880 hang.cc:310] a hang"}},
    {"^F{_:count} {_:word} {_:int} {_:word}] ", {"F1120 09:18:44.654321   1880 pool.cc:31] no memory"}},
    {"level=fatal ", {"time=2026-03-04T05:06:07Z level=fatal msg=\"no device\""}},
};

class ErrorLevel : public Reader {
  void take(size_t, const Match&, Sink& sink) override {
    constexpr size_t kMostText = 160;
    if (sink.number() == last_ || !is_at_error_level(sink.line()))
      return;
    last_ = sink.number();
    Event event;
    event.kind = "unread/state";
    event.meaning = sink.line().substr(0, kMostText);
    sink.event(std::move(event));
    is_used_ = true;
  }

  void end(Sink& sink) override {
    if (is_used_)
      sink.took();
  }

  bool is_used_ = false;
  int64_t last_ = 0;
};

}  // namespace

bool is_at_error_level(std::string_view text) {
  constexpr std::array<std::string_view, 12> kLevels{
      "ERROR",
      "ERR",
      "CRITICAL",
      "CRIT",
      "FATAL",
      "ALERT",
      "EMERG",
      "-E-",
      "[E]",
      "E:",
      "level=error",
      "level=fatal"};
  constexpr size_t kGlog = 5;  // "E1120"
  const bool is_glog = text.size() > kGlog && (text[0] == 'E' || text[0] == 'F') && text[kGlog] == ' ' &&
                       text.substr(1, kGlog - 1).find_first_not_of("0123456789") == text.npos;
  if (is_glog || text.starts_with("[Error]") || text.starts_with("[error]"))
    return true;
  constexpr int kMostWords = 6;
  for (int i = 0; i < kMostWords && !text.empty(); ++i) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    while (!word.empty() && (word.front() == '[' || word.front() == '<') && word != "[E]")
      word.remove_prefix(1);
    while (!word.empty() && std::string_view("]>:,").find(word.back()) != std::string_view::npos &&
           word != "E:" && word != "[E]")
      word.remove_suffix(1);
    if (std::ranges::find(kLevels, word) != kLevels.end())
      return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

const Format kErrorLevel{
    .name = "lines at the level of an error",
    .family = "general",
    .forms = kLevelForms,
    .make = make<ErrorLevel>,
    .is_fallback = true,
    .is_of_whole_line = true};

}  // namespace lento::desk
