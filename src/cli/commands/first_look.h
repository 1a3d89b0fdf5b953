// Prints what `lento` alone answers.
#pragma once

#include <iosfwd>
#include <string>

namespace lento::cli {

// Lists the files of the folder and the questions that they answer. Opens regular files only.
void first_look(std::ostream& out, const std::string& folder);

}  // namespace lento::cli
