// lento fleet ...: groups the commands on the machines of a training job.
#include "cli/fleet/fleet.h"

namespace lento::cli {

void add_fleet(Command& app, Context& context) {
  Command* fleet = app.add_subcommand("fleet", "Find the slow, faulty or silent machine of a training job");
  fleet->require_subcommand(1);
  add_fleet_diagnose(*fleet, context);
  add_fleet_ranks(*fleet, context);
  add_fleet_watch(*fleet, context);
  add_fleet_replay(*fleet, context);
  add_fleet_explain(*fleet, context);
  add_fleet_doctor(*fleet, context);
  add_fleet_train(*fleet, context);
  add_fleet_simulate(*fleet, context);
  add_fleet_simulate_ranks(*fleet, context);
  example(*fleet, "lento fleet diagnose --csv job.csv.gz --machine-column node --metric power_w");
}

}  // namespace lento::cli
