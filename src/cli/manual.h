// Writes manual pages and shell completions from the declared commands.
#pragma once

#include <string>

#include "cli/args.h"

namespace lento::cli {

// Writes one page per command, NAME(1) in troff. `called` is "lento chip diagnose".
std::string manual_page(const Command& command, const std::string& called);

// Writes a completion script for "bash", "zsh" or "fish": commands, subcommands and options.
std::string completion(const Command& root, const std::string& shell);

}  // namespace lento::cli
