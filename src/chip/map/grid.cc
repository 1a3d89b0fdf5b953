// Numbers the cores, routers, links and DRAM ports of a chip, names them, and assigns every core its DRAM
// port. A chip without an interconnect gets a mesh with ports at both edges. Routes come from the wiring.
#include "chip/map/grid.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace lento::chip {
namespace {

using spec::Interconnect;
using spec::Load;
using spec::TileKind;

// Returns the chip's interconnect, or a default where it declares none: every place a core, one network.
Interconnect interconnect_of(const spec::Chip& chip) {
  if (chip.interconnect)
    return *chip.interconnect;
  Interconnect net;
  net.width = chip.width;
  net.height = chip.height;
  net.tiles.assign(size_t(chip.width) * size_t(chip.height), TileKind::Core);
  net.networks.emplace_back();
  net.networks.front().topology = chip.topology;
  return net;
}

// Lists the tiles of one chip in the order of its numbering. Empty when they are numbered row by row.
std::vector<int> tile_order(const spec::Chip& chip) {
  std::vector<int> order;
  if (chip.numbering == spec::Numbering::Rows || chip.interconnect)
    return order;
  for (int x = 0; x < chip.width; ++x)
    for (int y = 0; y < chip.height; ++y)
      order.push_back(y * chip.width + x);
  return order;
}

}  // namespace

Grid::Grid(const spec::Chip& chip)
    : sheet_(chip.interconnect.has_value()),
      wiring_(interconnect_of(chip), tile_order(chip)),
      routers_(int(wiring_.net().networks.size()) * wiring_.tile_count()),
      tile_of_rank_(tile_order(chip)),
      rank_of_tile_(size_t(wiring_.tile_count())),
      core_of_tile_(size_t(wiring_.tile_count()), -1) {
  const Interconnect& net = wiring_.net();
  for (const Load load : spec::kLoads)
    for (size_t n = 0; n < net.networks.size(); ++n)
      if (net.networks[n].carries[size_t(load)])
        carriers_[size_t(load)].push_back(int(n));
  if (tile_of_rank_.empty()) {
    tile_of_rank_.resize(rank_of_tile_.size());
    std::iota(tile_of_rank_.begin(), tile_of_rank_.end(), 0);
  }
  for (size_t rank = 0; rank < tile_of_rank_.size(); ++rank) {
    const int tile = tile_of_rank_[rank];
    rank_of_tile_[size_t(tile)] = int(rank);
    if (wiring_.kind(tile) != TileKind::Core)
      continue;
    core_of_tile_[size_t(tile)] = core_count();
    tile_of_core_.push_back(tile);
  }
  number_links();
  place_ports(chip);
}

// Numbers the links between routers in the order of the chip file.
void Grid::number_links() {
  const int tiles = wiring_.tile_count();
  by_router_.resize(size_t(routers_ + tiles));
  for (const Wiring::Link& link : wiring_.links()) {
    const int base = link.network < 0 ? routers_ : link.network * tiles;
    const int from = base + rank_of_tile_[size_t(link.from)];
    const int to = base + rank_of_tile_[size_t(link.to)];
    by_router_[size_t(from)].push_back(link_count());
    by_router_[size_t(to)].push_back(link_count());
    links_.push_back({from, to, link.wraps, link.joint});
  }
}

// Places the memory ports and assigns each core its nearest.
void Grid::place_ports(const spec::Chip& chip) {
  if (!sheet_) {
    for (const int x : {0, chip.width - 1})
      for (int y = 0; y < chip.height; ++y)
        ports_.push_back(y * chip.width + x);
    for (int core = 0; core < core_count(); ++core) {
      const Position p = position(core);
      port_of_.push_back(2 * p.x < chip.width ? p.y : chip.height + p.y);
    }
    return;
  }
  for (int tile = 0; tile < wiring_.tile_count(); ++tile)
    if (wiring_.kind(tile) == TileKind::Dram)
      ports_.push_back(tile);
  std::vector<int> served(ports_.size());
  const int per_chip = wiring_.net().width * wiring_.net().height;
  for (const int tile : tile_of_core_) {
    int best = -1;
    int best_hops = INT_MAX;
    for (int port = 0; port < port_count(); ++port) {
      const int there = ports_[size_t(port)];
      if (there / per_chip != tile / per_chip)
        continue;
      const int hops = fewest_hops(Load::Writes, tile, there) + fewest_hops(Load::Reads, there, tile);
      if (hops > best_hops || (hops == best_hops && served[size_t(port)] >= served[size_t(best)]))
        continue;
      best = port;
      best_hops = hops;
    }
    LENTO_CHECK(best >= 0, "a chip of a sheet has DRAM");
    ++served[size_t(best)];
    port_of_.push_back(best);
  }
}

