// Times one iteration of a pipeline of p stages, m micro batches, v model chunks on each device (Narayanan
// et al. 2021):
//
//   stage  = layers/p * (forward + backward [+ forward again]) + tensor exchanges + output layer on the last
//   steady = m * slowest stage
//   bubble = (sum of the other stages) / v
//   total  = steady + bubble + hand-overs + gradients that the backward pass cannot hide + optimizer + host
//
// Gradients travel as reduce-scatter and all-gather at every sharding stage. Stage 3 gathers the weights
// once more for each pass. Cost: about 30 kernel predictions.
#include "predict/time/training/training.h"

#include <algorithm>
#include <cmath>

#include "predict/time/model/divisors.h"

namespace lento::predict {
namespace {

// Throws base::Error when a parallel degree does not divide the model's sizes or the batch.
void check_run(const TrainingRun& run, const base::Location& where) {
  check_transformer(run.model, run.tensor, run.pipeline, where);
  check_experts(run.model, run.expert, run.tensor * run.context * run.data, where);
  if (run.sequence % run.context != 0)
    throw base::Error(
        where,
        "a sequence of " + std::to_string(run.sequence) + " tokens does not divide into " +
            std::to_string(run.context) + " context-parallel parts",
        nearest_divisors(run.sequence, run.context));
  if (run.micro_batches() < 1 || run.global_batch % (int64_t(run.data) * run.micro_batch) != 0) {
    throw base::Error(
        where,
        "a global batch of " + std::to_string(run.global_batch) + " does not divide into " +
            std::to_string(run.data) + " replicas of micro batches of " + std::to_string(run.micro_batch),
        "a multiple of data parallelism times micro batch; " +
            nearest_multiples(int64_t(run.data) * run.micro_batch, run.global_batch));
  }
  // The embedding and the output layer may fill a model chunk (virtual pipeline stage) each, as in Llama 3
  // 405B: 126 layers in 16 x 8 chunks.
  const int64_t fillers = run.model.layers + 2;
  if (int64_t{run.pipeline} * run.interleave > fillers) {
    throw base::Error(
        where,
        std::to_string(run.model.layers) + " layers cannot fill " + std::to_string(run.pipeline) +
            " stages of " + std::to_string(run.interleave) + " chunks",
        "interleave at most " + std::to_string(fillers / run.pipeline));
  }
  if (run.shard > 0 && (run.context > 1 || run.data % run.shard != 0)) {
    throw base::Error(
        where,
        std::to_string(run.data) + " replicas do not divide into groups of " + std::to_string(run.shard) +
            " that share a copy",
        run.context > 1 ? "groups are modelled without context parallelism"
                        : nearest_divisors(run.data, run.shard));
  }
  if (run.interleave > 1 && run.micro_batches() % run.pipeline != 0) {
    throw base::Error(
        where,
        std::to_string(run.micro_batches()) + " micro batches do not divide into " +
            std::to_string(run.pipeline) + " stages, as an interleaved schedule needs",
        "a smaller micro batch, interleave 1, or other stages; " +
            nearest_divisors(run.micro_batches(), run.pipeline));
  }
}

// Returns the seconds of a chunked exchange that do not overlap with products: the first chunk, and the part
// that is longer than the concurrent products. Software reaches the share `overlap` of the possible overlap.
double exposed_exchange(const System& system, const TrainingRun& run, double exchange_s, double products_s) {
  if (!run.overlap_tensor || run.tensor == 1)
    return exchange_s;
  const double hidden = system.stack.overlap * std::min(exchange_s, products_s);
  return std::max(exchange_s / run.tensor, exchange_s - hidden);
}

constexpr double kUnitsForExchange = 20;  // units that exchanges occupy; DeepSeek-V3 2024, section 3.2.2

struct Pass {
  // Seconds of one layer and one micro batch.
  double forward_s = 0;
  double backward_s = 0;
  double exchange_s = 0;
  double again_s = 0;  // recomputation
  double weight_gradient_s = 0;
};

// Returns the seconds of one tensor-parallel exchange. All ranks get the sum. With sequence parallelism each
// rank gets only its rows, and gathers all rows before the next product in that product's format.
double exchange(const System& system, const TrainingRun& run, double bytes) {
  if (run.tensor == 1)
    return 0;
  const int stride = run.stride(Axis::Tensor);
  if (!run.sequence_parallel || !run.products)
    return predict_collective(system, {CollectiveOp::AllReduce, run.tensor, bytes, stride}).seconds;
  const double narrow =
      bytes * std::min(1.0, operand_bytes(*run.products).activations / bytes_of(run.precision));
  return predict_collective(system, {CollectiveOp::ReduceScatter, run.tensor, bytes, stride}).seconds +
         predict_collective(system, {CollectiveOp::AllGather, run.tensor, narrow, stride}).seconds;
}

// Returns the seconds to send the rows of one layer to the devices of their experts and back. Experts are
// spread over neighbouring devices. Each row crosses once to every node that needs it and is distributed
// there, and both happen at once.
double expert_exchange(const System& system, const TrainingRun& run, const Shard& shard, double layer_s) {
  if (run.model.experts <= 1 || run.expert == 1)
    return 0;
  const int inside = std::min(run.expert, std::max(1, system.network.node_devices));
  const int nodes = std::max(1, run.expert / inside);
  const double held = double(shard.batch * shard.tokens) / std::min(run.tensor, run.expert);
  const double row = bytes_of(run.precision) * double(run.model.routed_width()) * held;
  const auto wanted = double(run.model.active_experts);
  const double here = predict_collective(system, {CollectiveOp::AllToAll, inside, row * wanted, 1}).seconds;
  if (nodes == 1)
    return 2 * here;
  const double crossed = nodes * (1 - std::pow(1 - 1.0 / nodes, wanted));
  const Collective between{CollectiveOp::AllToAll, nodes, row * crossed, inside};
  const double there = predict_collective(system, between).seconds;
  if (run.overlap_experts)
    return 2 * std::max(here, there - 0.5 * layer_s);
  return 2 * std::max(here, there);
}

// Returns the seconds to gather keys and values of a layer over the context-parallel devices.
double context_exchange(const System& system, const TrainingRun& run, const Shard& shard) {
  if (run.context == 1)
    return 0;
  const double heads = double(run.expanded_keys ? run.model.heads : run.model.kv()) / run.tensor;
  const double bytes =
      2 * bytes_of(run.precision) * double(shard.batch * shard.context) * heads * double(run.model.head());
  return predict_collective(system, {CollectiveOp::AllGather, run.context, bytes, run.stride(Axis::Context)})
      .seconds;
}

// Returns forward and backward seconds of a layer, with communication that computation does not hide.
Pass layer_pass(const System& system, const TrainingRun& run) {
  const Shard shard = shard_of(run);
  const LayerTime3 layer = time_layer(system, run.model, shard);
  const double whole =
      run.model.exchanges() * exchange(system, run, layer_work(run.model, shard).exchange_bytes);
  const double forward = exposed_exchange(system, run, whole, layer.product_s);
  const double backward = exposed_exchange(system, run, whole, 2 * layer.product_s);
  const double routed = run.schedule == Schedule::DualPipe
                            ? 0
                            : expert_exchange(system, run, shard, layer.forward_s) *
                                  double(run.model.expert_layers()) / double(run.model.layers);
  // Keys and values of other devices arrive while attention to the previous ones is computed.
  const double keys = context_exchange(system, run, shard);
  const double waited = run.expanded_keys ? keys : std::max(keys / run.context, keys - layer.attention_s);
  // DualPipe reserves some units for the exchanges, which then overlap with passes in both directions.
  const double lent = run.schedule == Schedule::DualPipe ? kUnitsForExchange / system.chip.units : 0;
  const double slowed = lent < 1 ? 1 / (1 - lent) : 1;
  Pass pass;
  pass.forward_s = layer.forward_s;
  pass.weight_gradient_s = run.frozen ? 0 : layer.weight_gradient_s;
  pass.backward_s = layer.backward_s - (run.frozen ? layer.weight_gradient_s : 0);
  // In the backward pass the keys are sent once more, and so are their gradients.
  pass.exchange_s = forward + backward + 2 * routed + 3 * waited;
  if (run.recompute == Recompute::Full) {
    pass.again_s = layer.forward_s;
    pass.exchange_s += forward + routed + waited;
  } else if (run.recompute == Recompute::Selective) {
    pass.again_s = run.model.flash ? 0 : 0.15 * layer.forward_s;
  } else if (run.recompute == Recompute::Operators) {
    pass.again_s = 0.5 * layer.product_s + layer.stream_s;
    pass.exchange_s += 0.5 * forward;  // rows are gathered again; results of the reduce-scatter are stored
  }
  for (double* part : {&pass.forward_s, &pass.backward_s, &pass.again_s, &pass.weight_gradient_s})
    *part *= slowed;
  return pass;
}

// Seconds to reduce gradients over replicas (scatter) and to distribute weights (gather).
struct DataTraffic {
  double scatter_s = 0;
  double gather_s = 0;
};

// Times a collective over the replicas of data and context parallelism. When the two dimensions are adjacent
// in rank order it is one group. Otherwise the faster varying dimension communicates first, and the other
// with its share of the buffer.
double over_replicas(const System& system, const TrainingRun& run, CollectiveOp op, double bytes) {
  const Axis near = run.stride(Axis::Data) < run.stride(Axis::Context) ? Axis::Data : Axis::Context;
  const Axis far = near == Axis::Data ? Axis::Context : Axis::Data;
  const int stride = run.stride(near);
  const int inner = run.ways(near);
  const int outer = run.ways(far);
  if (inner == 1)
    return predict_collective(system, {op, outer, bytes, run.stride(far)}).seconds;
  if (run.stride(far) == stride * inner)
    return predict_collective(system, {op, inner * outer, bytes, stride}).seconds;
  return predict_collective(system, {op, inner, bytes, stride}).seconds +
         predict_collective(system, {op, outer, bytes / inner, run.stride(far)}).seconds;
}

// Times the traffic when only `shard` devices share one copy of the weights: weights are gathered inside
// such a group, and gradients are also summed between groups.
DataTraffic
grouped_traffic(const System& system, const TrainingRun& run, double parameters, double gradient) {
  const int stride = run.stride(Axis::Data);
  const auto inside = [&](CollectiveOp op, double bytes) {
    return predict_collective(system, {op, run.shard, bytes, stride}).seconds;
  };
  const Collective sum{
      CollectiveOp::AllReduce,
      run.data / run.shard,
      gradient / run.shard,
      stride * run.shard};
  return {
      inside(CollectiveOp::ReduceScatter, gradient) + predict_collective(system, sum).seconds,
      inside(CollectiveOp::AllGather, 2 * parameters)};
}

// Times the exchange between replicas in a step, in seconds: reduction of gradients, gathering of weights.
DataTraffic data_traffic(const System& system, const TrainingRun& run, double parameters) {
  if (run.replicas() == 1)
    return {};
  const double gradient = parameters * (run.fp32_gradients ? 4 : 2);
  if (run.shards() < run.replicas())
    return grouped_traffic(system, run, parameters, gradient);
  const double gather_bytes = run.zero >= 1 ? 2 * parameters : gradient;
  return {
      over_replicas(system, run, CollectiveOp::ReduceScatter, gradient),
      over_replicas(system, run, CollectiveOp::AllGather, gather_bytes)};
}

// Returns the seconds of traffic for sharded weights that computation does not hide. Every pass of every
// micro batch gathers the weights, those of the next layer during the current one. Every backward pass also
// scatters gradients over the same links. The first layer's weights are never hidden.
double exposed_shards(
    const TrainingRun& run,
    const DataTraffic& t,
    double overlap,
    double forward_s,
    double backward_s) {
  const double first = t.gather_s / double(run.model.layers);
  const double forward = std::max(first, t.gather_s - overlap * forward_s);
  const double gradients = run.frozen ? 0 : t.scatter_s;
  const double backward = std::max(first, t.gather_s + gradients - overlap * backward_s);
  return double(run.micro_batches()) * (forward + backward);
}

// Returns the seconds of data-parallel traffic that the passes of one micro batch cannot hide.
double exposed_data(
    const System& system,
    const TrainingRun& run,
    double parameters,
    double forward_s,
    double backward_s) {
  const DataTraffic t = data_traffic(system, run, parameters);
  const double covered = system.stack.overlap;
  if (run.zero >= 3)
    return exposed_shards(run, t, covered, forward_s, backward_s);
  if (run.frozen)
    return 0;
  if (!run.overlap_gather)
    return std::max(0.0, t.scatter_s + t.gather_s - covered * backward_s);
  return std::max(0.0, t.scatter_s - covered * backward_s) + std::max(0.0, t.gather_s - covered * forward_s);
}

// Combines device and host time. Either waits for the other, and which one does changes within a layer, so a
// smooth maximum is used.
double slower_of(double device_s, double host_s) {
  const double top = std::max(device_s, host_s);
  const double low = std::min(device_s, host_s);
  return top * std::sqrt(std::sqrt(1 + std::pow(low / top, 4)));
}

// Returns the name of the part of a step that takes longest.
std::string largest(const TrainingTime& t) {
  const std::pair<double, const char*> parts[] = {
      {t.compute_s + t.recompute_s, "compute"},
      {t.tensor_s, "tensor link"},
      {t.pipeline_s, "pipeline link"},
      {t.bubble_s, "bubble"},
      {t.data_s, "data link"},
      {t.optimizer_s, "memory"},
      {t.host_s, "launch"}};
  return std::max_element(
             std::begin(parts),
             std::end(parts),
             [](const auto& a, const auto& b) {
               return a.first < b.first;
             })
      ->second;
}

// Sets the FLOPs of a step without recomputation, the numerator of model FLOPs utilisation.
void add_flops(const TrainingRun& run, TrainingTime& t) {
  const Transformer& m = run.model;
  const double tokens = double(run.global_batch) * double(run.sequence);
  // Counts half of the attention scores, because no token attends to later ones.
  const double scores = 0.5 * double(run.sequence) * double(m.heads) * double((m.head() + m.value()));
  const double products = m.active_parameters() - double(m.hidden) * double(m.vocab) * (m.tied ? 0 : 1);
  t.score_flops = 6 * tokens * double(m.attending()) * scores;
  t.model_flops = 6 * tokens * products + t.score_flops;
}

bool pipeline_across_nodes(const System& system, const TrainingRun& run) {
  return run.pipeline > 1 && run.stride(Axis::Pipeline) * run.pipeline > system.network.node_devices;
}

// Returns the seconds in which pipeline stages are idle, by schedule.
double bubble_s(const TrainingRun& run, const Pass& pass, double layers, double layer_s) {
  const double p = run.pipeline;
  if (p == 1)
    return 0;
  const double saved = 2 * pass.weight_gradient_s;
  if (run.schedule == Schedule::ZeroBubble)
    return (p - 1) * layers * std::max(0.0, layer_s - saved);
  if (run.schedule == Schedule::DualPipe)
    return (p / 2 - 1) * layers * std::max(0.0, layer_s - saved);
  return (p - 1) * layers * layer_s / run.interleave;
}

// Returns the host seconds to launch all passes of one layer and one micro batch.
double host_layer_s(const System& system, const TrainingRun& run) {
  const int passes = run.recompute == Recompute::Full ? 3 : 2;
  const bool waits = pipeline_across_nodes(system, run) && run.tensor > 1;
  return passes * system.stack.host_layer_s * (1 + (waits ? system.stack.host_tensor * run.tensor : 0));
}

// Returns the seconds in which stages stall because activations are sent across nodes. A stage in the middle
// waits for one transfer in each direction per micro batch, a stage at an end in one direction.
double hand_over_stalls(const System& system, const TrainingRun& run) {
  if (!pipeline_across_nodes(system, run))
    return 0;
  return system.stack.hand_over_s * ((run.pipeline > 2 ? 2.0 : 1.0) * double(run.micro_batches()) + 1);
}

// Adds the time to pass activations between pipeline stages.
void add_hand_over(const System& system, const TrainingRun& run, TrainingTime& t) {
  if (run.pipeline == 1)
    return;
  // Each tensor-parallel rank sends its share; without sequence parallelism the receivers gather it
  // (Narayanan et al. 2021, section 4.1).
  const double bytes = bytes_of(run.precision) * double(run.micro_batch) * double(run.sequence) *
                       double(run.model.hidden) / run.context;
  double one = predict_collective(
                   system,
                   {CollectiveOp::SendReceive, run.pipeline, bytes / run.tensor, run.stride(Axis::Pipeline)})
                   .seconds;
  if (run.tensor > 1 && !run.sequence_parallel)
    one += predict_collective(system, {CollectiveOp::AllGather, run.tensor, bytes, run.stride(Axis::Tensor)})
               .seconds;
  // Even when hand-overs are hidden, each one is waited for while the pipeline fills and while it drains.
  const double exposed = run.overlap_pipeline ? run.pipeline - 1.0 : double(run.micro_batches());
  t.pipeline_s = 2.0 * one * run.interleave * exposed + hand_over_stalls(system, run);
}

}  // namespace

Shard shard_of(const TrainingRun& run) {
  Shard shard;
  shard.batch = run.micro_batch;
  shard.tokens = std::max<int64_t>(1, run.sequence / run.context);
  shard.context = run.sequence;
  shard.tensor = run.tensor;
  shard.expert = run.expert;
  shard.sequence_parallel = run.sequence_parallel;
  shard.precision = run.precision;
  shard.products = run.products;
  return shard;
}

int TrainingRun::ways(Axis axis) const {
  const int all[] = {tensor, context, data, pipeline};
  return all[size_t(axis)];
}

int TrainingRun::stride(Axis axis) const {
  int stride = 1;
  for (const Axis a : placement) {
    if (a == axis)
      break;
    stride *= ways(a);
  }
  return stride;
}

void train_in(TrainingRun& run, Precision p) {
  const bool narrow = bytes_of(p) < bytes_of(Precision::Bf16);
  run.precision = narrow ? Precision::Bf16 : p;
  run.products = narrow ? std::optional(p) : std::nullopt;
}

TrainingRun with_micro_batch(const System& system, const TrainingRun& run) {
  if (run.micro_batch > 0)
    return run;
  TrainingRun best = run;
  best.micro_batch = 1;
  double fastest = INFINITY;
  for (TrainingRun tried = best; run.global_batch % (tried.micro_batch * run.data) == 0;
       tried.micro_batch *= 2) {
    if (run.interleave > 1 && tried.micro_batches() % run.pipeline != 0)
      break;
    const TrainingTime t = predict_training(system, tried);
    if (!t.fits)
      break;
    if (t.seconds < fastest)
      best = tried;
    fastest = std::min(fastest, t.seconds);
  }
  return best;
}

TrainingTime predict_training(const System& system, const TrainingRun& run, const base::Location& where) {
  check_run(run, where);
  const Pass pass = layer_pass(system, run);
  const double m = double(run.micro_batches());
  const double layers = std::ceil(double(run.model.layers) / run.pipeline);
  const Gemm head = head_product(run.model, shard_of(run));
  const double head_s = predict_gemm(system, head).seconds + operand_gradient(system, head) +
                        (run.frozen ? 0 : weight_gradient(system, head)) +
                        predict_stream(
                            system,
                            12.0 * double(head.m) * double(head.n) * system.stack.pointwise,
                            0,
                            run.precision)
                            .seconds;
  const double device_s = pass.forward_s + pass.backward_s + pass.again_s + pass.exchange_s;
  const double host_s = host_layer_s(system, run);
  const double layer_s = slower_of(device_s, host_s);

  TrainingTime t;
  t.compute_s = m * (layers * (pass.forward_s + pass.backward_s) + head_s);
  t.recompute_s = m * layers * pass.again_s;
  t.tensor_s = m * layers * pass.exchange_s;
  t.host_s = m * layers * (layer_s - device_s);
  t.bubble_s = bubble_s(run, pass, layers, layer_s);
  add_hand_over(system, run, t);
  const double own = run.model.layer_parameters(run.expert) * layers / run.tensor +
                     double(run.model.vocab) * double(run.model.hidden) / run.tensor;
  const double backward_s = layers * (pass.backward_s + pass.again_s);
  t.data_s = exposed_data(system, run, own, layers * pass.forward_s, backward_s);
  const double shards = run.zero >= 1 ? run.shards() : 1;
  t.optimizer_s =
      run.frozen ? 0 : predict_stream(system, kOptimizerBytes * own / shards, 0, Precision::Fp32).seconds;
  t.seconds = t.compute_s + t.recompute_s + t.tensor_s + t.host_s + t.bubble_s + t.pipeline_s + t.data_s +
              t.optimizer_s;
  t.tokens_per_s = double(run.global_batch * run.sequence) / t.seconds;
  add_flops(run, t);
  const double peak = system.chip.peak(run.products.value_or(run.precision));
  t.utilisation = t.model_flops / (t.seconds * run.devices() * peak);
  t.bound = largest(t);
  TrainingRun leanest = run;
  TrainingMemory memory = training_memory(run, system.stack);
  const double room = system.chip.memory_bytes - system.chip.memory_reserve;
  if (run.recompute_open && memory.total() > room) {
    leanest.recompute = Recompute::Full;
    memory = training_memory(leanest, system.stack);
  }
  t.weight_bytes = memory.weights;
  t.activation_bytes = memory.total() - memory.weights;
  t.memory_bytes = memory.total() + system.chip.memory_reserve;
  t.fits = t.memory_bytes <= system.chip.memory_bytes;
  return t;
}

}  // namespace lento::predict
