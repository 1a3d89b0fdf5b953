// Narrows the gap around each begin and end of a fault with every record that passes its component.
#include "lab/chip/same_events.h"

#include <algorithm>

namespace lento::chip {

void Edge::see(uint64_t begin, uint64_t end) {
  if (begin < at && end > at)
    busy = true;
  else if (end <= at)
    first = std::max(first, end);
  else
    last = std::min(last, begin);
}

uint64_t Edge::nearest(uint64_t time) const {
  return busy ? at : std::clamp(time, first, last);
}

SameEvents::SameEvents(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid)
    : paths_(faults, chip, grid) {
  for (const Fault& f : faults)
    edges_.push_back({{f.begin}, {f.end}});
}

void SameEvents::see(const ProbeRecord& record) {
  const std::vector<bool>& passes = paths_.passed_by({record.kind, record.core, record.peer});
  for (size_t i = 0; i < edges_.size(); ++i) {
    if (!passes[i])
      continue;
    edges_[i].first.see(record.begin, record.end);
    edges_[i].second.see(record.begin, record.end);
  }
}

Claim nearest_to(Claim truth, const std::pair<Edge, Edge>& edges, const Claim& claim) {
  truth.begin = edges.first.nearest(claim.begin);
  truth.end = edges.second.nearest(claim.end);
  return truth;
}

}  // namespace lento::chip
