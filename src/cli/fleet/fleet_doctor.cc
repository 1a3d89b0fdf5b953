// lento fleet doctor: lists the metrics and machines that a Prometheus holds, which of them `lento fleet
// watch` would use, and what it lacks.
#include "cli/fleet/fleet.h"
#include "cli/fleet/fleet_sources.h"
#include "fleet/doctor.h"

namespace lento::cli {

void add_fleet_doctor(Command& fleet, Context& context) {
  Command* app =
      fleet.add_subcommand("doctor", "Say what a store holds, what would be watched and what is missing");
  auto o = std::make_shared<fleet::DoctorOptions>();
  auto url = std::make_shared<std::string>();
  app->add_option("URL", *url, "Prometheus-compatible store, http://host:9090");
  add_prometheus_options(*app, o->source);
  app->add_option("--metric", o->source.metrics, "Metrics to look for; all known exporters' when not given");
  app->add_option("--min-peers", o->min_peers, "Machines that a group of peers needs")
      ->check(range(3, 1000000))
      ->capture_default_str();
  context.add_output_options(*app);
  example(*app, "lento fleet doctor http://localhost:9090");
  app->callback([&context, o, url] {
    if (!url->empty())
      o->source.prometheus.url = *url;
    if (o->source.prometheus.url.empty())
      throw UsageError("fleet doctor: a store's URL is needed");
    context.show(fleet::examine_store(*o));
  });
}

}  // namespace lento::cli
