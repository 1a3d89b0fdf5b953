// Options that several commands about chips share.
#pragma once

#include "chip/records.h"
#include "cli/args.h"

namespace lento::cli {

void add_record_options(Command& command, chip::RecordSources& sources);

// Declares --models, the folder of models learnt by `lento chip learn`. models_folder returns the path that
// its value means, or "" for "none".
void add_models(Command& command, std::string& models);
std::string models_folder(const std::string& models);

}  // namespace lento::cli
