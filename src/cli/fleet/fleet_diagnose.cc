// lento fleet diagnose: judges the metrics of a recorded period.
#include "cli/fleet/fleet.h"
#include "cli/fleet/fleet_sources.h"
#include "desk/log_events.h"
#include "fleet/diagnose.h"
#include "fleet/diagnose_ranks.h"
#include "fleet/scan/budget_text.h"

namespace lento::cli {
namespace {

struct FleetDiagnoseArguments {
  fleet::FleetDiagnosisOptions job;
  std::vector<std::string> group_by;
  std::optional<double> judge_from;
  std::string false_alarms;
  bool faithful = false;
  const Command* command = nullptr;
  fleet::FleetRanksOptions collectives;
};

void run(Context& context, FleetDiagnoseArguments& o) {
  if (!o.collectives.paths.empty()) {
    o.collectives.strict = context.strict;
    return context.show(fleet::fleet_ranks(o.collectives, context.progress()));
  }
  if (!o.group_by.empty())
    o.job.scan.group_by = o.group_by;
  if (o.faithful)
    o.job.method = "minder";
  refuse_idle_options(*o.command, o.job.source, o.job.method);
  if (!o.false_alarms.empty())
    o.job.scan.budget = fleet::parse_budget(o.false_alarms);
  o.job.scan.xids = desk::meaning_of_xid;
  o.job.judge_from_s = o.judge_from;
  o.job.threads = context.jobs;
  o.job.strict = context.strict;
  context.show(fleet::diagnose_fleet(o.job, context.progress()));
}

}  // namespace

void add_fleet_diagnose(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("diagnose", "Judge a recorded period");
  auto o = std::make_shared<FleetDiagnoseArguments>();
  app->add_option(
         "path",
         o->collectives.paths,
         "Telemetry of collectives instead of metrics, as 'lento fleet ranks' takes it")
      ->type_name("PATH");
  o->command = app;
  add_source_options(*app, o->job.source);
  app->add_option(
      "--group-by",
      o->group_by,
      "Labels whose values separate peers (default: stage, pp_rank, hardware)");
  app->add_option("--min-peers", o->job.scan.min_peers, "Smaller groups are not judged")
      ->check(range(3, 1000000))
      ->capture_default_str();
  app->add_option(
         "--false-alarms",
         o->false_alarms,
         "Budget of false alarms for the whole job: 1/month, 1/week, 1/day or a number a day (default: one "
         "false finding in 200 records)")
      ->type_name("BUDGET");
  app->add_option("--judge-from", o->judge_from, "Seconds after the start; what lies before is only history")
      ->check(range(0.0, 1e9));
  add_expect_options(*app, o->job.expect, o->job.scan.expected_metric);
  app->add_option("--method", o->job.method, "lento, or minder: the method of the Minder paper")
      ->capture_default_str();
  app->add_flag("--faithful", o->faithful, "The same as --method minder");
  app->add_option("--model", o->job.model, "minder: its models, from 'lento fleet train'")->type_name("FILE");
  app->add_option("--threshold", o->job.threshold, "minder: similarity threshold instead of the models' own");
  app->add_option("--stride", o->job.stride, "minder: samples between windows")
      ->check(range(1, 1000))
      ->capture_default_str();
  context.add_jobs(*app);
  context.add_output_options(*app);
  example(
      *app,
      "lento fleet diagnose --csv job.csv.gz --machine-column node --time-column time_ms --time-unit ms "
      "--metric dc_watts");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::cli
