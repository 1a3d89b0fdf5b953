// Counts operations and bytes of a workload in the same way as the time models:
//
//   product   flops, bytes out of the cache and out of the memory of its fastest kernel
//   layer     its products once forward and twice backward (dA, dB), attention with recomputed scores,
//             element-wise streams
//   training  layers, recomputation, output layer, optimizer. Links carry tensor exchanges, gradients
//             and activations between stages
//   serving   one prefill per request and a step per token
//
// A ring sends (n-1)/n of the buffer from every member, an all-reduce twice that.
#include "predict/time/energy.h"

#include <cmath>

#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

constexpr double kBackwardStreamEnergy = 1.7,
                 kBackwardAttention = 2.5;  // backward over forward attention, as transformer.cc times them

Work scaled(Work w, double times) {
  w.flops *= times;
  w.cache_bytes *= times;
  w.memory_bytes *= times;
  w.link_bytes *= times;
  return w;
}

void add(Work& to, const Work& w, double times = 1) {
  to.flops += times * w.flops;
  to.cache_bytes += times * w.cache_bytes;
  to.memory_bytes += times * w.memory_bytes;
  to.link_bytes += times * w.link_bytes;
}

Work count(const System& s, const Gemm& g) {
  const KernelTime t = predict_gemm(s, g);
  return {g.precision, 1, t.flops, t.cache_bytes, t.memory_bytes, 0};
}

Work backward(const System& s, const Gemm& g) {
  Work w = count(s, {g.batch, g.m, g.k, g.n, g.precision});
  add(w, count(s, {g.batch, g.k, g.n, g.m, g.precision}));
  return w;
}

double ring_bytes(double buffer, int ways) {
  return ways > 1 ? buffer * (ways - 1) / ways : 0;
}

struct LayerCount {
  Work forward;
  Work backward;
  double exchange_bytes = 0;  // bytes of one of the two all-reduces of a layer
};

// Counts FLOPs and bytes of a layer's forward and backward pass, averaged over the kinds of layers.
LayerCount count_layer(const System& s, const Transformer& model, const Shard& shard) {
  LayerCount out;
  for (const LayerKind& kind : layer_kinds(model)) {
    const LayerWork work = layer_work(kind.model, shard, kind.parts);
    for (const Gemm& g : work.products) {
      add(out.forward, count(s, g), kind.share);
      add(out.backward, backward(s, g), kind.share);
    }
    const double stream = work.stream_bytes * s.stack.pointwise;
    const Work forward{shard.precision, 1, work.attention_flops, 0, stream + work.attention_bytes, 0};
    const Work backward{
        shard.precision,
        1,
        kBackwardAttention * work.attention_flops,
        0,
        kBackwardStreamEnergy * stream + kBackwardAttention * work.attention_bytes,
        0};
    add(out.forward, forward, kind.share);
    add(out.backward, backward, kind.share);
    out.exchange_bytes = work.exchange_bytes * model.exchanges() / 2;
  }
  return out;
}

// Counts FLOPs and bytes of an LSTM layer for one pass over all time steps.
Work count(const System& s, const LstmLayer& l) {
  const int64_t wide = l.gates * l.hidden;
  const bool forward = l.pass == LstmLayer::Pass::Forward || l.pass == LstmLayer::Pass::Training;
  Work w;
  w.precision = l.precision;
  const Work step = count(s, Gemm{1, l.batch, wide, l.hidden, l.precision});
  if (forward)
    add(w, step, double(l.steps));
  if (l.pass == LstmLayer::Pass::BackwardInputs || l.pass == LstmLayer::Pass::Training)
    add(w, step, double(l.steps));
  if (l.pass == LstmLayer::Pass::BackwardWeights || l.pass == LstmLayer::Pass::Training)
    add(w, count(s, Gemm{1, l.hidden, wide, l.batch * l.steps, l.precision}));
  return w;
}

Work count(const System&, const Collective& c) {
  Work w;
  w.devices = c.devices;
  const double one = c.op == CollectiveOp::SendReceive ? c.bytes / 2 : ring_bytes(c.bytes, c.devices);
  w.link_bytes = c.devices * one * (c.op == CollectiveOp::AllReduce ? 2 : 1);
  return w;
}

// Returns the bytes that one device sends over links in a training iteration.
double training_link_bytes(const TrainingRun& r, double exchange_bytes, double layers, double own) {
  const double m = double(r.micro_batches());
  const double size = bytes_of(r.precision);
  const double exchanges = r.recompute == Recompute::Full ? 6 : 4;
  double bytes = m * layers * exchanges * 2 * ring_bytes(exchange_bytes, r.tensor);
  const double gradient = own * (r.fp32_gradients ? 4 : 2);
  const double weights = r.zero >= 1 ? 2 * own : gradient;
  bytes += ring_bytes(gradient + weights * (r.zero >= 3 ? 3 : 1), r.data * r.context);
  if (r.pipeline > 1)
    bytes += 2 * m * r.interleave * size * double(r.micro_batch) * double(r.sequence) *
             double(r.model.hidden) / r.context / r.tensor;
  return bytes;
}

