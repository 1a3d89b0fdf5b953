// A recorded program, simulated with one rule of issue, next to its recorded waits. Each rule gives another
// estimate of the healthy tails (from the last issue of a wait to its end).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "chip/fabric/ends.h"
#include "chip/fabric/play.h"
#include "chip/fabric/waits.h"

namespace lento::chip {

struct Timeline {
  Played played;
  ComparedWaits compared;
  std::vector<size_t> wait_of;  // by transfer: index into compared.waits, or SIZE_MAX
  std::optional<Ends> ends;     // by compared wait
};

// The input of a judgement: the fabric, the recorded trace, and the tails of an earlier run of the same
// program, or null. All must outlive the judgement.
struct Recorded {
  const Fabric& fabric;
  const TransferTrace& trace;
  const EarlierTails* earlier = nullptr;
};

// Simulates `stamps` and compares its waits. `stamps` has the records of the recorded trace, possibly with
// changed times. At most `first` waits of each stream are compared.
Timeline
timeline(const Recorded& recorded, const TransferTrace& stamps, Issue issue, uint32_t first = UINT32_MAX);

}  // namespace lento::chip
