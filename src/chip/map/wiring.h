// The directed links of an interconnect and the routes through them.
//
// Tiles count over all chips: chip * width * height + y * width + x. Between two tiles that a network's
// table names, the route is the table's. Otherwise it goes along one axis and then the other, on a ring in
// the direction that the network turns, or the shorter way, upwards when both are equal. It passes as few
// chips as possible, among equals those whose links come first in the list of links between chips
// (Interconnect::chip_links). Among several links from one chip to the next it takes the one with the
// fewest hops before it and, where the route ends on that chip, after it, and of equals the first.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "spec/interconnect.h"

namespace lento::chip {

class Wiring {
 public:
  // Links are listed network by network in the order of the tiles they leave, which is `order` on each chip
  // (empty: 0, 1, ...), from one tile right, down, left, up. Then follow those that tables add, and last the
  // links between chips.
  explicit Wiring(spec::Interconnect net, const std::vector<int>& order = {});

  struct Link {
    int network = -1;  // -1: between chips
    int from = 0;
    int to = 0;
    bool wraps = false;  // closes a ring
    int joint = -1;      // of a link between chips: index in the sheet
  };
  // A link and the lane (virtual channel of its class) it is taken on: 1 from the link that closes a ring
  // onwards within one dimension (the dateline), else 0.
  struct Hop {
    int link;
    int lane;
  };

  const spec::Interconnect& net() const {
    return net_;
  }
  int tile_count() const {
    return net_.chips * per_chip_;
  }
  int tile(const spec::TilePlace& at) const {
    return at.chip * per_chip_ + net_.tile(at.x, at.y);
  }
  spec::TilePlace place(int tile) const {
    const int own = tile % per_chip_;
    return {tile / per_chip_, own % net_.width, own / net_.width};
  }
  spec::TileKind kind(int tile) const {
    return net_.tiles[size_t(tile % per_chip_)];
  }
  const std::vector<Link>& links() const {
    return links_;
  }
  int link(int network, int from, int to) const;  // -1 when not neighbours in that network

  // Appends the path of a network from tile to tile. Returns false and leaves `out` unchanged when the chips
  // are not connected.
  bool route(int network, int from, int to, std::vector<Hop>& out) const;
  // Returns the number of links on that path between two tiles of one chip.
  int hops(int network, int from, int to) const;

 private:
  struct Step {  // one axis of a network
    bool closed;
    spec::Sense sense;
    int size;
  };
  Step axis(const spec::Interconnect::Network& network, bool along_y) const;
  static int distance(const Step& step, int from, int to);  // negative: downwards
  // Nullptr: the table has no such path.
  const std::vector<spec::TilePlace>* table_way(int network, int from, int to) const;
  void add(int network, int from, int to, bool wraps);
  void add_network(int network, const std::vector<int>& order);
  void add_table(int network);
  void join_chips();
  void walk(int network, int from, int to, std::vector<Hop>& out) const;
  void walk_axis(int network, bool along_y, int to, int& at, std::vector<Hop>& out) const;
  int next_chip(int from_chip, int to_chip) const;  // -1: no way
  int nearest_joint(int network, int at, int towards, int to) const;

  spec::Interconnect net_;
  int per_chip_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> leaving_;                     // by network * tiles + tile
  std::vector<std::array<int, 4>> next_;                      // the same: right, left, down, up; -1: none
  std::vector<std::map<std::pair<int, int>, size_t>> table_;  // by network: tiles of a chip -> sheet's route
  size_t first_joint_ = 0;
  std::vector<int> next_chip_;            // by chip * chips + chip
  std::vector<std::vector<int>> joints_;  // links by chip * chips + destination chip
};

}  // namespace lento::chip
