// Computes the time of training runs and of loads of requests as a closed form of a stack's scalars, and the
// roofline, which no software can beat.
#include "predict/expect/run_time.h"

#include <algorithm>
#include <cmath>

#include "predict/hardware/plausible.h"
#include "predict/time/hold_out.h"

namespace lento::predict {
namespace {

constexpr double kChunk = 8192;   // tokens of prompts that one engine step takes
constexpr double kLaunch = 2e-6;  // s: least time to launch a kernel through a graph or a queue
// Bytes moved for each logit: it is written, widened to four bytes and read to choose a token.
constexpr double kScoreBytes = 12;

// Returns the number of requests that an engine decodes in one step by default (max_num_seqs of vLLM 0.6 to
// 0.11, max_batch_size of TensorRT-LLM).
double most_together(const Chip& chip, std::string_view stack) {
  stack = without_platform(stack);
  const bool large = chip.memory_bytes >= 70e9 && chip.rate(Precision::Fp8) > 0;
  if (stack.starts_with("vllm v0") || (stack == "vllm v1" && !large))
    return 256;
  return stack == "vllm v1" ? 1024 : 2048;
}

// Returns the largest `share` (0: does not count) of the chip's fitted libraries, or 1 when there is none.
template <typename Share>
double best_of_libraries(const Chip& chip, const Share& share) {
  double best = 0;
  const auto see = [&](Precision p, const Calibration& c) {
    best = std::max(best, std::min(1.0, share(p, c)));
  };
  for (size_t p = 0; p < kPrecisions; ++p) {
    if (chip.calibration[p])
      see(Precision(p), *chip.calibration[p]);
  }
  for (const auto& [p, c] : chip.by_framework)
    see(p, c);
  return best > 0 ? best : 1;
}

// Returns the largest rate of products that any fitted library sustains on the units of this precision. Tiles
// that fill the registers keep a unit busy for less than its fitted share, as far as the median error of
// large products that were not fitted tells.
double best_rate(const System& system, Precision precision) {
  constexpr int64_t kLarge = 16384;  // m, n and k of a product that tiles and reductions hardly slow
  const Chip& chip = system.chip;
  const bool same = is_measured_chip(system);
  return chip.peak(precision) * best_of_libraries(chip, [&](Precision p, const Calibration& c) {
           if (arithmetic_of(p) != arithmetic_of(precision) && bytes_of(p) != bytes_of(precision))
             return 0.0;
           Question product;
           product.what = Gemm{1, kLarge, kLarge, kLarge, p};
           product.framework = c.framework;
           const double seconds = 2 * std::pow(double(kLarge), 3) / chip.peak(p);
           const Constants from = same && c.measured_on.empty() ? Constants::Own : Constants::Relative;
           const double error = sureness(system, product, seconds, from, c.hold_out_error).p50;
           return std::min(c.compute, chip.best_share(c, p) * (1 + error));
         });
}

// Returns the best rate of this precision or of a wider one: values of few bits may be widened, so that a
// narrower format is never bound by less, whatever its measured libraries reach.
double allowed_rate(const System& system, Precision precision) {
  double rate = best_rate(system, precision);
  for (const Precision wider : {Precision::Bf16, Precision::Fp8}) {
    if (bytes_of(wider) > bytes_of(precision) && system.chip.rate(wider) > 0)
      rate = std::max(rate, best_rate(system, wider));
  }
  return rate;
}

// Returns the largest memory bandwidth that any fitted library sustains. The memory serves all precisions.
double best_stream(const Chip& chip) {
  return chip.memory_Bps * best_of_libraries(chip, [](Precision, const Calibration& c) {
           return c.memory;
         });
}

// Maps a serving stack to the library whose kernels were measured. Other stacks get the constants of all
// three libraries.
std::string_view kernels_of(std::string_view stack) {
  return stack.starts_with("vllm")     ? "VLLM"
         : stack.starts_with("sglang") ? "SGLang"
         : stack == "tensorrt-llm"     ? "TRTLLM"
                                       : "";
}

// Returns the number of replicas that share the experts of each other: their devices form one engine in which
// each computes attention for its own requests. Replicas of several devices are timed with experts of their
// own.
int sharing_groups(const InferenceRun& run) {
  return run.tensor == 1 ? std::max(1, run.expert) : 1;
}

// Prepares the step times of one replica with the kernels of the load's library.
StepTimes step_times(const System& system, const ServedLoad& load, bool narrow_cache) {
  ServingRun run;
  run.wide_cache = !narrow_cache;
  run.model = load.run.model;
  run.precision = load.run.precision;
  const int groups = sharing_groups(load.run);
  run.decode.tensor = load.run.tensor * groups;
  run.decode.pipeline = load.run.pipeline;
  run.decode.expert = std::clamp(load.run.expert, 1, run.decode.tensor);
  run.decode.attention_by_request = groups > 1;
  const std::string_view kernels = kernels_of(load.stack);
  System driven = with_framework(system, kernels);
  driven.stack.launch_s = std::min(driven.stack.launch_s, kLaunch);
  for (auto& constants : driven.chip.calibration) {
    if (constants)
      constants->launch_s = std::min(constants->launch_s, kLaunch);
  }
  return {driven, kernels, run, run.decode};
}

System without_frameworks(System system) {
  system.frameworks.clear();
  return system;
}

}  // namespace

TrainedWork::TrainedWork(const System& system, const TrainingRun& run)
    : system_(without_frameworks(system)),
      run_(run) {
  run_ = with_micro_batch(system_, run_);
  predict_training(system_, run_);
}

// The scalars are those of scalars_of(Work::Train), in its order: library, pointwise, attention, exposed,
// host_layer, network, tensor (which time_training applies) and experts.
System with_scalars(const System& given, const SoftwareScalars& s) {
  System system = without_frameworks(given);
  system.stack.library = s[0];
  system.stack.pointwise = s[1];
  system.stack.attention = s[2];
  system.stack.overlap = 1 - std::min(1.0, s[3]);
  system.stack.host_layer_s = s[4];
  system.stack.experts = s[7];
  system.stack.launch_s = std::min(system.stack.launch_s, kLaunch);
  system.network.between_Bps *= s[5];
  return system;
}

TrainingTime time_training(const System& scaled, const TrainingRun& run, const SoftwareScalars& s) {
  TrainingTime t = predict_training(scaled, run);
  t.seconds += (s[6] - 1) * t.tensor_s;
  t.tensor_s *= s[6];
  return t;
}

TrainingTime TrainedWork::time(const SoftwareScalars& s) const {
  return time_training(with_scalars(system_, s), run_, s);
}

double TrainedWork::tokens() const {
  return double(run_.global_batch) * double(run_.sequence);
}

// Returns the least seconds of an iteration: model operations at the best rate of any library, attention's
// in the precision of the activations, and the pipeline's bubble. Of three products of a weight one makes its
// gradient, which frozen weights do not have.
double TrainedWork::limit_s() const {
  const Precision p = run_.products.value_or(run_.precision);
  const TrainingTime t = predict_training(system_, run_);
  const double again = run_.recompute == Recompute::Full ? 4.0 / 3 : 1;
  const double of_weights = again - (run_.frozen ? 1.0 / 3 : 0);
  const double products_s = of_weights * (t.model_flops - t.score_flops) / allowed_rate(system_, p);
  const double scores_s = again * t.score_flops / allowed_rate(system_, run_.precision);
  const double work = (products_s + scores_s) / run_.devices();
  const double waits = run_.pipeline > 1 && run_.schedule == Schedule::Interleaved
                           ? (run_.pipeline - 1.0) / (double(run_.micro_batches()) * run_.interleave)
                           : 0;
  return work * (1 + waits);
}

// Computes the memory of weights and cache, the requests that fit together, and the kinds of steps of the
// load.
ServedWork::ServedWork(const System& system, const ServedLoad& load)
    : system_(system),
      run_(load.run),
      varied_(load.varied),
      server_(load.server),
      scheduled_(double(std::max<int64_t>(1, load.scheduled))),
      requests_(std::ceil(double(load.run.batch) / std::max(1, load.run.data))) {
  const Transformer& m = run_.model;
  check_transformer(m, run_.tensor, run_.pipeline, {});
  check_experts(m, run_.expert, run_.tensor * run_.data, {});
  const Chip& chip = system.chip;
  const int devices = run_.tensor * run_.pipeline;
  const Precision p = chip.rate(run_.precision) > 0 ? run_.precision : Precision::Bf16;
  rate_ = allowed_rate(system, p);
  for (const Precision narrower : {Precision::Fp8, Precision::Fp4}) {
    if (m.weight_bits > 0 && chip.rate(narrower) > 0 && m.weight_bits / 8 <= operand_bytes(narrower).weights)
      rate_ = std::max(rate_, best_rate(system, narrower));
  }
  stream_ = best_stream(chip);

  // Only TensorRT-LLM stores the key-value cache by default in as few bits as the weights.
  const bool narrow = operand_bytes(run_.precision).weights <= 1;
  const int64_t cache_bits = load.cache_bits > 0 ? load.cache_bits : m.cache_bits;
  const bool narrow_cache = cache_bits > 0 ? cache_bits == 8 : narrow && load.stack == "tensorrt-llm";
  narrowest_cache_ = (narrow || m.weight_bits > 0) && !narrow_cache ? 0.5 : 1;
  memory_ = serving_memory(chip, run_, narrow_cache, cache_share_of(without_platform(load.stack)));
  token_flops_ = 2 * (m.active_parameters() - (m.tied ? 0 : double(m.vocab) * double(m.hidden))) / devices;
  const double asked =
      load.at_once > 0 ? std::ceil(double(load.at_once) / std::max(1, run_.data)) : requests_;
  together_ =
      std::max(1.0, std::min({requests_, asked, std::floor(memory_.room), most_together(chip, load.stack)}));
  plan(step_times(system, load, narrow_cache));
}

// Returns the weight bytes that one decode step reads. A mixture of experts reads only the experts that its
// requests chose.
double ServedWork::weights_read(double together) const {
  const Transformer& m = run_.model;
  if (m.experts <= 1)
    return memory_.dense;
  const double missed =
      std::pow(1 - double(m.active_experts) / double(m.experts), together * sharing_groups(run_));
  return memory_.dense + (1 - missed) * memory_.experts;
}

// Returns the seconds of a step under these scalars of the software.
double ServedWork::step_seconds(const Steps& steps, const SoftwareScalars& s) const {
  const StepParts& p = steps.parts;
  const double kernels = steps.together > 0 ? s[0] : s[1];
  const double stage = kernels * (p.dense + s[7] * p.experts + p.decode + p.prompts) + p.states + p.wires +
                       s[2] * (p.exchanges - p.wires) + s[3] * p.layers;
  const double host = s[4] + s[5] * steps.together;
  return stage * run_.pipeline + (steps.together > 0 ? host / scheduled_ : host);
}

// Returns the decode steps of `together` requests. The logit of every token is written, widened to four bytes
// and read again to choose one token. A request in flight has on average generated half of its answer. With
// exponentially distributed lengths it has generated as many tokens as the mean length, because long answers
// are in flight for longer.
ServedWork::Steps ServedWork::decoding(const StepTimes& times, double count, double together) const {
  const Transformer& m = run_.model;
  const double answered = double(run_.output) * (varied_ && together > 1 ? 1 : 0.5);
  const double all = together * sharing_groups(run_);
  Steps out{count, together, times.parts({all, double(run_.prompt) + answered, 0, 0, 0})};
  const double words = together / run_.pipeline * double(m.vocab);
  out.parts.dense += words * (2 * double(m.hidden) / (run_.tensor * rate_) + kScoreBytes / stream_);
  return out;
}

// Returns the steps that prefill the prompts of `requests` requests, in chunks of kChunk tokens.
ServedWork::Steps ServedWork::prompts(const StepTimes& times, double requests) const {
  const double tokens = requests * double(run_.prompt);
  const double chunks = std::ceil(tokens / kChunk);
  const double each = tokens / chunks;
  const double groups = sharing_groups(run_);
  const double prompts = groups * std::max(1.0, each / double(run_.prompt));
  return {chunks, 0, times.parts({0, 0, groups * each, double(run_.prompt), prompts})};
}

// Splits the load into kinds of steps. Requests of one length come and go in rounds, and the last round is
// not full. When lengths vary and no request waits any more, the number of running requests halves every
// output * ln 2 steps.
void ServedWork::plan(const StepTimes& times) {
  const auto output = double(run_.output);
  full_ = decoding(times, (output - 1) * std::floor(requests_ / together_), together_);
  steps_ = {prompts(times, requests_), full_};
  const double rest = std::fmod(requests_, together_);
  if (!varied_ && rest > 0)
    steps_.push_back(decoding(times, output - 1, rest));
  if (!varied_ || together_ <= 1)
    return;
  steps_[1].count = std::max(0.0, (output - 1) * requests_ / together_ - output);
  for (double left = together_; left > 1; left /= 2)
    steps_.push_back(
        decoding(times, std::min(1.0, std::log2(left)) * output * std::log(2), std::max(1.0, 0.72 * left)));
  steps_.push_back(decoding(times, 0.58 * output, 1));
}

double ServedWork::step_s(const SoftwareScalars& s) const {
  return step_seconds(full_, s);
}

double ServedWork::first_token_s(const SoftwareScalars& s) const {
  const double chunks = std::ceil(steps_[0].count / requests_);  // chunks of one prompt
  return chunks * step_seconds(steps_[0], s) + (server_ ? s[6] : 0);
}

double ServedWork::last_first_token_s(const SoftwareScalars& s) const {
  const double rounds_before = std::ceil(requests_ / together_) - 1;
  return steps_[0].count * step_seconds(steps_[0], s) +
         rounds_before * double(run_.output - 1) * step_seconds(full_, s) + (server_ ? s[6] * requests_ : 0);
}

double ServedWork::seconds(const SoftwareScalars& s) const {
  double seconds = server_ ? s[6] * requests_ : 0;
  for (const Steps& steps : steps_)
    seconds += steps.count * step_seconds(steps, s);
  return seconds;
}

double ServedWork::tokens() const {
  return double(run_.batch) * double(run_.output);
}

double ServedWork::memory_bytes() const {
  return memory_.weights() + together_ * memory_.request;
}

// Returns the least seconds of the load: prompts at the best rate, and each decode step reading weights and
// cache once.
double ServedWork::limit_s() const {
  const double context = double(run_.prompt) + double(run_.output) / 2;
  const double values = run_.model.cache_values();
  const double read = values > 0 ? memory_.token * run_.model.cache_reads(context) / values : 0;
  // A token of a prompt attends to half of it in the mean.
  const Transformer& m = run_.model;
  const double attended = m.window > 0 ? 0 : double(m.attended(run_.prompt)) / 2;
  const double scores =
      2 * double(m.attending() * m.heads * (m.head() + m.value())) * attended / (run_.tensor * run_.pipeline);
  double seconds = requests_ * double(run_.prompt) * (token_flops_ + scores) / rate_;
  for (const Steps& steps : steps_) {
    if (steps.together == 0)
      continue;
    const double stage = steps.together / run_.pipeline;
    const double step = std::max(
        (weights_read(stage) + stage * read * narrowest_cache_) / stream_,
        stage * token_flops_ / rate_);
    seconds += steps.count * step * run_.pipeline;
  }
  return seconds;
}

}  // namespace lento::predict
