// Converts errno into an Error that names the file and the action that failed.
#include "base/file_error.h"

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace lento::base {

void throw_errno(const std::string& path, std::string_view what) {
  throw Error({path}, std::string(what) + ": " + std::strerror(errno));
}

}  // namespace lento::base
