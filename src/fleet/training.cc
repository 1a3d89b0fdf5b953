// Trains the models of the Minder method for all metrics of a period and chooses their thresholds.
#include "fleet/training.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/units.h"
#include "fleet/minder/minder.h"

namespace lento::fleet {
namespace {

using base::format_number;

constexpr size_t kStride = 4;         // samples between the windows from which a threshold is taken
constexpr double kFewWindows = 3;     // threshold when no window was scored: the paper's three sigma
constexpr double kMostOfScore = 0.8;  // of (n - 1) / sqrt(n), the largest standard score over n machines

}  // namespace

double similarity_threshold(const MetricSeries& series, const FleetModel& model, size_t metric, double rate) {
  MinderOptions options;
  options.stride = kStride;
  auto candidates = minder_candidates(series, model, metric, options);
  if (candidates.empty())
    return kFewWindows;
  std::ranges::sort(candidates, [](const auto& a, const auto& b) {
    return a.z < b.z;
  });
  const auto at = size_t((1 - rate) * double(candidates.size() - 1));
  const auto machines = double(series.machines.size());
  return std::min<double>(candidates[at].z, kMostOfScore * (machines - 1) / std::sqrt(machines));
}

FleetTraining train_fleet(const FleetTrainingOptions& options, const base::Progress& progress) {
  FleetTraining t;
  t.report.strict = options.strict;
  const MetricSeries series = read_source(options.source, t.report, t.inputs);
  progress("training", 0, 0);
  t.model.metrics.resize(series.metrics.size());
  base::parallel_for(series.metrics.size(), options.threads, [&](size_t k) {
    progress.throw_if_stopped();
    t.model.metrics[k] = train_metric(series, k, options.train);
  });
  for (size_t k = 0; k < t.model.metrics.size(); ++k)
    t.model.metrics[k].threshold = similarity_threshold(series, t.model, k, options.candidate_rate);
  return t;
}

finding::Diagnosis describe(const FleetTraining& training, const std::string& written_to, uint64_t seed) {
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Models of " + std::to_string(training.model.metrics.size()) + " metrics";
  d.verdict = "Written to " + written_to + ".";
  d.seed = seed;
  d.inputs = training.inputs;
  finding::TableFigure table;
  table.columns = {"metric", "low", "high", "threshold", "mean squared error"};
  for (const MetricModel& m : training.model.metrics) {
    const std::string error = format_number(m.mse, 3);
    const std::string threshold = format_number(m.threshold);
    table.rows.push_back({m.metric, format_number(m.low), format_number(m.high), threshold, error});
    d.facts.emplace_back(m.metric, "mean squared error " + error + ", threshold " + threshold);
  }
  d.figures.push_back({"Models", "Normalised units.", std::move(table)});
  finding::add_read_report(d, training.report);
  return d;
}

}  // namespace lento::fleet
