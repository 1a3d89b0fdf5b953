// Megatron-LM's timers (--timing-log-level), as its three options write them behind an iteration.
//
//   minmax = "(min, max) time across ranks (ms):" {NAME DOTS ": (" X ", " X ")"}
//   max    = "max time across ranks (ms):" {NAME DOTS ": " X}
//   all    = "times across ranks (ms):" {NAME ":" {"rank" N ":" X}}
//
// A time of one rank is a sample of that rank. A largest time is stated without its rank: it is a sample of
// Scope::Extreme, with the smallest time as its expectation. Timers of work are judged. Those in which ranks
// wait for each other show who waits, and are not judged.
//
// Source: megatron/core/timers.py of Megatron-LM 0.5 to 0.15.
#pragma once

#include <string>
#include <string_view>

#include "desk/read/format.h"

namespace lento::desk {

class MegatronTimers {
 public:
  static constexpr int kMostLines = 64;  // lines of other ranks that may separate two lines of a paragraph

  // Begins a paragraph at its headline, for the step of the preceding iteration.
  void begin(double step);
  // Reads a line of the paragraph. Returns false when the line is not part of it.
  bool line(std::string_view line, Sink& sink);

 private:
  double step_ = kUnknown;
  std::string heading_;
};

}  // namespace lento::desk
