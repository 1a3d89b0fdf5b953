#include "chip/detect/alike.h"

#include <algorithm>

namespace lento::chip {
namespace {

// Which of the flows pass the component, in their order.
std::vector<bool> passes(const Component& component, const std::vector<Path>& paths) {
  std::vector<bool> out;
  for (const Path& path : paths)
    out.push_back(path.crosses(component));
  return out;
}

}  // namespace

std::vector<Component> alike(
    const Component& component,
    const std::set<Flow>& flows,
    const std::vector<Component>& candidates,
    const spec::Chip& chip,
    const Grid& grid) {
  if (component.part == Part::Core)
    return {component};
  std::vector<Path> paths;
  for (const Flow& flow : flows)
    paths.emplace_back(chip, grid, Pattern{flow.kind, 0, uint16_t(flow.peer)}, flow.core);
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
