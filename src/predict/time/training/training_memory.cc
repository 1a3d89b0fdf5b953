// Computes the memory of the device that holds the most (Korthikanti et al. 2022, section 4; Rajbhandari et
// al. 2020 for sharding).
//
//   weights      half-precision copy + gradients + 12 bytes of optimizer state, the sharded parts over
//                replicas; sharded weights (stage 3): 16 bytes per parameter over replicas, and a few layers
//                gathered; under a pipeline (stage 2) gathered weights and gradients of 4 bytes stay while
//                micro batches pass
//   activations  what each product and norm needs for its gradients: of each token and layer
//                  norms      input and output, twice               8 hidden
//                  attention  queries, keys, values, result         4 heads * head + 4 keys
//                  state      its products                          2 (columns + width)
//                  feed       its products and their product        6 ffn (4 without a gate)
//                split by tensor parallelism, norms only with sequence parallelism; unfused attention adds 5
//                * heads * sequence. Full recomputation keeps the input of a layer only. Recomputation by
//                operator keeps about half of all.
//   in flight    the first stage holds min(m, p) micro batches; interleaving adds (p-1)/(p v)
//   working      the layer that is recomputed; rows gathered for a tensor-parallel product and its gradient
//   logits       in each of the precisions to which the loss converts them, and their gradient
//
// Working memory and logits are never allocated at the same time.
#include <algorithm>

#include "predict/time/training/training.h"

