// Which intervals touch the same events as a fault does: where nothing passes its component, the records do
// not tell when it began or ended.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/read/probe_record.h"
#include "lab/chip/fault_paths.h"
#include "lab/chip/score.h"

namespace lento::chip {

// A time at which a fault began or ended, and the idle stretch around it in which it may as well have; just
// itself when something passed the component then. Cycles, both ends inclusive.
struct Edge {
  uint64_t at = 0;
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
  bool busy = false;

  void see(uint64_t begin, uint64_t end);
  uint64_t nearest(uint64_t time) const;
};

// Precondition: what it is given outlives it.
class SameEvents {
 public:
  SameEvents(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid);

  void see(const ProbeRecord& record);

  // By fault: begin, then end.
  const std::vector<std::pair<Edge, Edge>>& edges() const {
    return edges_;
  }

 private:
  FaultPaths paths_;
  std::vector<std::pair<Edge, Edge>> edges_;
};

// The truth as the interval nearest to the claim that touches the same events.
Claim nearest_to(Claim truth, const std::pair<Edge, Edge>& edges, const Claim& claim);

}  // namespace lento::chip
