#include "chip/detect/alike.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lento::chip {
namespace {

// Which of the flows pass the component, in their order.
std::vector<bool> passes(const Component& component, const std::vector<Path>& paths) {
  std::vector<bool> out;
  for (const Path& path : paths)
    out.push_back(path.crosses(component));
  return out;
}

std::vector<Path> paths_of(const std::set<Flow>& flows, const spec::Chip& chip, const Grid& grid) {
  std::vector<Path> out;
  for (const Flow& flow : flows)
    out.emplace_back(chip, grid, Pattern{flow.kind, 0, uint16_t(flow.peer)}, flow.core);
  return out;
}

}  // namespace

void FlowWindow::see(const trace::ProbeRecord& record) {
  if (record.kind != trace::ProbeKind::Compute && record.begin < end && record.end > begin)
    flows.insert({record.kind, record.core, record.peer});
}

std::vector<std::vector<Component>> classes(
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid) {
  const std::vector<Path> paths = paths_of(flows, chip, grid);
  std::map<std::vector<bool>, std::vector<Component>> by_flows;
  for (const Component& c : candidates)
    if (c.part != Part::Core)
      by_flows[passes(c, paths)].push_back(c);
  by_flows.erase(std::vector<bool>(paths.size()));
  std::vector<std::vector<Component>> out;
  for (auto& [passing, components] : by_flows)
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
  const std::vector<bool> own = passes(component, paths);
  if (std::ranges::find(own, true) == own.end())
    return {component};
  std::vector<Component> out;
  for (const Component& c : candidates)
    if (c == component || passes(c, paths) == own)
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
