// lento fleet diagnose: judge a recorded period.
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/fleet.h"
#include "cli/fleet_sources.h"
#include "fleet/detect/detect.h"
#include "fleet/detect/lstm_vae.h"
#include "fleet/detect/minder.h"

namespace lento::cli {
namespace {

struct Options {
  FleetSource source;
  fleet::DetectOptions detect;
  std::vector<std::string> group_by;
  std::string expect;
  double judge_from = -1;
  std::string model;
  bool faithful = false;
  double threshold = 0;
  size_t stride = 1;
};

// The paper's method: one verdict, from the first metric that reaches it.
finding::Diagnosis faithful(const trace::MetricSeries& series, const Options& o, unsigned threads) {
  if (o.model.empty())
    throw base::Error({}, "the faithful mode needs a model",
                      "make one with 'lento fleet train', name it with --model");
  fleet::MinderOptions options;
  options.metrics = o.source.metrics;
  options.threshold = o.threshold;
  options.stride = o.stride;
  options.threads = threads;
  const auto v = fleet::minder(series, fleet::read_model(o.model), options);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Fleet of " + std::to_string(series.machines.size()) + " machines, method of the Minder paper";
  d.verdict = v ? series.machines[v->machine] + " is faulty by " + v->metric
                : "No machine stands out from its peers.";
  if (!v) return d;
  finding::Finding f;
  f.subject = series.machines[v->machine];
  f.category = "deviating machine";
  f.summary = f.subject + " differs most from its peers in " + v->metric + " in every window of four minutes";
  f.score = 1 - 1 / (1 + v->score);
  const double at = static_cast<double>(series.time_ms(v->step)) / 1000;
  f.when = finding::TimeWindow{at - 240, at, "s"};
  f.evidence.push_back({"standard score of its distance sum", v->score, "", "metric " + v->metric});
  f.evidence.push_back({"first named at", at, "s", "continuity of 240 s"});
  f.next_step = "Run without --faithful for the peers' band and all deviating metrics.";
  d.findings.push_back(std::move(f));
  return d;
}

void run(Context& context, Options& o) {
  base::ReadReport report;
  std::vector<finding::Input> inputs;
  const trace::MetricSeries series = read_source(o.source, context, report, inputs);
  if (!o.group_by.empty()) o.detect.group_by = o.group_by;
  if (o.judge_from >= 0) o.detect.judge_from_ms = series.begin_ms + static_cast<int64_t>(o.judge_from * 1000);
  if (!o.expect.empty()) o.detect.expectations = read_expectations(o.expect);
  finding::Diagnosis d =
      o.faithful ? faithful(series, o, context.jobs) : fleet::diagnose(series, o.detect, context.progress());
  d.inputs = std::move(inputs);
  finding::add_read_report(d, report);
  context.show(std::move(d));
}

}  // namespace

void add_fleet_diagnose(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("diagnose", "Judge a recorded period");
  auto o = std::make_shared<Options>();
  add_source_options(*app, o->source);
  app->add_option("--group-by", o->group_by,
                  "Labels whose values separate peers (default: stage, pp_rank, hardware)");
  app->add_option("--min-peers", o->detect.min_peers, "Smaller groups are not judged")
      ->check(range(3, 1000000))
      ->capture_default_str();
  app->add_option("--false-alarms", o->detect.false_alarms_per_day,
                  "Budget of false alarms a day for the whole job")
      ->check(range(1e-9, 1e3))
      ->capture_default_str();
  app->add_option("--horizons", o->detect.horizons_s, "Seconds of the windows that levels are averaged over")
      ->check(range(1.0, 1e6));
  app->add_option("--judge-from", o->judge_from, "Seconds after the start; what lies before is only history");
  add_expect_options(*app, o->expect, o->detect);
  app->add_flag("--faithful", o->faithful, "The method of the Minder paper instead of the default mode");
  app->add_option("--model", o->model, "Models of the faithful mode, from 'lento fleet train'")
      ->type_name("FILE");
  app->add_option("--threshold", o->threshold,
                  "Faithful mode: similarity threshold instead of the models' own");
  app->add_option("--stride", o->stride, "Faithful mode: samples between windows")
      ->check(range(1, 1000))
      ->capture_default_str();
  context.add_jobs(*app);
  context.add_output_options(*app);
  example(*app,
          "lento fleet diagnose --csv job.csv.gz --machine-column node --time-column time_ms --time-unit ms "
          "--metric dc_watts");
  app->callback([&context, o] { run(context, *o); });
}

}  // namespace lento::cli
