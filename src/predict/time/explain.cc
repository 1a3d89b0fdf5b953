// Adds the facts of a prediction to its diagnosis for each kind of question: time and its error, memory,
// energy and price. Its figures are drawn in explain_figures.cc.
#include "predict/time/explain.h"

#include <cmath>

#include "base/units.h"
#include "predict/hardware/plausible.h"
#include "predict/time/energy.h"
#include "predict/time/explain_figures.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

using base::Dimension;
using base::format_quantity;
using finding::Diagnosis;

void fact(Diagnosis& d, const std::string& name, double value, Dimension dimension) {
  d.facts.emplace_back(name, format_quantity(value, dimension));
}

// Adds the dollars of the run and of a million tokens, when the price of a device is known.
void add_costs(
    Diagnosis& d,
    const System& s,
    const std::string& of,
    double seconds,
    int devices,
    double tokens_per_s) {
  if (s.usd_per_hour <= 0)
    return;
  const double usd_per_s = s.usd_per_hour * devices / 3600;
  d.facts.emplace_back("cost of " + of, base::format_number(usd_per_s * seconds, 3) + " USD");
  if (tokens_per_s > 0)
    d.facts.emplace_back(
        "cost of a million tokens",
        base::format_number(usd_per_s * 1e6 / tokens_per_s, 3) + " USD");
}

// Adds the energy of the run, counted from operations and bytes when the sheet has their energy. The power
// budget times the run time is an upper bound, since devices may draw less than their budget.
void add_energy(Diagnosis& d, const System& s, const Question& q, double seconds) {
  const Work work = work_of(s, q);
  if (s.chip.power_w > 0)
    fact(d, "energy, at most", s.chip.power_w * seconds * work.devices, Dimension::Energy);
  const std::optional<Energy> e = energy_breakdown(s, work, seconds);
  if (!e)
    return;
  fact(d, "energy", e->total(), Dimension::Energy);
  finding::BarsFigure figure;
  figure.y_name = "joules";
  figure.series = {"energy"};
  figure.categories = {"arithmetic", "operands", "cache", "memory", "links", "idle"};
  figure.values = {{e->arithmetic, e->operands, e->cache, e->memory, e->links, e->idle}};
  d.figures.push_back(
      {"Where the energy goes", "Operations and bytes at the data sheet's energies.", std::move(figure)});
}

// Adds facts about a matrix product and returns the products whose constants are shown.
std::vector<Gemm> describe(Diagnosis& d, const System& s, const Gemm& g) {
  const KernelTime t = predict_gemm(s, g);
  d.facts.emplace_back("bound by", std::string(name(t.bound)));
  d.facts.emplace_back(
      "tile",
      std::to_string(t.tile.m) + " x " + std::to_string(t.tile.n) + ", split " +
          std::to_string(t.tile.split) + ", walked along " + t.tile.order);
  d.facts.emplace_back("dataflow", std::string(name(t.tile.stays)) + " stationary");
  fact(d, "memory traffic", t.memory_bytes, Dimension::Bytes);
  d.facts.emplace_back("share of peak", base::percent(t.flops / t.seconds / s.chip.peak(g.precision)));
  add_bars(
      d,
      "one product",
      {{"compute", t.compute_s},
       {"cache", t.cache_s},
       {"memory", t.memory_s},
       {"fill", t.fill_s},
       {"launch", t.launch_s}});
  return {g};
}

std::vector<Gemm> describe(Diagnosis& d, const System& s, const LstmLayer& l) {
  const LayerTime t = predict_lstm(s, l);
  d.facts.emplace_back("bound by", std::string(name(t.bound)));
  add_bars(d, "one layer", {{"steps", t.recurrent_s}, {"whole-sequence products", t.input_s}});
  return {{1, l.batch, l.gates * l.hidden, l.hidden, l.precision}};
}

std::vector<Gemm> describe(Diagnosis& d, const System& s, const Collective& c) {
  const CollectiveTime t = predict_collective(s, c);
  d.facts.emplace_back("algorithm", t.algorithm);
  fact(d, "bus bandwidth", t.bus_Bps, Dimension::BytesPerTime);
  add_bars(d, "one exchange", {{"bandwidth", t.bandwidth_s}, {"latency", t.latency_s}});
  return {};
}

