#include "chip/map/grid.h"

#include "base/error.h"

namespace lento::chip {

Grid::Grid(const spec::Chip& chip)
    : width_(chip.width),
      height_(chip.height),
      rows_(chip.numbering == spec::Numbering::Rows),
      ring_x_(
          chip.topology != spec::Topology::Mesh && chip.width > 2),  // two cores: the link is there already
      ring_y_(chip.topology == spec::Topology::Torus && chip.height > 2),
      by_core_(chip.core_count()) {
  for (int core = 0; core < core_count(); ++core) {
    const Position p = position(core);
    for (const int sign : {1, -1}) {
      const int along_x = neighbour(core, 0, sign);
      const int along_y = neighbour(core, 1, sign);
      if (along_x >= 0)
        add_link(core, along_x, p.x + sign < 0 || p.x + sign >= width_);
      if (along_y >= 0)
        add_link(core, along_y, p.y + sign < 0 || p.y + sign >= height_);
    }
  }
}

void Grid::add_link(int from, int to, bool wraps) {
  by_core_[from].push_back(link_count());
  by_core_[to].push_back(link_count());
  links_.push_back({from, to, wraps});
}

int Grid::neighbour(int core, int axis, int sign) const {
  Position p = position(core);
  int& along = axis == 0 ? p.x : p.y;
  const int side = axis == 0 ? width_ : height_;
  along += sign;
  if (along < 0 || along >= side) {
    if (!(axis == 0 ? ring_x_ : ring_y_))
      return -1;
    along = (along + side) % side;
  }
  return this->core(p);
}

int Grid::find_link(int from, int to) const {
  if (from < 0 || to < 0 || from >= core_count() || to >= core_count())
    return -1;
  for (const int id : by_core_[from]) {
    if (links_[id].from == from && links_[id].to == to)
      return id;
  }
  return -1;
}

int Grid::port_of(int core) const {
  const Position p = position(core);
  return 2 * p.x < width_ ? p.y : height_ + p.y;
}

int Grid::port_router(int port) const {
  return port < height_ ? core(0, port) : core(width_ - 1, port - height_);
}

std::vector<Grid::Hop> Grid::route(int from, int to) const {
  std::vector<Hop> hops;
  const Position goal = position(to);
  int at = from;
  for (int axis = 0; axis < 2; ++axis) {
    const bool ring = axis == 0 ? ring_x_ : ring_y_;
    const int side = axis == 0 ? width_ : height_;
    const Position p = position(at);
    int distance = axis == 0 ? goal.x - p.x : goal.y - p.y;
    if (ring && 2 * distance > side)
      distance -= side;
    if (ring && 2 * distance <= -side)
      distance += side;
    const int sign = distance < 0 ? -1 : 1;
    for (int lane = 0; distance != 0; distance -= sign) {
      const int next = neighbour(at, axis, sign);
      const int link = find_link(at, next);
      LENTO_CHECK(link >= 0, "a route leaves the chip");
      if (links_[link].wraps)
        lane = 1;
      hops.push_back({link, lane});
      at = next;
    }
  }
  return hops;
}

std::string Grid::core_name(int core) const {
  return "core" + std::to_string(core);
}
std::string Grid::router_name(int core) const {
  return "router" + std::to_string(core);
}
std::string Grid::memory_unit_name(int core) const {
  return "lsu" + std::to_string(core);
}

std::string Grid::link_name(int link) const {
  return "link" + std::to_string(links_[link].from) + "-" + std::to_string(links_[link].to);
}

std::string Grid::port_name(int port) const {
  const bool left = port < height_;
  return (left ? "dram-left-" : "dram-right-") + std::to_string(left ? port : port - height_);
}

}  // namespace lento::chip
