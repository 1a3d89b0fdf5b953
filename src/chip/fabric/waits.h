// The waits whose recorded tail can be compared with a modelled one, in groups of equal transfers.
//
// The tail of a wait is the time from its last issue to its end. Only tails are compared, because the time
// before the last issue depends on the processor alone.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "chip/fabric/play.h"

namespace lento::chip {

struct ComparedWait {
  uint32_t wait = 0;  // index into Played::waits
  uint32_t stream = 0;
  uint32_t number = 0;   // position among the stream's waits
  uint32_t pattern = 0;  // equal for waits with the same network, number of transfers, bytes and kind of peer
  // Times in cycles.
  double last_issue = 0;  // as simulated
  double tail = 0;        // as recorded
  double played = 0;      // as simulated
  double modelled = 0;    // expected: as simulated, or as in the earlier run
};

struct ComparedWaits {
  // Sorted by pattern, stream and number, so that their order does not depend on the simulation.
  std::vector<ComparedWait> waits;
  std::vector<uint32_t> streams;  // stream of each wait
  uint32_t patterns = 0;
  uint32_t left_out = 0;  // waits in groups of fewer than kEqualWaits
};

// Tails of an earlier run in cycles, by stream and number of the wait in the stream. Where they are given,
// each tail is expected to equal the earlier one, and all waits form one group (pattern 0).
using EarlierTails = std::map<std::pair<uint32_t, uint32_t>, double>;

// Collects the waits that have transfers, a recorded end, tails above 0, and at least kEqualWaits waits in
// their group. `played` is a simulation of the records of `trace`, possibly with other times. The recorded
// tails come from `trace`. At most `first` waits of each stream are compared.
ComparedWaits compared_waits(
    const Fabric& fabric,
    const TransferTrace& trace,
    const Played& played,
    const EarlierTails* earlier = nullptr,
    uint32_t first = UINT32_MAX);

EarlierTails tails_of(const TransferTrace& trace);

}  // namespace lento::chip