// Adds the memory need of a device, in bytes, and a sentence when it does not fit.
void memory(Diagnosis& d, const System& s, double bytes, bool fits) {
  fact(d, "memory a device", bytes, Dimension::Bytes);
  const std::string has = "the device has " + format_quantity(s.chip.memory_bytes, Dimension::Bytes);
  d.facts.emplace_back("fits", fits ? "yes" : "no: " + has);
  if (!fits)
    d.verdict +=
        " It does not fit: it needs " + format_quantity(bytes, Dimension::Bytes) + " a device, " + has + ".";
}

// Prints the parameter counts among the first facts, where a misread model configuration is noticed at once.
void add_parameter_counts(Diagnosis& d, const Transformer& m) {
  const auto exact = [](double count) {
    return std::to_string(std::llround(count));
  };
  d.facts.emplace_back("parameters", base::format_compact(m.parameters()));
  if (m.experts > 1)
    d.facts.emplace_back("active parameters", exact(m.active_parameters()));
}

// Names the formats of a checkpoint that stores its weights or its cache in another precision than the run's.
std::string stored_text(const Transformer& m) {
  if (m.stored.empty())
    return {};
  return std::string(m.weight_bits > 0 ? ", weights" : ", experts") + " stored as " + m.stored +
         (m.cache_bits == 8 ? ", cache in 8 bits" : "");
}

// Lists degrees of parallelism above 1: ", tensor 8 x data 2".
std::string degrees(std::initializer_list<std::pair<const char*, int>> ways) {
  std::string out;
  for (const auto& [what, degree] : ways) {
    if (degree > 1)
      out += (out.empty() ? ", " : " x ") + std::string(what) + " " + std::to_string(degree);
  }
  return out;
}

// Describes the request that was predicted, with the values of all options, because some may be defaults: "8
// requests at once, 2048 tokens in, 128 out, bf16".
std::string asked(const InferenceRun& r) {
  return std::to_string(r.batch) + (r.batch == 1 ? " request, " : " requests at once, ") +
         std::to_string(r.prompt) + " tokens in, " + std::to_string(r.output) + " out (rates count these), " +
         std::string(name(r.precision)) + stored_text(r.model) + ", " + std::to_string(r.devices()) +
         (r.devices() == 1 ? " device" : " devices") +
         degrees({{"tensor", r.tensor}, {"pipeline", r.pipeline}, {"data", r.data}, {"expert", r.expert}});
}

std::string asked(const TrainingRun& r) {
  constexpr const char* kAgain[] = {"", ", recompute selective", ", recompute full", ", recompute operators"};
  const bool narrow = r.products && *r.products != r.precision;
  return "a step of " + std::to_string(r.global_batch) + " x " + std::to_string(r.sequence) + " tokens, " +
         std::string(name(r.precision)) + (narrow ? ", products in " + std::string(name(*r.products)) : "") +
         ", tensor " + std::to_string(r.tensor) + " x pipeline " + std::to_string(r.pipeline) + " x data " +
         std::to_string(r.data) + (r.context > 1 ? " x context " + std::to_string(r.context) : "") +
         (r.expert > 1 ? " x expert " + std::to_string(r.expert) : "") + ", micro batch " +
         std::to_string(r.micro_batch) + (r.zero > 0 ? ", zero " + std::to_string(r.zero) : "") +
         (r.interleave > 1 ? ", interleave " + std::to_string(r.interleave) : "") +
         kAgain[size_t(r.recompute)] + (r.frozen ? ", frozen" + stored_text(r.model) : "");
}

// Adds facts about a training run and returns the products whose constants are shown.
std::vector<Gemm> describe(Diagnosis& d, const System& s, const TrainingRun& given) {
  add_parameter_counts(d, given.model);
  const TrainingRun r = with_placement(s, with_micro_batch(s, given));
  d.facts.emplace_back("asked", asked(r));
  const TrainingTime t = predict_training(s, r);
  d.facts.emplace_back("devices", std::to_string(r.devices()));
  d.facts.emplace_back("tokens per second", base::format_number(t.tokens_per_s, 4));
  d.facts.emplace_back("model flops utilisation", base::percent(t.utilisation));
  d.facts.emplace_back("bound by", t.bound);
  memory(d, s, t.memory_bytes, t.fits);
  add_costs(d, s, "an iteration", t.seconds, r.devices(), t.tokens_per_s);
  add_bars(
      d,
      "one step",
      {{"compute", t.compute_s},
       {"recomputation", t.recompute_s},
       {"tensor exchange", t.tensor_s},
       {"hand-over", t.pipeline_s},
       {"bubble", t.bubble_s},
       {"gradients", t.data_s},
       {"optimizer", t.optimizer_s},
       {"host", t.host_s}});
  add_timeline(d, r, t);
  add_placements(d, s, r);
  return layer_work(r.model, shard_of(r)).products;
}

