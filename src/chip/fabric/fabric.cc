// Builds the directed servers of a sheet with their rates and latencies, and composes the servers of a route:
// memory, port, links, port, memory.
#include "chip/fabric/fabric.h"

#include <cstdlib>

#include "base/error.h"

namespace lento::chip {
namespace {

using spec::FabricSheet;
using spec::TileKind;

spec::TilePlace tile_of(const Place& at) {
  return {at.chip, at.x, at.y};
}

}  // namespace

// Adds the servers: all memories, then the ports and links of each network, then the links between chips.
Fabric::Fabric(FabricSheet sheet)
    : sheet_(std::move(sheet)),
      wiring_(sheet_) {
  add_memories();
  size_t wire = 0;
  for (int n = 0; n < int(sheet_.networks.size()); ++n) {
    add_ports(n);
    for (; wire < wiring_.links().size() && wiring_.links()[wire].network == n; ++wire)
      add_link(wire);
  }
  for (; wire < wiring_.links().size(); ++wire)
    add_link(wire);
}

int Fabric::add(Server server) {
  servers_.push_back(server);
  return server_count() - 1;
}

// Adds the memory of each component as a server of bytes.
void Fabric::add_memories() {
  for (int c = 0; c < component_count(); ++c) {
    Server memory{ServerKind::Memory, 0, c, c};
    const auto& numbers = kind(c) == TileKind::Dram ? sheet_.dram : sheet_.core_memory;
    memory.bytes_per_cycle = numbers.bytes_per_cycle;
    memory_.push_back(add(memory));
  }
}

// Adds the ports between each component and the routers of a network.
void Fabric::add_ports(int network) {
  out_.emplace_back();
  in_.emplace_back();
  Server port{ServerKind::Out, uint8_t(network)};
  port.bytes_per_cycle = sheet_.port.bytes_per_cycle;
  port.pass_cycles = sheet_.port.cycles;
  for (int c = 0; c < component_count(); ++c) {
    port.from = port.to = c;
    port.kind = ServerKind::Out;
    out_.back().push_back(add(port));
    port.kind = ServerKind::In;
    in_.back().push_back(add(port));
  }
}

void Fabric::add_link(size_t wire) {
  const Wiring::Link& link = wiring_.links()[wire];
  Server server{ServerKind::Link, 0, link.from, link.to};
  if (link.network < 0) {
    const FabricSheet::ChipLink& joint = sheet_.chip_links[size_t(link.joint)];
    server.kind = ServerKind::ChipLink;
    server.bytes_per_cycle = joint.bytes_per_cycle;
    server.pass_cycles = joint.cycles;
  } else {
    server.network = uint8_t(link.network);
    server.bytes_per_cycle = sheet_.link.bytes_per_cycle;
    server.packet_cycles = sheet_.link.packet_cycles;
    server.pass_cycles = sheet_.link.hop_cycles;
    const spec::TilePlace from = wiring_.place(link.from);
    const spec::TilePlace to = wiring_.place(link.to);
    server.along_x = from.y == to.y;
    server.wraps = std::abs(from.x - to.x) + std::abs(from.y - to.y) > 1;
  }
  wires_.push_back(add(server));
}

int Fabric::component(const Place& p) const {
  if (p.chip < 0 || p.chip >= sheet_.chips || p.x < 0 || p.y < 0 || p.x >= sheet_.width ||
      p.y >= sheet_.height)
    return -1;
  return wiring_.tile(tile_of(p));
}

Place Fabric::place(int component) const {
  const spec::TilePlace at = wiring_.place(component);
  return {at.chip, at.x, at.y};
}

int Fabric::network(const std::string& name) const {
  for (size_t i = 0; i < sheet_.networks.size(); ++i)
    if (sheet_.networks[i].name == name)
      return int(i);
  return -1;
}

int Fabric::out_port(int network, int component) const {
  return out_[size_t(network)][size_t(component)];
}

int Fabric::in_port(int network, int component) const {
  return in_[size_t(network)][size_t(component)];
}

int Fabric::link(int network, int from, int to) const {
  const int wire = wiring_.link(network, from, to);
  if (wire < 0)
    return -1;
  return wires_[size_t(wire)];
}

std::vector<int> Fabric::route(int network, int from, int to) const {
  std::vector<Wiring::Hop> hops;
  hops.reserve(size_t(sheet_.width + sheet_.height));
  if (!wiring_.route(network, from, to, hops))
    return {};
  std::vector<int> out;
  out.reserve(hops.size() + 4);
  out.push_back(memory(from));
  out.push_back(out_port(network, from));
  for (const Wiring::Hop& hop : hops)
    out.push_back(wires_[size_t(hop.link)]);
  out.push_back(in_port(network, to));
  out.push_back(memory(to));
  return out;
}

int Fabric::hops(int network, int from, int to) const {
  const std::vector<int> way = route(network, from, to);
  if (way.empty())
    return -1;
  return int(way.size()) - 4;
}

std::string Fabric::component_name(int component) const {
  return spec::tile_name(sheet_, spec::name(kind(component)), wiring_.place(component));
}

// Returns the readable name of a server: the component of a memory, the port or the link.
std::string Fabric::server_name(int id) const {
  const Server& s = server(id);
  const spec::TilePlace from = wiring_.place(s.from);
  const spec::TilePlace to = wiring_.place(s.to);
  switch (s.kind) {
    case ServerKind::Memory:
      return component_name(s.from);
    case ServerKind::Out:
      return spec::tile_name(sheet_, s.network, "out", from);
    case ServerKind::In:
      return spec::tile_name(sheet_, s.network, "in", from);
    case ServerKind::Link:
      return spec::link_name(sheet_, s.network, from, to);
    case ServerKind::ChipLink:
      return spec::chip_link_name(from, to);
  }
  return {};
}

}  // namespace lento::chip
