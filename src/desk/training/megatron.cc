// Megatron-LM writes one line each few iterations and, with --log-straggler, one line of the largest and the
// smallest value over all ranks with the rank that had it. The report belongs to the iteration before it.
//
//   step   = "iteration" N "/" N "|" {NAME ":" X "|"}
//   report = END QUANTITY "/Rnk: " X UNIT "/" RANK {" | " ...}     END = "Mn" | "Mx"
//
// The timers behind an iteration are those of timers.h.
//
// Some rank is always the slowest, so the reader writes what a report holds and names no rank. The report's
// time and throughput are of the forward pass of each rank alone, which a rank does not spend waiting.
//
// Source: megatron/training/training.py and megatron/core/utils.py of Megatron-LM 0.6 to 0.14.
#include "base/number.h"
#include "desk/training/extremes.h"
#include "desk/training/step_lines.h"
#include "desk/training/timers.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

enum MegatronForm {
  Iteration,
  Straggler,
  PairTimers,
  MaxTimers,
  RankTimers,
};

const StepLine kIteration{
    {"iteration {step:int}/~{total:int} |{_}elapsed time per iteration (ms):",
     {"[2026-10-02 11:08:25] iteration      101/  250000 | consumed samples:       103424 | elapsed time per "
      "iteration (ms): 5200.7 | throughput per GPU (TFLOP/s/GPU): 402.8 | global batch size:  1024 |",
      "iteration       10/     500 | consumed samples:          160 | elapsed time per iteration (ms): "
      "14287.5 "
      "| learning rate: 2.407E-04 | global batch size:   768 | lm loss: 5.905366E+00 |"}},
    {{"elapsed time per iteration (ms):", &kStepTime, 1e-3},
     {"throughput per GPU (TFLOP/s/GPU):", &kFlopsPerGpu},
     {"TFLOPs:", &kFlopsPerGpu},
     {"global batch size:", &kBatch},
     {"actual seqlen:", &kSequence}}};

const LineForm kMegatronForms[] = {
    kIteration.form,
    {"MnRtt/Rnk: {_:num}s/{_:int} | MxRtt/Rnk:",
     {"MnRtt/Rnk: 4.69s/38 | MxRtt/Rnk: 4.95s/2 | MnPwr/Rnk: 668.10W/26 | MxPwr/Rnk: 690.10W/23 | "
      "MnTmp/Rnk: 45.00C/50 | MxTmp/Rnk: 66.00C/12 | MnUtl/Rnk: 97.00%/5 | MxUtl/Rnk: 100.00%/0 | "
      "MnClk/Rnk: 1965.00MHz/18 | MxClk/Rnk: 1980.00MHz/27 | MnDRtt/Rnk: 0.01s/56 | MxDRtt/Rnk: 0.02s/33 | "
      "MnEtpt/Rnk: 402.05TF/1 | MxEtpt/Rnk: 415.00TF/42"}},
    {"(min, max) time across ranks (ms):", {"(min, max) time across ranks (ms):"}},
    {"^~max time across ranks (ms):", {"max time across ranks (ms):"}},
    {"^~times across ranks (ms):", {"times across ranks (ms):"}},
};

// Returns the rank of "1095.00MHz/37", the digits after the slash.
std::string rank_after(std::string_view line, std::string_view label) {
  const size_t at = line.find(label);
  if (at == line.npos)
    return "";
  std::string_view rest = line.substr(at + label.size());
  rest = rest.substr(0, rest.find('|'));
  const size_t slash = rest.rfind('/');
  if (slash == rest.npos)
    return "";
  rest.remove_prefix(slash + 1);
  const size_t end = rest.find_first_not_of("0123456789");
  rest = rest.substr(0, end);
  return base::try_uint(rest) && rest.size() < 9 ? std::string(rest) : "";
}

class Megatron : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == Iteration) {
      write_samples(kIteration, match, sink);
      step_ = match.number("step").value_or(kUnknown);
      return;
    }
    if (form != Straggler) {
      timers_.begin(step_);
      sink.follow(MegatronTimers::kMostLines);
      return;
    }
    for (const Extremes& one : extremes()) {
      const std::string name = std::string(one.megatron) + "/Rnk:";
      const std::string bad = (one.bad_is_smallest() ? "Mn" : "Mx") + name;
      const std::string good = (one.bad_is_smallest() ? "Mx" : "Mn") + name;
      const auto value = number_after(sink.line(), bad);
      const std::string rank = rank_after(sink.line(), bad);
      if (value && !rank.empty())
        sink.sample(
            one.quantity,
            *value,
            {{"", "", rank}, step_, number_after(sink.line(), good).value_or(kUnknown)});
    }
  }

  void behind(std::string_view line, Sink& sink) override {
    if (timers_.line(line, sink))
      sink.follow(MegatronTimers::kMostLines);
  }

  double step_ = kUnknown;
  MegatronTimers timers_;
};

}  // namespace

const Format kMegatron{"Megatron-LM log", "training", kMegatronForms, Shape::Lines, make<Megatron>};

}  // namespace lento::desk
