// lento fleet simulate: makes the metrics of a synthetic job, as CSV with a file of its faults or as a live
// exporter.
#include <chrono>
#include <thread>

#include "base/error.h"
#include "base/http/http.h"
#include "base/json.h"
#include "cli/fleet/fleet.h"
#include "fleet/simulate/simulate.h"
#include "fleet/simulation.h"

namespace lento::cli {
namespace {

struct FleetSimulateArguments {
  std::string preset = "production";
  std::string out;
  fleet::FleetJob job;
  bool healthy = false;
  int serve = -1;
  double speed = 1;
};

// Serves GET /metrics?machine=NAME with the page of one machine and /metrics with all of them. The time of
// the job follows the clock.
void serve(Context& context, const fleet::MetricSeries& s, const FleetSimulateArguments& o) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto step = [&] {
    const double t = std::chrono::duration<double>(Clock::now() - start).count() * o.speed;
    return std::min(s.steps - 1, size_t(t));
  };
  base::HttpServer server("127.0.0.1", o.serve, [&](const base::HttpQuestion& question) {
    if (question.path != "/metrics")
      return base::HttpReply{404, "only /metrics is here\n", "text/plain"};
    const std::string machine = base::query_value(question.query, "machine");
    return base::HttpReply{200, fleet::exposition(s, step(), machine), "text/plain; version=0.0.4"};
  });
  context.streams.err << "http://127.0.0.1:" << server.port() << "/metrics\n";
  const base::Progress progress = context.progress();
  while (!progress.stopped())
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void run(Context& context, FleetSimulateArguments& o) {
  o.job.preset = fleet::fleet_preset(o.preset);
  o.job.faulty = !o.healthy;
  o.job.seed = context.seed;
  const fleet::SimulatedFleet job = fleet::simulate_fleet(o.job);
  if (o.out.empty() && o.serve < 0)
    throw base::Error({}, "nothing to do", "name -o FILE or --serve PORT");
  if (!o.out.empty())
    fleet::write_fleet(job, o.out);
  context.streams.out << base::write_json(fleet::truth_json(job.truth, job.series)) << "\n";
  context.streams.out.flush();
  if (o.serve >= 0)
    serve(context, job.series, o);
}

}  // namespace

void add_fleet_simulate(Command& fleet, Context& context) {
  Command* app =
      fleet.add_subcommand("simulate", "Write or serve the metrics of a synthetic job with known truth");
  auto o = std::make_shared<FleetSimulateArguments>();
  app->add_option("--preset", o->preset, "paper or production")
      ->check(one_of({"paper", "production"}))
      ->capture_default_str();
  app->add_option("--machines", o->job.machines, "Machines; drawn when not given")->check(range(4, 10000));
  app->add_option("--seconds", o->job.seconds, "Length of a fault-free job")
      ->check(range(60.0, 86400.0))
      ->capture_default_str();
  app->add_flag("--healthy", o->healthy, "No fault");
  app->add_option("--index", o->job.index, "Which job of the seed")->capture_default_str();
  app->add_option("-o,--output", o->out, "CSV to write (.gz compresses); the truth goes to FILE.truth.json")
      ->type_name("FILE");
  app->add_option("--serve", o->serve, "Port of a live exporter; 0 takes a free one")
      ->type_name("PORT")
      ->check(range(0, 65535));
  app->add_option("--speed", o->speed, "Seconds of the job per second of the clock")
      ->check(range(0.01, 1000.0));
  context.add_seed(*app);
  example(*app, "lento fleet simulate --machines 64 --preset paper -o job.csv.gz");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::cli
