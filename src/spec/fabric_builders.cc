// Builds sheets in code, for tests, campaigns and chips of version 1: plain shapes, a second network,
// switched-off rows and columns, several chips.
#include <algorithm>

#include "spec/fabric_sheet.h"

namespace lento::spec {
namespace {

// Returns a chip of equal cores with one network.
FabricSheet plain(const std::string& name, int width, int height, Topology topology) {
  FabricSheet sheet;
  sheet.name = name;
  sheet.width = width;
  sheet.height = height;
  sheet.tiles.assign(size_t(width) * height, TileKind::Core);
  FabricSheet::Network network;
  network.topology = topology;
  sheet.networks.push_back(network);
  return sheet;
}

Sense against(Sense sense) {
  if (sense == Sense::Up)
    return Sense::Down;
  if (sense == Sense::Down)
    return Sense::Up;
  return Sense::Both;
}

void switch_off(FabricSheet& sheet, int x, int y) {
  TileKind& kind = sheet.tiles[size_t(sheet.tile(x, y))];
  if (kind == TileKind::Core)
    kind = TileKind::Harvested;
}

}  // namespace

FabricSheet mesh_fabric(int width, int height) {
  return plain("mesh", width, height, Topology::Mesh);
}

FabricSheet torus_fabric(int width, int height) {
  return plain("torus", width, height, Topology::Torus);
}

FabricSheet ring_fabric(int length) {
  return plain("ring", length, 1, Topology::Ring);
}

void add_opposite_network(FabricSheet& sheet) {
  FabricSheet::Network& first = sheet.networks.front();
  // On a ring or torus, a network whose links run in both directions has no opposite network. The first
  // network is therefore restricted to the ascending direction, and the second one gets the descending
  // direction.
  if (first.topology != Topology::Mesh && first.x == Sense::Both) {
    first.x = Sense::Up;
    first.y = Sense::Up;
  }
  FabricSheet::Network second = first;
  second.name = first.name + "-back";
  second.y_first = !first.y_first;
  second.x = against(first.x);
  second.y = against(first.y);
  second.table.clear();
  sheet.networks.push_back(std::move(second));
}

void harvest(FabricSheet& sheet, const std::vector<int>& rows, const std::vector<int>& columns) {
  for (const int y : rows)
    for (int x = 0; x < sheet.width; ++x)
      switch_off(sheet, x, y);
  for (const int x : columns)
    for (int y = 0; y < sheet.height; ++y)
      switch_off(sheet, x, y);
}

void join_chips(FabricSheet& sheet, int chips, bool ring) {
  sheet.chips = chips;
  const int middle = sheet.height / 2;
  const int joints = ring && chips > 2 ? chips : chips - 1;
  for (int chip = 0; chip < joints; ++chip) {
    const TilePlace right{chip, sheet.width - 1, middle};
    const TilePlace left{(chip + 1) % chips, 0, middle};
    FabricSheet::ChipLink link;
    link.from = right;
    link.to = left;
    sheet.chip_links.push_back(link);
    std::swap(link.from, link.to);
    sheet.chip_links.push_back(link);
  }
}

// Adds DRAM tiles beside the first and last column, as in chip/map/grid.h.
FabricSheet fabric_of(const Chip& chip) {
  FabricSheet sheet = plain(chip.name, chip.width + 2, chip.height, chip.topology);
  sheet.clock_hz = chip.clock_hz;
  sheet.networks.front().name = "noc";
  // Rings join the cores only, and DRAM tiles at the edges would lengthen them.
  if (chip.topology != Topology::Mesh) {
    sheet.width = chip.width;
    sheet.tiles.assign(size_t(chip.width) * chip.height, TileKind::Core);
  } else {
    for (int y = 0; y < chip.height; ++y) {
      sheet.tiles[size_t(sheet.tile(0, y))] = TileKind::Dram;
      sheet.tiles[size_t(sheet.tile(chip.width + 1, y))] = TileKind::Dram;
    }
  }
  sheet.link.bytes_per_cycle = chip.network.link_bytes_per_cycle;
  sheet.link.hop_cycles = chip.network.router_cycles;
  sheet.port.bytes_per_cycle = chip.core.scratchpad_bytes_per_cycle;
  sheet.port.cycles = chip.network.router_cycles;
  sheet.core_memory.bytes_per_cycle = chip.core.scratchpad_bytes_per_cycle;
  sheet.dram.bytes_per_cycle = chip.dram.port_bytes_per_cycle;
  sheet.dram.read_cycles = chip.dram.latency_cycles;
  sheet.processors.push_back(
      {"", 0, double(chip.core.start_up_cycles), double(chip.core.start_up_cycles), 0});
  return sheet;
}

}  // namespace lento::spec
