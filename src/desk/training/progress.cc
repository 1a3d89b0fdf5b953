// Programs that write no table of their steps: nanoGPT, the timers of DeepSpeed, and progress bars (tqdm), by
// which Lightning, Hugging Face's Trainer and many hand-written loops show how fast they are.
//
//   nanoGPT   = "iter " N ": loss " X ", time " X "ms" [", mfu " X "%"]
//   DeepSpeed = "time (ms)" {" | " NAME ": " X}         names with forward, backward and step
//   bar       = [TEXT] "| " N "/" N " [" TIME "<" TIME ", " X ("it/s" | "s/it") any "]"
//
// A bar restarts with each epoch, and its steps are counted on from the end of the last one. Bars of other
// totals (evaluation, loading) are other quantities.
//
// Sources: nanoGPT of 2023 to 2025; the timers of DeepSpeed 0.3 to 0.17; tqdm 4.60 to 4.67.
#include <map>

#include "desk/training/step_lines.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

const std::vector<StepLine> kNanoGptLines{
    {{"iter {step:int}: loss {_:num}, time {_:num}ms", {"iter 1200: loss 3.2211, time 251.40ms, mfu 41.20%"}},
     {{"time", &kStepTime, 1e-3}, {"mfu", &kUtilisation}}},
};

const LineForm kTimerForms[] = {
    {"time (ms) | {times}",
     {"[2025-02-25 17:42:38,677] [INFO] [logging.py:75:log_dist] [Rank 0] rank=0 time (ms) | forward: 81.10 "
      "| backward: 165.02 | backward_inner: 140.13 | "
      "backward_allreduce: 24.84 | step: 18.11",
      "[2025-02-25 17:42:38,677] [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd_microstep: 81.10 | "
      "bwd_microstep: 165.02 | step_microstep: 0.11"}},
};

// Reads the times of a whole step from one line of DeepSpeed's timers, without those of the step's parts.
class DeepSpeedTimers : public Reader {
  void take(size_t, const Match&, Sink& sink) override {
    double sum = 0;
    for (const auto& [label, older] :
         {std::pair{"fwd:", "forward:"}, std::pair{"bwd:", "backward:"}, std::pair{"step:", "step:"}}) {
      auto ms = number_after(sink.line(), label);
      if (!ms)
        ms = number_after(sink.line(), older);
      if (!ms)
        return;
      sum += *ms;
    }
    if (sum > 0)
      sink.sample(
          {"time of forward, backward and step", "s", Kind::Level, Better::Lower, "", Scope::Job},
          sum / 1000,
          {{}, sink.time().clock == Clock::None ? ++step_ : kUnknown});
  }
  double step_ = 0;
};

const LineForm kBarForms[] = {
    {"| {done:count}/{total:count} [{_:word}<{_:word} {rate:num}s/it",
     {"Epoch 0:  12%|##        | 120/1000 [05:01<36:51,  2.51s/it, v_num=3]",
      " 40%|####      | 40/100 [01:00<01:30,  1.50s/it]"}},
    {"| {done:count}/{total:count} [{_:word}<{_:word} {rate:num}it/s",
     {"Training:  12%|##        | 120/1000 [01:00<07:20,  2.00it/s, loss=3.1]"}},
};

class ProgressBars : public Reader {
  struct Bar {
    double begin = 0;  // steps of earlier epochs
    double last = 0;
  };

  void take(size_t form, const Match& match, Sink& sink) override {
    const double done = match.number("done").value_or(0);
    const double rate = match.number("rate").value_or(0);
    const std::string total = match.text("total");
    constexpr size_t kMostBars = 64;
    if (rate <= 0 || (bars_.size() == kMostBars && !bars_.contains(total)))
      return;
    Bar& bar = bars_[total];
    if (done < bar.last)
      bar.begin += bar.last;
    bar.last = done;
    sink.sample(
        {"time of an iteration (bar of " + total + ")", "s", Kind::Level, Better::Lower, total, Scope::Job},
        form == 0 ? rate : 1 / rate,
        {{}, bar.begin + done});
  }
  std::map<std::string, Bar> bars_;
};

const std::vector<LineForm> kNanoGptForms = forms_of(kNanoGptLines);

}  // namespace

const Format kNanoGpt{"nanoGPT log", "training", kNanoGptForms, Shape::Lines, make<StepLines<kNanoGptLines>>};
const Format kDeepSpeedTimers{
    "timers of DeepSpeed",
    "training",
    kTimerForms,
    Shape::Lines,
    make<DeepSpeedTimers>};
const Format kProgressBars{"progress bars", "training", kBarForms, Shape::Lines, make<ProgressBars>};

}  // namespace lento::desk
