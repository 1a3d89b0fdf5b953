// Enumerates the ways to run a job on a design and times each. A transformer is timed by predict/time on the
// data sheet of the generated machine, the language model by predict/crossflow. A way that does not divide or
// fit takes infinite time. Cost: one prediction per way.
#include "predict/search/job.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "predict/crossflow/language_model.h"
#include "predict/crossflow/machine.h"
#include "predict/search/data_sheet.h"
#include "predict/search/strategy.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMicroBatches[] = {1, 2, 4, 8};
constexpr int kInterleaves[] = {1, 2, 4};
constexpr int kMostTensor = 64;

// Returns whether the parallel degrees divide heads, feed-forward width, vocabulary, layers and batch.
bool divides(const TrainingRun& r) {
  const Transformer& m = r.model;
  if (m.heads % r.tensor != 0 || m.inner() % r.tensor != 0 || m.vocab % r.tensor != 0)
    return false;
  if (m.kv() % r.tensor != 0 && r.tensor % m.kv() != 0)
    return false;
  if (m.layers % r.pipeline != 0 || r.pipeline > m.layers)
    return false;
  if (r.interleave > 1 && (r.pipeline == 1 || (m.layers / r.pipeline) % r.interleave != 0))
    return false;
  if (r.global_batch % (int64_t(r.data) * r.micro_batch) != 0)
    return false;
  return r.interleave == 1 || r.micro_batches() % r.pipeline == 0;  // interleaving needs whole groups of them
}

// Returns the sharding stage that the job states, else all stages that replicas and schedule allow.
// Gradients of a pipeline's micro batches are not sharded, and weights are not sharded when many micro
// batches would gather them again.
std::vector<int> zero_stages(const TrainingRun& r) {
  if (r.zero > 0 || r.data == 1)
    return {r.zero};
  if (r.pipeline > 1)
    return {0, 1};
  return {0, 1, 2, 3};
}

// Adds the run with every combination of micro batch, interleaving, recomputation and sharding that is
// valid.
void add_schedules(const TrainingRun& base, std::vector<Way>& out) {
  TrainingRun r = base;
  r.sequence_parallel = r.tensor > 1;
  for (const int micro : kMicroBatches) {
    for (const int interleave : kInterleaves) {
      for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
        if (recompute == Recompute::Selective && r.model.flash)
          continue;
        r.micro_batch = micro;
        r.interleave = interleave;
        r.zero = base.zero;
        r.recompute = recompute;
        if (!divides(r))
          continue;
        for (const int zero : zero_stages(r)) {
          r.zero = zero;
          out.push_back({{}, r});
        }
      }
    }
  }
}

// Adds the placements of a run. When a package holds several nodes, the order of the ranks decides which
// traffic crosses the package boundary.
void add_placements(const TrainingRun& r, int package_dim, std::vector<Way>& out) {
  if (package_dim == 1)
    return add_schedules(r, out);
  TrainingRun placed = r;
  for (const Placement& placement : distinct_placements(r)) {
    placed.placement = placement;
    add_schedules(placed, out);
  }
}

// Lists every way to train a transformer on `nodes` nodes.
std::vector<Way> transformer_ways(const TrainingRun& base, int nodes, int package_dim, bool data_only) {
  std::vector<Way> out;
  TrainingRun r = base;
  r.context = 1;
  for (const int tensor : divisors(nodes)) {
    for (const int pipeline : divisors(nodes / tensor)) {
      if (tensor > kMostTensor || (data_only && tensor * pipeline > 1))
        continue;
      r.tensor = tensor;
      r.pipeline = pipeline;
      r.data = nodes / tensor / pipeline;
      for (const int expert : divisors(r.data)) {
        if (expert > 1 && (r.model.experts % expert != 0 || data_only))
          continue;
        r.expert = expert;
        add_placements(r, package_dim, out);
      }
    }
  }
  if (out.empty()) {
    r = base;
    r.data = nodes;
    r.tensor = r.pipeline = 1;
    out.push_back({{}, r});
  }
  return out;
}

JobTime transformer_time(const std::optional<System>& system, const TrainingRun& run) {
  if (!system || !divides(run))
    return {kInfinity, 0, 0};
  const TrainingTime t = predict_training(*system, run);
  return {t.seconds, t.memory_bytes, system->chip.memory_bytes};
}

