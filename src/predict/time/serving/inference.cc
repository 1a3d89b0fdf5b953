// Times a request of a fixed batch. The prefill of one prompt delays the other requests. Decoding reads all
// weights and the key-value cache once in each step.
#include "predict/time/serving/inference.h"

#include <algorithm>
#include <cmath>

namespace lento::predict {

// Times a pass of `tokens` new tokens of each of `batch` requests, with `context` tokens to attend to.
// Seconds.
double forward_pass_s(
    const System& system,
    const InferenceRun& run,
    int64_t batch,
    int64_t tokens,
    int64_t context) {
  Shard shard;
  shard.batch = batch;
  shard.tokens = tokens;
  shard.context = context;
  shard.tensor = run.tensor;
  shard.expert = run.expert;
  shard.precision = run.precision;
  shard.products = precision_of_stored(system.chip, run.model, run.model.weight_bits, run.precision);
  const LayerTime3 layer = time_layer(system, run.model, shard);
  const double exchange = layer_work(run.model, shard).exchange_bytes;
  const double link =
      run.tensor > 1 ? run.model.exchanges() *
                           predict_collective(system, {CollectiveOp::AllReduce, run.tensor, exchange}).seconds
                     : 0;
  const double routed = run.expert > 1
                            ? 2 * predict_collective(
                                      system,
                                      {CollectiveOp::AllToAll,
                                       run.expert,
                                       bytes_of(run.precision) * double(batch) * double(tokens) *
                                           double(run.model.hidden) * double(run.model.active_experts)})
                                      .seconds
                            : 0;
  Shard last = shard;
  last.tokens = 1;  // only the last token of each sequence goes through the output layer
  return double(run.model.layers) * (layer.forward_s + link + routed) +
         predict_gemm(system, head_product(run.model, last)).seconds;
}

namespace {

// Returns the number of requests on the busiest replica.
int64_t replica_of(const InferenceRun& run) {
  return (run.batch + run.data - 1) / run.data;
}

// Returns the seconds to send the hidden values of `tokens` tokens from stage to stage, summed over all
// stages.
double hand_overs_s(const System& system, const InferenceRun& run, double tokens) {
  if (run.pipeline == 1)
    return 0;
  const double bytes = bytes_of(run.precision) * tokens * double(run.model.hidden) / run.tensor;
  return (run.pipeline - 1) *
         predict_collective(system, {CollectiveOp::SendReceive, run.pipeline, bytes, run.tensor}).seconds;
}

// Throws base::Error when a parallel degree does not divide the model's sizes, or when there are more
// replicas than requests.
void check_serving(const InferenceRun& run, const base::Location& where) {
  check_transformer(run.model, run.tensor, run.pipeline, where);
  check_experts(run.model, run.expert, run.tensor * run.data, where);
  if (run.data > run.batch)
    throw base::Error(
        where,
        std::to_string(run.batch) + " requests together leave some of " + std::to_string(run.data) +
            " replicas idle",
        "choose a batch of at least the data-parallel number");
}

}  // namespace

ServingMemory
serving_memory(const Chip& chip, const InferenceRun& run, bool narrow_cache, const CacheShare& share) {
  const Transformer& m = run.model;
  const double computed = operand_bytes(run.precision).weights;
  const auto stored = [computed](double bits) {
    return bits > 0 ? std::min(bits / 8, computed) : computed;
  };
  // Embedding and output stay in half precision or more.
  const double ends = double(m.vocab) * double(m.hidden) * std::max(2.0, bytes_of(run.precision));
  const double others =
      m.parameters_without_experts() - double(m.vocab) * double(m.hidden) * (m.tied ? 1 : 2);
  const double experts = m.parameters() - m.parameters_without_experts();
  const double devices = double(run.tensor) * run.pipeline;
  ServingMemory out;
  out.dense = (others * stored(m.weight_bits) + ends) / devices;
  out.lookup = m.tied ? 0 : ends / devices;
  out.experts = experts * stored(m.expert_bits) / ((run.expert > 1 ? run.expert : run.tensor) * run.pipeline);
  const double ways = m.kv_rank > 0 ? 1 : double(std::min<int64_t>(run.tensor, m.kv()));
  const double value = narrow_cache ? 1 : std::max(2.0, bytes_of(run.precision));
  out.token = value * m.cache_values() * double(m.layers) / (ways * run.pipeline);
  out.request = out.token * double(run.prompt + run.output);
  if (share.windowed && m.cache_values() > 0)
    out.request = out.token / m.cache_values() * m.cache_held(double(run.prompt + run.output));
  const double left = share.of_all * chip.memory_bytes - chip.memory_reserve - out.weights();
  out.room = left <= 0 ? 0 : share.of_left * left / std::max(1.0, out.request);
  return out;
}

// Predicts time to first token, time per further token (seconds) and memory of a fixed batch. Requests whose
// cache does not fit wait until earlier ones are done.
InferenceTime predict_inference(const System& system, const InferenceRun& run, const base::Location& where) {
  check_serving(run, where);
  InferenceTime t;
  const ServingMemory memory = serving_memory(system.chip, run, run.model.cache_bits == 8);
  const int64_t replica = replica_of(run);
  const bool waits = !run.one_pass && memory.room < double(replica);
  t.together = waits ? std::max<int64_t>(1, int64_t(memory.room)) : replica;
  // The requests form as many groups as there are stages, so that every stage always has work.
  const int64_t group = (t.together + run.pipeline - 1) / run.pipeline;
  const int64_t prompts = run.one_pass ? group : 1;
  t.first_token_s = forward_pass_s(system, run, prompts, run.prompt, run.prompt) +
                    hand_overs_s(system, run, double(run.prompt));
  t.per_token_s = forward_pass_s(system, run, group, 1, run.prompt + run.output / 2) +
                  hand_overs_s(system, run, double(group));
  // While one request is prefilled the others wait, so each output token carries a share of the other
  // prefills. In a pipeline a prefill occupies one stage at a time.
  const double others = double(t.together - 1) / run.pipeline;
  t.per_token_s += others * t.first_token_s / double(std::max<int64_t>(1, run.output));
  const double rounds = std::ceil(double(replica) / double(t.together));
  t.seconds = rounds * (t.first_token_s + double((run.output - 1)) * t.per_token_s);
  t.tokens_per_s = double(run.batch * run.output) / t.seconds;
  t.cache_bytes = memory.request * double(t.together);
  t.memory_bytes = memory.weights() + t.cache_bytes + system.chip.memory_reserve;
  t.fits = run.one_pass ? t.memory_bytes <= system.chip.memory_bytes : memory.room >= 1;
  t.bound = "memory";
  return t;
}

}  // namespace lento::predict
