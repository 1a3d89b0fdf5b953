// lento fleet ranks: which rank, GPU, host or link, from collectives.
#include "jobs/fleet_ranks.h"

#include "cli/fleet.h"

namespace lento::cli {

void add_fleet_ranks(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand(
      "ranks", "Find the slow rank, GPU, host or link, or who holds up a hung job, from its collectives");
  auto o = std::make_shared<jobs::FleetRanksOptions>();
  app->add_option("path", o->paths,
                  "Files and folders: Kineto traces, Inspector logs, flight-recorder dumps, RAS answers")
      ->type_name("PATH")
      ->required();
  app->add_flag("--hang", o->hang, "Judge the dumps of a job that hangs");
  app->add_option("--switches", o->switches, "CSV with columns host and switch, to blame switches")
      ->type_name("FILE");
  app->add_option("--lane-steps", o->lane_steps, "Training steps drawn as lanes")
      ->check(range(1, 100))
      ->capture_default_str();
  context.add_output_options(*app);
  example(*app, "lento fleet ranks traces/ --html ranks.html");
  app->callback([&context, o] {
    o->strict = context.strict;
    context.show(jobs::fleet_ranks(*o, context.progress()));
  });
}

}  // namespace lento::cli
