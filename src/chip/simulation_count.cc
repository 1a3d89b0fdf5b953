// Counts simulated runs in a state that is shared with the replays and guarded by a mutex.
#include "chip/simulation_count.h"

#include <algorithm>
#include <utility>

namespace lento::chip {
namespace {

bool same(const Twin& a, const Twin& b) {
  return a.own == b.own && spec::write_chip(a.chip) == spec::write_chip(b.chip);
}

}  // namespace

ReplayOf SimulationCount::counting(ReplayOf replays) const {
  return [seen = seen_, replays = std::move(replays)](const Twin& twin) {
    return [seen,
            twin,
            replay = replays(twin)](const std::vector<Fault>& faults, uint32_t draw, uint64_t until) {
      seen->add(twin, !faults.empty(), draw);
      return replay(faults, draw, until);
    };
  };
}

int SimulationCount::runs() const {
  const std::lock_guard lock(seen_->mutex);
  return seen_->runs;
}

// Counts a simulation unless it repeats a healthy one.
void SimulationCount::Seen::add(const Twin& twin, bool with_faults, uint32_t draw) {
  const std::lock_guard lock(mutex);
  const bool known = !with_faults && std::ranges::any_of(healthy, [&](const Draw& d) {
    return d.number == draw && same(d.twin, twin);
  });
  if (known)
    return;
  ++runs;
  if (!with_faults)
    healthy.push_back({twin, draw});
}

}  // namespace lento::chip
