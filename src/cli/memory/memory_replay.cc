// lento memory replay: gives latencies to a trace that has none, by our cache and bus model.
#include "cli/commands/commands.h"
#include "memory/read/foreign.h"
#include "memory/replay.h"

namespace lento::cli {

void add_memory_replay(Command& group, Context& context) {
  Command* command = group.add_subcommand("replay", "Put a trace without latency through our caches and bus");
  auto args = std::make_shared<memory::MemoryReplayOptions>();
  command->add_option("TRACE", args->traces.paths, "Traces of any format; several are merged by time")
      ->required();
  command->add_option("--format", args->traces.format, "auto, text, " + memory::foreign_formats())
      ->capture_default_str();
  command->add_option("--columns", args->traces.columns, "Column order of paper text");
  command->add_option("-o,--output", args->output, "Where the trace with latencies goes")
      ->required()
      ->type_name("FILE");
  command->add_option("--platform", args->platform, "Platform (YAML)")->type_name("FILE");
  command->add_option("--harts", args->harts, "Harts, instead of the platform's; without a platform 64")
      ->check(range(1, memory::Platform::kMaxHarts));
  context.add_output_options(*command);
  example(
      *command,
      "lento memory replay addresses.txt --platform examples/memory/default.yaml -o timed.access");
  command->callback([&context, args] {
    args->strict = context.strict;
    args->progress = context.progress();
    context.show(memory::replay_memory(*args));
  });
}

}  // namespace lento::cli
