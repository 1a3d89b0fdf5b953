// lento chip import: converts records of data movement of other tools to the format of Lento.
#include "chip/records.h"
#include "cli/chip/record_options.h"
#include "cli/commands/commands.h"

namespace lento::cli {

void add_record_options(Command& command, chip::RecordSources& sources) {
  command.add_option("--topology", sources.topology, "tt-metal's topology file: which chips are joined")
      ->type_name("FILE");
  const auto column = [&](const char* name, std::string& value, const char* text) {
    command.add_option(name, value, std::string("Column of a table: ") + text)
        ->type_name("NAME")
        ->capture_default_str();
  };
  column("--component", sources.columns.component, "where it was recorded (x-y, chip:x-y)");
  column("--kind", sources.columns.kind, "read, write, message, compute");
  column("--peer", sources.columns.peer, "the other end");
  column("--bytes", sources.columns.bytes, "how many");
  column("--start", sources.columns.start, "when it began, cycles");
  column("--end", sources.columns.end, "when it was done, cycles");
  column("--layer", sources.columns.layer, "what it belongs to");
}

void add_chip_import(Command& app, Context& context) {
  Command* command = app.add_subcommand("import", "Read a real chip's records of its data movement");
  auto options = std::make_shared<chip::ChipImportOptions>();
  command
      ->add_option(
          "records",
          options->sources.files,
          "One run: NoC events (JSON), profile_log_device.csv, a table, or our own; one file a chip")
      ->required()
      ->type_name("FILE");
  add_record_options(*command, options->sources);
  command->add_option("-o,--output", options->output, "The same as Lento records")->type_name("FILE");
  context.add_output_options(*command);
  example(*command, "lento chip import examples/chip/noc_events.json -o run.records");
  command->callback([&context, options] {
    options->sources.strict = context.strict;
    finding::Diagnosis d = chip::chip_import(*options);
    if (options->output != "-")
      context.show(std::move(d));
  });
}

}  // namespace lento::cli
