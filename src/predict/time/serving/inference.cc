// Times a request of a fixed batch. The prefill of one prompt delays the other requests. Decoding reads all
// weights and the key-value cache once in each step.
#include "predict/time/serving/inference.h"

#include <algorithm>

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

// Returns the bytes of weights on the device that holds most. Experts are spread over `expert` devices and
// all other weights over tensor and pipeline parallelism. Weights are stored in fewer bits when the model
// says so.
double held_bytes(const InferenceRun& run) {
  const Transformer& m = run.model;
  const double size = bytes_of(run.precision);
  const double dense = m.parameters_without_experts();
  const double ends = double(m.vocab) * double(m.hidden) * (m.tied ? 1 : 2);
  const double experts = m.parameters() - dense;
  const double dense_bytes =
      m.weight_bits > 0 ? (dense - ends) * m.weight_bits / 8 + ends * size : dense * size;
  const double expert_bytes = experts * (m.expert_bits > 0 ? m.expert_bits / 8 : size);
  const int ways = run.expert > 1 ? run.expert : run.tensor;
  return (dense_bytes / run.tensor + expert_bytes / ways) / run.pipeline;
}

// Returns the number of requests on the busiest replica.
int64_t replica_of(const InferenceRun& run) {
  return (run.batch + run.data - 1) / run.data;
}

// Returns the number of requests of the busiest replica that pass through the pipeline as one group. There
// are as many groups as stages, so that every stage always has work.
int64_t group_of(const InferenceRun& run) {
  return (replica_of(run) + run.pipeline - 1) / run.pipeline;
}

// Returns the seconds to hand the hidden values of `tokens` tokens over from stage to stage, through all
// stages.
double hand_overs_s(const System& system, const InferenceRun& run, double tokens) {
  if (run.pipeline == 1)
    return 0;
  const double bytes = bytes_of(run.precision) * tokens * double(run.model.hidden) / run.tensor;
  return (run.pipeline - 1) *
         predict_collective(system, {CollectiveOp::SendReceive, run.pipeline, bytes, run.tensor}).seconds;
}

// Throws base::Error when the batch or model does not divide over the devices.
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

// Predicts time to first token, time per further token (seconds) and memory of a fixed batch.
InferenceTime predict_inference(const System& system, const InferenceRun& run, const base::Location& where) {
  check_serving(run, where);
  InferenceTime t;
  const int64_t group = group_of(run);
  const int64_t replica = replica_of(run);
  const int64_t prompts = run.one_pass ? group : 1;
  t.first_token_s = forward_pass_s(system, run, prompts, run.prompt, run.prompt) +
                    hand_overs_s(system, run, double(run.prompt));
  t.per_token_s = forward_pass_s(system, run, group, 1, run.prompt + run.output / 2) +
                  hand_overs_s(system, run, double(group));
  // While one request is prefilled the others wait, so each output token carries a share of the other
  // prefills. In a pipeline a prefill occupies one stage at a time.
  const double others = double(replica - 1) / run.pipeline;
  t.per_token_s += others * t.first_token_s / double(std::max<int64_t>(1, run.output));
  t.seconds = t.first_token_s + double((run.output - 1)) * t.per_token_s;
  t.tokens_per_s = double(run.batch * run.output) / t.seconds;
  const double size = bytes_of(run.precision);
  const double cache_ways = double(run.model.kv_rank > 0 ? 1 : std::min<int64_t>(run.tensor, run.model.kv()));
  t.cache_bytes = size * double(run.model.layers) * run.model.cache_values() *
                  double((run.prompt + run.output)) * double(replica) / (cache_ways * run.pipeline);
  t.memory_bytes = held_bytes(run) + t.cache_bytes + system.chip.memory_reserve;
  t.fits = t.memory_bytes <= system.chip.memory_bytes;
  t.bound = "memory";
  return t;
}

}  // namespace lento::predict
