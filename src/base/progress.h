// Reports the progress of long work and tests whether to stop it. Both are plain functions, so that modules
// need neither a terminal nor signal handling. The command line supplies them.
#pragma once

#include <functional>
#include <string_view>

#include "base/error.h"

namespace lento::base {

struct Progress {
  // Reports that `done` of `total` (0: not known) units of `what` are complete. The caller limits this to a
  // few times a second.
  std::function<void(std::string_view what, double done, double total)> report;
  // Returns true after an interrupt by the user (Ctrl-C). Work then ends with the best result so far.
  std::function<bool()> stop;

  void operator()(std::string_view what, double done, double total) const {
    if (report)
      report(what, done, total);
  }
  bool stopped() const {
    return stop && stop();
  }
  // Throws base::Error when stopped, for work that has no partial result.
  void throw_if_stopped() const {
    if (stopped())
      throw Error({}, "interrupted");
  }
};

}  // namespace lento::base
