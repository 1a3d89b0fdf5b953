// Writes advice that was tried before it is printed, and notes on what an answer assumes.
#include "predict/remarks.h"

#include "base/number.h"
#include "base/units.h"
#include "predict/layouts.h"

namespace lento::predict {
namespace {

// Says that a run in fewer bits is expected to be slower than in more, which a reader would take for a
// mistake.
std::string slower_than_wider(const System& system, Question question, const Expectation& e) {
  auto* training = std::get_if<TrainingRun>(&question.what);
  auto* serving = std::get_if<InferenceRun>(&question.what);
  const Precision asked = training ? training->products.value_or(training->precision) : serving->precision;
  for (const Precision wider : {Precision::Bf16, Precision::Fp8}) {
    if (bytes_of(wider) <= bytes_of(asked) || system.chip.rate(wider) <= 0)
      continue;
    if (training)
      train_in(*training, wider);
    else
      serving->precision = wider;
    const auto other = expect_run(system, question);
    if (other->fits && other->seconds < 0.99 * e.seconds)
      return std::string(name(asked)) + " is expected to take " +
             base::format_quantity(e.seconds, base::Dimension::Time) + " where " + std::string(name(wider)) +
             " takes " + base::format_quantity(other->seconds, base::Dimension::Time) +
             ": converting operands and the kernels that were measured in " + std::string(name(asked)) +
             " cost more than its faster products save.";
  }
  return {};
}

}  // namespace

std::string layouts_that_fit(const System& system, const Question& question, int least) {
  const int devices = fewest_devices_that_fit(system, question, least);
  if (devices == 0)
    return "No layout fits on any number of devices up to 4096: ask for a smaller batch or a shorter "
           "sequence";
  return "Layouts of " + std::to_string(devices) + (devices == 1 ? " device" : " devices") +
         " fit: --parallel all=" + std::to_string(devices);
}

std::string fewer_bits_that_fit(const System& system, Question question) {
  auto* run = std::get_if<InferenceRun>(&question.what);
  for (const Precision p : {Precision::Fp8, Precision::Int8, Precision::Fp4}) {
    if (!run || system.chip.peak(p) <= 0 || bytes_of(p) >= bytes_of(run->precision))
      continue;
    InferenceRun narrow = *run;
    narrow.precision = p;
    question.what = narrow;
    if (expect_run(system, question)->fits)
      return "; or fewer bits: --precision " + std::string(name(p));
  }
  return {};
}

std::vector<std::string> notes_on(const System& system, const Question& question, const Expectation& e) {
  const auto* training = std::get_if<TrainingRun>(&question.what);
  const auto* serving = std::get_if<InferenceRun>(&question.what);
  const Transformer& m = training ? training->model : serving->model;
  std::vector<std::string> out;
  if (std::string slower = slower_than_wider(system, question, e); !slower.empty())
    out.push_back(std::move(slower));
  if (m.class_defaults)
    out.push_back(
        "The config.json leaves out sizes, which are then those of its class at Hugging Face: vocabulary " +
        std::to_string(m.vocab) + ", " + std::to_string(m.heads) + " heads, " + std::to_string(m.kv()) +
        " of keys, of " + std::to_string(m.head()) + " values.");
  if (training && !training->frozen && !m.stored.empty())
    out.push_back(
        "The checkpoint stores weights as " + m.stored + "; training keeps them in 16 bits and more.");
  if (serving && serving->tensor > 1 && serving->expert > serving->tensor)
    out.push_back(
        "Replicas of several devices that share experts are timed without the rows that they send each "
        "other.");
  if (!serving || m.window_layers == 0 || double(serving->prompt + serving->output) <= double(m.window))
    return out;
  const auto context = double(serving->prompt + serving->output);
  const double more = m.cache_values() * context / m.cache_held(context);
  const bool windowed = cache_share_of(without_platform(e.fitted)).windowed;
  out.push_back(
      std::to_string(m.window_layers) + " of " + std::to_string(m.layers) + " layers attend to the last " +
      std::to_string(m.window) + " tokens. " +
      (windowed ? "The cache holds no more of them; software without an allocator for windows (vLLM before "
                  "0.9) holds x" +
                      base::format_number(more, 3) + " as much."
                : "This software holds the cache of the whole sequence for them all the same."));
  return out;
}

std::string positions_text(const Question& question) {
  const auto* training = std::get_if<TrainingRun>(&question.what);
  const auto* serving = std::get_if<InferenceRun>(&question.what);
  if (!training && !serving)
    return {};
  const int64_t positions = training ? training->model.positions : serving->model.positions;
  const int64_t asked = training ? training->sequence : serving->prompt + serving->output;
  if (positions == 0 || asked <= positions)
    return {};
  return " The config.json has " + std::to_string(positions) + " positions, and " + std::to_string(asked) +
         " tokens are asked: the model was not made for so many (max_position_embeddings).";
}

}  // namespace lento::predict
