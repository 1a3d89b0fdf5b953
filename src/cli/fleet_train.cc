// lento fleet train: one LSTM-VAE a metric and the order of metrics, from a period without (many) faults.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/units.h"
#include "cli/fleet.h"
#include "cli/fleet_sources.h"
#include "fleet/detect/lstm_vae.h"
#include "fleet/detect/minder.h"

namespace lento::cli {
namespace {

struct Options {
  jobs::FleetSource source;
  fleet::TrainOptions train;
  std::string out;
  double candidate_rate = 0.001;
};

// The score that a share `rate` of fault-free windows exceeds, never above 0.8 of what a score can be.
double similarity_threshold(
    const trace::MetricSeries& series,
    const fleet::FleetModel& model,
    size_t metric,
    double rate) {
  fleet::MinderOptions options;
  options.stride = 4;
  auto candidates = fleet::minder_candidates(series, model, metric, options);
  if (candidates.empty())
    return 3;
  std::ranges::sort(candidates, [](const auto& a, const auto& b) {
    return a.z < b.z;
  });
  const double z = candidates[size_t((1 - rate) * double(candidates.size() - 1))].z;
  const double n = double(series.machines.size());
  return std::min(z, 0.8 * (n - 1) / std::sqrt(n));
}

void run(Context& context, Options& o) {
  base::ReadReport report;
  report.strict = context.strict;
  finding::Diagnosis d;
  const trace::MetricSeries series = jobs::read_source(o.source, report, d.inputs);
  o.train.seed = context.seed;
  fleet::FleetModel model;
  model.metrics.resize(series.metrics.size());
  base::parallel_for(series.metrics.size(), context.jobs, [&](size_t k) {
    model.metrics[k] = fleet::train_metric(series, k, o.train);
  });
  finding::TableFigure table;
  table.columns = {"metric", "low", "high", "threshold", "mean squared error"};
  for (size_t k = 0; k < model.metrics.size(); ++k) {
    fleet::MetricModel& m = model.metrics[k];
    m.threshold = similarity_threshold(series, model, k, o.candidate_rate);
    table.rows.push_back(
        {m.metric,
         base::format_number(m.low),
         base::format_number(m.high),
         base::format_number(m.threshold),
         base::format_number(m.mse, 3)});
    d.facts.emplace_back(
        m.metric,
        "mean squared error " + base::format_number(m.mse, 3) + ", threshold " +
            base::format_number(m.threshold));
  }
  base::write_file(o.out, base::write_json(fleet::to_json(model)) + "\n");
  d.scale = "fleet";
  d.title = "Models of " + std::to_string(model.metrics.size()) + " metrics";
  d.verdict = "Written to " + o.out + ".";
  d.seed = context.seed;
  d.figures.push_back({"Models", "Normalised units.", std::move(table)});
  finding::add_read_report(d, report);
  context.show(std::move(d));
}

}  // namespace

void add_fleet_train(Command& fleet, Context& context) {
  Command* app =
      fleet.add_subcommand("train", "Learn the models of the faithful mode from a period without faults");
  auto o = std::make_shared<Options>();
  add_source_options(*app, o->source);
  app->add_option("-o,--output", o->out, "Model file to write")->required()->type_name("FILE");
  app->add_option("--windows", o->train.windows, "Windows drawn a metric")
      ->check(range(1000, 10000000))
      ->capture_default_str();
  app->add_option("--epochs", o->train.epochs, "Passes over the windows")
      ->check(range(1, 10000))
      ->capture_default_str();
  app->add_option(
         "--candidate-rate",
         o->candidate_rate,
         "Share of fault-free windows that may have a candidate")
      ->check(range(0.0, 1.0))
      ->capture_default_str();
  context.add_output_options(*app);
  context.add_seed(*app);
  context.add_jobs(*app);
  example(
      *app,
      "lento fleet train --csv healthy.csv.gz --machine-column node --metric power_w -o model.json");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::cli
