// Finds components that the records cannot distinguish, because the same transfers pass them in the time in
// question.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "chip/detect/cells.h"

namespace lento::chip {

// Transfers of one kind between the same two places, which all take the same path.
struct Flow {
  ProbeKind kind = chip::ProbeKind::Message;
  int core = 0;  // where it is recorded
  int peer = 0;
  auto operator<=>(const Flow&) const = default;
};

// Collects the flows of the records that overlap an interval.
struct FlowWindow {
  // cycles, the end exclusive
  uint64_t begin = 0;
  uint64_t end = 0;
  std::set<Flow> flows = {};
  void see(const ProbeRecord& record);
};

// Returns those of `candidates` (never cores), in their order, that the same of `flows` pass as `component`,
// itself included. A core, or a component that no flow passes, is returned alone.
std::vector<Component> alike(
    const Component& component,
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid);

// Groups the `candidates` that some of `flows` pass into classes that the same flows pass. Candidates keep
// their order, and classes are ordered by their first. Classes of one component are left out.
std::vector<std::vector<Component>> classes(
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid);

// Returns the flows with records in the bins wholly within [begin, end), or in the bins that it touches when
// it covers none.
std::set<Flow> flows_between(const Cells& cells, uint64_t begin, uint64_t end);

// Joins the names with "or", such as "link0-4 or link4-8".
std::string name_of(const std::vector<Component>& components, const Grid& grid);

}  // namespace lento::chip
