// Prefill of one prompt delays the others; decoding streams all weights and the key-value cache once a step.
#include "predict/time/inference.h"

#include <algorithm>

namespace lento::predict {

double forward_pass_s(const System& system, const InferenceRun& run, int64_t batch, int64_t tokens,
                      int64_t context) {
  Shard shard;
  shard.batch = batch;
  shard.tokens = tokens;
  shard.context = context;
  shard.tensor = run.tensor;
  shard.precision = run.precision;
  const LayerTime3 layer = time_layer(system, run.model, shard);
  const double exchange = layer_work(run.model, shard).exchange_bytes;
  const double link =
      run.tensor > 1 ? 2 * predict_collective(system, {CollectiveOp::AllReduce, run.tensor, exchange}).seconds
                     : 0;
  Shard last = shard;
  last.tokens = 1;  // only the last token of each sequence is scored
  return run.model.layers * (layer.forward_s + link) +
         predict_gemm(system, head_product(run.model, last)).seconds;
}

InferenceTime predict_inference(const System& system, const InferenceRun& run, const base::Location& where) {
  check_transformer(run.model, run.tensor, 1, where);
  InferenceTime t;
  t.first_token_s = forward_pass_s(system, run, 1, run.prompt, run.prompt);
  t.per_token_s = forward_pass_s(system, run, run.batch, 1, run.prompt + run.output / 2);
  // While one request is prefilled the others wait: each output token carries its share of the prefills.
  const double prefill_share = (run.batch - 1) * t.first_token_s / std::max<int64_t>(1, run.output);
  t.per_token_s += prefill_share;
  t.seconds = t.first_token_s + (run.output - 1) * t.per_token_s;
  t.tokens_per_s = run.batch * run.output / t.seconds;
  const double size = bytes_of(run.precision);
  t.cache_bytes = 2 * size * run.model.layers * run.model.kv() * run.model.head() *
                  (run.prompt + run.output) * run.batch / run.tensor;
  t.memory_bytes = run.model.parameters() * size / run.tensor + t.cache_bytes + system.chip.memory_reserve;
  t.fits = t.memory_bytes <= system.chip.memory_bytes;
  t.bound = "memory";
  return t;
}

}  // namespace lento::predict
