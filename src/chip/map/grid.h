// The geometry of a chip: ids, names, links, DRAM ports and the routes that transfers take.
//
// A chip without an interconnect has cores as the chip numbers them, and DRAM port `row` on the left edge and
// `height + row` on the right, at the routers of the cores there. Names: core5, link5-9, router5, lsu5,
// dram-left-2. A sheet (spec/interconnect.h) has the cores that work, tile by tile and chip by chip, and a
// DRAM port is a tile. Names: core1-2, NOC_0/link1-2>2-2, link0/3-1>1/0-1, NOC_0/router1-2, lsu1-2, dram0-0,
// with `chip1/` in front on more than one chip.
//
// Places are tiles as numbered above, all chips side by side along x. Each place has one router per network,
// and routers are numbered network by network. On a chip without an interconnect, a router has the number of
// its core. Directed links are dense from 0. Those between chips end at places without a router, numbered
// after the last router.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/mapping.h"
#include "chip/map/wiring.h"
#include "spec/chip.h"

namespace lento::chip {

class Grid {
 public:
  explicit Grid(const spec::Chip& chip);

  int width() const {
    return wiring_.net().chips * wiring_.net().width;
  }
  int height() const {
    return wiring_.net().height;
  }
  int core_count() const {
    return int(tile_of_core_.size());
  }
  int link_count() const {
    return int(links_.size());
  }
  int port_count() const {
    return int(ports_.size());
  }
  int router_count() const {
    return routers_;
  }

  // Returns the core at a position, or -1 where no core works. Precondition: inside the grid.
  int core(int x, int y) const;
  int core(Position p) const {
    return core(p.x, p.y);
  }
  Position position(int core) const {
    return position_of_tile(tile_of_core_[size_t(core)]);
  }

  struct Link {
    // Routers at both ends.
    int from = 0;
    int to = 0;
    bool wraps = false;  // closes a ring
    int joint = -1;      // between chips: index in Interconnect::chip_links
  };
  const Link& link(int id) const {
    return links_[size_t(id)];
  }
  int find_link(int from, int to) const;     // -1 when the two routers are not neighbours
  int link_between(int one, int two) const;  // either direction that exists; -1: none
  const std::vector<int>& links_of(int router) const {
    return by_router_[size_t(router)];
  }  // both directions, by id
  Position router_position(int router) const;
  int router_of(int core) const;  // of the first network

  // Returns the DRAM port that serves a core: the one at the nearest edge of its row. On a sheet it is the
  // nearest port of its chip by hops there and back, and among equally near ones that with the fewest cores.
  int port_of(int core) const {
    return port_of_[size_t(core)];
  }
  int port_router(int port) const {  // of the first network
    return rank_of_tile_[size_t(ports_[size_t(port)])];
  }
  Position port_position(int port) const {
    return position_of_tile(ports_[size_t(port)]);
  }

  using Hop = Wiring::Hop;
  std::vector<Hop> route(int from, int to) const;         // of a message; empty when from == to
  std::vector<Hop> read_route(int port, int core) const;  // from the port
  std::vector<Hop> write_route(int core, int port) const;

  std::string core_name(int core) const;
  std::string link_name(int link) const;
  std::string router_name(int router) const;
  std::string memory_unit_name(int core) const;
  std::string port_name(int port) const;
  bool is_sheet() const {
    return sheet_;
  }

 private:
  Position position_of_tile(int tile) const;
  std::string name_at(const char* what, int core) const;
  std::vector<Hop> way(spec::Load load, int from_tile, int to_tile) const;
  int fewest_hops(spec::Load load, int from_tile, int to_tile) const;  // on one chip
  void number_links();
  void place_ports(const spec::Chip& chip);

  bool sheet_;
  Wiring wiring_;
  int routers_;
  std::array<std::vector<int>, spec::kLoads.size()> carriers_;  // networks, by load
  // Rank: the place of a tile in the order of the chip's numbering.
  std::vector<int> tile_of_rank_;
  std::vector<int> rank_of_tile_;
  std::vector<int> tile_of_core_;
  std::vector<int> core_of_tile_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> by_router_;
  std::vector<int> ports_;  // tiles
  std::vector<int> port_of_;
};

// The rate and the latency of a link without other traffic.
struct Passage {
  double bytes_per_cycle = 1;
  int cycles = 0;
};
Passage passage(const spec::Chip& chip, const Grid::Link& link);

}  // namespace lento::chip