// Adds facts about an inference run and returns the products whose constants are shown.
std::vector<Gemm> describe(Diagnosis& d, const System& s, const InferenceRun& r) {
  d.facts.emplace_back("asked", asked(r));
  add_parameter_counts(d, r.model);
  const InferenceTime t = predict_inference(s, r);
  fact(d, "first token", t.first_token_s, Dimension::Time);
  fact(d, "each further token", t.per_token_s, Dimension::Time);
  d.facts.emplace_back("tokens per second", base::format_number(t.tokens_per_s, 4));
  memory(d, s, t.memory_bytes, t.fits);
  add_costs(d, s, "all requests", t.seconds, r.devices(), t.tokens_per_s);
  add_bars(
      d,
      "all requests",
      {{"first token", t.first_token_s}, {"further tokens", t.seconds - t.first_token_s}});
  Shard shard;
  shard.batch = r.batch;
  shard.context = r.prompt;
  shard.tensor = r.tensor;
  shard.precision = r.precision;
  return layer_work(r.model, shard).products;
}

// Adds facts about a run of a graph and returns the products whose constants are shown.
std::vector<Gemm> describe(Diagnosis& d, const System& s, const GraphRun& r) {
  const GraphTime t = predict_graph(s, r);
  d.facts.emplace_back("bound by", t.bound);
  d.facts.emplace_back("kernels", std::to_string(r.kernels.size()));
  if (r.training)
    d.facts.emplace_back("devices", std::to_string(r.replicas));
  memory(d, s, t.memory_bytes, t.fits);
  add_bars(
      d,
      r.training ? "one step" : "one pass",
      {{"products, forward", t.products_s},
       {"streams, forward", t.streams_s},
       {"backward", t.backward_s},
       {"optimizer", t.optimizer_s},
       {"gradients", t.exchange_s}});
  add_timeline(d, r, t);
  std::vector<Gemm> products;
  for (const GraphKernel& k : r.kernels)
    if (k.product)
      products.push_back(k.gemm);
  return products;
}

// Adds latencies and rates of a serving run under load, or the fact that the model does not fit in memory.
void describe_serving(Diagnosis& d, const System& s, const std::string& framework, const ServingRun& r) {
  const ServingTime t = predict_serving(s, framework, r, serving_constants(s, framework));
  if (!t.fits) {
    d.facts.emplace_back("fits", "no: the weights leave no room for one request");
    return;
  }
  fact(d, "first token, median", t.first_token_s.p50, Dimension::Time);
  fact(d, "further token, median", t.per_token_s.p50, Dimension::Time);
  d.facts.emplace_back("tokens a second", base::format_number(t.output_tokens_per_s, 4));
  d.facts.emplace_back("requests together, mean", base::format_number(t.mean_together, 3));
  d.facts.emplace_back("cache in use at most", base::percent(t.cache_share));
  d.facts.emplace_back("devices", std::to_string(r.devices()));
  add_costs(d, s, "the served load", t.seconds, r.devices(), t.output_tokens_per_s);
  if (!t.keeps_up)
    d.notes.push_back("Requests arrive faster than they are served: the queue grows without end.");
  memory(d, s, t.memory_bytes + s.chip.memory_reserve, t.fits);
  add_percentiles(d, t);
}

// Adds the parts of a fused kernel's time and the measurements to which its constants were fitted.
void describe_fused(Diagnosis& d, const FusedAnswer& a) {
  add_bars(
      d,
      "one kernel",
      {{"launch", a.time.launch_s}, {"compute", a.time.compute_s}, {"memory", a.time.memory_s}});
  constexpr const char* kFrom[] = {
      "this kernel on this chip",
      "this chip and framework, whichever kernel",
      "this kernel on other chips",
      "all chips and kernels of the kind"};
  d.facts.emplace_back("constants fitted to", kFrom[size_t(a.match)]);
}

