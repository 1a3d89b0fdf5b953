// What the system said when a file could not be used.
#pragma once

#include <string>
#include <string_view>

namespace lento::base {

// Throws Error: "PATH: error: cannot open: No such file or directory", by errno.
[[noreturn]] void throw_errno(const std::string& path, std::string_view what);

}  // namespace lento::base
