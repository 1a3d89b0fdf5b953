// Options that several commands about chips share.
#pragma once

#include "chip/records.h"
#include "cli/args.h"

namespace lento::cli {

void add_record_options(Command& command, chip::RecordSources& sources);

// --tolerance: below 0 it is estimated.
void add_tolerance(Command& command, double& tolerance);

}  // namespace lento::cli
