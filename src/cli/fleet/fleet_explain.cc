// lento fleet explain: why an alert came when it did, and not earlier.
#include "base/error.h"
#include "base/json.h"
#include "base/moment.h"
#include "cli/fleet/fleet.h"
#include "cli/fleet/fleet_sources.h"
#include "fleet/scan/budget_text.h"
#include "fleet/scan/explain.h"

namespace lento::cli {
namespace {

struct ExplainCommand {
  std::string alert;
  fleet::FleetSource source;
  fleet::ScanOptions scan{.budget = {1, 30 * 86400.0}};
  std::vector<std::string> group_by;
  std::string false_alarms;
};

struct NamedAlert {
  std::string machine;
  std::string time;  // "2026-11-29T04:18:04.000Z", or empty
};

// Reads an alert, which is the name of a machine or a line of 'lento fleet watch --format jsonl'.
NamedAlert read_alert(const std::string& alert) {
  if (!alert.starts_with("{"))
    return {alert, ""};
  const base::Location where{"ALERT"};
  const base::Json line = base::parse_json(alert, "ALERT");
  const base::Json* time = line.find("time");
  return {
      line.at("labels", where).at("machine", where).string(where),
      time ? time->string(where) : std::string{}};
}

// Runs `lento fleet explain`.
void run(Context& context, ExplainCommand& o) {
  if (!o.group_by.empty())
    o.scan.group_by = o.group_by;
  if (!o.false_alarms.empty())
    o.scan.budget = fleet::parse_budget(o.false_alarms);
  base::ReadReport report;
  report.strict = context.strict;
  std::vector<finding::Input> inputs;
  const fleet::MetricSeries series = fleet::read_source(o.source, report, inputs);
  const NamedAlert alert = read_alert(o.alert);
  if (const auto at_ms = base::try_moment_ms(alert.time))
    fleet::require_time(series, *at_ms);
  finding::Diagnosis d = fleet::explain(series, alert.machine, o.scan);
  d.inputs = std::move(inputs);
  finding::add_read_report(d, report);
  context.show(std::move(d));
}

}  // namespace

void add_fleet_explain(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("explain", "Say why a machine was named then, and why not earlier");
  auto o = std::make_shared<ExplainCommand>();
  app->add_option(
         "alert",
         o->alert,
         "The machine, or the line that 'lento fleet watch --format jsonl' printed about it")
      ->type_name("ALERT")
      ->required();
  add_source_options(*app, o->source);
  app->add_option("--group-by", o->group_by, "Labels whose values separate peers");
  app->add_option(
         "--false-alarms",
         o->false_alarms,
         "Budget of false alarms: 1/month, 1/week, 1/day or a number a day (default: 1/month)")
      ->type_name("BUDGET");
  context.add_output_options(*app);
  example(*app, "lento fleet explain node7 --csv job.csv.gz --machine-column node --metric power_w");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::cli
