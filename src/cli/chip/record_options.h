// Options that several commands about chips share.
#pragma once

#include "chip/records.h"
#include "cli/args.h"

namespace lento::cli {

void add_record_options(Command& command, chip::RecordSources& sources);

// --models, and the folder that it means: empty where nothing is kept.
void add_models(Command& command, std::string& models);
std::string models_folder(const std::string& models);

}  // namespace lento::cli
