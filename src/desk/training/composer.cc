// Composer prints a block of metrics a batch, among them the extremes over the ranks with the rank that had
// them.
//
//   block   = "[batch=" N "/" N "]:" {metric}     metric = "Train time/batch:" N | extreme
//   extreme = "Train" ("Min" | "Max") QUANTITY "/Rank:" X [UNIT] "/" RANK
//
// Some rank is always the slowest, so the reader writes the bad end of each quantity and names nobody.
//
// Source: the console logger of Composer 0.20 to 0.28 and the callbacks of its ranks' throughput and clocks.
#include <array>

#include "desk/training/training.h"

namespace lento::desk {
namespace {

enum ComposerForm {
  Batch,
  Extreme,
};

const LineForm kComposerForms[] = {
    {"Train time/batch: {step:int}", {"\t Train time/batch: 200"}},
    {"Train {end:word}/Rank:~{value:num}{_:word}",
     {"\t Train MinThroughput/Rank: 129.17TF/3", "\t Train MinClock/Rank: 1980/16"}},
};

struct End {
  std::string_view name;
  Quantity quantity;
};

Quantity extreme(const char* name, const char* unit, Better better, const char* advice) {
  return {name, unit, Kind::Level, better, "", Scope::Extreme, advice};
}

const std::array kEnds{
    End{"MinClock",
        extreme(
            "lowest clock of all ranks",
            "MHz",
            Better::Higher,
            "look at nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER of that GPU for the reason that its "
            "clock "
            "is held down")},
    End{"MinThroughput",
        extreme(
            "lowest throughput of all ranks",
            "TFLOP/s",
            Better::Higher,
            "look at clocks, PCIe width and kernel log of that rank's GPU")},
    End{"MaxTime",
        extreme(
            "longest time of all ranks",
            "s",
            Better::Lower,
            "look at clocks, PCIe width and kernel log of that rank's GPU")},
    End{"MaxTemperature",
        extreme(
            "highest temperature of all ranks",
            "C",
            Better::Lower,
            "check air flow and fans of its host")},
    End{"MinPower",
        extreme("lowest power of all ranks", "W", Better::Higher, "look at the power limit of that GPU")},
};

class Composer : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == Batch) {
      step_ = match.number("step").value_or(kUnknown);
      return;
    }
    const std::string_view line = sink.line();
    const std::string_view rank = line.substr(line.rfind('/') + 1);
    const size_t digits = std::min(rank.find_first_not_of("0123456789"), rank.size());
    const auto value = match.number("value");
    constexpr size_t kMostDigits = 8;
    if (!value || digits == 0 || digits > kMostDigits)
      return;
    for (const End& end : kEnds) {
      if (match["end"] == end.name)
        sink.sample(end.quantity, *value, {{"", "", std::string(rank.substr(0, digits))}, step_});
    }
  }

  double step_ = kUnknown;
};

}  // namespace

const Format kComposer{"Composer log", "training", kComposerForms, Shape::Lines, make<Composer>};

}  // namespace lento::desk
