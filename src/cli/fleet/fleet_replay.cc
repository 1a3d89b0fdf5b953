// lento fleet replay: prints the alerts that `lento fleet watch` would have raised in a recorded period.
#include "cli/fleet/fleet.h"
#include "cli/fleet/fleet_sources.h"
#include "cli/fleet/watch_log.h"
#include "desk/log_events.h"
#include "fleet/scan/budget_text.h"
#include "fleet/watch/replay.h"

namespace lento::cli {
namespace {

struct ReplayCommand {
  fleet::FleetSource source;
  fleet::WatchOptions watch;
  std::vector<std::string> group_by;
  std::string false_alarms;
  std::string format = "text";
  double interval_s = 5;
  std::vector<std::string> events;
};

// Runs `lento fleet replay`.
void run(Context& context, ReplayCommand& o) {
  if (!o.group_by.empty())
    o.watch.scan.group_by = o.group_by;
  if (!o.false_alarms.empty())
    o.watch.scan.budget = fleet::parse_budget(o.false_alarms);
  base::ReadReport report;
  report.strict = context.strict;
  std::vector<finding::Input> inputs;
  const fleet::MetricSeries series = fleet::read_source(o.source, report, inputs);
  const fleet::WatchLog log = watch_log(context, o.format);
  o.watch.scan.xids = desk::meaning_of_xid;
  desk::LogEvents events(o.events, log.note);
  if (!o.events.empty())
    o.watch.events = &events;
  finding::Diagnosis d =
      fleet::replay(series, log, o.watch, int64_t(o.interval_s * 1000), context.progress());
  if (!context.json && context.html.empty())
    return;
  d.inputs = std::move(inputs);
  finding::add_read_report(d, report);
  context.show(std::move(d));
}

}  // namespace

void add_fleet_replay(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("replay", "Watch a recorded period and print its alerts");
  auto o = std::make_shared<ReplayCommand>();
  add_source_options(*app, o->source);
  app->add_option("--group-by", o->group_by, "Labels whose values separate peers");
  app->add_option("--job", o->watch.job, "Name of the job in alerts")->capture_default_str();
  app->add_option(
         "--false-alarms",
         o->false_alarms,
         "Budget of false alarms: 1/month, 1/week, 1/day or a number a day (default: 1/month)")
      ->type_name("BUDGET");
  add_expect_options(*app, o->watch.expect, o->watch.scan.expected_metric);
  app->add_option("--interval", o->interval_s, "Seconds between two looks at the record")
      ->check(range(0.1, 3600.0))
      ->capture_default_str();
  app->add_option(
         "--hold-off",
         o->watch.hold_off_s,
         "Seconds that a machine must be well before its alert is resolved")
      ->check(range(0.0, 86400.0))
      ->capture_default_str();
  app->add_option("--events", o->events, "Logs of the period (files, folders), named beside the alerts")
      ->type_name("PATH");
  add_watch_format(*app, o->format);
  context.add_output_options(*app);
  example(*app, "lento fleet replay --csv job.csv.gz --machine-column node --metric power_w --format jsonl");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::cli
