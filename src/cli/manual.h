// Manual pages and shell completion, written from the commands themselves.
#pragma once

#include <string>

#include "cli/args.h"

namespace lento::cli {

// One page a command, NAME(1) in troff: `called` is "lento chip diagnose".
std::string manual_page(const Command& command, const std::string& called);

// A completion script for "bash", "zsh" or "fish": commands, sub-commands and options.
std::string completion(const Command& root, const std::string& shell);

}  // namespace lento::cli
