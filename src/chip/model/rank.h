// The check without the model: records that a suspect serves must be slower, by rank, than those of peers of
// the same kind, each against what the same record takes on a healthy chip.
#pragma once

#include <span>

#include "chip/model/parts.h"

namespace lento::chip {

struct RankCheck {
  double chance = 1;   // of such ranks when the suspect is like its peers
  double slower = 1;   // median ratio of its records over that of its peers
  size_t exposed = 0;  // records that it serves in the interval
  size_t peers = 0;
  // The least chance that so many records can reach.
  double least_chance() const;
};

// Times in cycles. The chance is 1 when either side is empty.
RankCheck slower_by_rank(
    const Dictionary& dictionary,
    std::span<const ProbeRecord> records,
    const PartCells& suspect,
    double begin,
    double end);

}  // namespace lento::chip
