// Finds the ranks that a job's records mention but that have no trace, and the traces that end early. Their
// state is not known, so without a finding such a job cannot be called healthy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/ranks/job.h"

namespace lento::fleet::ranks {

struct RollCall {
  std::vector<std::string> unseen;      // "rank7", or "member 2 of DATA_PARALLEL_GROUP"; not always all
  uint64_t count = 0;                   // unseen ranks, at least
  bool numbered = false;                // `unseen` holds rank numbers, else members of groups
  std::vector<std::string> not_closed;  // files that were not closed
  std::vector<std::string> unfinished;  // files that lack steps at the end which other files have
  // Duration of a collective in groups that lack members (lower quartile of the member with the least), and
  // of the same collective in complete groups (upper quartile of the member with the most). Both are 0 unless
  // the former is longer, which means that the incomplete groups wait for a rank without a trace.
  double lacking_ns = 0;
  double whole_ns = 0;
  bool complete() const {
    return count == 0 && unfinished.empty();
  }
};

RollCall call_roll(const Job& job);

// Returns "rank2, rank5 and 7 more", or "1 rank (member 2 of TP, member 0 of DP)" without rank numbers.
std::string unseen_text(const RollCall& roll);

}  // namespace lento::fleet::ranks