int Grid::core(int x, int y) const {
  const Interconnect& net = wiring_.net();
  return core_of_tile_[size_t(wiring_.tile({x / net.width, x % net.width, y}))];
}

Position Grid::position_of_tile(int tile) const {
  const spec::TilePlace at = wiring_.place(tile);
  return {at.chip * wiring_.net().width + at.x, at.y};
}

Position Grid::router_position(int router) const {
  return position_of_tile(tile_of_rank_[size_t(router % wiring_.tile_count())]);
}

int Grid::router_of(int core) const {
  return rank_of_tile_[size_t(tile_of_core_[size_t(core)])];
}

int Grid::find_link(int from, int to) const {
  const int routers = int(by_router_.size());
  if (from < 0 || to < 0 || from >= routers || to >= routers)
    return -1;
  for (const int id : by_router_[size_t(from)]) {
    if (links_[size_t(id)].from == from && links_[size_t(id)].to == to)
      return id;
  }
  return -1;
}

int Grid::link_between(int one, int two) const {
  const int there = find_link(one, two);
  return there >= 0 ? there : find_link(two, one);
}

int Grid::fewest_hops(Load load, int from_tile, int to_tile) const {
  int fewest = INT_MAX;
  for (const int network : carriers_[size_t(load)])
    fewest = std::min(fewest, wiring_.hops(network, from_tile, to_tile));
  return fewest;
}

// Returns the shortest route between two tiles over the networks that carry this load.
std::vector<Grid::Hop> Grid::way(Load load, int from_tile, int to_tile) const {
  std::vector<Hop> best;
  bool found = false;
  for (const int network : carriers_[size_t(load)]) {
    std::vector<Hop> hops;
    const bool joined = wiring_.route(network, from_tile, to_tile, hops);
    LENTO_CHECK(joined, "a sheet joins its chips");
    if (!found || hops.size() < best.size())
      best = std::move(hops);
    found = true;
  }
  return best;
}

std::vector<Grid::Hop> Grid::route(int from, int to) const {
  return way(Load::Messages, tile_of_core_[size_t(from)], tile_of_core_[size_t(to)]);
}

std::vector<Grid::Hop> Grid::read_route(int port, int core) const {
  return way(Load::Reads, ports_[size_t(port)], tile_of_core_[size_t(core)]);
}

std::vector<Grid::Hop> Grid::write_route(int core, int port) const {
  return way(Load::Writes, tile_of_core_[size_t(core)], ports_[size_t(port)]);
}

std::string Grid::name_at(const char* what, int core) const {
  if (!sheet_)
    return what + std::to_string(core);
  return spec::tile_name(wiring_.net(), what, wiring_.place(tile_of_core_[size_t(core)]));
}

std::string Grid::core_name(int core) const {
  return name_at("core", core);
}

std::string Grid::memory_unit_name(int core) const {
  return name_at("lsu", core);
}

std::string Grid::router_name(int router) const {
  if (!sheet_)
    return "router" + std::to_string(router);
  const int tiles = wiring_.tile_count();
  return spec::tile_name(wiring_.net(), router / tiles, "router", wiring_.place(router % tiles));
}

// Returns the readable name of a link.
std::string Grid::link_name(int id) const {
  const Link& own = links_[size_t(id)];
  if (!sheet_)
    return "link" + std::to_string(own.from) + "-" + std::to_string(own.to);
  const Wiring::Link& link = wiring_.links()[size_t(id)];
  const spec::TilePlace from = wiring_.place(link.from);
  const spec::TilePlace to = wiring_.place(link.to);
  return link.network < 0 ? spec::chip_link_name(from, to)
                          : spec::link_name(wiring_.net(), link.network, from, to);
}

std::string Grid::port_name(int port) const {
  if (sheet_)
    return spec::tile_name(wiring_.net(), "dram", wiring_.place(ports_[size_t(port)]));
  const bool left = port < height();
  return (left ? "dram-left-" : "dram-right-") + std::to_string(left ? port : port - height());
}

// Returns bytes per cycle and latency of a link, on the chip or between chips.
Passage passage(const spec::Chip& chip, const Grid::Link& link) {
  if (link.joint < 0)
    return {chip.network.link_bytes_per_cycle, chip.network.router_cycles};
  const Interconnect::ChipLink& joint = chip.interconnect->chip_links[size_t(link.joint)];
  return {joint.bytes_per_cycle, int(std::lround(joint.cycles))};
}

}  // namespace lento::chip
