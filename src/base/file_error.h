// Converts errno into an Error that names the file.
#pragma once

#include <string>
#include <string_view>

namespace lento::base {

// Throws Error by errno: "PATH: error: cannot open: No such file or directory".
[[noreturn]] void throw_errno(const std::string& path, std::string_view what);

}  // namespace lento::base
