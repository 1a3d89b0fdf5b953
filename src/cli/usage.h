// What the user typed and what Lento understood: the errors between the two, each with a way out.
#pragma once

#include <string>
#include <vector>

#include "cli/args.h"
#include "cli/context.h"

namespace lento::cli {

// "lento fleet watch": the innermost command that was named.
std::string command_named(const Command& app);

// "error: ..." of a command that stands elsewhere now or that does not exist; "" when there is none such.
std::string misplaced_command(const Command& app, const Context& context);

// The same of an option that the named command does not have, with its present or nearest spelling.
std::string misspelt_option(const Command& app, const std::vector<std::string>& args);

// What an input error leaves open: that the file is of another kind than the option wants, that a file of a
// similar name is there, where help is. Lines to print below the error; "" when it says enough.
std::string way_out(const Command& app, const std::vector<std::string>& args, const std::string& error);

}  // namespace lento::cli
