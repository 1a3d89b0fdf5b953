// Finds components that the records of an interval cannot distinguish, because exactly the same transfers of
// the interval pass them.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "chip/detect/cells.h"

namespace lento::chip {

// All transfers of one kind (message, read, write) between the same two places. They take the same path.
struct Flow {
  ProbeKind kind = chip::ProbeKind::Message;
  int core = 0;  // the core that records it
  int peer = 0;  // the sending core of a message, else the DRAM port
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

// Returns the components of `candidates` (which are no cores) that are passed by exactly the same of `flows`
// as `component`, with `component` itself, in the order of `candidates`. A core, or a component that no flow
// passes, is returned alone.
std::vector<Component> alike(
    const Component& component,
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid);

// Groups those `candidates` that any of `flows` passes into classes whose members are passed by exactly the
// same flows. Members keep the order of `candidates`, and classes are ordered by their first member. Classes
// with one member are left out.
std::vector<std::vector<Component>> classes(
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid);

// Returns the flows with records in the time bins wholly within the cycles [begin, end), or, when there is no
// such bin, in those that the interval touches.
std::set<Flow> flows_between(const Cells& cells, uint64_t begin, uint64_t end);

// Joins the names with "or", such as "link0-4 or link4-8".
std::string name_of(const std::vector<Component>& components, const Grid& grid);

}  // namespace lento::chip
