// The tiles of one or more chips, the networks between them and the links between chips, as data, and the one
// scheme of names for tiles and links. Part of YAML `lento.chip/2` (docs/formats/chip.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lento::spec {

enum class Topology : uint8_t {
  Mesh,
  Ring,   // one row, both ends joined; height is 1
  Torus,  // every row and every column is a ring
};
const char* name(Topology topology);

enum class TileKind : uint8_t {
  Core,      // runs programs and has memory that others read and write
  Dram,      // a port of a memory channel
  Ethernet,  // ends of links to other chips
  Router,    // passes traffic on, holds nothing
  Harvested  // switched off: passes traffic on, runs nothing
};
const char* name(TileKind kind);

// The direction in which the links of a network lead along one axis: to higher coordinates, to lower ones,
// or both.
enum class Sense : uint8_t {
  Up,
  Down,
  Both  // the shorter way; up when both are equal
};
const char* name(Sense sense);

// The kinds of traffic of a mapped workload.
enum class Load : uint8_t {
  Messages,  // from core to core
  Reads,     // from DRAM
  Writes     // to DRAM
};
constexpr std::array kLoads{Load::Messages, Load::Reads, Load::Writes};
const char* name(Load load);

struct TilePlace {
  int chip = 0;
  int x = 0;
  int y = 0;
  auto operator<=>(const TilePlace&) const = default;
};

struct Interconnect {
  int chips = 1;                // equal ones, 1..64
  int width = 1;                // of one chip, 1..256
  int height = 1;               // 1..256; all tiles of all chips at most 65,536
  std::vector<TileKind> tiles;  // of one chip: y * width + x

  struct Network {
    std::string name = "noc";
    Topology topology = Topology::Mesh;
    bool y_first = false;  // dimension order: x first unless set
    Sense x = Sense::Both;
    Sense y = Sense::Both;
    struct Route {  // replaces dimension order between two tiles of every chip; the places are of chip 0
      std::vector<TilePlace> tiles;  // from, ..., to: neighbours each
    };
    std::vector<Route> table;
    // The traffic that this network carries, by Load. When several networks carry a kind, it takes the one
    // with fewer hops between its two tiles, and the first of equals.
    std::array<bool, kLoads.size()> carries{true, true, true};
  };
  std::vector<Network> networks;

  // A directed link between a tile of one chip and a tile of another. Every network can send over it.
  struct ChipLink {
    TilePlace from;
    TilePlace to;
    double bytes_per_cycle = 12.5;
    double cycles = 600;
  };
  std::vector<ChipLink> chip_links;

  int tile(int x, int y) const {
    return y * width + x;
  }
  TileKind kind(int x, int y) const {
    return tiles[size_t(tile(x, y))];
  }
  // Counts the tiles of a kind on all chips.
  int count(TileKind kind) const;
};

// Returns "core1-2", or "chip3/core1-2" when there are several chips: kind or part of the tile (`what`, such
// as "lsu"), x and y.
std::string tile_name(const Interconnect& net, const std::string& what, const TilePlace& at);
// Returns "NOC_0/out1-2" or "NOC_0/router1-2": network, part of the tile, x and y.
std::string tile_name(const Interconnect& net, int network, const std::string& what, const TilePlace& at);
// Returns "NOC_0/link1-2>2-2": network, then the tiles (x, y) from which and to which the link leads.
std::string link_name(const Interconnect& net, int network, const TilePlace& from, const TilePlace& to);
// Returns "link1/9-0>0/9-6" for the link from tile (9, 0) of chip 1 to tile (9, 6) of chip 0.
std::string chip_link_name(const TilePlace& from, const TilePlace& to);

}  // namespace lento::spec
