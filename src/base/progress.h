// Long work tells how far it is and asks whether to stop. Both are plain functions so that modules need
// neither a terminal nor signal handling; the command line supplies them.
#pragma once

#include <functional>
#include <string_view>

#include "base/error.h"

namespace lento::base {

struct Progress {
  // `done` of `total` (0: unknown) units of `what`. Called at most a few times a second by the caller's
  // choice.
  std::function<void(std::string_view what, double done, double total)> report;
  // True once the user asked to stop (Ctrl-C): finish cleanly with the best result so far.
  std::function<bool()> stop;

  void operator()(std::string_view what, double done, double total) const {
    if (report)
      report(what, done, total);
  }
  bool stopped() const {
    return stop && stop();
  }
  // For work that has no result to keep. Throws base::Error.
  void throw_if_stopped() const {
    if (stopped())
      throw Error({}, "interrupted");
  }
};

}  // namespace lento::base
