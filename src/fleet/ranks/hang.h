// Finds the ranks that block a hanging job, as plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

enum class StuckKind {
  NotJoined,  // the rank never requested the collective that its group waits for
  Stopped,    // the rank requested it but, unlike its group, did not complete it: its GPU stopped
};

struct StuckRank {
  int rank = -1;
  StuckKind kind = StuckKind::NotJoined;
  std::string group;         // the group in which it lags most
  std::string op;            // the first operation that it has not completed; may be empty
  int64_t sequence = 0;      // number of that operation
  int64_t behind = 0;        // number of collectives that the most advanced member has more
  int groups = 0;            // number of groups in which it lags
  std::vector<int> waiting;  // members of the group that are more advanced
};

struct WaitEdge {
  int waits = -1;
  int for_rank = -1;
  std::string group;
  std::string op;
};

struct OpMismatch {
  std::string group;
  int64_t sequence = 0;
  std::string what;        // "rank 3: all_reduce [1024], rank 5: all_reduce [512]"
  std::vector<int> ranks;  // ranks whose operation fewer members have
};

struct HangAnalysis {
  std::vector<StuckRank> stuck;  // by rank
  std::vector<WaitEdge> waits;   // by waiting rank, for its first incomplete operation
  std::vector<OpMismatch> mismatches;
  std::vector<int> without_dump;  // members of groups for which there is no file
  // Ranks that others wait for in a group, but whose dumps hold no state of that group.
  std::vector<int> without_state;
  std::vector<int> ring;  // ranks that wait for one another in a cycle; empty when some rank is stuck
  size_t pending = 0;
};

HangAnalysis analyse_hang(const std::vector<HangDump>& dumps);

}  // namespace lento::fleet::ranks
