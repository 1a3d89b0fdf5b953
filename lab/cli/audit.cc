// lento-lab audit: compares the promise of a detector with its results on draws that no threshold was made
// from.
#include "lab/chip/audit.h"

#include "cli/tables.h"
#include "lab/cli/commands.h"

namespace lento::lab {
namespace {

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
    finding::Diagnosis d = chip::audit_table(chip::audit_chip(*options, context.progress()), *options);
    const std::string tables = cli::tables_as_text(d);
    context.show(std::move(d));
    if (!context.json)
      context.streams.out << tables;
  });
}

}  // namespace

void add_audit(Command& app, Context& context) {
  Command* audit = app.add_subcommand("audit", "What a detector promises, and what it keeps");
  audit->require_subcommand(1);
  add_audit_chip(*audit, context);
}

}  // namespace lento::lab
