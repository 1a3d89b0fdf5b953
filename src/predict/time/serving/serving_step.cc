// Times one step of an engine: the tokens of all decoding requests and of a chunk of prompts pass through
// every layer together.
//
//   step = host + layers * (rest + products + experts + exchanges) + attention + head
//
// Prompts and decoding requests share the matrix products, and each has its own attention. In a pipeline each
// stage processes its part of the requests. A step then takes the time of one stage, and a request passes
// through all stages.
#include "predict/time/serving/serving_step.h"

#include <algorithm>
#include <cmath>

namespace lento::predict {
namespace {

constexpr int kPowers = 16;  // products are timed up to 2^15 tokens; beyond, time is linear in the tokens
constexpr double kElementwise = 14;  // reads and writes of a hidden vector in a layer

bool is_low(Precision p) {
  return p == Precision::Fp8 || p == Precision::Fp4 || p == Precision::Fp8Block;
}

bool has_narrow_cache(const ServingRun& run) {
  return (is_low(run.precision) || run.model.cache_bits == 8) && !run.wide_cache;
}

bool can(const Chip& chip, Precision p) {
  return chip.rate(p) > 0;
}

// Returns the precision of two bytes that the chip multiplies: devices before Ampere have fp16 alone.
Precision half_of(const Chip& chip) {
  return can(chip, Precision::Bf16) ? Precision::Bf16 : Precision::Fp16;
}

// Returns whether weights of eight bits have a scale for each block, as models with latent attention do.
bool scales_by_block(const ServingRun& run) {
  return run.model.block_scales || run.model.kv_rank > 0 || run.precision == Precision::Fp8Block;
}

// Returns the precision of the products outside the experts. In a mixture of experts stored in four bits,
// these products use eight bits.
Precision product_precision(const Chip& chip, const ServingRun& run) {
  const Precision eight = scales_by_block(run) ? Precision::Fp8Block : Precision::Fp8;
  Precision wanted = precision_of_stored(chip, run.model, run.model.weight_bits, run.precision);
  if (wanted == Precision::Fp8 || wanted == Precision::Fp8Block ||
      (wanted == Precision::Fp4 && run.model.experts > 1))
    wanted = eight;
  return can(chip, wanted) ? wanted : half_of(chip);
}

KernelFormat expert_format_of(const ServingRun& run, const System& system) {
  const bool amd = system.name.starts_with("mi");
  const Precision stored = precision_of_stored(system.chip, run.model, run.model.expert_bits, run.precision);
  const bool four = stored == Precision::Fp4 || stored == Precision::Int4Weights;
  const bool eight = stored == Precision::Fp8 || stored == Precision::Fp8Block ||
                     stored == Precision::Int8Weights || stored == Precision::Int8;
  const char* text = four    ? (amd ? "mxfp4" : "nvfp4")
                     : eight ? (scales_by_block(run) ? "fp8_block" : "fp8")
                             : "bfloat16";
  return *expert_format(text);
}

double stored_bytes(Precision p) {
  return operand_bytes(p).weights;
}

int64_t share(int64_t whole, int ways) {
  return std::max<int64_t>(1, whole / ways);
}

// Interpolates a table of values at 1, 2, 4, ... tokens, linearly between its entries and beyond them.
double at_tokens(const std::vector<double>& table, double tokens) {
  const double last = double(kPowers - 1);
  const double at = std::clamp(std::log2(std::max(1.0, tokens)), 0.0, last - 1e-9);
  const auto i = static_cast<size_t>(at);
  const double w = std::exp2(at - double(i)) - 1;
  return std::max(1.0, tokens / std::exp2(last)) * (table[i] + w * (table[i + 1] - table[i]));
}

}  // namespace

StepTimes::StepTimes(
    const System& system,
    std::string_view framework,
    const ServingRun& run,
    const Engine& engine)
    : system_(system),
      run_(run),
      engine_(engine),
      framework_(framework),
      attention_format_(*attention_format("bfloat16", has_narrow_cache(run) ? "fp8" : "bfloat16")),
      expert_format_(expert_format_of(run, system)),
      product_(product_precision(system.chip, run)) {
  const Transformer& m = run.model;
  const bool latent = m.kv_rank > 0;
  const auto find = [&](FusedKind kind, const KernelFormat& format) {
    return find_constants(kind, system, framework, format, "").constants;
  };
  decode_ = find(latent ? FusedKind::LatentDecode : FusedKind::Decode, attention_format_);
  prefill_ = find(latent ? FusedKind::LatentPrefill : FusedKind::Prefill, attention_format_);
  experts_ = find(FusedKind::Experts, expert_format_);
  layers_ = double(m.layers) / engine.pipeline;

  const double all = m.parameters();
  const double plain = m.parameters_without_experts();
  const double attention = m.attention_parameters() * double(m.attending());
  const double per_device =
      engine.attention_by_request ? attention + (plain - attention) / engine.tensor : plain / engine.tensor;
  const double expert_bytes = (all - plain) * expert_format_.stored_bytes / engine.tensor;
  weight_bytes_ = (per_device * stored_bytes(product_) + expert_bytes) / engine.pipeline;

  const double ways =
      latent || engine.attention_by_request ? 1.0 : double(std::min<int64_t>(engine.tensor, m.kv()));
  cache_bytes_ = attention_format_.stored_bytes * m.cache_values() * layers_ / ways;

  for (int i = 0; i < kPowers; ++i) {
    own_products_.push_back(own_products_at(std::exp2(i)));
    shared_products_.push_back(shared_products_at(std::exp2(i)));
    routed_products_.push_back(routed_products_at(std::exp2(i)));
    const CollectiveTime exchange = exchanges_at(std::exp2(i));
    exchanges_.push_back(exchange.seconds);
    wires_.push_back(exchange.bandwidth_s);
  }
}

// Returns the seconds of one layer's attention products on one device.
double StepTimes::own_products_at(double tokens) const {
  const Transformer& m = run_.model;
  double attention = 0;
  if (m.window_heads == 0) {
    attention = attention_products_at(m, tokens) * double(m.attending());
  } else {
    for (const LayerKind& kind : attention_kinds(m))
      attention += kind.share * attention_products_at(kind.model, tokens) * double(m.attending());
  }
  const double state = m.state_layers > 0 ? state_at(tokens) * double(m.state_layers) : 0;
  return (attention + state) / double(m.layers);
}

// Returns the seconds of state-space layers for a step of `tokens` tokens.
double StepTimes::state_at(double tokens) const {
  Shard shard;
  shard.tokens = std::max<int64_t>(1, std::llround(tokens));
  shard.tensor = engine_.attention_by_request ? 1 : engine_.tensor;
  shard.products = product_;
  const LayerWork work = layer_work(run_.model, shard, {false, true, false});
  double seconds = work.attention_bytes / system_.chip.memory_Bps;
  for (const Gemm& g : work.products)
    seconds += predict_gemm(system_, g).seconds;
  return seconds;
}

// Returns the seconds of a layer's attention projections for `tokens` tokens.
double StepTimes::attention_products_at(const Transformer& m, double tokens) const {
  const int tensor = engine_.attention_by_request ? 1 : engine_.tensor;
  const int64_t rows = std::max<int64_t>(1, std::llround(tokens));
  const auto product = [&](int64_t columns, int64_t reduction) {
    return predict_gemm(system_, Gemm{1, rows, columns, reduction, product_}).seconds;
  };
  const int64_t heads = share(m.heads, tensor);
  double seconds = product(m.hidden, heads * m.value());
  if (m.kv_rank == 0) {
    const int64_t kv = share(m.kv(), tensor);
    return seconds + product(share(m.query_width(), tensor) + kv * m.key_value_columns() / m.kv(), m.hidden);
  }
  const int64_t plain = m.head() - m.rotary_size;
  seconds += product(m.query_rank + m.kv_rank + m.rotary_size, m.hidden);
  seconds += product(heads * m.head(), m.query_rank > 0 ? m.query_rank : m.hidden);
  if (m.index_heads > 0)
    seconds +=
        product(m.index_heads * m.index_size, m.query_rank) + product(m.index_size + m.index_heads, m.hidden);
  // Keys and values stay compressed. Instead, queries and results are multiplied by the compression
  // matrices.
  const Gemm keys{heads, rows, m.kv_rank, plain, half_of(system_.chip)};
  const Gemm values{heads, rows, m.value(), m.kv_rank, half_of(system_.chip)};
  return seconds + predict_gemm(system_, keys).seconds + predict_gemm(system_, values).seconds;
}

// Returns the seconds of a layer's dense or shared feed-forward products for `tokens` tokens.
double StepTimes::shared_products_at(double tokens) const {
  const Transformer& m = run_.model;
  const int64_t rows = std::max<int64_t>(1, std::llround(tokens));
  const auto product = [&](int64_t columns, int64_t reduction) {
    return predict_gemm(system_, Gemm{1, rows, columns, reduction, product_}).seconds;
  };
  const int64_t up = m.gated ? 2 : 1;
  const auto feed = [&](int64_t width) {
    const int64_t cut = share(width, engine_.tensor);
    return product(up * cut, m.hidden) + product(m.hidden, cut);
  };
  if (m.experts <= 1)
    return feed(m.inner()) * double(m.dense_feeds()) / double(m.layers);
  double seconds = predict_gemm(system_, Gemm{1, rows, m.experts, m.hidden, half_of(system_.chip)}).seconds;
  if (m.shared_ffn > 0)
    seconds += feed(m.shared_ffn);
  if (m.expert_width > 0)
    seconds += product(m.expert_width, m.hidden) + product(m.hidden, m.expert_width);
  const double dense = m.dense_feeds() > 0 ? feed(m.dense_ffn) * double(m.dense_feeds()) : 0;
  return (seconds * double(m.expert_layers()) + dense) / double(m.layers);
}

// Returns the seconds of a layer's routed experts for `tokens` tokens.
double StepTimes::routed_products_at(double tokens) const {
  const Transformer& m = run_.model;
  if (m.experts <= 1)
    return 0;
  ExpertLayer l;
  l.tokens = std::max<int64_t>(1, std::llround(tokens));
  l.hidden = m.routed_width();
  l.inner = m.inner();
  l.experts = m.experts;
  l.chosen = m.active_experts;
  l.expert = std::clamp(engine_.expert, 1, engine_.tensor);
  l.tensor = std::max(1, engine_.tensor / l.expert);
  l.gated = m.gated;
  l.random = true;
  l.format = expert_format_;
  return time_kernel(prepare(system_.chip, l), experts_->scalars).seconds * double(m.expert_layers()) /
         double(m.layers);
}

// Returns the communication of a layer between devices for `tokens` tokens.
CollectiveTime StepTimes::exchanges_at(double tokens) const {
  if (engine_.tensor == 1)
    return {};
  const double bytes = 2 * tokens * double(run_.model.hidden);
  Collective each{CollectiveOp::AllReduce, engine_.tensor, bytes};
  double times = run_.model.exchanges();
  if (engine_.attention_by_request) {
    // Tokens are sent to the devices of their experts and back.
    const auto reached = double(std::min<int64_t>(run_.model.active_experts, engine_.tensor));
    each = {CollectiveOp::AllToAll, engine_.tensor, bytes / engine_.tensor * reached};
    times = 2;
  }
  CollectiveTime t = predict_collective(system_, each);
  t.seconds *= times;
  t.bandwidth_s *= times;
  t.latency_s *= times;
  return t;
}

double StepTimes::dense_seconds(double tokens, double own) const {
  const double elementwise =
      kElementwise * 2 * tokens * double(run_.model.hidden) / (0.7 * system_.chip.memory_Bps);
  return at_tokens(own_products_, own) + at_tokens(shared_products_, tokens) + elementwise;
}

// Returns the number of devices that prefill at once. When each device computes attention for its own
// requests (Engine::attention_by_request), a prompt is on one device, so a few prompts leave other devices
// idle.
double StepTimes::prompt_devices(const StepWork& work) const {
  return std::clamp(work.prompts, 1.0, double(attention_groups()));
}

// Adds the seconds of attention in all layers, decoding and prefill apart.
void StepTimes::add_attention(const StepWork& work, StepParts& parts) const {
  const Transformer& all = run_.model;
  const double layers = layers_ * double(all.attending()) / double(all.layers);
  for (const LayerKind& kind : attention_kinds(all))
    add_attention(kind.model, layers * kind.share, work, parts);
}

// Adds the attention of `layers` layers of one kind. With sparse attention, an index reads one vector of
// every cached token, and attention reads only the tokens that it chose.
void StepTimes::add_attention(const Transformer& m, double layers, const StepWork& work, StepParts& parts)
    const {
  const bool latent = m.kv_rank > 0;
  const int cut = engine_.attention_by_request ? 1 : engine_.tensor;
  AttentionKernel k;
  k.format = attention_format_;
  k.heads = std::max<int64_t>(1, m.heads / cut);
  k.kv_heads = std::max<int64_t>(1, m.kv() / cut);
  k.head = m.head();
  k.window = m.window;
  if (work.decoding > 0) {
    k.kind = latent ? FusedKind::LatentDecode : FusedKind::Decode;
    k.batch = std::max<int64_t>(1, std::llround(work.decoding / attention_groups()));
    const int64_t context = std::max<int64_t>(1, std::llround(work.context));
    k.context = m.attended(context);
    const double index_s =
        double(k.batch) * double(context) * double(m.index_size) / (0.7 * system_.chip.memory_Bps);
    parts.decode += layers * (index_s + time_kernel(prepare(system_.chip, k), decode_->scalars).seconds);
  }
  if (work.prompt_tokens > 0) {
    k.kind = latent ? FusedKind::LatentPrefill : FusedKind::Prefill;
    const double devices = prompt_devices(work);
    const double each = std::max(1.0, work.prompts / devices);
    k.batch = std::max<int64_t>(1, std::llround(each));
    k.tokens = std::max<int64_t>(1, std::llround(work.prompt_tokens / devices / each));
    const int64_t context = std::max<int64_t>(k.tokens, std::llround(work.prompt_context));
    k.context = std::max(k.tokens, m.attended(context));
    const double scores =
        double(k.batch) * double(k.tokens) * double(context) * double(m.index_heads * m.index_size);
    const double index_s = scores / system_.chip.peak(product_);
    parts.prompts += layers * (index_s + time_kernel(prepare(system_.chip, k), prefill_->scalars).seconds);
  }
}

// Returns the times of a step by kind of kernel, before the constants of the framework are applied.
StepParts StepTimes::parts(const StepWork& work) const {
  const Transformer& m = run_.model;
  StepWork here = work;
  here.decoding /= engine_.pipeline;  // the requests that one stage processes at a time
  // Proposed tokens pass all layers whether or not they are accepted.
  const double tokens = here.decoding * double(1 + run_.proposed) + here.prompt_tokens;
  const double own =
      (tokens - here.prompt_tokens) / attention_groups() + here.prompt_tokens / prompt_devices(here);
  StepParts out;
  out.layers = layers_;
  out.prompt_share = tokens > 0 ? here.prompt_tokens / tokens : 0;
  const double scoring = double(std::max<int64_t>(1, m.vocab / engine_.tensor)) * double(m.hidden) * 2 /
                         (0.8 * system_.chip.memory_Bps);
  out.dense = layers_ * dense_seconds(tokens, own) + scoring;
  out.experts = layers_ * at_tokens(routed_products_, tokens);
  out.exchanges = layers_ * at_tokens(exchanges_, tokens);
  out.wires = layers_ * at_tokens(wires_, tokens);
  // The recurrent states of all decoding requests are read and written for each token.
  out.states = layers_ / double(m.layers) * double(m.state_layers) * 2 * sizeof(float) *
               double(m.state_values) * here.decoding / engine_.tensor / (0.7 * system_.chip.memory_Bps);
  add_attention(here, out);
  return out;
}

// Returns the seconds of a step: launch times plus kernel times, scaled by the framework's constants.
double StepTimes::seconds(const StepWork& work, const ServingConstants& constants) const {
  const StepParts p = parts(work);
  const double factor = constants.kernels + (constants.prefill - constants.kernels) * p.prompt_share;
  const double stage = constants.step_s / engine_.pipeline + p.layers * constants.layer_s +
                       factor * (p.dense + p.experts + constants.skipped * p.exchanges) +
                       constants.kernels * p.decode + constants.prefill * p.prompts + p.states;
  return stage * engine_.pipeline;
}

}  // namespace lento::predict