namespace lento::predict {
namespace {

// Copies of gathered rows: the inputs of two products and their gradients.
constexpr double kGatheredRows = 4;
constexpr double kGatheredLayers = 2;  // layers whose gathered weights are in memory at once
constexpr double kShardedState = 16;   // bytes per parameter: weight, gradient, two moments

double tokens_of(const TrainingRun& run) {
  return double(run.micro_batch) * double(run.sequence) / run.context;
}

// Returns the mean bytes of a frozen weight: those that train are kept in half precision whatever a
// checkpoint stores, frozen ones as it stores them.
double frozen_bytes(const Transformer& m) {
  const double ends = double(m.vocab) * double(m.hidden) * (m.tied ? 1 : 2);
  const double experts = m.parameters() - m.parameters_without_experts();
  const auto stored = [](double bits) {
    return bits > 0 ? bits / 8 : 2;
  };
  return (2 * ends + stored(m.weight_bits) * (m.parameters_without_experts() - ends) +
          stored(m.expert_bits) * experts) /
         m.parameters();
}

// Returns the replicas that an expert is on one of: experts are spread over replicas after the devices of
// tensor parallelism, so that fewer replicas hold copies of an expert, and share its state, than of the rest.
double replicas_of_experts(const TrainingRun& run) {
  return std::clamp(run.expert, 1, std::max(1, run.replicas()));
}

// Returns the parameters of experts on a device, in one layer.
double expert_layer_parameters(const TrainingRun& run) {
  const Transformer& m = run.model;
  return double(m.expert_layers()) * m.expert_parameters() * double(m.experts) /
         (replicas_of_experts(run) * double(m.layers) * run.tensor);
}

// Returns bytes of weights, gradients and optimizer state on a device, divided by ZeRO stage. `parameters`
// are those outside routed experts.
double weight_bytes(const TrainingRun& run, double parameters, double experts) {
  const double shards = run.shards();
  const double expert_shards = std::max(1.0, shards / replicas_of_experts(run));
  const double all = parameters + experts;
  const double divided = parameters / shards + experts / expert_shards;
  if (run.frozen)
    return frozen_bytes(run.model) * all;
  const double gradient = run.fp32_gradients ? 4 : 2;
  if (run.zero >= 3) {
    const Transformer& m = run.model;
    const double layer = m.layer_parameters(int(replicas_of_experts(run))) / run.tensor;
    const double ends = double(m.vocab) * double(m.hidden) / run.tensor;
    const double there = kGatheredLayers * layer * (2 + gradient / kGatheredLayers) + 2 * ends;
    return kShardedState * divided + std::min(there, (2 + gradient) * all);
  }
  if (run.zero == 2 && run.pipeline > 1)
    return (2 + 4) * all + kShardedState * divided;
  return 2 * all + gradient * (run.zero >= 2 ? divided : all) + 12 * (run.zero >= 1 ? divided : all);
}

// Returns the bytes of an activation over the two that the formulas count: four bytes double all of them.
double width_of(const TrainingRun& run) {
  return std::max(1.0, bytes_of(run.precision) / 2);
}

// Returns the bytes that one layer keeps of a micro batch without recomputation.
double whole_layer_bytes(const TrainingRun& run) {
  const Transformer& m = run.model;
  const double h = double(m.hidden);
  const double t = run.tensor;
  const double outside = run.sequence_parallel ? t : 1;
  const double norms = 4 * h * m.exchanges() / outside;
  const double attention = (4.0 * double(m.heads * m.head()) + 4.0 * double(m.kv() * m.head())) / t;
  const double state = 2.0 * double(m.state_columns + m.state_width) / t;
  const double routed = double(m.active_experts * m.inner() + m.shared_ffn);
  const double dense = double(m.experts > 1 ? m.dense_ffn : m.inner());
  const double width = double(m.expert_layers()) * routed + double(m.dense_feeds()) * dense;
  const double feed = (m.gated ? 3 : 2) * 2.0 * width / t;
  const double scores =
      m.flash || run.recompute == Recompute::Selective ? 0 : 5.0 * double(m.heads) * double(run.sequence) / t;
  const double parts =
      (double(m.attending()) * (attention + scores) + double(m.state_layers) * state + feed) /
      double(m.layers);
  return tokens_of(run) * (norms + parts);
}

// Returns activation bytes that a layer keeps for the backward pass of one micro batch.
double kept_layer_bytes(const TrainingRun& run) {
  const Transformer& m = run.model;
  const double t = run.tensor;
  const double outside = run.sequence_parallel ? t : 1;
  const double input = 2 * double(m.hidden) / outside;
  if (run.recompute == Recompute::Full)
    return tokens_of(run) * input;
  if (run.recompute != Recompute::Operators)
    return whole_layer_bytes(run);
  const double heads = double(m.heads * m.head());
  const double keys = double(m.kv() * m.head());
  return tokens_of(run) * (2 * input + (3 * heads + 1.5 * keys + 2 * double(m.inner())) / t);
}

double working_bytes(const TrainingRun& run) {
  const bool again = run.recompute == Recompute::Full || run.recompute == Recompute::Operators;
  const double rows = 2 * tokens_of(run) * double(run.model.hidden);
  return (again ? whole_layer_bytes(run) : 0) + (run.tensor > 1 ? kGatheredRows * rows : 0);
}

}  // namespace

// Returns the bytes on the device that holds the most, in parts.
TrainingMemory training_memory(const TrainingRun& run, const Stack& stack) {
  const Transformer& m = run.model;
  const double layers = double((m.layers + run.pipeline - 1) / run.pipeline);
  const double embedding = double(m.vocab) * double(m.hidden) / run.tensor;
  const double experts = expert_layer_parameters(run) * layers;
  const double own = m.layer_parameters(int(replicas_of_experts(run))) * layers / run.tensor - experts +
                     embedding * (run.pipeline == 1 && !m.tied ? 2 : 1);
  const double in_flight =
      std::min<double>(double(run.micro_batches()), run.pipeline) *
      (run.interleave > 1 ? 1 + (run.pipeline - 1.0) / (run.pipeline * run.interleave) : 1);
  const double rows = run.tensor > 1 ? 4 * tokens_of(run) * double(m.hidden) : 0;
  const double logits = tokens_of(run) * double(m.vocab) / run.tensor * stack.logit_bytes + rows;
  TrainingMemory memory;
  memory.weights = weight_bytes(run, own, experts);
  memory.activations = width_of(run) * stack.kept * kept_layer_bytes(run) * layers * in_flight;
  memory.working = width_of(run) * stack.kept * working_bytes(run);
  // The last stage, which computes the logits, holds activations of one micro batch only.
  const double last = memory.activations / in_flight;
  memory.logits = run.pipeline > 1 ? std::max(0.0, logits - (memory.activations - last)) : logits;
  return memory;
}

}  // namespace lento::predict
