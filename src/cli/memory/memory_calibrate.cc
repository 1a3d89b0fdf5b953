// lento memory calibrate: measures this machine's caches, page tables, memory and transfers.
#include "cli/commands/commands.h"
#include "memory/calibrate.h"

namespace lento::cli {

void add_memory_calibrate(Command& group, Context& context) {
  Command* command = group.add_subcommand(
      "calibrate",
      "Measure this machine's memory in under a minute, for 'memory record --platform'");
  auto options = std::make_shared<memory::CalibrationOptions>();
  command->add_option("-o,--output", options->output, "Where the platform (YAML) goes")
      ->required()
      ->type_name("FILE");
  context.add_output_options(*command);
  example(*command, "lento memory calibrate -o host.yaml");
  command->callback([&context, options] {
    options->progress = context.progress();
    context.show(memory::calibrate_memory(*options));
  });
}

}  // namespace lento::cli
