// lento memory ...: groups the commands on contention for memory. Each has a file of its own.
#include "cli/commands/commands.h"

namespace lento::cli {

void add_memory(Command& app, Context& context) {
  Command* group = app.add_subcommand("memory", "Who fights over memory, on which lines, at what cost");
  group->require_subcommand(1);
  add_memory_itemsets(*group, context);
  add_memory_record(*group, context);
  add_memory_calibrate(*group, context);
  add_memory_replay(*group, context);
  add_memory_simulate(*group, context);
  add_memory_diagnose(*group, context);
}

}  // namespace lento::cli
