// Components that the records cannot tell apart: in the time in question exactly the same transfers pass
// them.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "chip/detect/cells.h"

namespace lento::chip {

// Transfers of one kind between the same two places; all take the same path.
struct Flow {
  ProbeKind kind = chip::ProbeKind::Message;
  int core = 0;  // where it is recorded
  int peer = 0;
  auto operator<=>(const Flow&) const = default;
};

// The flows that a stretch of time holds, record by record.
struct FlowWindow {
  // cycles, the end exclusive
  uint64_t begin = 0;
  uint64_t end = 0;
  std::set<Flow> flows = {};
  void see(const ProbeRecord& record);
};

// Of `candidates` (never cores), in their order, those that the same of `flows` pass as `component`, itself
// included. Alone when no flow passes it.
std::vector<Component> alike(
    const Component& component,
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid);

// `candidates` that some of `flows` pass, parted into classes that the same of them pass, each in their order
// and by its first; those of one component are left out.
std::vector<std::vector<Component>> classes(
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid);

// Flows with records in the bins that lie wholly within [begin, end), or in those it touches when none does.
std::set<Flow> flows_between(const Cells& cells, uint64_t begin, uint64_t end);

// "link0-4 or link4-8".
std::string name_of(const std::vector<Component>& components, const Grid& grid);

}  // namespace lento::chip
