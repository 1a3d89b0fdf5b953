// What `lento` says to who types nothing else.
#pragma once

#include <iosfwd>
#include <string>

namespace lento::cli {

// What the files of the folder are and what can be asked of them. Opens regular files only.
void first_look(std::ostream& out, const std::string& folder);

}  // namespace lento::cli
