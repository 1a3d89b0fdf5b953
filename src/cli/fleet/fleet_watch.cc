// lento fleet watch: watches the metrics of running jobs for days. It watches one named job, or with --each
// every job that has its own value of a Prometheus label. With --shard, several processes divide these jobs.
#include <algorithm>

#include "base/error.h"
#include "cli/fleet/fleet.h"
#include "cli/fleet/fleet_sources.h"
#include "cli/fleet/watch_log.h"
#include "cli/signals.h"
#include "desk/log_events.h"
#include "fleet/scan/budget_text.h"
#include "fleet/watch/jobs.h"

namespace lento::cli {
namespace {

struct WatchCommand {
  fleet::WatchJobsOptions job;
  std::vector<std::string> group_by;
  std::string format = "text";
  int port = -1;
  double lag = 0;
  std::string false_alarms;
  std::vector<double> horizons_s;
  std::vector<std::string> events;
};

// Runs `lento fleet watch`.
void run(Context& context, WatchCommand& command) {
  hangup_reloads();
  fleet::WatchJobsOptions& o = command.job;
  if (!o.source.prometheus.url.empty() && o.source.metrics.empty() && o.source.exporters.empty())
    throw base::Error(
        {"--metric"},
        "no metric is named",
        "--metric NAME=QUERY, or --names dcgm for an exporter; 'lento fleet doctor' lists what the store "
        "has");
  if (!command.group_by.empty())
    o.watch.scan.group_by = command.group_by;
  if (!command.false_alarms.empty())
    o.watch.scan.budget = fleet::parse_budget(command.false_alarms);
  if (!command.horizons_s.empty())
    o.watch.scan.shortest_s = std::ranges::min(command.horizons_s);
  if (command.horizons_s.size() > 1)
    o.watch.scan.longest_s = std::ranges::max(command.horizons_s);
  if (command.port >= 0)
    o.listen = "127.0.0.1:" + std::to_string(command.port);
  o.watch.step_s = o.source.step_s;
  const fleet::WatchLog log = watch_log(context, command.format);
  o.watch.scan.xids = desk::meaning_of_xid;
  desk::LogEvents events(command.events, log.note);
  if (!command.events.empty())
    o.watch.events = &events;
  fleet::FleetWatchJobs watch(o, log);
  watch.run(context.progress(), take_reload);
  if (o.each.empty() && (context.json || !context.html.empty()))
    context.show(watch.diagnosis());
}

}  // namespace

void add_fleet_watch(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("watch", "Watch a running job and raise alerts");
  auto o = std::make_shared<WatchCommand>();
  add_prometheus_options(*app, o->job.source);
  app->add_option(
      "--metric",
      o->job.source.metrics,
      "Metrics to pull and judge, or PromQL as NAME=EXPRESSION");
  app->add_option(
         "--ranks",
         o->job.ranks.sources,
         "Also judge the job's collectives: growing Inspector logs or pages (folders, patterns), or a query "
         "of "
         "the store with its labels in braces")
      ->type_name("PATH|QUERY");
  app->add_option("--ranks-window", o->job.ranks.window_s, "Seconds of collectives that are judged")
      ->check(range(10.0, 86400.0))
      ->capture_default_str();
  app->add_option(
         "--events",
         o->events,
         "Logs that grow beside the metrics (files, folders): an alert names the errors of its machine")
      ->type_name("PATH");
  app->add_option("--label", o->job.source.labels, "More labels to keep");
  app->add_option("--group-by", o->group_by, "Labels whose values separate peers");
  app->add_option(
         "--step",
         o->job.source.step_s,
         "Seconds between rows; learned from the samples when not given")
      ->check(range(0.1, 3600.0));
  app->add_option("--job", o->job.watch.job, "Name of the job in alerts")->capture_default_str();
  app->add_option("--state", o->job.watch.state, "File that keeps what was learned over a restart")
      ->type_name("FILE");
  add_watch_format(*app, o->format);
  app->add_option(
         "--diagnosis",
         o->job.watch.diagnosis,
         "Rewrite the diagnosis in this file every ten seconds, for 'lento serve' of its folder")
      ->type_name("FILE");
  app->add_option("--alertmanager", o->job.alerts.urls, "Alertmanagers to tell, http://host:9093")
      ->type_name("URL");
  app->add_option(
         "--alertmanager-token-file",
         o->job.alerts.token_file,
         "File with a bearer token for them (or LENTO_ALERTMANAGER_TOKEN)")
      ->type_name("FILE");
  app->add_option(
         "--alertmanager-basic-file",
         o->job.alerts.basic_file,
         "File with user:password for them (or LENTO_ALERTMANAGER_BASIC)")
      ->type_name("FILE");
  app->add_option("--alertmanager-ca", o->job.alerts.http.ca_file, "Certificate authority to trust")
      ->type_name("FILE");
  app->add_option("--alertmanager-cert", o->job.alerts.http.cert_file, "Own certificate")->type_name("FILE");
  app->add_option("--alertmanager-key", o->job.alerts.http.key_file, "Key of the own certificate")
      ->type_name("FILE");
  app->add_option("--resend", o->job.watch.resend_s, "Seconds between repeats of a standing alert")
      ->check(range(1.0, 3600.0))
      ->capture_default_str();
  app->add_option(
      "--hook",
      o->job.hook,
      "Command to run with the machine's name; a dry run unless --hook-live");
  app->add_flag("--hook-live", o->job.watch.hook_live, "Really run the hook");
  app->add_option(
         "--hook-ledger",
         o->job.watch.ledger,
         "File in which hooks are entered before they run, shared by all watches of a job; beside "
         "--state when not given")
      ->type_name("FILE");
  app->add_option(
         "--hook-per-hour",
         o->job.watch.hook_per_hour,
         "At most so many hooks an hour for each job, and one for every twenty of its machines (at least "
         "one)")
      ->check(range(0, 1000))
      ->capture_default_str();
  app->add_option("--interval", o->job.interval_s, "Seconds between pulls")
      ->check(range(0.1, 3600.0))
      ->capture_default_str();
  app->add_option(
         "--lag",
         o->lag,
         "Was: seconds that rows lie behind the clock; now learned from the samples")
      ->check(range(0.0, 3600.0));
  app->add_option(
         "--hold-off",
         o->job.watch.hold_off_s,
         "Seconds that a machine must be well before its alert is resolved")
      ->check(range(0.0, 86400.0))
      ->capture_default_str();
  app->add_option(
         "--forget",
         o->job.watch.forget_s,
         "Seconds after which a silent machine has left the job, where the store has no 'up' for it")
      ->check(range(60.0, 1e6))
      ->capture_default_str();
  app->add_option(
         "--horizons",
         o->horizons_s,
         "Seconds of the shortest and the longest window that are judged (default: 100 3600)")
      ->check(range(1.0, 1e6));
  app->add_option(
         "--false-alarms",
         o->false_alarms,
         "Budget of false alarms: 1/month, 1/week, 1/day or a number a day (default: 1/month)")
      ->type_name("BUDGET");
  add_expect_options(*app, o->job.watch.expect, o->job.watch.scan.expected_metric);
  app->add_option("--listen", o->job.listen, "Address of the own /metrics, 0.0.0.0:9469 or [::]:9469")
      ->type_name("ADDRESS");
  app->add_option("--serve-metrics", o->port, "Port of the own /metrics on 127.0.0.1; 0 takes a free one")
      ->type_name("PORT")
      ->check(range(0, 65535));
  app->add_option(
         "--each",
         o->job.each,
         "Find the running jobs by this label and watch each of them; --state and --diagnosis are "
         "folders then")
      ->type_name("LABEL");
  app->add_option("--shard", o->job.shard, "With --each: only the jobs of shard i of n, 0 <= i < n")
      ->type_name("i/n")
      ->capture_default_str();
  app->add_option("--run-for", o->job.run_for_s, "Stop after so many seconds; 0 runs until interrupted");
  context.add_output_options(*app);
  example(
      *app,
      "lento fleet watch --prometheus http://localhost:9090 --names dcgm --match job=training "
      "--alertmanager http://localhost:9093");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::cli
