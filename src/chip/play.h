// What a healthy chip should take for a recorded program: the fabric plays it and stands beside the records.
#pragma once

#include <string>

#include "chip/records.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipPlayOptions {
  RecordSources sources;
  std::string chip = "wormhole";  // a sheet's path or name
  bool use_stamps = false;        // issue when recorded; else given are begins, order, bytes and waits only
};

// An answer: predicted and measured time from the first zone's begin to the last wait's end, each processor's
// and each wait's, and what was congested.
finding::Diagnosis chip_play(const ChipPlayOptions& options);

}  // namespace lento::chip
