// The loss of a training run, or the norm of its gradients, that is no number. A single such step is usual
// while a loss scale is searched, and the program skips it. Several mean that the run computes nothing useful
// any more, which its speed does not show.
//
// Trainers that leave such losses out of their average state a loss of 0 then, with a norm that is no number.
//
//   line = any ("loss" | "norm") [QUOTE] (":" | "=") ("nan" | "NaN") any
#include "desk/training/training.h"

namespace lento::desk {
namespace {

const LineForm kLossForms[] = {
    {"loss:~nan", {"iteration 55/ 100 | lm loss: nan | loss scale: 1.0 |", "step: 7 loss: nan"}},
    {"loss:~NaN", {"step 7 loss: NaN"}},
    {"loss=nan", {"epoch 1: 7%| 7/100 [00:07, loss=nan]"}},
    {"loss':~nan", {"{'loss': nan, 'grad_norm': nan, 'epoch': 0.1}"}},
    {"loss\":~NaN", {"{\"step\": 7, \"loss\": NaN}"}},
    {"norm:~nan", {"step: 7 loss: 0.0 grad norm: nan"}},
    {"norm=nan", {"step=7 grad_norm=nan"}},
    {"norm':~nan", {"{'loss': 0.0, 'grad_norm': nan, 'epoch': 0.1}"}},
    {"norm\":~NaN", {"{\"step\": 7, \"loss\": 0.0, \"grad_norm\": NaN}"}},
};

class Loss : public Reader {
  void take(size_t, const Match&, Sink& sink) override {
    if (sink.number() == last_)
      return;
    last_ = sink.number();
    if (++count_ > 1)
      return;
    line_ = sink.line();
    number_ = sink.number();
    time_ = sink.time();
  }

  void end(Sink& sink) override {
    constexpr uint64_t kMostSkipped = 2;
    sink.at(line_, number_, {}, time_);
    Event event;
    event.kind = "training/loss";
    event.severity = count_ > kMostSkipped ? Severity::Warning : Severity::Note;
    event.origin = Origin::Program;
    event.meaning = "the loss is not a number in " + std::to_string(count_) +
                    (count_ == 1 ? " line" : " lines from here on");
    event.action =
        "look at data, learning rate and scale of the loss of that step; run it again from the last "
        "checkpoint: when it comes elsewhere or not at all, test the GPUs for wrong results (dcgmi diag -r "
        "3)";
    sink.event(std::move(event));
  }

  uint64_t count_ = 0;
  int64_t last_ = 0;
  std::string line_;
  int64_t number_ = 0;
  Moment time_;
};

}  // namespace

const Format kLoss{
    .name = "losses that are no number",
    .family = "training",
    .forms = kLossForms,
    .make = make<Loss>,
    .is_shared = true};

}  // namespace lento::desk
