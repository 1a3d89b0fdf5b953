// Decides whether a recorded run comes from a chip with other rates than the simulated one.
//
// The fastest transfer of a pattern meets few queues. When all links (or memory units, or DRAM ports) are
// slower or faster than the chip file states, the fastest transfers of most patterns are too, also of
// patterns that pass no suspect. The shift of a pattern, in octaves, is the level of its fastest transfer
// less the mean of that level over simulated runs. The median of the recorded run's shifts over patterns is
// compared with the medians of the simulated runs, each of which is compared with the other simulated ones.
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

// Returns in words how the run differs from the simulated chip, or an empty string when it does not.
// `healthy` holds simulated runs of the healthy chip. With fewer than two nothing is compared.
std::string unlike_simulated(const RecordedRun& run, const std::vector<Cells>& healthy, double false_alarms);

}  // namespace lento::chip
