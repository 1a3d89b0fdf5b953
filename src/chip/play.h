// Predicts how long a healthy chip takes for a recorded program, by simulating it on the fabric, and compares
// it with the records.
#pragma once

#include <string>

#include "chip/records.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipPlayOptions {
  RecordSources sources;
  std::string chip = "wormhole";  // name of a shipped sheet, or a path
  // Issues transfers at their recorded times. When false, only the begins, the order, the bytes and the waits
  // are taken from the records.
  bool use_stamps = false;
};

// Returns the predicted and measured time from the begin of the first zone to the end of the last wait,
// those of each processor and wait, and the congested servers.
finding::Diagnosis chip_play(const ChipPlayOptions& options);

}  // namespace lento::chip
