// Predicts how long a healthy chip takes for a recorded program, by playing it on the fabric, and compares
// it with the records.
#pragma once

#include <string>

#include "chip/records.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipPlayOptions {
  RecordSources sources;
  std::string chip = "wormhole";  // name of a shipped sheet, or a path
  // Issue transfers at their recorded times; false: only begins, order, bytes and waits are given.
  bool use_stamps = false;
};

// Returns the predicted and measured time from the begin of the first zone to the end of the last wait,
// those of each processor and wait, and the congested servers.
finding::Diagnosis chip_play(const ChipPlayOptions& options);

}  // namespace lento::chip
