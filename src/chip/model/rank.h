// Tests raw records without the model: the records that a suspect serves must be slower, by rank, than
// records of peers of the same kind. Each record is divided by its duration on a healthy chip.
#pragma once

#include <span>

#include "chip/model/parts.h"

namespace lento::chip {

struct RankCheck {
  double chance = 1;   // probability of such ranks when the suspect is not slower
  double slower = 1;   // median ratio of its records over that of the peers
  size_t exposed = 0;  // records that the suspect serves in the interval
  size_t peers = 0;
  // Returns the smallest probability that so many records can give.
  double least_chance() const;
};

// Runs the test. Times are in cycles. The probability is 1 when the suspect or its peers have no records.
RankCheck slower_by_rank(
    const Dictionary& dictionary,
    std::span<const ProbeRecord> records,
    const PartCells& suspect,
    double begin,
    double end);

}  // namespace lento::chip
