// A recorded program, played one way, with its recorded waits: one estimate of the length of each tail.
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
  std::vector<size_t> wait_of;  // transfer -> index into compared.waits, SIZE_MAX
  std::optional<Ends> ends;     // by compared wait
};

// The input of a judgement. Neither pointer is owned, and `earlier` may be null.
struct Recorded {
  const Fabric& fabric;
  const TransferTrace& trace;
  const EarlierTails* earlier = nullptr;
};

// Plays and compares. `stamps` has the records of the recorded trace, perhaps at other times. Only the first
// so many waits of each stream are compared.
Timeline
timeline(const Recorded& recorded, const TransferTrace& stamps, Issue issue, uint32_t first = UINT32_MAX);

}  // namespace lento::chip
