// What joins the tiles of one or more chips, as data: tiles on a grid, networks between them, links between
// chips; and the one way in which tiles and links are named. Part of YAML `lento.chip/2`
// (docs/formats/chip.md).
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

// Which way a network turns along one axis.
enum class Sense : uint8_t {
  Up,
  Down,
  Both  // the shorter way; up when both are equal
};
const char* name(Sense sense);

// What a mapped workload sends.
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
    // By Load. What several networks carry takes, between two tiles, the one with fewer hops; of equals the
    // first.
    std::array<bool, kLoads.size()> carries{true, true, true};
  };
  std::vector<Network> networks;

  // Directed; both networks of a tile reach it.
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
  // Tiles of a kind, of all chips.
  int count(TileKind kind) const;
};

// "core1-2"; on more than one chip "chip3/core1-2". `what`: the tile's kind, or a part of it ("lsu").
std::string tile_name(const Interconnect& net, const std::string& what, const TilePlace& at);
// "NOC_0/out1-2", "NOC_0/router1-2".
std::string tile_name(const Interconnect& net, int network, const std::string& what, const TilePlace& at);
// "NOC_0/link1-2>2-2".
std::string link_name(const Interconnect& net, int network, const TilePlace& from, const TilePlace& to);
// "link1/9-0>0/9-6", between chips.
std::string chip_link_name(const TilePlace& from, const TilePlace& to);

}  // namespace lento::spec