// Counts FLOPs and bytes of a training step on one device.
Work count(const System& s, const TrainingRun& given) {
  const TrainingRun r = with_placement(s, with_micro_batch(s, given));
  const Shard shard = shard_of(r);
  const LayerCount layer = count_layer(s, r.model, shard);
  const double m = double(r.micro_batches());
  const double layers = double(r.model.layers) / r.pipeline;
  const double again = r.recompute == Recompute::Full ? 1 : 0;
  Work device;
  add(device, layer.forward, m * layers * (1 + again));
  add(device, layer.backward, m * layers);
  const Gemm head = head_product(r.model, shard);
  add(device, count(s, head), m / r.pipeline);
  add(device, backward(s, head), m / r.pipeline);
  const double own = r.model.layer_parameters(r.expert) * layers / r.tensor;
  device.memory_bytes += kOptimizerBytes * own / (r.zero >= 1 ? r.data : 1);
  device.link_bytes = training_link_bytes(r, layer.exchange_bytes, layers, own);
  Work all = scaled(device, r.devices());
  all.devices = r.devices();
  all.precision = r.precision;
  return all;
}

// Counts FLOPs and bytes of serving one batch of requests on all devices.
Work count(const System& s, const InferenceRun& r) {
  const auto pass = [&](int64_t batch, int64_t tokens, int64_t context) {
    Shard shard;
    shard.batch = batch;
    shard.tokens = tokens;
    shard.context = context;
    shard.tensor = r.tensor;
    shard.precision = r.precision;
    const LayerCount layer = count_layer(s, r.model, shard);
    Work w = scaled(layer.forward, double(r.model.layers));
    w.link_bytes = double(r.model.layers) * 4 * ring_bytes(layer.exchange_bytes, r.tensor);
    shard.tokens = 1;
    add(w, count(s, head_product(r.model, shard)));
    return w;
  };
  const int64_t own = (r.batch + r.data - 1) / r.data;  // requests of a replica
  Work device = scaled(pass(1, r.prompt, r.prompt), double(own));
  add(device, pass(own, 1, r.prompt + r.output / 2), double(r.output - 1));
  Work all = scaled(device, r.tensor * r.data);
  all.devices = r.devices();
  all.precision = r.precision;
  return all;
}

// Counts FLOPs and bytes of all kernels of a graph on one device.
Work count(const System& s, const GraphRun& r) {
  const GraphTime t = predict_graph(s, r);
  Work device;
  for (size_t i = 0; i < r.kernels.size(); ++i) {
    const KernelTime& k = t.kernels[i];
    const Work forward{r.precision, 1, k.flops, k.cache_bytes, k.memory_bytes, 0};
    add(device, forward, r.training ? 3 : 1);
  }
  if (r.training) {
    device.memory_bytes += kOptimizerBytes * r.parameters;
    device.link_bytes = 2 * ring_bytes(r.parameters * bytes_of(r.precision), r.replicas);
  }
  Work all = scaled(device, r.replicas);
  all.devices = r.replicas;
  all.precision = r.precision;
  return all;
}

// Counts the work of the batch in flight, as one pass of all prompts and all decode steps.
Work count(const System& s, const ServingRun& r) {
  InferenceRun one;
  one.model = r.model;
  one.tensor = r.decode.tensor;
  one.pipeline = r.decode.pipeline;
  one.batch = r.traffic.together;
  one.prompt = r.traffic.prompt;
  one.output = r.traffic.output;
  one.precision =
      r.precision == Precision::Fp4 && s.chip.rate(Precision::Fp4) <= 0 ? Precision::Bf16 : r.precision;
  Work w = count(s, one);
  w.devices = r.devices();
  return w;
}

Work fused_work(const PreparedKernel& kernel, Precision precision) {
  Work w;
  w.precision = precision;
  w.flops = kernel_flops(kernel);
  w.memory_bytes = kernel_bytes(kernel);
  return w;
}

Work count(const System& s, const ExpertLayer& l) {
  return fused_work(prepare(s.chip, l), l.format.arithmetic);
}

Work count(const System& s, const AttentionKernel& k) {
  return fused_work(prepare(s.chip, k), k.format.arithmetic);
}

}  // namespace

Work work_of(const System& system, const Question& question) {
  return std::visit(
      [&system](const auto& what) {
        return count(system, what);
      },
      question.what);
}

std::optional<Energy> energy_breakdown(const System& system, const Work& work, double seconds) {
  const Chip& chip = system.chip;
  const double flop = chip.flop_energy_j[size_t(work.precision)];
  if (flop <= 0 && chip.byte_energy_j <= 0)
    return std::nullopt;
  Energy e;
  e.arithmetic = flop * work.flops;
  e.operands = chip.operand_energy_j * work.flops;
  e.cache = chip.cache_byte_energy_j * work.cache_bytes;
  e.memory = chip.byte_energy_j * work.memory_bytes;
  e.links = system.network.byte_energy_j * work.link_bytes;
  e.idle = chip.idle_share * chip.power_w * seconds * work.devices;
  return e;
}

}  // namespace lento::predict
