// Decides whether a recorded run is of another chip than the simulated one.
//
// The fastest transfer of a pattern meets few queues. When a class of parts is slower or faster than the file
// says, the fastest transfers of most patterns are, also of those that pass no suspect. Their median shift is
// compared with that of simulated runs, each against the others.
#pragma once

#include <string>
#include <vector>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"

namespace lento::chip {

struct RecordedRun {
  const Cells& cells;
  const std::vector<Path>& paths;
  const std::vector<Suspect>& reported;  // transfers through these are left out
};

// Returns the reason, or an empty string when the run may be of the simulated chip. `healthy`: at least two
// simulated runs, or nothing is compared.
std::string unlike_simulated(const RecordedRun& run, const std::vector<Cells>& healthy, double false_alarms);

}  // namespace lento::chip
