// lento-lab fleet kills and soak: a watch that is killed around its alerts, and one that runs alone for
// days.
#include "lab/cli/commands.h"
#include "lab/fleet/watch_kills.h"
#include "lab/fleet/watch_soak.h"

namespace lento::lab {
namespace {

struct KillOptions {
  uint64_t trials = 100;
  int64_t one = -1;
};

void kills(Context& context, const KillOptions& o) {
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Watches that are killed around an alert";
  d.seed = context.seed;
  d.verdict = "Measured on processes over a simulated store and clock.";
  if (o.one >= 0) {
    d.notes = fleet::run_kill_case(fleet::kill_case(context.seed, uint64_t(o.one))).story;
    return context.show(std::move(d));
  }
  finding::TableFigure table = fleet::measure_watch_kills(context.seed, o.trials, context.progress());
  for (const auto& row : table.rows) {
    std::string text;
    for (size_t i = 1; i < row.size(); ++i)
      text += (i > 1 ? ", " : "") + table.columns[i] + " " + row[i];
    d.facts.emplace_back(row[0] == "1" ? "one watch" : "two watches", text);
  }
  d.figures.push_back({"Kills", "Counts over all trials.", std::move(table)});
  context.show(std::move(d));
}

}  // namespace

void add_fleet_kills(Command& fleet, Context& context) {
  Command* app =
      fleet.add_subcommand("kills", "Kill watches at random moments around an alert, one or two of a job");
  auto o = std::make_shared<KillOptions>();
  app->add_option("--trials", o->trials, "Trials")->check(range(1, 100000))->capture_default_str();
  app->add_option("--case", o->one, "Tell one trial in full");
  context.add_seed(*app);
  context.add_output_options(*app);
  example(*app, "lento-lab fleet kills --trials 100 --seed 1");
  app->callback([&context, o] {
    kills(context, *o);
  });
}

void add_fleet_soak(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("soak", "A watch over simulated days with machines that fail in turn");
  auto o = std::make_shared<fleet::SoakOptions>();
  app->add_option("--machines", o->machines, "Machines")->check(range(4, 16000))->capture_default_str();
  app->add_option("--metrics", o->metrics, "Metrics of each")->check(range(1, 100))->capture_default_str();
  app->add_option("--step", o->step_s, "Seconds between scrapes")
      ->check(range(0.1, 600.0))
      ->capture_default_str();
  app->add_option("--interval", o->interval_s, "Seconds between pulls")
      ->check(range(0.1, 600.0))
      ->capture_default_str();
  app->add_option("--hours", o->hours, "Simulated time")->check(range(0.01, 1000.0))->capture_default_str();
  app->add_option("--faults", o->faults, "Machines that fail, one after another")
      ->check(range(0, 1000))
      ->capture_default_str();
  context.add_seed(*app);
  context.add_output_options(*app);
  example(*app, "lento-lab fleet soak --step 15 --hours 24");
  app->callback([&context, o] {
    o->seed = context.seed;
    context.show(fleet::measure_soak(*o, context.progress()));
  });
}

}  // namespace lento::lab
