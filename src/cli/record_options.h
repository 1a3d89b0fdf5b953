// Options of every command that reads records of data movement.
#pragma once

#include "front/args.h"
#include "jobs/chip_records.h"

namespace lento::cli {

void add_record_options(Command& command, jobs::RecordSources& sources);

}  // namespace lento::cli
