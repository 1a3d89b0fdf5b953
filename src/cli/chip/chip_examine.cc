// lento chip examine: names the slow component from the records of a real chip alone. lento chip compare:
// names what became slower between two runs of one program.
#include "chip/examine.h"
#include "cli/chip/record_options.h"
#include "cli/commands/commands.h"

namespace lento::cli {

namespace {

void add_fabric(Command& command, std::string& chip) {
  command
      .add_option("--chip", chip, "Fabric: wormhole (assumed without this option), blackhole, or a chip file")
      ->type_name("FILE");
}

}  // namespace

void add_chip_examine(Command& app, Context& context) {
  Command* command =
      app.add_subcommand("examine", "Slow components from recorded transfers, without a mapping");
  auto options = std::make_shared<chip::ChipExamineOptions>();
  command->add_option("records", options->sources.files, "One run, as `lento chip import` reads it")
      ->required()
      ->type_name("FILE");
  add_fabric(*command, options->chip);
  add_record_options(*command, options->sources);
  context.add_output_options(*command);
  example(*command, "lento chip examine examples/chip/noc_events.json --chip wormhole");
  command->callback([&context, options] {
    options->sources.strict = context.strict;
    context.show(chip::chip_examine(*options));
  });
}

void add_chip_compare(Command& app, Context& context) {
  Command* command = app.add_subcommand("compare", "Two runs of one program: what became slower, and why");
  auto options = std::make_shared<chip::ChipCompareOptions>();
  options->before.files.resize(1);
  options->after.files.resize(1);
  command->add_option("before", options->before.files[0], "Records of the earlier run")
      ->required()
      ->type_name("FILE");
  command->add_option("after", options->after.files[0], "Records of the later run")
      ->required()
      ->type_name("FILE");
  add_fabric(*command, options->chip);
  add_record_options(*command, options->before);
  context.add_output_options(*command);
  example(
      *command,
      "lento chip compare examples/chip/noc_events.json examples/chip/noc_events_slow.json --chip wormhole");
  command->callback([&context, options] {
    options->before.strict = context.strict;
    std::vector<std::string> after = std::move(options->after.files);
    options->after = options->before;
    options->after.files = std::move(after);
    context.show(chip::chip_compare(*options));
  });
}

}  // namespace lento::cli
