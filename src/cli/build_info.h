// Describes this program: version, commit, features, libraries.
#pragma once

#include <string>

namespace lento::cli {

std::string build_info(const std::string& program);

}  // namespace lento::cli
