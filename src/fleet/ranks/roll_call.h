// The ranks that the records of a job mention without any record of their own, and the traces that end early.
// Nothing is known of either, so without a finding such a job is not healthy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/ranks/job.h"

namespace lento::fleet::ranks {

struct RollCall {
  std::vector<std::string> unseen;      // "rank7", or "member 2 of DATA_PARALLEL_GROUP": a score at most
  uint64_t count = 0;                   // unseen ranks, at least
  bool numbered = false;                // `unseen` holds a name for a rank, else one for a place in a group
  std::vector<std::string> not_closed;  // files that lack their end
  std::vector<std::string> unfinished;  // those of them that miss steps which the others have
  // Time in a collective of a group that lacks members, the lower quartile of its least delayed member, and
  // of the same collective in groups that lack none, the upper quartile of their most delayed one. Both are 0
  // unless the former is longer: then more is waited for than any member at hand.
  double lacking_ns = 0;
  double whole_ns = 0;
  bool complete() const {
    return count == 0 && unfinished.empty();
  }
};

RollCall call_roll(const Job& job);

// "rank2, rank5 and 7 more"; "1 rank (member 2 of TP, member 0 of DP)" where numbers are not known.
std::string unseen_text(const RollCall& roll);

}  // namespace lento::fleet::ranks
