// Times one training iteration of an LSTM language model. Layers are timed by kernels and collectives,
// weights are reduced after the backward pass, and the grid of steps and layers is scheduled over devices
// (schedule.h). The order of evaluation follows the released tool, because its first product fixes the
// dataflow of the others. Source: CrossFlow, section 5.
#include "predict/crossflow/language_model.h"

#include <algorithm>
#include <cmath>

#include "predict/crossflow/schedule.h"

namespace lento::predict {
namespace {

using Collective = KernelModel::Collective;

// Bytes per second from host to device, for the embedding.
constexpr double kHostBytesPerSecond = 12.4 * 1024 * 1024 * 1024;
// Values moved and operations per element on the LSTM cell's critical path: 3 operations read two values and
// 2 read one, and each writes one.
constexpr double kCellBytes = 3 * 3 + 2 * 2;
constexpr double kCellOps = 5;

struct Layer {
  double forward = 0;
  double backward = 0;
};

class IterationModel {
 public:
  // Computes the sizes of one worker's part and the links of each parallel dimension.
  IterationModel(const Machine& machine, const CrossFlowConfig& c, ElementTraffic traffic)
      : k_(machine, c),
        links_(parallel_links(machine, c)),
        par_(c.parallelism),
        batch_(std::ceil(c.model.batch / c.parallelism.dp)),
        d_(c.model.hidden),
        g_(c.model.gates * c.model.hidden),
        v_(c.model.vocabulary) {
    if (par_.kernel_rows == 1 && par_.kernel_columns == 1)
      par_.split = Split::None;
    k_.charge_dram(traffic == ElementTraffic::Dram);
  }

  // The order of evaluation is that of the released CrossFlow tool, because the first product fixes the
  // dataflow of the others.
  StepTimes times() {
    StepTimes s;
    const Layer cell = lstm_cell();
    s.cell_f = cell.forward;
    s.cell_b = cell.backward;
    s.hop = par_.layer_ways > 1 ? hop() : 0;
    const Layer soft = softmax();
    s.softmax_f = soft.forward;
    s.softmax_b = soft.backward;
    const Layer embed = embedding();
    s.embedding_f = embed.forward;
    s.embedding_b = embed.backward;
    s.reduce_cell = weight_reduction(2 * d_, g_);
    s.reduce_softmax = weight_reduction(d_, v_);
    s.reduce_embedding = weight_reduction(v_, d_);
    return s;
  }

 private:
  double reduce_scatter1(double elements) const {
    return k_.collective(Collective::ReduceScatter, elements, par_.kernel_rows, links_.kernel_rows);
  }
  double gather1(double elements) const {
    return k_.collective(Collective::AllGather, elements, par_.kernel_rows, links_.kernel_rows);
  }
  double gather2(double elements) const {
    return k_.collective(Collective::AllGather, elements, par_.kernel_columns, links_.kernel_columns);
  }

  // Returns the seconds to send `bytes` to another node: read from memory, send over the link, write at the
  // receiver.
  double exchange(double bytes, const Link& link) const {
    return k_.pointwise(0, 2 * bytes) + bytes / link.bytes_per_s;
  }

  // Returns the seconds of a forward product of m x inner x n on one worker, with the exchange that its
  // split needs.
  double product_forward(double m, double inner, double n) {
    switch (par_.split) {
      case Split::ColumnRow:
        return k_.gemm(m, std::floor(inner / par_.kernel_rows), n).seconds + reduce_scatter1(m * n);
      case Split::RowColumn: {
        const double rows = std::floor(m / par_.kernel_rows);
        return k_.gemm(rows, inner, std::floor(n / par_.kernel_columns)).seconds + gather2(rows * n);
      }
      default:
        return k_.gemm(m, inner, n).seconds;
    }
  }

  // Returns the seconds of both backward products (gradients of inputs and of weights) on one worker, with
  // exchanges.
  double product_backward(double m, double inner, double n) {
    switch (par_.split) {
      case Split::ColumnRow: {
        const double gathered = gather1(m * n);
        return gathered + k_.gemm(inner, std::floor(m / par_.kernel_rows), n).seconds +
               k_.gemm(m, std::floor(n / par_.kernel_rows), inner).seconds;
      }
      case Split::RowColumn: {
        const double weights = gather1(inner * m) / 2 + gather1(m * n / par_.kernel_columns);
        const double activations = gather2(m / par_.kernel_rows * n) + gather2(inner * n) / 2;
        return weights + activations + k_.gemm(inner / par_.kernel_rows, m, n / par_.kernel_columns).seconds +
               k_.gemm(m / par_.kernel_rows, n, inner / par_.kernel_columns).seconds;
      }
      default:
        return 0;
    }
  }

