// The command line as a function, for tests.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/commands.h"

namespace lento::cli {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

inline Outcome call(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run(program(), args, {out, err});
  return {code, out.str(), err.str()};
}

}  // namespace lento::cli
