// Explains errors of the command line, each with a hint.
#pragma once

#include <string>
#include <vector>

#include "cli/args.h"
#include "cli/context.h"

namespace lento::cli {

// Returns the innermost command that was named: "lento fleet watch".
std::string command_named(const Command& app);

// Returns "error: ..." for a command that has moved, is missing or is misspelt, and "" otherwise.
std::string misplaced_command(const Command& app, const Context& context);

// Returns the error for a file that the command would read and overwrite: "-o run.csv" beside an operand
// run.csv.
std::string overwritten_input(const Command& app, const std::vector<std::string>& args);

// Returns the error for an option that the named command does not have, with its present or nearest spelling.
std::string misspelt_option(const Command& app, const std::vector<std::string>& args);

// Completes an input error: the file is of another kind than the option needs, a file of a similar name
// exists, or the help is there. Returns lines to print after the error, or "" when it has a hint already.
std::string way_out(const Command& app, const std::vector<std::string>& args, const std::string& error);

}  // namespace lento::cli