  // Returns the forward and backward seconds of one LSTM cell at one time step.
  Layer lstm_cell() {
    Layer layer;
    const double p = k_.precision();
    const double launches = 5 * k_.launch();
    if (par_.split == Split::None) {
      layer.forward = k_.gemm(batch_, 2 * d_, g_).seconds +
                      k_.pointwise(batch_ * g_ * kCellOps, p * batch_ * g_ * kCellBytes) + launches;
      const double products = k_.gemm(batch_, g_, 2 * d_).seconds + k_.gemm(2 * d_, batch_, g_).seconds;
      const double ops = batch_ * d_ * kCellOps + 2 * d_ * g_;
      layer.backward =
          products + k_.pointwise(ops, p * batch_ * d_ * kCellBytes + 2 * p * d_ * g_ * 3) + launches;
      return layer;
    }
    const bool rows = par_.split == Split::RowColumn;
    const double share =
        rows ? (batch_ / par_.kernel_rows) * (g_ / par_.kernel_columns) : batch_ * (g_ / par_.kernel_rows);
    const double weights = 2 * d_ * g_ / (rows ? par_.kernel_columns : par_.kernel_rows);
    const Link& link = rows ? links_.kernel_columns : links_.kernel_rows;
    const bool sends = !rows || par_.kernel_columns > 1;
    const double sent_f = 4 * share * p;
    const double sent_b = rows ? 4 * batch_ * (g_ / par_.kernel_columns) * p : sent_f;
    layer.forward = product_forward(batch_, 2 * d_, g_) +
                    k_.pointwise(share * kCellOps, p * share * kCellBytes) + launches +
                    (sends ? exchange(sent_f, link) : 0);
    layer.backward = k_.pointwise(share * kCellOps + weights, p * share * kCellBytes + p * weights * 3) +
                     launches + (sends ? exchange(sent_b, link) : 0) + product_backward(batch_, 2 * d_, g_);
    return layer;
  }

  // Returns the forward and backward seconds of the output layer and softmax at one time step.
  Layer softmax() {
    Layer layer;
    const double p = k_.precision();
    if (par_.split == Split::None) {
      layer.forward = k_.gemm(batch_, d_, v_).seconds +
                      k_.pointwise(batch_ * (3 * v_ - 1), p * batch_ * 7 * v_) + 4 * k_.launch();
      const double products = k_.gemm(d_, batch_, v_).seconds + k_.gemm(batch_, v_, d_).seconds;
      layer.backward = products + k_.pointwise(batch_ * v_ * 5, p * batch_ * v_ * 11) + 4 * k_.launch();
      return layer;
    }
    const bool rows = par_.split == Split::RowColumn;
    const double share_f =
        rows ? (batch_ / par_.kernel_rows) * (v_ / par_.kernel_columns) : batch_ / par_.kernel_rows * v_;
    const double share_b = rows ? share_f : batch_ * (v_ / par_.kernel_rows);
    double exchanged = 0;
    if (!rows)
      exchanged = gather1(batch_);
    else if (par_.kernel_columns > 1)
      exchanged = exchange(p * (batch_ / par_.kernel_rows) * par_.kernel_columns, links_.kernel_columns);
    layer.forward = product_forward(batch_, d_, v_) + k_.pointwise(share_f * 3, p * share_f * 7) +
                    k_.launch() + exchanged;
    layer.backward =
        k_.pointwise(share_b * 5, p * share_b * 11) + k_.launch() + product_backward(batch_, d_, v_);
    return layer;
  }

  // Returns the forward and backward seconds of the embedding at one time step. Forward includes the copy
  // from the host.
  Layer embedding() const {
    Layer layer;
    const double p = k_.precision();
    const double whole = 2 * batch_ * d_ * p;
    switch (par_.split) {
      case Split::None:
        layer.forward = k_.pointwise(0, whole) + k_.launch() + whole / kHostBytesPerSecond;
        layer.backward = k_.pointwise(0, whole) + k_.launch();
        break;
      case Split::ColumnRow:
        layer.forward = layer.backward = k_.pointwise(0, whole) + k_.launch() + gather1(batch_ * d_);
        break;
      case Split::RowColumn: {
        const double share = 2 * (batch_ / par_.kernel_rows) * (d_ / par_.kernel_columns) * p;
        layer.forward = k_.pointwise(0, share) + k_.launch();
        layer.backward = layer.forward + gather1(batch_ * d_ / par_.kernel_columns);
        break;
      }
    }
    return layer;
  }

  // Returns the seconds to pass the activations of a batch to the next pipeline stage.
  double hop() const {
    const double rows = par_.split == Split::RowColumn ? par_.kernel_rows : 1;
    const double columns = par_.split == Split::RowColumn
                               ? par_.kernel_columns
                               : (par_.split == Split::ColumnRow ? par_.kernel_rows : 1);
    const double bytes = k_.precision() * (batch_ / rows) * (d_ / columns);
    return k_.pointwise(0, 2 * bytes) + bytes / links_.layer_ways.bytes_per_s + links_.layer_ways.latency;
  }

  // Returns the seconds to clip (3 operations, 4 accesses per element) and apply (4 operations, 3 accesses) a
  // gradient.
  double apply_gradient(double elements) const {
    return k_.pointwise(elements * 3, elements * 4 * k_.precision()) +
           k_.pointwise(elements * 4, elements * 3 * k_.precision());
  }

