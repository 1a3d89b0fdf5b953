// The commands of `lento`, one file each.
#pragma once

#include <vector>

#include "cli/context.h"
#include "cli/run.h"

namespace lento::chip {
struct Method;
}

namespace lento::cli {

Program program();

// Each function declares the options of one subcommand and sets its callback. A new command gets a file of
// its own in a folder of cli, is declared here, and is listed in commands.cc or in its group.
void add_chip(Command& app, Context& context);
void add_demo(Command& app, Context& context);
void add_diagnose(Command& app, Context& context);
void add_diff(Command& app, Context& context);
void add_docs(Command& app, Context& context);
void add_fleet(Command& app, Context& context);
void add_report(Command& app, Context& context);
void add_search(Command& app, Context& context);
void add_serve(Command& app, Context& context);
void add_tile(Command& app, Context& context);
void add_memory(Command& app, Context& context);
void add_predict(Command& app, Context& context);
void add_memory_diagnose(Command& group, Context& context);

// Commands of the group `lento chip`, listed in cli/chip/chip.cc.
void add_chip_calibrate(Command& chip, Context& context);
void add_chip_check(Command& chip, Context& context);
void add_chip_compare(Command& chip, Context& context);
void add_chip_examine(Command& chip, Context& context);
void add_chip_import(Command& chip, Context& context);
void add_chip_learn(Command& chip, Context& context);
void add_chip_map(Command& chip, Context& context);
void add_chip_simulate(Command& chip, Context& context);
void add_chip_sweep(Command& chip, Context& context);
void add_chip_diagnose(Command& chip, Context& context);
// Adds `lento chip diagnose` with `methods` as the values of --method. `methods` must outlive the command.
void add_chip_diagnose_by(Command& chip, Context& context, const std::vector<chip::Method>& methods);

// Commands of the group `lento memory`, listed in cli/memory/memory.cc.
void add_memory_itemsets(Command& memory, Context& context);
void add_memory_record(Command& memory, Context& context);
void add_memory_calibrate(Command& memory, Context& context);
void add_memory_replay(Command& memory, Context& context);
void add_memory_simulate(Command& memory, Context& context);

}  // namespace lento::cli
