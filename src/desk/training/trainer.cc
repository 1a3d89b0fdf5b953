// Hugging Face's Trainer prints its log entries as dictionaries of Python. They carry no step and no time of
// their own: the time that the line's prefix states (a container's, a logger's) is divided by the progress in
// epochs, so that entries at any distance give the same quantity.
//
//   entry   = "{'loss': " X {", '" NAME "': " X} "}"
//   summary = "{'train_runtime': " X {", '" NAME "': " X} "}"
//
// An entry right behind a checkpoint or an evaluation holds their time too, as a single slow value.
//
// Source: transformers 4.30 to 4.56.
#include "desk/training/step_lines.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

enum TrainerForm {
  Entry,
  Summary,
};

const LineForm kTrainerForms[] = {
    {"'loss':{_}'epoch':",
     {"{'loss': 2.0756, 'grad_norm': 1.203, 'learning_rate': 0.000232, 'epoch': 0.04}",
      "{'loss': 0.8091, 'learning_rate': 4.9e-05, 'epoch': 0.08, 'num_input_tokens_seen': 81920, "
      "'train_tokens_per_second': 5120.3}"}},
    {"'train_runtime':{_}'train_samples_per_second':",
     {"{'train_runtime': 1123.4, 'train_samples_per_second': 71.2, 'train_steps_per_second': 2.225, "
      "'train_loss': 1.31, 'epoch': 3.0}"}},
};

const Quantity kEpochTime{"time per epoch", "s", Kind::Level, Better::Lower, "", Scope::Job};

class Trainer : public Reader {
  void take(size_t form, const Match&, Sink& sink) override {
    if (form == Summary) {
      summary(sink);
      return;
    }
    if (const auto rate = number_after(sink.line(), "'train_tokens_per_second':"))
      sink.sample(kTokensPerS, *rate, {});
    const auto epoch = number_after(sink.line(), "'epoch':");
    const Moment now = sink.time();
    if (!epoch || now.clock == Clock::None)
      return;
    const double progress = *epoch - epoch_;
    const double seconds = now.seconds - before_.seconds;
    if (before_.clock == now.clock && progress > 0 && seconds > 0)
      sink.sample(kEpochTime, seconds / progress, {});
    before_ = now;
    epoch_ = *epoch;
  }

  // Takes the summary line of a run.
  static void summary(Sink& sink) {
    Run run;
    run.kind = "training run";
    run.facts = {{"program", "Hugging Face Trainer"}};
    if (const auto rate = number_after(sink.line(), "'train_samples_per_second':"))
      run.measured.emplace_back(kSamplesPerS, *rate);
    sink.run(std::move(run));
  }

  Moment before_;
  double epoch_ = 0;
};

}  // namespace

const Format kTrainer{
    "Hugging Face Trainer log",
    "training",
    kTrainerForms,
    Shape::Lines,
    make<Trainer>,
    nullptr,
    {},
    {},
    false,
    true};

}  // namespace lento::desk
