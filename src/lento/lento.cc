// Implements the library. Each function converts its question into the options of the function behind the
// command of the same name, so that library and command line return the same verdict.
#include "lento/lento.h"

#include <span>

#include "base/scan/csv.h"
#include "base/version.h"
#include "chip/diagnose.h"
#include "chip/methods.h"
#include "fleet/diagnose.h"
#include "memory/diagnose.h"
#include "memory/itemsets.h"
#include "predict/answer.h"
#include "predict/search_job.h"
#include "predict/table.h"
#include "report/report.h"

namespace lento {
namespace {

Diagnosis stamped(Diagnosis diagnosis) {
  diagnosis.version = base::kVersion;
  return diagnosis;
}

predict::RunOptions run_of(const PredictQuestion& question) {
  predict::RunOptions run;
  const auto precision = predict::parse_precision(question.precision);
  if (!precision)
    throw Error(
        {"precision"},
        "precision '" + question.precision + "' is not known",
        "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4");
  run.precision = *precision;
  run.training = question.training;
  run.batch = question.batch;
  run.micro_batch = question.micro_batch;
  run.sequence = question.sequence;
  run.output = question.generate;
  run.parallel = question.parallel;
  run.framework = question.framework;
  run.recompute = predict::recompute_of(question.recompute);
  run.run = question.run;
  return run;
}

memory::SetKind kind_of(const std::string& kind) {
  if (kind == "closed")
    return memory::SetKind::Closed;
  if (kind == "maximal")
    return memory::SetKind::Maximal;
  if (kind == "frequent")
    return memory::SetKind::Frequent;
  throw Error(
      {"kind"},
      "kind '" + kind + "' is not known",
      base::suggestion(kind, {"closed", "maximal", "frequent"}));
}

}  // namespace

const char* version() {
  return base::kVersion;
}

Diagnosis diagnose_chip(const ChipQuestion& question, const Progress& progress) {
  chip::ChipDiagnosisOptions job;
  job.records = question.records;
  job.chip = question.chip;
  job.mapping = question.mapping;
  job.healthy = question.healthy;
  job.method = chip::parse_method(question.method, chip::chip_methods(), {"method"});
  job.replay = question.replay;
  job.strict = question.strict;
  job.seed = question.seed;
  return stamped(chip::diagnose_chip(job, progress));
}

static fleet::ScanBudget budget_of(double false_alarms_per_day) {
  constexpr double kDay_s = 86400;
  if (false_alarms_per_day < 0)
    throw Error(
        {"false_alarms_per_day"},
        "a budget must not be negative",
        "0 stands for one false finding in 200 records");
  return false_alarms_per_day > 0 ? fleet::ScanBudget{false_alarms_per_day, kDay_s} : fleet::ScanBudget{};
}

Diagnosis diagnose_fleet(const FleetQuestion& question, const Progress& progress) {
  fleet::FleetDiagnosisOptions job;
  job.source.csv = question.csv;
  job.source.metrics = question.metrics;
  job.source.labels = question.labels;
  job.source.columns.shown_as = question.shown_as;
  job.source.columns.machine_column = question.machine_column;
  job.source.columns.device_column = question.device_column;
  job.source.columns.metric_column = question.metric_column;
  job.source.columns.value_column = question.value_column;
  job.source.columns.time_column = question.time_column;
  job.source.columns.time_unit = question.time_unit;
  job.scan.budget = budget_of(question.false_alarms_per_day);
  job.strict = question.strict;
  job.threads = question.threads;
  return stamped(fleet::diagnose_fleet(job, progress));
}

Diagnosis diagnose_fleet(Metrics metrics, double false_alarms_per_day, const Progress& progress) {
  const size_t wanted = metrics.machines.size() * metrics.names.size() * metrics.steps;
  if (metrics.values.size() != wanted)
    throw Error(
        {"values"},
        std::to_string(metrics.values.size()) + " values, needed " + std::to_string(wanted),
        "one for each metric, step and machine; NaN where there is no sample");
  if (metrics.step_ms <= 0)
    throw Error({"step_ms"}, "the step must be above 0");
  fleet::MetricSeries series;
  series.labels.resize(metrics.machines.size());
  series.machines = std::move(metrics.machines);
  series.metrics = std::move(metrics.names);
  series.begin_ms = metrics.begin_ms;
  series.step_ms = metrics.step_ms;
  series.steps = metrics.steps;
  series.sample_gap_ms = metrics.step_ms;
  series.values = std::move(metrics.values);
  series.devices = {""};
  fleet::FleetDiagnosisOptions job;
  job.scan.budget = budget_of(false_alarms_per_day);
  return stamped(fleet::diagnose_fleet(series, job, progress));
}

Diagnosis diagnose_memory(const MemoryQuestion& question, const Progress& progress) {
  memory::MemoryDiagnosisOptions job;
  job.traces.paths = question.traces;
  job.traces.format = question.format;
  job.programs = question.programs;
  job.strict = question.strict;
  job.mine.progress = progress;
  return stamped(memory::diagnose_memory(job).diagnosis);
}

std::vector<Itemset> itemsets(const ItemsetsQuestion& question, const Progress& progress) {
  memory::MemoryItemsetsOptions job;
  job.path = question.path;
  job.support = question.support;
  job.mine.kind = kind_of(question.kind);
  job.mine.threads = question.threads;
  job.mine.progress = progress;
  std::vector<Itemset> out;
  job.mine.sink = [&](std::span<const uint32_t> items, uint64_t support) {
    out.emplace_back(std::vector<uint32_t>(items.begin(), items.end()), support);
  };
  memory::mine_memory_itemsets(job);
  return out;
}

std::string predict_table(const std::string& csv, const std::string& system) {
  std::string text;
  predict::answer_table({csv, system, false}, [&](const std::vector<std::string>& fields, bool) {
    text += base::csv_line(fields) + "\n";
  });
  return text;
}

Diagnosis predict_workload(const PredictQuestion& question) {
  return stamped(
      predict::predict({.workload = question.workload, .system = question.system, .run = run_of(question)}));
}

Diagnosis search(const SearchQuestion& question, const Progress& progress) {
  predict::SearchRequest job;
  job.space = question.space;
  job.method = question.method;
  job.steps = question.steps;
  job.starts = question.starts;
  job.seed = question.seed;
  job.threads = question.threads;
  job.identity = base::kVersion;
  return stamped(predict::search(job, progress)->diagnosis);
}

std::string to_text(const Diagnosis& diagnosis) {
  return report::write_text(diagnosis);
}
std::string to_json(const Diagnosis& diagnosis) {
  return report::write_json(diagnosis);
}
std::string to_html(const Diagnosis& diagnosis) {
  return report::write_html(diagnosis);
}

}  // namespace lento