// Adds the constants of the chip that these products use, with their source.
void constants(Diagnosis& d, const System& s, const std::vector<Gemm>& kernels) {
  if (kernels.empty())
    return;
  const Calibration& c = s.chip.constants(kernels[0].precision);
  for (const auto& [name, at] : kCalibrationConstants)
    d.options.emplace_back(name, base::format_number(c.*at, 4));
  d.options.emplace_back("constants from", c.source);
  const Stack& stack = s.stack;
  const std::pair<const char*, double> software[] = {
      {"library", stack.library},
      {"launch (s)", stack.launch_s},
      {"overlap", stack.overlap},
      {"host_layer (s)", stack.host_layer_s},
      {"host_tensor", stack.host_tensor},
      {"hand_over (s)", stack.hand_over_s},
      {"pointwise", stack.pointwise},
      {"attention", stack.attention}};
  for (const auto& [name, value] : software)
    d.options.emplace_back(name, base::format_number(value, 4));
  d.options.emplace_back("data sheet", s.source);
}

// Explains why a workload does not fit in memory. A single product needs all operands in memory at once. For
// training and serving runs the answer already holds the result.
std::string does_not_fit(const System& system, const Question& question, const Answer& a) {
  if (a.bound == "out of memory")
    return "Does not fit. ";
  const auto* g = std::get_if<Gemm>(&question.what);
  if (!g)
    return {};
  const OperandBytes size = operand_bytes(g->precision);
  const double bytes = double(g->batch) * (size.activations * double(g->m) * double(g->k) +
                                           size.weights * double(g->k) * double(g->n) +
                                           size.results * double(g->m) * double(g->n));
  if (bytes <= system.chip.memory_bytes)
    return {};
  return "Does not fit: the operands take " + format_quantity(bytes, Dimension::Bytes) + " of " +
         format_quantity(system.chip.memory_bytes, Dimension::Bytes) + ". ";
}

}  // namespace

Diagnosis explain(const System& base_system, const Question& question) {
  const System system = specialised(base_system, question);
  const Answer a = answer(system, question);
  Diagnosis d;
  d.scale = "predict";
  d.title = "How fast it should be on " + (system.title.empty() ? system.name : system.title);
  const std::vector<std::string> doubts = implausible_values(system);
  const std::string unfit = does_not_fit(system, question, a);
  d.verdict = unfit + "Predicted: " + format_quantity(a.seconds, Dimension::Time);
  if (!doubts.empty())
    d.verdict += ". How near is not known: the sheet is outside what was measured.";
  else if (!unfit.empty())
    d.verdict += " if it did.";
  else
    d.verdict += ". Of such predictions half lie within " + base::percent(a.p50) +
                 " of the measurement, nine of ten within " + base::percent(a.p90) +
                 (a.in_domain ? "." : "; this one is outside what was measured.");
  for (const std::string& doubt : doubts)
    d.verdict += " Check " + doubt + ".";
  fact(d, "time", a.seconds, Dimension::Time);
  if (doubts.empty() && unfit.empty()) {
    d.facts.emplace_back("error, half of such", base::percent(a.p50));
    d.facts.emplace_back(
        "error, nine of ten",
        base::percent(a.p90) + (a.in_domain ? "" : ", outside what was validated"));
  }
  const std::vector<Gemm> kernels = std::visit(
      [&](const auto& what) {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, ExpertLayer> || std::is_same_v<What, AttentionKernel>) {
          describe_fused(d, predict_fused(system, question.framework, what));
          return std::vector<Gemm>{};
        } else if constexpr (std::is_same_v<What, ServingRun>) {
          describe_serving(d, system, question.framework, what);
          return std::vector<Gemm>{};
        } else {
          return describe(d, system, what);
        }
      },
      question.what);
  add_roofline(d, system, kernels);
  add_energy(d, system, question, a.seconds);
  add_sensitivities(d, system, question);
  constants(d, system, kernels);
  const GraphRun* graph = std::get_if<GraphRun>(&question.what);
  const bool step = std::holds_alternative<TrainingRun>(question.what) || (graph && graph->training);
  d.expectations.push_back(
      {step ? "step" : "workload",
       "time",
       a.seconds,
       "s",
       a.p90,
       "lento predict, constants of " + system.name});
  if (!a.in_domain)
    d.notes.push_back("This question lies outside what the constants were validated on.");
  return d;
}

}  // namespace lento::predict
