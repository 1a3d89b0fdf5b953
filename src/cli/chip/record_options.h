// Options of every command that reads records of data movement.
#pragma once

#include "chip/records.h"
#include "cli/args.h"

namespace lento::cli {

void add_record_options(Command& command, chip::RecordSources& sources);

}  // namespace lento::cli
