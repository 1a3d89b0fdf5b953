// Lines with a number of one rank each that no other format took. They may hold what is slow, so that a file
// with such lines is no all-clear by itself: each shape of line that four or more ranks have is one event,
// with a line as an example.
//
//   line = any RANK any X any        X: number, any: any text, RANK: desk/read/rank_word.h
//
// Lines have one shape when they differ in their digits only.
#include <map>
#include <set>

#include "desk/read/rank_word.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

const LineForm kUnreadForms[] = {
    {"rank", {"rank 3 took 12.1", "step 4, rank  7: 3.3", "rank=3 fwd=12.1"}},
    {"Rank", {"Rank 3: 12.1"}},
    {"RANK", {"[RANK 3] 12.1"}},
};

// Returns the text with each number replaced by '#', to find lines of equal shape.
std::string shape_of(std::string_view text) {
  std::string shape;
  for (const char c : text) {
    const bool is_digit = (c >= '0' && c <= '9') || (c == '.' && shape.ends_with('#'));
    if (!is_digit)
      shape += c == '\t' ? ' ' : c;
    else if (!shape.ends_with('#'))
      shape += '#';
    if (shape.ends_with("  "))
      shape.pop_back();
  }
  return shape;
}

class UnreadRanks : public Reader {
  static constexpr size_t kMostShapes = 256;
  static constexpr size_t kMostRanks = 4096;
  static constexpr size_t kFewestRanks = 4;  // as many as a comparison of peers needs

  void take(size_t, const Match&, Sink& sink) override {
    const RankWord rank = rank_in(sink.line());
    const std::string_view rest = sink.line().substr(rank.end);
    // Lines from the set-up of a communicator are left out.
    const bool is_setup = sink.line().find("NCCL INFO") != std::string_view::npos;
    if (is_setup || rank.number.empty() || rest.size() > 256 || rest.find_first_of("0123456789") == rest.npos)
      return;
    const std::string shape = shape_of(rest);
    auto at = shapes_.find(shape);
    if (at == shapes_.end()) {
      if (shapes_.size() == kMostShapes)
        return;
      at = shapes_.try_emplace(shape).first;
      at->second.example.assign(sink.line());
      at->second.number = sink.number();
    }
    ++at->second.lines;
    if (at->second.ranks.size() < kMostRanks)
      at->second.ranks.insert(rank.number);
  }

  // Reports the line shapes that several ranks wrote.
  void end(Sink& sink) override {
    for (const auto& [shape, lines] : shapes_) {
      if (lines.ranks.size() < kFewestRanks)
        continue;
      sink.at(lines.example, lines.number, {}, {});
      Event event;
      event.kind = "unread/ranks";
      event.meaning = "numbers of ranks that were not read";
      event.count = lines.lines;
      event.fields = {{"shape", shape}, {"ranks", std::to_string(lines.ranks.size())}};
      sink.event(std::move(event));
    }
  }

  struct Lines {
    std::string example;
    int64_t number = 0;
    uint64_t lines = 0;
    std::set<std::string> ranks;
  };
  std::map<std::string, Lines> shapes_;
};

}  // namespace

const Format kUnreadRanks{
    "unread numbers of ranks",
    "training",
    kUnreadForms,
    Shape::Lines,
    make<UnreadRanks>,
    nullptr,
    {},
    {},
    true};

}  // namespace lento::desk
