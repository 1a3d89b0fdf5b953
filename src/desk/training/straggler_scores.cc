// Reports of nvidia-resiliency-ext's straggler detection: scores of the worst ranks, of which 1 is the best
// possible, once compared with other ranks ("relative") and once with the rank's own past ("individual"), and
// a warning that lists the ranks below its threshold.
//
//   section = "GPU relative performance:" | "GPU individual performance:"
//   all     = {"Rank=" N " Node=" HOST " Score=" X}
//   worst   = "Worst performing " N "/" N " ranks:" {"Rank=" N " Node=" HOST " Score=" X}
//   listed  = "GPUs" ("relative" | "individual") "perf: {" RANK ": " X {", " RANK ": " X} "}"
//   warning = "STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: " LIST
//
// The first rank below "Worst performing" is the worst of a report. Without such a heading a report lists the
// score of every rank. A list names its ranks as plain numbers or as "rank=N".
//
// Source: nvidia_resiliency_ext/ptl_resiliency and attribution/straggler, 0.2 to 0.4; the same report in
// Megatron-Bridge (training/nvrx_straggler.py).
#include "base/number.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

enum ScoreForm {
  Relative,
  Individual,
  Worst,
  Best,
  Score,
  Warning,
  Dropped,
  Listed,
};

const LineForm kScoreForms[] = {
    {"GPU relative performance:", {"GPU relative performance:"}},
    {"GPU individual performance:", {"GPU individual performance:"}},
    {"Worst performing {_:int}/{ranks:int} ranks:", {" Worst performing 5/512 ranks:"}},
    {"Best performing {_:int}/{ranks:int} ranks:", {" Best performing 5/512 ranks:"}},
    {"Rank={rank:int} Node={node:name} Score={score:num}",
     {"  Rank=76 Node=h100-001-253-012 Score=0.94", "Rank=3 Node=n1 Score=1.00"}},
    {"STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: {ranks}",
     {"STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: [76, 13]",
      "STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: "
      "{StragglerId(rank=76, node='n9')}"}},
    {"STRAGGLER DETECTION WARNING: Some GPUs performance dropped. Affected ranks: {ranks}",
     {"STRAGGLER DETECTION WARNING: Some GPUs performance dropped. Affected ranks: [162, 79, 357]"}},
    {"GPUs {kind:name} perf: {scores}",
     {"Rank 0 GPUs relative perf: {0: 1.0, 1: 0.98}", "Rank 0 GPUs individual perf: {0: 0.99}"}},
};

constexpr const char* kScoreAdvice = "look at clocks, temperature and kernel log of that rank's GPU";

Quantity score_quantity(const char* name, Scope scope) {
  return {name, "", Kind::Level, Better::Higher, "", scope, kScoreAdvice};
}
const Quantity kRelative = score_quantity("lowest score of all ranks beside the others", Scope::Extreme);
const Quantity kIndividual =
    score_quantity("lowest score of all ranks beside their own past", Scope::Extreme);
const Quantity kOwnRelative = score_quantity("speed score beside the other ranks", Scope::Own);
const Quantity kOwnIndividual = score_quantity("speed score beside its own past", Scope::Own);

// Returns the ranks of a list, at most kMost: the numbers after "rank=" when there are any, else all
// numbers.
std::vector<std::string> ranks_of(std::string_view list) {
  constexpr size_t kMost = 64;
  constexpr std::string_view kName = "rank=";
  const bool is_named = list.find(kName) != list.npos;
  std::vector<std::string> ranks;
  for (size_t at = 0; at < list.size() && ranks.size() < kMost;) {
    if (is_named) {
      at = list.find(kName, at);
      if (at == list.npos)
        break;
      at += kName.size();
    }
    size_t end = at;
    while (end < list.size() && list[end] >= '0' && list[end] <= '9')
      ++end;
    if (end > at && end - at < 9)
      ranks.emplace_back(list.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return ranks;
}

class StragglerScores : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case Relative:
      case Individual:
        is_relative_ = form == Relative;
        report_ += is_relative_ || report_ == 0;
        list_ = List::All;
        time_ = sink.time();
        return;
      case Worst:
      case Best:
        list_ = form == Worst ? List::Worst : List::None;
        return;
      case Score:
        score(match, sink);
        if (list_ == List::Worst)
          list_ = List::None;
        return;
      case Listed:
        listed(match, sink);
        return;
      default:
        for (const std::string& rank : ranks_of(match["ranks"]))
          sink.event(warning(rank, form == Warning));
    }
  }

  // Reads a score. Lines of a list have no time when the logger writes it only before the list.
  void score(const Match& match, Sink& sink) const {
    const auto value = match.number("score");
    if (!value || list_ == List::None)
      return;
    const bool is_all = list_ == List::All;
    const Quantity& own = is_relative_ ? kOwnRelative : kOwnIndividual;
    const Quantity& worst = is_relative_ ? kRelative : kIndividual;
    if (sink.time().clock == Clock::None)
      sink.set_time(time_);
    sink.sample(is_all ? own : worst, *value, {{match.text("node"), "", match.text("rank")}, report_});
  }

  // Reads the scores of all ranks, which a program prints as a dictionary.
  void listed(const Match& match, Sink& sink) {
    const bool is_relative = match["kind"] == "relative";
    report_ += is_relative || report_ == 0;
    static const Pattern one("^~{rank:int}: {score:num}");
    std::string_view rest = match["scores"];
    rest.remove_prefix(rest.starts_with("{"));
    Match score;
    for (int i = 0; i < kMostListed && one.match(rest, score); ++i) {
      sink.sample(
          is_relative ? kOwnRelative : kOwnIndividual,
          score.number("score").value_or(kUnknown),
          {{"", "", score.text("rank")}, report_});
      rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
    }
  }

  // Returns the event for a rank that the job's own straggler detection named.
  static Event warning(const std::string& rank, bool is_relative) {
    Event event;
    event.kind = is_relative ? "straggler/relative" : "straggler/dropped";
    event.severity = Severity::Warning;
    event.origin = Origin::Hardware;
    event.subject.rank = rank;
    event.meaning = is_relative ? "the job's straggler detection measured it slower than the other ranks"
                                : "the job's straggler detection measured it slower than before";
    event.action = kScoreAdvice;
    return event;
  }

  static constexpr int kMostListed = 1 << 16;
  bool is_relative_ = true;
  enum class List {
    None,
    All,
    Worst,  // only the first line of the list counts
  };
  List list_ = List::None;
  Moment time_;        // of the line before a list
  double report_ = 0;  // number of the report, from 1
};

}  // namespace

const Format kStragglerScores{
    "straggler scores",
    "training",
    kScoreForms,
    Shape::Lines,
    make<StragglerScores>};

}  // namespace lento::desk
