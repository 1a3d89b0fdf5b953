// The time of training runs and of loads of requests as a closed form of the scalars of a stack, and the
// roofline that no software passes.
#include "predict/expect/run_time.h"

#include <algorithm>
#include <cmath>

namespace lento::predict {
namespace {

constexpr double kChunk = 8192;      // tokens of prompts in one step
constexpr double kCacheShare = 0.9;  // of the memory that weights leave

// Requests that an engine decodes in one step unless it is told otherwise (max_num_seqs of vLLM 0.6 to 0.11,
// max_batch_size of TensorRT-LLM).
double most_together(const Chip& chip, std::string_view stack) {
  const bool large = chip.memory_bytes >= 70e9 && chip.rate(Precision::Fp8) > 0;
  if (stack == "vllm v0" || (stack == "vllm v1" && !large))
    return 256;
  return stack == "vllm v1" ? 1024 : 2048;
}

// The greatest share that any fitted library of the chip sustains, of a precision that runs on the same
// units.
double best_share(const Chip& chip, Precision precision, double Calibration::*at) {
  double best = 0;
  const auto see = [&](Precision p, const Calibration& c) {
    if (arithmetic_of(p) == arithmetic_of(precision) || bytes_of(p) == bytes_of(precision))
      best = std::max(best, std::min(1.0, c.*at));
  };
  for (size_t p = 0; p < kPrecisions; ++p) {
    if (chip.calibration[p])
      see(Precision(p), *chip.calibration[p]);
  }
  for (const auto& [p, c] : chip.by_framework)
    see(p, c);
  return best > 0 ? best : 1;
}

System without_frameworks(System system) {
  system.frameworks.clear();
  return system;
}

}  // namespace

double RunTime::deviation(const SoftwareSpread& spread, const Software* stack) const {
  double variance = spread.source * spread.source + spread.run * spread.run;
  for (size_t i = 0; i < kSoftwareScalars; ++i) {
    if (!stack)
      variance += std::pow(shares[i] * spread.stacks[i], 2);
    else if (scalars_of(spread.work)[i].links)
      variance += std::pow(shares[i] * stack->unsure[i], 2);
  }
  return std::sqrt(variance);
}

TrainedWork::TrainedWork(const System& system, const TrainingRun& run)
    : system_(without_frameworks(system)),
      run_(run) {
  run_ = with_micro_batch(system_, run_);
  predict_training(system_, run_);
}

TrainingTime TrainedWork::time(const SoftwareScalars& s) const {
  System system = system_;
  system.stack.library = s[0];
  system.stack.pointwise = s[1];
  system.stack.attention = s[2];
  system.stack.overlap = 1 - std::min(1.0, s[3]);
  system.stack.host_layer_s = s[4];
  system.stack.launch_s = std::min(system.stack.launch_s, 2e-6);
  system.network.between_Bps *= s[5];
  return predict_training(system, run_);
}

RunTime TrainedWork::expect(const SoftwareScalars& s) const {
  const TrainingTime t = time(s);
  RunTime out;
  out.seconds = t.seconds;
  const double device = (t.compute_s + t.recompute_s + t.bubble_s) / t.seconds;
  // The three scalars of kernels move against each other in a fit: the products stand for all.
  out.shares = {device, 0, 0, t.data_s / t.seconds, t.host_s / t.seconds, t.data_s / t.seconds};
  return out;
}

double TrainedWork::tokens() const {
  return double(run_.global_batch) * double(run_.sequence);
}

double TrainedWork::limit_s() const {
  const Precision p = run_.products.value_or(run_.precision);
  const TrainingTime t = predict_training(system_, run_);
  const double again = run_.recompute == Recompute::Full ? 4.0 / 3 : 1;
  const double rate = system_.chip.peak(p) * best_share(system_.chip, p, &Calibration::compute);
  const double work = again * t.model_flops / (run_.devices() * rate);
  const double waits = run_.pipeline > 1 && run_.schedule == Schedule::Interleaved
                           ? (run_.pipeline - 1.0) / (double(run_.micro_batches()) * run_.interleave)
                           : 0;
  return work * (1 + waits);
}

ServedWork::ServedWork(const System& system, const ServedLoad& load)
    : system_(system),
      run_(load.run),
      varied_(load.varied),
      requests_(std::ceil(double(load.run.batch) / std::max(1, load.run.data))) {
  const Transformer& m = run_.model;
  check_transformer(m, run_.tensor, run_.pipeline, {});
  check_experts(m, run_.expert, run_.tensor * run_.data, {});
  const Chip& chip = system.chip;
  const int devices = run_.tensor * run_.pipeline;
  const Precision p = chip.rate(run_.precision) > 0 ? run_.precision : Precision::Bf16;
  rate_ = chip.peak(p) * best_share(chip, p, &Calibration::compute);
  stream_ = chip.memory_Bps * best_share(chip, p, &Calibration::memory);

  const double narrow = operand_bytes(run_.precision).weights;
  const double ends = double(m.vocab) * double(m.hidden);
  const double dense = m.parameters_without_experts() - ends * (m.tied ? 1 : 2);
  const double experts = m.parameters() - m.parameters_without_experts();
  dense_bytes_ = (dense * narrow + 2 * ends) / devices;
  expert_bytes_ = experts * narrow / devices;
  held_bytes_ = dense_bytes_ + expert_bytes_ + (m.tied ? 0 : 2 * ends / devices);
  const double ways = m.kv_rank > 0 ? 1 : double(std::min<int64_t>(run_.tensor, m.kv()));
  // Only TensorRT-LLM narrows the cache with the weights unless it is told otherwise.
  const bool narrow_cache = narrow <= 1 && load.stack == "tensorrt-llm";
  narrowest_cache_ = narrow <= 1 ? (narrow_cache ? 1 : 0.5) : 1;
  cache_bytes_ = (narrow_cache ? 1 : 2) * m.cache_values() * double(m.layers) / (ways * run_.pipeline);
  token_flops_ = 2 * (m.active_parameters() - (m.tied ? 0 : ends)) / devices;
  pair_flops_ = 2 * double(m.heads) * double(m.head() + m.value()) * double(m.attending()) / devices;

  const double memory = chip.memory_bytes - chip.memory_reserve - held_bytes_;
  room_ = kCacheShare * memory / cache_bytes_ / double(run_.prompt + run_.output);
  together_ = std::max(1.0, std::min({requests_, std::floor(room_), most_together(chip, load.stack)}));
  if (run_.tensor > 1) {
    const auto all = [&](double bytes) {
      return m.exchanges() * double(m.layers) *
             predict_collective(system_, {CollectiveOp::AllReduce, run_.tensor, bytes}).seconds;
    };
    const double row = 2 * double(m.hidden);
    exchange_start_s_ = all(row);
    exchange_token_s_ = std::max(0.0, all(kChunk * row) - exchange_start_s_) / (kChunk - 1);
  }
}

double ServedWork::exchange_s(double tokens) const {
  return exchange_start_s_ + exchange_token_s_ * (tokens - 1);
}

// A step of a mixture reads the experts that its requests chose.
double ServedWork::weights_read(double together) const {
  const Transformer& m = run_.model;
  if (m.experts <= 1)
    return dense_bytes_;
  const double missed = std::pow(1 - double(m.active_experts) / double(m.experts), together);
  return dense_bytes_ + (1 - missed) * expert_bytes_;
}

double ServedWork::decode_s(double together, const SoftwareScalars& s) const {
  const double context = double(run_.prompt) + double(run_.output) / 2;
  const double stage = together / run_.pipeline;
  const double read = s[0] * weights_read(stage) / stream_;
  const double work = s[1] * stage * token_flops_ / rate_;
  const double cache = s[0] * stage * context * cache_bytes_ / stream_;
  const double layers = s[3] * double(run_.model.layers) / run_.pipeline;
  const double one = std::hypot(read, work) + cache + layers + s[2] * exchange_s(stage) / run_.pipeline;
  return one * run_.pipeline + s[4] + s[5] * together;
}

double ServedWork::prefill_s(double requests, const SoftwareScalars& s) const {
  const auto prompt = double(run_.prompt);
  const double tokens = requests * prompt;
  const double chunks = std::ceil(tokens / kChunk);
  const double work = s[1] * tokens * (token_flops_ + pair_flops_ * prompt / 2) / rate_;
  const double read = s[0] * chunks * weights_read(tokens / chunks) / stream_;
  const double layers = s[3] * chunks * double(run_.model.layers) / run_.pipeline;
  return std::hypot(work, read) + layers + s[2] * chunks * exchange_s(tokens / chunks) / run_.pipeline +
         s[4] * chunks;
}

// A closed form: what each scalar is worth follows from doubling it.
RunTime ServedWork::expect(const SoftwareScalars& s) const {
  RunTime out;
  out.seconds = seconds(s);
  for (size_t i = 0; i < kSoftwareScalars; ++i) {
    SoftwareScalars more = s;
    more[i] *= 1.01;
    out.shares[i] = (seconds(more) / out.seconds - 1) / 0.01;
  }
  return out;
}

double ServedWork::step_s(const SoftwareScalars& s) const {
  return decode_s(together_, s);
}

double ServedWork::first_token_s(const SoftwareScalars& s) const {
  return prefill_s(1, s) * run_.pipeline;
}

// Steps once no request waits: the requests that are left halve every output * ln 2 steps.
double ServedWork::drain_s(const SoftwareScalars& s) const {
  const auto output = double(run_.output);
  double seconds = 0;
  double left = together_;
  for (; left > 1; left /= 2)
    seconds +=
        std::min(1.0, std::log2(left)) * output * std::log(2) * decode_s(std::max(1.0, 0.72 * left), s);
  return seconds + 0.58 * output * decode_s(1, s);
}

double ServedWork::seconds(const SoftwareScalars& s) const {
  const double steps = (double(run_.output) - 1) * requests_ / together_;
  const double prefill = prefill_s(requests_, s);
  if (!varied_ || together_ <= 1)
    return prefill + steps * decode_s(together_, s);
  const double full = std::max(0.0, steps - double(run_.output));
  return prefill + full * decode_s(together_, s) + drain_s(s);
}

double ServedWork::tokens() const {
  return double(run_.batch) * double(run_.output);
}

double ServedWork::memory_bytes() const {
  return held_bytes_ + together_ * double(run_.prompt + run_.output) * cache_bytes_;
}

double ServedWork::limit_s() const {
  const double context = double(run_.prompt) + double(run_.output) / 2;
  const double stage = together_ / run_.pipeline;
  const double step = std::max(
      (weights_read(stage) + stage * context * cache_bytes_ * narrowest_cache_) / stream_,
      stage * token_flops_ / rate_);
  const double steps = (double(run_.output) - 1) * requests_ / together_;
  return requests_ * double(run_.prompt) * token_flops_ / rate_ + steps * step * run_.pipeline;
}

}  // namespace lento::predict
