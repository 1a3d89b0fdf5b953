// The geometry of a chip: ids, names, links, DRAM ports and the routes that transfers take.
//
// Ids: cores as the chip numbers them; a directed link per ordered pair of neighbours, dense from 0; DRAM
// port `row` on the left edge and `height + row` on the right. Names: core5, link5-9, router5, lsu5,
// dram-left-2. Routing is dimension ordered, x first; on a ring the shorter way, upwards when both are equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

class Grid {
 public:
  explicit Grid(const spec::Chip& chip);

  int width() const {
    return width_;
  }
  int height() const {
    return height_;
  }
  int core_count() const {
    return width_ * height_;
  }
  int link_count() const {
    return int(links_.size());
  }
  int port_count() const {
    return 2 * height_;
  }

  int core(int x, int y) const {
    return rows_ ? y * width_ + x : x * height_ + y;
  }
  int core(Position p) const {
    return core(p.x, p.y);
  }
  Position position(int core) const {
    return rows_ ? Position{core % width_, core / width_} : Position{core / height_, core % height_};
  }

  struct Link {
    int from = 0;
    int to = 0;
    bool wraps = false;  // closes a ring
  };
  const Link& link(int id) const {
    return links_[id];
  }
  int find_link(int from, int to) const;  // -1 when the two are not neighbours
  const std::vector<int>& links_of(int core) const {
    return by_core_[core];
  }  // both directions, by id

  int port_of(int core) const;      // the DRAM port that serves a core: nearest edge of its row
  int port_router(int port) const;  // the core whose router the port hangs on

  // One hop of a route: a link and the lane (virtual channel of its class) it is taken on. The lane is 1 from
  // the link that closes a ring onwards within one dimension (the dateline), else 0.
  struct Hop {
    int link;
    int lane;
  };
  std::vector<Hop> route(int from, int to) const;  // empty when from == to

  std::string core_name(int core) const;
  std::string link_name(int link) const;
  std::string router_name(int core) const;
  std::string memory_unit_name(int core) const;
  std::string port_name(int port) const;

 private:
  int neighbour(int core, int axis, int sign) const;  // -1 over the edge of a mesh
  void add_link(int from, int to, bool wraps);

  int width_;
  int height_;
  bool rows_;
  bool ring_x_;
  bool ring_y_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> by_core_;
};

}  // namespace lento::chip
