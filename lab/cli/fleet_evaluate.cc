// lento-lab fleet evaluate: measures the detectors on data with known truth.
#include "base/error.h"
#include "campaign/campaign.h"
#include "fleet/scan/budget_text.h"
#include "lab/cli/commands.h"
#include "lab/fleet/real_data.h"
#include "lab/fleet/source_faults.h"
#include "lab/fleet/storms.h"
#include "lab/fleet/synthetic.h"

namespace lento::lab {
namespace {

using finding::Diagnosis;
using finding::TableFigure;

struct FleetEvaluateArguments {
  std::vector<std::string> real;
  fleet::RealOptions real_options;
  fleet::SyntheticOptions synthetic;
  std::string journal;
  std::string false_alarms;
  uint64_t source_faults = 0;
  int64_t source_case = -1;
  uint64_t storms = 0;
};

// Adds each row as a fact: its first cell, then the other cells.
void add_rows(const TableFigure& table, Diagnosis& d) {
  for (const auto& row : table.rows) {
    std::string text;
    for (size_t i = 1; i < row.size(); ++i) {
      if (!row[i].empty())
        text += (i > 1 ? ", " : "") + table.columns[i] + " " + row[i];
    }
    d.facts.emplace_back(row[0], text);
  }
}

// Describes one case in full, or shows the table of many.
void source_faults(Context& context, const FleetEvaluateArguments& o) {
  Diagnosis d;
  d.scale = "fleet";
  d.title = "A watch over a store with faults";
  d.seed = context.seed;
  if (o.source_case >= 0) {
    const fleet::FaultCase c = fleet::fault_case(context.seed, uint64_t(o.source_case));
    d.verdict = std::string(fleet::name(c.trouble)) + ", scrapes every " + std::to_string(c.step_s) + " s.";
    d.notes = fleet::run_case(c).story;
    return context.show(std::move(d));
  }
  TableFigure table =
      fleet::measure_source_faults(context.seed, o.source_faults, context.jobs, context.progress());
  add_rows(table, d);
  d.verdict = "Measured on simulated stores with known truth.";
  d.figures.push_back({"Faults of the source", "Counts over all cases.", std::move(table)});
  context.show(std::move(d));
}

void storms(Context& context, const FleetEvaluateArguments& o) {
  Diagnosis d;
  d.scale = "fleet";
  d.title = "A watch over jobs with a storm of pause frames";
  d.seed = context.seed;
  TableFigure table = fleet::measure_storms(context.seed, o.storms, context.jobs, context.progress());
  add_rows(table, d);
  d.verdict = "Measured on simulated jobs with known truth.";
  d.figures.push_back({"Storms", "From the onset to the alert.", std::move(table)});
  context.show(std::move(d));
}

// Runs that are in the journal are not repeated. When stopped early, the tables cover the finished runs.
void simulated(Context& context, FleetEvaluateArguments& o) {
  o.synthetic.seed = context.seed;
  o.synthetic.threads = context.jobs;
  const bool first = campaign::world(context.program.ranks).rank == 0;
  base::Progress training = context.progress();
  if (!first)
    training.report = nullptr;
  const fleet::SyntheticStudy study(o.synthetic, training);
  if (training.stopped())
    return;  // the models are not whole: nothing may be judged by them
  campaign::Options c;
  c.ranks = context.program.ranks;
  c.journal = o.journal;
  c.identity = study.identity();
  c.threads = context.jobs;
  c.progress = context.progress();
  const campaign::Outcome outcome = campaign::run_all(
      study.runs(),
      [&](uint64_t i) {
        return study.run(i);
      },
      c);
  if (first)
    context.show(study.conclude(outcome.results));
}

void run(Context& context, FleetEvaluateArguments& o) {
  if (o.source_faults > 0 || o.source_case >= 0)
    return source_faults(context, o);
  if (o.storms > 0)
    return storms(context, o);
  if (o.real.empty())
    return simulated(context, o);
  Diagnosis d;
  d.scale = "fleet";
  d.title = "Evaluation of the fleet detectors";
  d.seed = context.seed;
  o.real_options.seed = context.seed;
  o.real_options.threads = context.jobs;
  if (!o.false_alarms.empty())
    o.real_options.budget = fleet::parse_budget(o.false_alarms);
  for (const std::string& set : o.real) {
    const auto measure = set == "mlperf64" ? fleet::measure_mlperf64
                         : set == "hpas"   ? fleet::measure_hpas
                         : set == "asd12"  ? fleet::measure_asd12
                                           : fleet::measure_straggler;
    TableFigure table = measure(o.real_options, context.progress());
    for (const auto& row : table.rows) {
      std::string name = set;
      for (size_t i = 0; i + 1 < row.size(); ++i)
        name += ", " + row[i];
      d.facts.emplace_back(name, row.back());
    }
    d.figures.push_back({set, "Recorded telemetry with known truth.", std::move(table)});
  }
  d.verdict = "Measured on recorded telemetry with known truth.";
  context.show(std::move(d));
}

}  // namespace

void add_fleet_evaluate(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("evaluate", "Measure the detectors on data with known truth");
  auto o = std::make_shared<FleetEvaluateArguments>();
  app->add_option("--real", o->real, "Recorded sets to measure on")
      ->check(one_of({"mlperf64", "hpas", "asd12", "straggler"}));
  app->add_option("--data", o->real_options.folder, "Folder with the recorded sets")->type_name("DIR");
  app->add_option(
         "--node-stride",
         o->real_options.node_stride,
         "mlperf64: plant on every n-th node only; 0: plant nothing")
      ->check(range(0, 64));
  app->add_option(
         "--resample-days",
         o->real_options.resample_days,
         "mlperf64: days of healthy noise made of blocks of each run, for false alarms")
      ->check(range(0.0, 1e4));
  app->add_option("--false-alarms", o->false_alarms, "mlperf64: budget (default: 1/month)")
      ->type_name("BUDGET");
  app->add_option("--draws", o->real_options.draws, "hpas: fleets drawn for each fault segment")
      ->check(range(1, 1000));
  app->add_option(
         "--source-faults",
         o->source_faults,
         "Cases of a watch over a simulated store that fails, lags, restarts, renames")
      ->check(range(1, 1000000));
  app->add_option("--source-case", o->source_case, "Tell one of these cases in full");
  app->add_option("--storms", o->storms, "Storms of pause frames in simulated jobs, from onset to alert")
      ->check(range(1, 100000));
  app->add_option("--preset", o->synthetic.preset, "Simulated jobs: paper or production")
      ->check(one_of({"paper", "production"}))
      ->capture_default_str();
  app->add_option("--faults", o->synthetic.faults, "Simulated faults")
      ->check(range(1, 100000))
      ->capture_default_str();
  app->add_option("--hours", o->synthetic.hours, "Simulated fault-free hours")
      ->check(range(0, 100000))
      ->capture_default_str();
  app->add_option(
         "--training-hours",
         o->synthetic.training_hours,
         "Simulated fault-free hours that thresholds are chosen on")
      ->check(range(1, 100000))
      ->capture_default_str();
  app->add_option(
         "--false-hours",
         o->synthetic.false_hours,
         "Share of those hours in which each method but the default mode may raise a verdict")
      ->check(range(0.0, 1.0))
      ->capture_default_str();
  app->add_option("--journal", o->journal, "File that remembers judged jobs, to go on after a stop")
      ->type_name("FILE");
  app->add_option(
         "--max-machines",
         o->synthetic.max_machines,
         "Draw all jobs from 4 machines up to this size; 0: sizes of the preset")
      ->check_any({one_of({"0"}), range(4, 9999)});
  context.add_output_options(*app);
  context.add_seed(*app);
  context.add_jobs(*app);
  example(*app, "lento-lab fleet evaluate --real straggler --data ../shared/data/fleet");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::lab