  // Returns the seconds to reduce the gradients of a k x n weight matrix over data parallelism and to apply
  // them.
  double weight_reduction(double k, double n) const {
    const bool rows = par_.split == Split::RowColumn;
    const double columns = rows ? n / par_.kernel_columns : n;
    const double held = par_.split == Split::None ? k : k / par_.kernel_rows;
    const double over_dp = k_.collective(Collective::AllReduce, held * columns, par_.dp, links_.dp);
    if (!rows)
      return over_dp + apply_gradient(held * columns);
    return over_dp + gather1(k * columns) + apply_gradient(k * columns);
  }

  KernelModel k_;
  ParallelLinks links_;
  Parallelism par_;
  double batch_;
  double d_;
  double g_;
  double v_;
};

// Returns the bytes of weights with gradients and optimizer copy, and of activations and pointwise results
// kept for the backward pass.
double memory_needed(const CrossFlowConfig& c) {
  const LanguageModel& m = c.model;
  const Parallelism& p = c.parallelism;
  const double shards = double(p.kernel_rows) * p.kernel_columns;
  const double layers = std::ceil(double(m.layers) / p.layer_ways);
  const double weights =
      (2 * m.hidden * m.gates * m.hidden * layers + 2 * m.vocabulary * m.hidden / p.layer_ways) / shards;
  const double batch = std::ceil(m.batch / p.dp);
  const double kept =
      m.sequence * batch *
      (layers * (2 + 5) * m.gates * m.hidden / 4 + (m.vocabulary * 2 + m.hidden) / p.layer_ways) / shards;
  return c.precision * (3 * weights + kept);
}

}  // namespace

// Returns the links of the parallel dimensions: inside or between packages, divided by the number of rings
// that share a physical link (the derate).
ParallelLinks parallel_links(const Machine& machine, const CrossFlowConfig& c) {
  Link inter = machine.inter;
  Link intra = machine.intra;
  const bool several_wafers = c.workers > c.nodes_per_wafer;
  const double intra_rate =
      c.workers > 1 && c.intra_derate > 0 ? machine.intra.bytes_per_s / c.intra_derate : 0;
  double inter_rate = several_wafers && c.inter_derate > 0 ? machine.inter.bytes_per_s / c.inter_derate : 0;
  if (several_wafers && c.intra_derate > 0)
    inter_rate = std::min(inter_rate, intra_rate);  // the ring crosses the package boundary too
  inter.bytes_per_s = inter_rate;
  intra.bytes_per_s = intra_rate;
  const auto of = [&](size_t i) {
    return c.crosses[i] ? inter : intra;
  };
  return {of(0), of(1), of(2), of(3)};
}

// Returns why the parallel split does not divide the model, or "".
std::string impossible(const CrossFlowConfig& c) {
  const Parallelism& p = c.parallelism;
  const double batch = std::ceil(c.model.batch / p.dp);
  const auto divides = [](double whole, int parts) {
    return std::fmod(whole, parts) == 0;
  };
  if (p.dp > c.model.batch)
    return "more data-parallel workers than samples";
  if (p.split == Split::ColumnRow && !divides(2 * c.model.hidden, p.kernel_rows))
    return "twice the hidden size is not divisible by kp1";
  if (p.split == Split::RowColumn && !divides(batch, p.kernel_rows))
    return "the batch of a worker is not divisible by kp1";
  if (p.split == Split::RowColumn && !divides(c.model.gates * c.model.hidden, p.kernel_columns))
    return "the gates' width is not divisible by kp2";
  return {};
}

// Times one training iteration: kernels, then the schedule of the grid of steps and layers over the devices.
LanguageModelTime
language_model_time(const Machine& machine, const CrossFlowConfig& c, ElementTraffic traffic) {
  IterationModel model(machine, c, traffic);
  const StepTimes s = model.times();
  const GridShape shape{int(c.model.sequence), c.model.layers, c.parallelism.layer_ways};
  LanguageModelTime t;
  t.forward = forward_time(s, shape);
  t.backward = backward_time(s, shape);
  t.seconds = t.forward + t.backward;
  t.memory_bytes = memory_needed(c);
  t.memory_there = machine.memory[3].bytes;
  t.parameters = 2 * c.model.vocabulary * c.model.hidden +
                 2 * c.model.hidden * c.model.gates * c.model.hidden * c.model.layers;
  t.parts = {
      {"cell forward", s.cell_f},
      {"cell backward", s.cell_b},
      {"softmax forward", s.softmax_f},
      {"softmax backward", s.softmax_b},
      {"embedding forward", s.embedding_f},
      {"embedding backward", s.embedding_b},
      {"hop between layers", s.hop},
      {"reduce cell weights", s.reduce_cell},
      {"reduce softmax weights", s.reduce_softmax},
      {"reduce embedding weights", s.reduce_embedding}};
  return t;
}

}  // namespace lento::predict
