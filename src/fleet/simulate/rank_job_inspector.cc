// Reduces a simulated trace to the records that NCCL's Inspector would write: no rank numbers, no computing,
// no small operations.
#include <map>

#include "fleet/simulate/rank_job.h"

namespace lento::fleet {

using fleet::ranks::CollectiveRecord;
using fleet::ranks::Communicator;
using fleet::ranks::RankTrace;

RankTrace as_inspector(const RankTrace& full) {
  constexpr int64_t kLeastBytes = 8192;
  RankTrace t = full;
  t.layout = "inspector";
  t.rank = -1;
  t.device = -1;
  t.world = -1;
  t.computes = false;
  t.compute.clear();
  t.steps.clear();
  t.records.clear();
  std::map<std::pair<int, int>, int64_t> numbers;
  for (CollectiveRecord r : full.records) {
    const int kind = is_p2p(r.op) ? -1 : int(r.op);
    r.sequence = ++numbers[{r.communicator, kind}];
    if (r.bytes < kLeastBytes)
      continue;
    r.begin_ns -= r.begin_ns % 1000;
    r.end_ns -= r.end_ns % 1000;
    r.step = -1;
    t.records.push_back(r);
  }
  for (Communicator& c : t.communicators)
    c.ranks.clear();
  return t;
}

}  // namespace lento::fleet
