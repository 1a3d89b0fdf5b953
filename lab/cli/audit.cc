// lento-lab audit: compares the promise of a detector with its results on draws that no threshold was made
// from.
#include "lab/chip/audit.h"

#include "cli/tables.h"
#include "lab/cli/commands.h"
#include "lab/fleet/fleet_audit.h"
#include "lab/memory/audit.h"
#include "lab/predict/audit.h"
#include "lab/tile/audit.h"

namespace lento::lab {
namespace {

void show_promises(finding::Diagnosis d, Context& context) {
  const std::string tables = cli::tables_as_text(d);
  context.show(std::move(d));
  if (!context.json)
    context.streams.out << tables;
}

void add_audit_chip(Command& audit, Context& context) {
  Command* app =
      audit.add_subcommand("chip", "False alarms, detectable factors and intervals of a chip's model");
  auto options = std::make_shared<chip::ChipAuditOptions>();
  app->add_option("--chip", options->chip, "Chip (YAML)")->required()->type_name("FILE");
  app->add_option("--mapping", options->mapping, "Mapping (compact map format)")
      ->required()
      ->type_name("FILE");
  app->add_option("--healthy", options->healthy, "Healthy draws")
      ->check(range(0, 100'000))
      ->capture_default_str();
  app->add_option("--detectable", options->detectable, "Parts planted with the factor said to be named")
      ->check(range(0, 100'000))
      ->capture_default_str();
  app->add_option("--intervals", options->intervals, "Planted factors beside their interval")
      ->check(range(0, 100'000))
      ->capture_default_str();
  app->add_option("--inferences", options->inferences, "Inferences of a run")
      ->check(range(1, 1000))
      ->capture_default_str();
  context.add_output_options(*app);
  context.add_seed(*app);
  example(*app, "lento-lab audit chip --chip 4x4.yaml --mapping darknet19.map.json --seed 7");
  app->callback([options, &context] {
    options->seed = context.seed;
    show_promises(
        promise_table(chip::audit_chip(*options, context.progress()), "chip", options->seed),
        context);
  });
}

void add_audit_memory(Command& audit, Context& context) {
  Command* app =
      audit.add_subcommand("memory", "False alarms and detectable losses of the contention detector");
  auto options = std::make_shared<MemoryAuditOptions>();
  app->add_option("--healthy", options->healthy, "Healthy draws of each kind")
      ->check(range(0, 100'000))
      ->capture_default_str();
  app->add_option("--detectable", options->detectable, "Draws with a loss of one and a half times the least")
      ->check(range(0, 100'000))
      ->capture_default_str();
  context.add_output_options(*app);
  context.add_seed(*app);
  example(*app, "lento-lab audit memory --seed 7");
  app->callback([options, &context] {
    options->seed = context.seed;
    show_promises(
        promise_table(audit_memory(*options, context.progress()), "memory", options->seed),
        context);
  });
}

void add_audit_predict(Command& audit, Context& context) {
  Command* app = audit.add_subcommand("predict", "Stated intervals and limits beside public runs, by source");
  auto rows = std::make_shared<std::string>("share/lento/field_rows.csv");
  app->add_option("ROWS", *rows, "The list of runs (docs/formats/field-rows.md)")->capture_default_str();
  context.add_output_options(*app);
  context.add_seed(*app);
  example(*app, "lento-lab audit predict --seed 7");
  app->callback([rows, &context] {
    base::ReadReport report;
    std::vector<std::string> refused;
    std::vector<Promise> promises = predict::audit_intervals(predict::shipped_software(), context.seed);
    promises.push_back(
        predict::audit_limits(predict::field_cases(predict::read_field_rows(*rows, report), refused)));
    show_promises(promise_table(promises, "predict", context.seed), context);
  });
}

void add_audit_tile(Command& audit, Context& context) {
  Command* app =
      audit.add_subcommand("tile", "Proved and expected cycles, bytes and losses of tile programs");
  auto options = std::make_shared<TileAuditOptions>();
  app->add_option("--programs", options->programs, "Programs that are drawn")
      ->check(range(0, 100'000))
      ->capture_default_str();
  context.add_output_options(*app);
  context.add_seed(*app);
  example(*app, "lento-lab audit tile --seed 7");
  app->callback([options, &context] {
    options->seed = context.seed;
    show_promises(promise_table(audit_tile(*options, context.progress()), "tile", options->seed), context);
  });
}

void add_audit_fleet(Command& audit, Context& context) {
  Command* app = audit.add_subcommand("fleet", "False alarms and detectable losses of the scan of a fleet");
  auto options = std::make_shared<FleetAuditOptions>();
  app->add_option("--healthy", options->healthy, "Draws of each healthy kind")
      ->check(range(0, 100'000))
      ->capture_default_str();
  app->add_option("--detectable", options->detectable, "Draws with the loss said to be named")
      ->check(range(0, 100'000))
      ->capture_default_str();
  app->add_option("--together", options->together, "Draws of each planted kind")
      ->check(range(0, 100'000))
      ->capture_default_str();
  auto months = std::make_shared<FleetMonthsOptions>();
  months->months = 0;
  app->add_option(
         "--months",
         months->months,
         "Instead: months of a watch on each kind of healthy fleet, with budgets of 1/month, 1/week, 1/day")
      ->check(range(0.0, 1000.0));
  context.add_output_options(*app);
  context.add_seed(*app);
  example(*app, "lento-lab audit fleet --seed 7");
  app->callback([options, months, &context] {
    options->seed = months->seed = context.seed;
    const std::vector<Promise> promises = months->months > 0 ? audit_fleet_months(*months, context.progress())
                                                             : audit_fleet(*options, context.progress());
    show_promises(promise_table(promises, "fleet", context.seed), context);
  });
}

}  // namespace

void add_audit(Command& app, Context& context) {
  Command* audit = app.add_subcommand("audit", "What a detector promises, and what it keeps");
  audit->require_subcommand(1);
  add_audit_chip(*audit, context);
  add_audit_memory(*audit, context);
  add_audit_predict(*audit, context);
  add_audit_tile(*audit, context);
  add_audit_fleet(*audit, context);
}

}  // namespace lento::lab
