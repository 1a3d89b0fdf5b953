// Composes the output of --version from constants that the build generates, so that a bug report names the
// exact commit, compiler and libraries.
#include "cli/build_info.h"

#include "base/version.h"
#include "generated/build_info.h"

namespace lento::cli {

std::string build_info(const std::string& program) {
  return program + " " + base::kVersion + "\ncommit: " + kBuildCommit + "\ncompiler: " + kBuildCompiler +
         "\nfeatures: " + kBuildFeatures + "\nlibraries: " + kBuildLibraries + "\n";
}

}  // namespace lento::cli
