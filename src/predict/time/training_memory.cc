// Memory of the fullest device (Korthikanti et al. 2022, section 4; Rajbhandari et al. 2020 for sharding).
//
//   weights      half-precision copy + gradients + 12 bytes of optimizer state, the sharded parts over
//   replicas activations  of one layer and micro batch, in units of sequence * micro batch * hidden bytes:
//                full recomputation 2; otherwise what each product needs for its gradients, split by tensor
//                parallelism, the rest only with sequence parallelism; unfused attention adds 5 * heads *
//                sequence / hidden
//   in flight    the first stage holds min(m, p) micro batches; interleaving adds (p-1)/(p v)
//   logits       scores of the vocabulary in half and full precision, and their gradient
#include <algorithm>

#include "predict/time/training.h"

namespace lento::predict {
namespace {

// Memory that the allocator holds over what tensors need, for tensors that come and go (regressed on the
// reserved memory of H100 runs that finished).
constexpr double kAllocatorSlack = 1.4;

double weight_bytes(const TrainingRun& run, double parameters) {
  const double shards = run.data * run.context;
  const double half = 2 / (run.zero >= 3 ? shards : 1);
  const double gradient = (run.fp32_gradients ? 4 : 2) / (run.zero >= 2 ? shards : 1);
  const double optimizer = 12 / (run.zero >= 1 ? shards : 1);
  return parameters * (half + gradient + optimizer);
}

double layer_activation_bytes(const TrainingRun& run) {
  const Transformer& m = run.model;
  const double tokens = double(run.micro_batch) * run.sequence / run.context;
  const double h = double(m.hidden);
  const double t = run.tensor;
  const double outside = run.sequence_parallel ? t : 1;
  if (run.recompute == Recompute::Full)
    return 2 * tokens * h / outside;
  const double norms = 10 * h / outside;  // inputs of norms, residuals, dropout masks
  const double attention = (2.0 * m.heads * m.head() * 2 + 2.0 * m.kv() * m.head() * 2) / t;
  const double active = m.experts > 1 ? m.active_experts : 1;
  const double feed = active * (m.gated ? 3 : 2) * 2.0 * m.inner() / t;
  const double scores =
      m.flash || run.recompute == Recompute::Selective ? 0 : 5.0 * m.heads * run.sequence / t;
  return tokens * (norms + attention + feed + scores);
}

}  // namespace

TrainingMemory training_memory(const TrainingRun& run) {
  const Transformer& m = run.model;
  const double layers = (m.layers + run.pipeline - 1) / run.pipeline;
  const double embedding = double(m.vocab) * m.hidden / run.tensor;
  const double own = m.layer_parameters(run.expert) * layers / run.tensor +
                     embedding * (run.pipeline == 1 && !m.tied ? 2 : 1);
  const double in_flight =
      std::min<double>(double(run.micro_batches()), run.pipeline) *
      (run.interleave > 1 ? 1 + (run.pipeline - 1.0) / (run.pipeline * run.interleave) : 1);
  const double tokens = double(run.micro_batch) * run.sequence / run.context;
  TrainingMemory memory;
  memory.weights = weight_bytes(run, own);
  memory.activations = kAllocatorSlack * layer_activation_bytes(run) * layers * in_flight;
  memory.logits = tokens * m.vocab / run.tensor * (2 + 4 + 4);
  return memory;
}

}  // namespace lento::predict
