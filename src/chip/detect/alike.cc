// Compares components by the set of flows whose paths cross them. A fault of one of two components with the
// same set changes the same records as a fault of the other.
#include "chip/detect/alike.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lento::chip {
namespace {

std::vector<Path> paths_of(const std::set<Flow>& flows, const spec::Chip& chip, const Grid& grid) {
  std::vector<Path> out;
  for (const Flow& flow : flows)
    out.emplace_back(chip, grid, Pattern{flow.kind, 0, uint16_t(flow.peer)}, flow.core);
  return out;
}

}  // namespace

void FlowWindow::see(const ProbeRecord& record) {
  if (record.kind != chip::ProbeKind::Compute && record.begin < end && record.end > begin)
    flows.insert({record.kind, record.core, record.peer});
}

std::vector<std::vector<Component>> classes(
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid) {
  const auto passing = by_component(paths_of(flows, chip, grid));
  std::map<std::vector<size_t>, std::vector<Component>> by_flows;
  for (const Component& c : candidates)
    if (const auto found = passing.find(c); found != passing.end())
      by_flows[found->second].push_back(c);
  std::vector<std::vector<Component>> out;
  for (auto& [of, components] : by_flows)
    if (components.size() > 1)
      out.push_back(std::move(components));
  std::ranges::sort(out);
  return out;
}

std::vector<Component> alike(
    const Component& component,
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid) {
  if (component.part == Part::Core)
    return {component};
  const std::vector<Path> paths = paths_of(flows, chip, grid);
  std::vector<bool> own;
  for (const Path& path : paths)
    own.push_back(path.crosses(component));
  if (std::ranges::find(own, true) == own.end())
    return {component};
  const auto passed_alike = [&](const Component& c) {  // most candidates differ in one of the first few paths
    for (size_t i = 0; i < paths.size(); ++i)
      if (paths[i].crosses(c) != own[i])
        return false;
    return true;
  };
  std::vector<Component> out;
  for (const Component& c : candidates)
    if (c == component || passed_alike(c))
      out.push_back(c);
  return out;
}

std::set<Flow> flows_between(const Cells& cells, uint64_t begin, uint64_t end) {
  std::set<Flow> out;
  if (cells.bins == 0)
    return out;
  Bins bins = bins_of(cells, begin, end);
  const Bins whole{
      size_t((begin + cells.bin_cycles - 1) / cells.bin_cycles),
      size_t(std::min<uint64_t>(end / cells.bin_cycles, cells.bins))};
  if (whole.begin < whole.end)
    bins = whole;
  for (const Row& row : cells.rows)
    for (size_t b = bins.begin; b < bins.end; ++b)
      if (row.cells[b].count > 0)
        out.insert({row.pattern.kind, row.core, row.pattern.subject});
  return out;
}

std::string name_of(const std::vector<Component>& components, const Grid& grid) {
  std::string out;
  for (const Component& c : components)
    out += (out.empty() ? "" : " or ") + name_of(c, grid);
  return out;
}

}  // namespace lento::chip
