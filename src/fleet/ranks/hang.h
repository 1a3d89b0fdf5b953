// The ranks that hold up a job that hangs, as plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

enum class StuckKind {
  NotJoined,  // never requested the collective that its group waits for
  Stopped,    // requested it, but its group has completed it: the GPU stopped
};

struct StuckRank {
  int rank = -1;
  StuckKind kind = StuckKind::NotJoined;
  std::string group;         // in which it is furthest behind
  std::string op;            // the first that it lacks, as its peers call it
  int64_t sequence = 0;      // number of that operation
  int64_t behind = 0;        // collectives behind the furthest member
  int groups = 0;            // in how many groups it is behind
  std::vector<int> waiting;  // members that are further
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
  std::vector<int> ranks;  // of the smaller side
};

struct HangAnalysis {
  std::vector<StuckRank> stuck;  // by rank
  std::vector<WaitEdge> waits;   // by waiting rank: what it waits for first
  std::vector<OpMismatch> mismatches;
  std::vector<int> without_dump;  // ranks that groups name and no file is there for
  // Ranks that are waited for in a group of which their dumps hold neither numbers nor operations.
  std::vector<int> without_state;
  std::vector<int> ring;  // ranks that wait for one another in a circle, when no rank is stuck by itself
  size_t pending = 0;
};

HangAnalysis analyse_hang(const std::vector<HangDump>& dumps);

}  // namespace lento::fleet::ranks