// Times the language model on the design's machine. The time is infinite when the machine has no compute rate
// or no memory.
JobTime language_model_job(const CrossFlowConfig& design, const JobRules& rules) {
  const Machine machine =
      generate(design, rules.as_released ? BelowMargin::SlowerClock : BelowMargin::FewerUnits);
  if (machine.flops <= 0 || machine.memory[3].bytes <= 0)
    return {kInfinity, 0, 0};
  const LanguageModelTime t = language_model_time(
      machine,
      design,
      rules.as_released ? ElementTraffic::AsReleased : ElementTraffic::Dram);
  return {std::isfinite(t.seconds) ? t.seconds : kInfinity, t.memory_bytes, t.memory_there};
}

JobTime within(JobTime t, const JobRules& rules) {
  if (rules.must_fit && t.memory_bytes > t.memory_there)
    t.seconds = kInfinity;
  return t;
}

}  // namespace

// Returns all ways to divide the job over the nodes. `data_only` restricts them to replicas of the whole
// model.
std::vector<Way>
all_ways(const CrossFlowConfig& design, const Job& job, int nodes, int package_dim, bool data_only) {
  if (job.training)
    return transformer_ways(*job.training, nodes, package_dim, data_only);
  std::vector<Way> out;
  if (data_only) {
    out.push_back({data_parallel(nodes, package_dim), {}});
    return out;
  }
  CrossFlowConfig config = design;
  config.model = job.language_model;
  for (const Strategy& s : all_strategies(config, nodes, package_dim))
    out.push_back({s, {}});
  if (out.empty())
    out.push_back({data_parallel(nodes, package_dim), {}});
  return out;
}

CrossFlowConfig with_way(CrossFlowConfig design, const Job& job, const Way& way, int package_dim) {
  design.nodes_per_wafer = package_dim * package_dim;
  if (job.training) {
    design.precision = bytes_of(job.training->precision);
    return design;
  }
  design.model = job.language_model;
  return with_strategy(design, way.strategy, package_dim);
}

JobTime job_time(const CrossFlowConfig& design, const Way& way, const JobRules& rules) {
  return within(
      way.training ? transformer_time(data_sheet(design, rules.as_released), *way.training)
                   : language_model_job(design, rules),
      rules);
}

// Times all ways of a job on one design. The data sheet of a transformer is derived once.
std::vector<JobTime> job_times(
    const CrossFlowConfig& design,
    const Job& job,
    const std::vector<Way>& ways,
    int package_dim,
    const JobRules& rules) {
  std::vector<JobTime> out;
  std::optional<System> system;
  if (job.training && !ways.empty())
    system = data_sheet(with_way(design, job, ways.front(), package_dim), rules.as_released);
  for (const Way& way : ways)
    out.push_back(
        way.training ? within(transformer_time(system, *way.training), rules)
                     : job_time(with_way(design, job, way, package_dim), way, rules));
  return out;
}

bool is_data_parallel(const Way& way) {
  if (way.training)
    return way.training->tensor * way.training->pipeline * way.training->context * way.training->expert == 1;
  const Parallelism& p = way.strategy.parallelism;
  return p.layer_ways * p.kernel_rows * p.kernel_columns == 1;
}

std::string to_string(const Way& way) {
  if (!way.training)
    return to_string(way.strategy);
  const TrainingRun& r = *way.training;
  std::string text = "dp " + std::to_string(r.data) + " tp " + std::to_string(r.tensor) + " pp " +
                     std::to_string(r.pipeline);
  if (r.expert > 1)
    text += " ep " + std::to_string(r.expert);
  if (r.interleave > 1)
    text += " interleave " + std::to_string(r.interleave);
  if (r.zero > 0)
    text += " zero " + std::to_string(r.zero);
  text += ", micro batch " + std::to_string(r.micro_batch);
  if (!has_default_order(r))
    text += ", ranks " + to_string(r.placement);
  if (r.recompute != Recompute::None)
    text += r.recompute == Recompute::Full ? ", full recomputation" : ", selective recomputation";
  return text;
}

}  // namespace lento::predict
