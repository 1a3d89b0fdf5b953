// Finds the intervals that touch the same events as a fault does. While no record passes the component, the
// records do not show when its fault began or ended, so a reported time inside such a gap counts as exact.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/read/probe_record.h"
#include "lab/chip/fault_paths.h"
#include "lab/chip/score.h"

namespace lento::chip {

// A time at which a fault began or ended, and the gap around it in which no record passed the component. The
// gap is empty when a record passed it at that time. Cycles, both ends inclusive.
struct Edge {
  uint64_t at = 0;
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
  bool busy = false;

  void see(uint64_t begin, uint64_t end);
  uint64_t nearest(uint64_t time) const;
};

// The arguments of the constructor must outlive it.
class SameEvents {
 public:
  SameEvents(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid);

  void see(const ProbeRecord& record);

  // Indexed by fault: begin, then end.
  const std::vector<std::pair<Edge, Edge>>& edges() const {
    return edges_;
  }

 private:
  FaultPaths paths_;
  std::vector<std::pair<Edge, Edge>> edges_;
};

// Returns the true interval, moved towards the reported one as far as it touches the same events.
Claim nearest_to(Claim truth, const std::pair<Edge, Edge>& edges, const Claim& claim);

}  // namespace lento::chip
