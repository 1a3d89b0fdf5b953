// The command line. Everything a user sees passes through here; modules below only compute.
//
// Exit codes: 0 ran, 1 findings (only with --exit-code), 2 bad usage or input, 3 a bug of ours,
// 130 interrupted (best result so far printed).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace lento::cli {

struct Streams {
  std::ostream& out;  // the result and only the result
  std::ostream& err;  // progress, warnings, timings, errors
  bool err_is_terminal = false;
};

// `args` without the program name. Never throws.
int run(const std::vector<std::string>& args, Streams streams);

}  // namespace lento::cli
