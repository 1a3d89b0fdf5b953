// A program holds the route of each message and of each core's memory accesses. On another chip the ends
// stay, and the hops between them change.
#include "chip/model/other_sheets.h"

#include <utility>

#include "chip/map/grid.h"

namespace lento::chip {
namespace {

using Hops = std::vector<Grid::Hop>;

// Returns the hops along columns first, where the corner of the route is a core.
Hops columns_first(const Grid& grid, int from, int to) {
  const Position a = grid.position(from);
  const Position b = grid.position(to);
  const int corner = a.x == b.x || a.y == b.y ? -1 : grid.core(a.x, b.y);
  if (corner < 0)
    return grid.route(from, to);
  Hops out = grid.route(from, corner);
  for (const Grid::Hop& hop : grid.route(corner, to))
    out.push_back(hop);
  return out;
}

uint32_t add_route(Program& to, const Hops& hops) {
  const auto begin = uint32_t(to.hops.size());
  to.hops.insert(to.hops.end(), hops.begin(), hops.end());
  to.routes.push_back({begin, uint32_t(to.hops.size())});
  return uint32_t(to.routes.size() - 1);
}

}  // namespace

std::optional<OtherChip> with_error(SheetError error, const spec::Chip& file, const Program& program) {
  constexpr int kLeastWidth = 3;  // a torus of two has the links of a mesh
  if (file.interconnect || file.width < kLeastWidth || file.height < kLeastWidth)
    return {};
  const bool mesh = file.topology == spec::Topology::Mesh;
  if (error == SheetError::ColumnsFirst && !mesh)
    return {};
  spec::Chip chip = file;
  if (error == SheetError::Topology)
    chip.topology = mesh ? spec::Topology::Torus : spec::Topology::Mesh;
  const Grid grid(chip);
  Program to = program;
  to.hops.clear();
  to.routes.clear();
  for (Program::Channel& channel : to.channels) {
    const auto from = int(channel.from);
    const auto end = int(channel.to);
    channel.route = add_route(
        to,
        error == SheetError::ColumnsFirst ? columns_first(grid, from, end) : grid.route(from, end));
  }
  for (int core = 0; core < grid.core_count(); ++core) {
    const int port = grid.port_of(core);
    to.to_port[size_t(core)] = add_route(to, grid.write_route(core, port));
    to.from_port[size_t(core)] = add_route(to, grid.read_route(port, core));
  }
  return OtherChip{std::move(chip), std::move(to)};
}

const char* name_of(SheetError error, const spec::Chip& file) {
  if (error == SheetError::ColumnsFirst)
    return "a chip that routes along columns first";
  return file.topology == spec::Topology::Mesh ? "a torus" : "a mesh";
}

}  // namespace lento::chip
