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
#include "desk/read/rest_lines.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

const LineForm kUnreadForms[] = {
    {"rank", {"rank 3 took 12.1", "step 4, rank  7: 3.3", "rank=3 fwd=12.1"}},
    {"Rank", {"Rank 3: 12.1"}},
    {"RANK", {"[RANK 3] 12.1"}},
};

class UnreadRanks : public RestReader {
  static constexpr size_t kMostShapes = 256;
  static constexpr size_t kMostRanks = 4096;
  static constexpr size_t kFewestRanks = 4;  // as many as a comparison of peers needs

  void take(size_t, const Match&, Sink& sink) override {
    found_nothing_ = true;
    const RankWord rank = rank_in(sink.line());
    const std::string_view rest = sink.line().substr(rank.end);
    // Lines from the set-up of a communicator are left out.
    const bool is_setup = sink.line().find("NCCL INFO") != std::string_view::npos;
    if (is_setup || rank.number.empty() || rest.size() > 256 || rest.find_first_of("0123456789") == rest.npos)
      return;
    write_shape(rest, shape_);
    auto at = shapes_.find(shape_);
    if (at == shapes_.end()) {
      if (shapes_.size() == kMostShapes)
        return;
      at = shapes_.try_emplace(shape_).first;
      at->second.example.assign(sink.line());
      at->second.number = sink.number();
    }
    if (at->second.ranks.size() < kMostRanks)
      found_nothing_ = !at->second.ranks.insert(rank.number).second;
  }

  bool row(std::string_view, Sink& sink) override {
    take(0, {}, sink);
    return false;
  }
  bool takes_log_lines() const override {
    return true;
  }
  bool found_nothing() const override {
    return found_nothing_;
  }
  bool has_meaning(std::string_view word) const override {
    return names_rank(word);
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
      event.fields = {{"shape", shape}, {"ranks", std::to_string(lines.ranks.size())}};
      sink.event(std::move(event));
    }
  }

  struct Lines {
    std::string example;
    int64_t number = 0;
    std::set<std::string> ranks;
  };
  std::map<std::string, Lines, std::less<>> shapes_;
  std::string shape_;           // of the last line
  bool found_nothing_ = false;  // in the last line, that is new
};

}  // namespace

const Format kUnreadRanks{
    "unread numbers of ranks",
    "training",
    kUnreadForms,
    Shape::Rest,
    make<UnreadRanks>,
    nullptr,
    {},
    {},
    true};

}  // namespace lento::desk
