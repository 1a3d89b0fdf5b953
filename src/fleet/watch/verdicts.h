// Derives the current verdicts on machines from the active episodes of a scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fleet/scan/scan.h"

namespace lento::fleet {

struct MachineVerdict {
  size_t machine = 0;
  bool silent = false;  // it sends no samples; false: its metrics differ from its peers'
  int64_t onset_ms = 0;
  int64_t raised_ms = 0;
  size_t metric = 0;  // the first metric that deviated
  double score = 0;   // score of that metric, in multiples of the threshold
  std::string text;   // "power_w has a mean of 630 where peers have 700 in the last 100 s; ..."
  // A large part of the group deviates at once, so that a shared cause is likely. No hook is run.
  bool in_a_crowd = false;
};

// Returns one verdict for each machine and kind, ordered by machine. A member of an episode that moved by
// less than half of its strongest member is only affected and gets no verdict.
std::vector<MachineVerdict> standing_verdicts(const Scan& scan);

// Returns the number of machines in episodes that a large part of their group shares.
size_t machines_together(const std::vector<MachineVerdict>& verdicts);

}  // namespace lento::fleet
