// What moves data on one or more chips, as data: tiles on a grid, networks that join them, links between
// chips, and what a program's own steps cost. YAML `lento.chip/2` (docs/formats/chip.md); a file of
// `lento.chip/1` is read as the fabric of its mesh, ring or torus.
//
// All times are cycles of the chip's clock, all rates bytes a cycle, unless a name says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/chip.h"

namespace lento::spec {

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
  Both
};  // Both: the shorter way; up when both are equal

struct TilePlace {
  int chip = 0;
  int x = 0;
  int y = 0;
  auto operator<=>(const TilePlace&) const = default;
};

struct FabricSheet {
  std::string name = "fabric";
  double clock_hz = 1e9;
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
  };
  std::vector<Network> networks;

  struct Link {
    double bytes_per_cycle = 32;
    double hop_cycles = 1;     // a packet's head through one router and link
    double packet_cycles = 0;  // a link is taken by a packet beyond bytes / rate
    double buffer_bytes = 0;   // between two links; 0: unbounded
  } link;
  struct Port {  // between a tile and its router, one each way and network
    double bytes_per_cycle = 32;
    double cycles = 1;
    int channels = 0;  // packets that one tile may have under way in one direction of a network; 0: any
  } port;
  struct Memory {
    double bytes_per_cycle = 32;
    double read_cycles = 0;  // from a request to its first byte
  } core_memory, dram;

  struct ChipLink {  // directed
    TilePlace from;
    TilePlace to;
    double bytes_per_cycle = 12.5;
    double cycles = 600;
  };
  std::vector<ChipLink> chip_links;

  struct Processor {  // a data-moving processor of a core, by the name that records give it
    std::string name;
    double start_cycles = 0;       // from its zone's begin to its first transfer
    double issue_core_cycles = 1;  // from one transfer with a core to the next
    double issue_dram_cycles = 1;  // from one transfer with DRAM to the next
    double turn_cycles = 0;        // more when the next transfer is with another core
  };
  std::vector<Processor> processors;  // a name not listed takes the first one's numbers
  double completion_cycles = 0;       // from the last byte's arrival to the end of the wait for it
  double resume_cycles = 0;           // from the end of a wait to the next transfer

  int tile(int x, int y) const {
    return y * width + x;
  }
  TileKind kind(int x, int y) const {
    return tiles[size_t(tile(x, y))];
  }
};

// A path, or the name of a shipped sheet ("wormhole", "blackhole"). Reads either version. Throws base::Error
// that names every bad key of the file at once.
FabricSheet read_fabric(const std::string& path);
FabricSheet parse_fabric(const std::string& text, const std::string& file);

// The fabric of a `lento.chip/1` chip: equal cores, one network, DRAM tiles in a column added at either edge.
FabricSheet fabric_of(const Chip& chip);

// Builders. All tiles are cores.
FabricSheet mesh_fabric(int width, int height);
FabricSheet torus_fabric(int width, int height);
FabricSheet ring_fabric(int length);
// A second network that runs against the first: down where that runs up, y first where that goes x first.
void add_opposite_network(FabricSheet& sheet);
// Tiles of these rows and columns stop working; traffic still passes them.
void harvest(FabricSheet& sheet, const std::vector<int>& rows, const std::vector<int>& columns);
// `chips` copies in a line or ring, joined both ways from the tile at the middle of the right edge of one to
// the middle of the left edge of the next.
void join_chips(FabricSheet& sheet, int chips, bool ring);

}  // namespace lento::spec
