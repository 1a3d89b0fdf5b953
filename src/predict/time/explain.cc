#include "predict/time/explain.h"

#include <cmath>

#include "base/units.h"
#include "predict/time/pipeline.h"

namespace lento::predict {
namespace {

using base::Dimension;
using base::format_quantity;
using finding::Diagnosis;

void fact(Diagnosis& d, const std::string& name, double value, Dimension dimension) {
  d.facts.emplace_back(name, format_quantity(value, dimension));
}

std::string percent(double share) { return base::format_number(100 * share, 3) + " %"; }

void bars(Diagnosis& d, const std::vector<std::pair<std::string, double>>& parts) {
  finding::BarsFigure figure;
  figure.y_name = "seconds";
  figure.series = {"time"};
  figure.values.resize(1);
  for (const auto& [name, seconds] : parts) {
    figure.categories.push_back(name);
    figure.values[0].push_back(seconds);
  }
  d.figures.push_back({"Where the time goes", "Seconds by cause.", std::move(figure)});
}

// The devices may stay below their budget, so this is the most it can be.
void energy(Diagnosis& d, const System& s, double seconds, int devices) {
  if (s.chip.power_w > 0) fact(d, "energy, at most", s.chip.power_w * seconds * devices, Dimension::Energy);
}

// The chip's roof in log-log and each kernel under it.
void roofline(Diagnosis& d, const System& system, const std::vector<Gemm>& kernels) {
  if (kernels.empty()) return;
  const double peak = system.chip.peak(kernels[0].precision);
  finding::ScatterFigure figure;
  figure.x_name = "flops per byte of memory traffic";
  figure.y_name = "flop/s";
  figure.log_x = figure.log_y = true;
  finding::ScatterFigure::Group roof{"roof", {}, true}, dots{"kernels", {}, false};
  for (double x = 0.25; x <= 16384; x *= 2)
    roof.points.push_back({x, std::min(peak, x * system.chip.memory_Bps), "", false});
  for (const Gemm& g : kernels) {
    const KernelTime t = predict_gemm(system, g);
    const std::string label = std::to_string(g.m) + "x" + std::to_string(g.n) + "x" + std::to_string(g.k);
    dots.points.push_back({t.flops / t.memory_bytes, t.flops / t.seconds, label, false});
  }
  figure.groups = {std::move(roof), std::move(dots)};
  d.figures.push_back({"Roofline", "Each matrix product against the data sheet's roof.", std::move(figure)});
}

std::vector<Gemm> describe(Diagnosis& d, const System& s, const Gemm& g) {
  const KernelTime t = predict_gemm(s, g);
  d.facts.emplace_back("bound by", std::string(name(t.bound)));
  d.facts.emplace_back("tile", std::to_string(t.tile.m) + " x " + std::to_string(t.tile.n) + ", split " +
                                   std::to_string(t.tile.split) + ", walked along " + t.tile.order);
  fact(d, "memory traffic", t.memory_bytes, Dimension::Bytes);
  d.facts.emplace_back("share of peak", percent(t.flops / t.seconds / s.chip.peak(g.precision)));
  bars(d, {{"compute", t.compute_s},
           {"cache", t.cache_s},
           {"memory", t.memory_s},
           {"fill", t.fill_s},
           {"launch", t.launch_s}});
  return {g};
}

std::vector<Gemm> describe(Diagnosis& d, const System& s, const LstmLayer& l) {
  const LayerTime t = predict_lstm(s, l);
  d.facts.emplace_back("bound by", std::string(name(t.bound)));
  bars(d, {{"steps", t.recurrent_s}, {"whole-sequence products", t.input_s}});
  return {{1, l.batch, l.gates * l.hidden, l.hidden, l.precision}};
}

std::vector<Gemm> describe(Diagnosis& d, const System& s, const Collective& c) {
  const CollectiveTime t = predict_collective(s, c);
  d.facts.emplace_back("algorithm", t.algorithm);
  fact(d, "bus bandwidth", t.bus_Bps, Dimension::BytesPerTime);
  bars(d, {{"bandwidth", t.bandwidth_s}, {"latency", t.latency_s}});
  return {};
}

// The forward pass kernel by kernel, one track for what bounds each.
void timeline(Diagnosis& d, const GraphRun& r, const GraphTime& t) {
  finding::TimelineFigure figure;
  figure.x_name = "us";
  double now = 0;
  for (size_t i = 0; i < r.kernels.size(); ++i) {
    const double end = now + 1e6 * t.kernels[i].seconds;
    figure.spans.push_back({std::string(name(t.kernels[i].bound)), now, end, r.kernels[i].name, false});
    now = end;
  }
  d.figures.push_back({"Forward pass", "Each kernel on the track of what bounds it.", std::move(figure)});
}

void memory(Diagnosis& d, const System& s, double bytes, bool fits) {
  fact(d, "memory a device", bytes, Dimension::Bytes);
  d.facts.emplace_back(
      "fits", fits ? "yes" : "no: the device has " + format_quantity(s.chip.memory_bytes, Dimension::Bytes));
}

// What one device of each stage does; left out when there would be too many spans to look at.
void timeline(Diagnosis& d, const TrainingRun& r, const TrainingTime& t) {
  constexpr double kMostSpans = 4000;
  const double m = static_cast<double>(r.micro_batches());
  if (2 * m * r.pipeline * r.interleave > kMostSpans) return;
  const double busy = (t.compute_s + t.recompute_s + t.tensor_s + t.host_s) / m / r.interleave;
  PipelineShape shape{r.pipeline, r.interleave, static_cast<int>(m)};
  shape.forward_s = busy * (t.recompute_s > 0 ? 0.25 : 1.0 / 3);  // backward twice, and again forward
  shape.backward_s = busy - shape.forward_s;
  shape.hand_over_s = r.pipeline > 1 ? t.pipeline_s / (2 * m * r.interleave) : 0;
  finding::TimelineFigure figure;
  figure.x_name = "seconds";
  for (const PipelineSpan& s : schedule_pipeline(shape)) {
    const std::string chunk = r.interleave > 1 ? "." + std::to_string(s.chunk) : "";
    figure.spans.push_back({"stage " + std::to_string(s.stage), s.begin, s.end,
                            (s.backward ? "B" : "F") + std::to_string(s.micro_batch) + chunk, false});
  }
  const double end = figure.spans.back().end;
  if (t.data_s > 0) figure.spans.push_back({"gradients", end, end + t.data_s, "reduce and gather", false});
  figure.spans.push_back(
      {"optimizer", end + t.data_s, end + t.data_s + t.optimizer_s, "update of the weights", false});
  d.figures.push_back(
      {"Timeline", "F and B: forward and backward pass of a micro batch.", std::move(figure)});
}

std::vector<Gemm> describe(Diagnosis& d, const System& s, const TrainingRun& given) {
  const TrainingRun r = with_micro_batch(s, given);
  const TrainingTime t = predict_training(s, r);
  d.facts.emplace_back("devices", std::to_string(r.devices()));
  d.facts.emplace_back("tokens per second", base::format_number(t.tokens_per_s, 4));
  d.facts.emplace_back("model flops utilisation", percent(t.utilisation));
  d.facts.emplace_back("bound by", t.bound);
  memory(d, s, t.memory_bytes, t.fits);
  energy(d, s, t.seconds, r.devices());
  if (s.usd_per_hour > 0)
    d.facts.emplace_back("cost of an iteration",
                         base::format_number(t.seconds / 3600 * r.devices() * s.usd_per_hour, 3) + " USD");
  bars(d, {{"compute", t.compute_s},
           {"recomputation", t.recompute_s},
           {"tensor exchange", t.tensor_s},
           {"hand-over", t.pipeline_s},
           {"bubble", t.bubble_s},
           {"gradients", t.data_s},
           {"optimizer", t.optimizer_s},
           {"host", t.host_s}});
  timeline(d, r, t);
  Shard shard;
  shard.batch = r.micro_batch;
  shard.tokens = shard.context = r.sequence;
  shard.tensor = r.tensor;
  shard.precision = r.precision;
  return layer_work(r.model, shard).products;
}

std::vector<Gemm> describe(Diagnosis& d, const System& s, const InferenceRun& r) {
  const InferenceTime t = predict_inference(s, r);
  fact(d, "first token", t.first_token_s, Dimension::Time);
  fact(d, "each further token", t.per_token_s, Dimension::Time);
  d.facts.emplace_back("tokens per second", base::format_number(t.tokens_per_s, 4));
  memory(d, s, t.memory_bytes, t.fits);
  energy(d, s, t.seconds, r.tensor);
  bars(d, {{"first token", t.first_token_s}, {"further tokens", t.seconds - t.first_token_s}});
  Shard shard;
  shard.batch = r.batch;
  shard.context = r.prompt;
  shard.tensor = r.tensor;
  shard.precision = r.precision;
  return layer_work(r.model, shard).products;
}

std::vector<Gemm> describe(Diagnosis& d, const System& s, const GraphRun& r) {
  const GraphTime t = predict_graph(s, r);
  d.facts.emplace_back("bound by", t.bound);
  d.facts.emplace_back("kernels", std::to_string(r.kernels.size()));
  if (r.training) d.facts.emplace_back("devices", std::to_string(r.replicas));
  memory(d, s, t.memory_bytes, t.fits);
  bars(d, {{"products, forward", t.products_s},
           {"streams, forward", t.streams_s},
           {"backward", t.backward_s},
           {"optimizer", t.optimizer_s},
           {"gradients", t.exchange_s}});
  timeline(d, r, t);
  std::vector<Gemm> products;
  for (const GraphKernel& k : r.kernels)
    if (k.product) products.push_back(k.gemm);
  return products;
}

// Elasticity: by how many per cent the time changes for one per cent more of an input.
void sensitivities(Diagnosis& d, const System& system, const Question& q, double seconds) {
  constexpr double kStep = 1.05;
  const std::pair<const char*, double* (*)(System&)> inputs[] = {
      {"clock", [](System& s) { return &s.chip.clock_hz; }},
      {"memory bandwidth", [](System& s) { return &s.chip.memory_Bps; }},
      {"cache size", [](System& s) { return &s.chip.cache_bytes; }},
      {"power", [](System& s) { return &s.chip.power_w; }},
      {"speed of the library", [](System& s) { return &s.stack.library; }},
      {"overlap of gradients", [](System& s) { return &s.stack.overlap; }},
      {"latency of a link", [](System& s) { return &s.network.node.latency_s; }},
      {"start of a collective", [](System& s) { return &s.network.node.start_s; }},
      {"latency between nodes", [](System& s) { return &s.network.between_latency_s; }},
      {"launch time", [](System& s) { return &s.stack.launch_s; }},
      {"host time of a layer", [](System& s) { return &s.stack.host_layer_s; }},
      {"host time of a tensor-parallel way", [](System& s) { return &s.stack.host_tensor; }},
      {"stall of a hand-over", [](System& s) { return &s.stack.hand_over_s; }},
      {"element-wise traffic", [](System& s) { return &s.stack.pointwise; }},
      {"link bandwidth in a node", [](System& s) { return &s.network.node.lane_Bps; }},
      {"bandwidth between nodes", [](System& s) { return &s.network.between_Bps; }},
  };
  finding::TableFigure table;
  table.columns = {"input", "change of the time for 1 % more"};
  for (const auto& [name, at] : inputs) {
    System changed = system;
    *at(changed) *= kStep;
    const double elasticity = std::log(answer(changed, q).seconds / seconds) / std::log(kStep);
    table.rows.push_back({name, base::format_number(elasticity, 3) + " %"});
  }
  d.figures.push_back({"Sensitivity", "Negative: more of it makes the workload faster.", std::move(table)});
}

void constants(Diagnosis& d, const System& s, const std::vector<Gemm>& kernels) {
  if (kernels.empty()) return;
  const Calibration& c = s.chip.constants(kernels[0].precision);
  const std::pair<const char*, double> values[] = {
      {"compute", c.compute},           {"memory", c.memory},       {"feed", c.feed},
      {"prologue", c.prologue},         {"half_tile", c.half_tile}, {"drift", c.drift},
      {"drift_length", c.drift_length}, {"attention", c.attention}};
  for (const auto& [name, value] : values) d.options.emplace_back(name, base::format_number(value, 4));
  d.options.emplace_back("constants from", c.source);
  d.options.emplace_back("data sheet", s.source);
}

}  // namespace

Diagnosis explain(const System& base_system, const Question& question) {
  const System system = specialised(base_system, question);
  const Answer a = answer(system, question);
  Diagnosis d;
  d.scale = "predict";
  d.title = "How fast it should be on " + (system.title.empty() ? system.name : system.title);
  d.verdict = "Predicted: " + format_quantity(a.seconds, Dimension::Time) + ", give or take " +
              percent(a.error) + ".";
  fact(d, "time", a.seconds, Dimension::Time);
  d.facts.emplace_back("expected error",
                       percent(a.error) + (a.in_domain ? "" : ", outside what was validated"));
  const std::vector<Gemm> kernels =
      std::visit([&](const auto& what) { return describe(d, system, what); }, question.what);
  roofline(d, system, kernels);
  sensitivities(d, system, question, a.seconds);
  constants(d, system, kernels);
  const GraphRun* graph = std::get_if<GraphRun>(&question.what);
  const bool step = std::holds_alternative<TrainingRun>(question.what) || (graph && graph->training);
  d.expectations.push_back({step ? "step" : "workload", "time", a.seconds, "s", a.error,
                            "lento predict, constants of " + system.name});
  if (!a.in_domain) d.notes.push_back("This question lies outside what the constants were validated on.");
  return d;
}

}  // namespace lento::predict
