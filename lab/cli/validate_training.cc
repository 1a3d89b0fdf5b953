// Predicts the published training runs and writes tables of errors by model, chip and software.
#include "lab/cli/validate_training.h"

#include "base/file.h"
#include "base/scan/csv.h"
#include "base/units.h"

namespace lento::lab {
namespace {

using base::format_number;
using base::percent;

void write_training_residuals(const std::string& path, const std::vector<predict::JudgedRun>& judged) {
  base::OutputFile file(path);
  file.write(
      "table,row,run,chip,framework,devices,predicted_s,measured_s,flat_s,compute_s,recompute_s,tensor_s,"
      "pipeline_s,bubble_s,data_s,optimizer_s,host_s\n");
  for (const predict::JudgedRun& j : judged) {
    const predict::TrainingTime& t = j.time;
    std::vector<std::string> fields = {
        j.run->table,
        std::to_string(j.run->measured.index),
        j.run->name,
        j.run->chip,
        j.run->framework(),
        std::to_string(j.run->run().devices())};
    for (const double value :
         {t.seconds,
          j.run->measured.seconds,
          j.flat_s,
          t.compute_s,
          t.recompute_s,
          t.tensor_s,
          t.pipeline_s,
          t.bubble_s,
          t.data_s,
          t.optimizer_s,
          t.host_s})
      fields.push_back(format_number(value, 4));
    file.write(base::csv_line(fields) + "\n");
  }
  file.commit();
}

}  // namespace

finding::Diagnosis
validate_training(const std::string& folder, const std::string& residuals, const base::Progress& progress) {
  finding::Diagnosis d;
  d.scale = "predict";
  d.title = "Training runs, on models that were not fitted";
  finding::TableFigure table;
  table.columns = {"what", "runs", "mean", "median", "bias", "one share of the peak", "aim", "reached"};
  const std::vector<predict::PublishedRun> runs = predict::published_runs(folder);
  const std::vector<predict::JudgedRun> judged = predict::judge_training(runs, progress);
  if (!residuals.empty())
    write_training_residuals(residuals, judged);
  size_t limits = 0;
  size_t reached = 0;
  std::vector<predict::TrainingBar> bars = predict::training_bars(judged);
  for (const predict::TrainingBar& b : predict::memory_bars(judged))
    bars.push_back(b);
  for (const predict::TrainingBar& b : bars) {
    const std::string aim = b.limit > 0 ? percent(b.limit) : "";
    const std::string verdict = b.limit > 0 ? (b.reached() ? "yes" : "no") : "";
    table.rows.push_back(
        {b.what,
         std::to_string(b.rows),
         percent(b.mean),
         percent(b.median),
         percent(b.bias),
         percent(b.flat_mean),
         aim,
         verdict});
    d.facts.emplace_back(
        b.what,
        percent(b.mean) + " mean" + (aim.empty() ? "" : " of at most " + aim) +
            (b.reached() ? "" : " NOT REACHED") + ", " + percent(b.median) + " median, " + percent(b.bias) +
            " bias, " + std::to_string(b.rows) + " runs" +
            (b.flat_mean > 0 ? "; one share of the peak " + percent(b.flat_mean) : ""));
    limits += b.limit > 0;
    reached += b.limit > 0 && b.reached();
  }
  d.verdict = std::to_string(reached) + " of " + std::to_string(limits) + " limits are reached.";
  d.figures.push_back(
      {"Training",
       "Each run predicted with the scalars of its software fitted to other models.",
       std::move(table)});
  return d;
}

void write_stacks(const std::string& path, const predict::StackTable& table) {
  base::OutputFile file(path);
  file.write("# Software of training; written by lento-lab validate --training-stacks\n");
  for (const auto& [key, s] : table) {
    file.write(
        key.first + ":  - {framework: " + key.second + ", library: " + format_number(s.library, 3) +
        ", pointwise: " + format_number(s.pointwise, 3) + ", attention: " + format_number(s.attention, 3) +
        ", overlap: " + format_number(s.overlap, 3) + ", host_layer: " +
        format_number(s.host_layer_s * 1e3, 3) + " ms, launch: 1.5 us, kept: " + format_number(s.kept, 3) +
        ", logit_bytes: " + format_number(s.logit_bytes, 3) + "}\n");
  }
  file.commit();
}

}  // namespace lento::lab
