#include "chip/fabric/fabric.h"

#include <algorithm>
#include <cstdlib>
#include <deque>

#include "base/error.h"

namespace lento::chip {
namespace {

using spec::FabricSheet;
using spec::Sense;
using spec::TileKind;
using spec::Topology;

std::string tile_text(const trace::Place& place) {
  return std::to_string(place.x) + "-" + std::to_string(place.y);
}

}  // namespace

Fabric::Fabric(FabricSheet sheet)
    : sheet_(std::move(sheet)),
      tiles_(sheet_.width * sheet_.height) {
  LENTO_CHECK(int(sheet_.tiles.size()) == tiles_, "a sheet names the kind of each of its tiles");
  for (int c = 0; c < component_count(); ++c) {
    Server memory{ServerKind::Memory, 0, c, c};
    const auto& numbers = kind(c) == TileKind::Dram ? sheet_.dram : sheet_.core_memory;
    memory.bytes_per_cycle = numbers.bytes_per_cycle;
    memory_.push_back(add(memory));
  }
  for (int n = 0; n < int(sheet_.networks.size()); ++n)
    add_network(n);
  first_joint_ = server_count();
  for (const FabricSheet::ChipLink& joint : sheet_.chip_links) {
    Server server{
        ServerKind::ChipLink,
        0,
        component({joint.from.chip, joint.from.x, joint.from.y}),
        component({joint.to.chip, joint.to.x, joint.to.y})};
    server.bytes_per_cycle = joint.bytes_per_cycle;
    server.pass_cycles = joint.cycles;
    add(server);
  }
}

int Fabric::add(Server server) {
  servers_.push_back(server);
  return server_count() - 1;
}

void Fabric::add_link(int network, int from, int to) {
  if (from == to || links_[network].contains({from, to}))
    return;
  Server link{ServerKind::Link, uint8_t(network), from, to};
  link.bytes_per_cycle = sheet_.link.bytes_per_cycle;
  link.packet_cycles = sheet_.link.packet_cycles;
  link.pass_cycles = sheet_.link.hop_cycles;
  links_[network][{from, to}] = add(link);
}

void Fabric::add_network(int network) {
  const FabricSheet::Network& net = sheet_.networks[size_t(network)];
  out_.emplace_back();
  in_.emplace_back();
  links_.emplace_back();
  table_.emplace_back();
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
  const bool closed = net.topology != Topology::Mesh;
  for (int c = 0; c < component_count(); ++c) {
    const trace::Place at = place(c);
    const auto join = [&](int dx, int dy, Sense sense) {
      if (sense == (dx + dy > 0 ? Sense::Down : Sense::Up))
        return;
      int x = at.x + dx;
      int y = at.y + dy;
      if (!closed && (x < 0 || y < 0 || x >= sheet_.width || y >= sheet_.height))
        return;
      x = (x + sheet_.width) % sheet_.width;
      y = (y + sheet_.height) % sheet_.height;
      add_link(network, c, component({at.chip, x, y}));
    };
    join(1, 0, net.x);
    join(-1, 0, net.x);
    join(0, 1, net.y);
    join(0, -1, net.y);
  }
  for (size_t i = 0; i < net.table.size(); ++i) {
    const auto& tiles = net.table[i].tiles;
    const auto tile = [&](const spec::TilePlace& p) {
      return sheet_.tile(p.x, p.y);
    };
    table_.back()[{tile(tiles.front()), tile(tiles.back())}] = i;
    for (size_t k = 1; k < tiles.size(); ++k)
      for (int chip = 0; chip < sheet_.chips; ++chip)
        add_link(network, global(chip, tile(tiles[k - 1])), global(chip, tile(tiles[k])));
  }
}

int Fabric::component(const trace::Place& p) const {
  if (p.chip < 0 || p.chip >= sheet_.chips || p.x < 0 || p.y < 0 || p.x >= sheet_.width ||
      p.y >= sheet_.height)
    return -1;
  return global(p.chip, sheet_.tile(p.x, p.y));
}

trace::Place Fabric::place(int component) const {
  const int tile = component % tiles_;
  return {component / tiles_, tile % sheet_.width, tile / sheet_.width};
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
  const auto& links = links_[size_t(network)];
  const auto found = links.find({from, to});
  return found == links.end() ? -1 : found->second;
}

// One step along one axis. Both ways open: the shorter, up when both are equal.
int Fabric::step(int position, int goal, int size, Sense sense, bool closed) const {
  if (!closed)
    return position < goal ? position + 1 : position - 1;
  const int up = (goal - position + size) % size;
  const bool rise = sense == Sense::Up || (sense == Sense::Both && up * 2 <= size);
  return (position + (rise ? 1 : size - 1)) % size;
}

int Fabric::next(int network, int from, int to) const {
  const FabricSheet::Network& net = sheet_.networks[size_t(network)];
  const bool closed = net.topology != Topology::Mesh;
  trace::Place at = place(from);
  const trace::Place goal = place(to);
  const bool along_x = at.x != goal.x && (!net.y_first || at.y == goal.y);
  if (along_x) {
    at.x = step(at.x, goal.x, sheet_.width, net.x, closed);
  } else {
    at.y = step(at.y, goal.y, sheet_.height, net.y, closed);
  }
  return component(at);
}

bool Fabric::walk(int network, int from, int to, std::vector<int>& out) const {
  const auto& table = table_[size_t(network)];
  const auto found = table.find({from % tiles_, to % tiles_});
  if (found != table.end()) {
    const auto& tiles = sheet_.networks[size_t(network)].table[found->second].tiles;
    int at = from;
    for (size_t k = 1; k < tiles.size(); ++k) {
      const int towards = global(from / tiles_, sheet_.tile(tiles[k].x, tiles[k].y));
      out.push_back(link(network, at, towards));
      at = towards;
    }
    return true;
  }
  while (from != to) {
    const int towards = next(network, from, to);
    const int id = link(network, from, towards);
    if (id < 0)
      return false;
    out.push_back(id);
    from = towards;
  }
  return true;
}

// Breadth first over chips; of equally near ways the one whose links stand first in the sheet.
std::vector<int> Fabric::joints(int from_chip, int to_chip) const {
  std::vector<int> by(size_t(sheet_.chips), -1);
  std::deque<int> open{from_chip};
  std::vector<bool> seen(by.size());
  seen[size_t(from_chip)] = true;
  while (!open.empty() && !seen[size_t(to_chip)]) {
    const int chip = open.front();
    open.pop_front();
    for (int id = first_joint_; id < server_count(); ++id) {
      const int target = servers_[size_t(id)].to / tiles_;
      if (servers_[size_t(id)].from / tiles_ != chip || seen[size_t(target)])
        continue;
      seen[size_t(target)] = true;
      by[size_t(target)] = id;
      open.push_back(target);
    }
  }
  std::vector<int> out;
  for (int chip = to_chip; chip != from_chip;) {
    const int id = by[size_t(chip)];
    if (id < 0)
      return {};
    out.push_back(id);
    chip = servers_[size_t(id)].from / tiles_;
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<int> Fabric::route(int network, int from, int to) const {
  std::vector<int> out{memory(from), out_port(network, from)};
  int at = from;
  if (from / tiles_ != to / tiles_) {
    const std::vector<int> ways = joints(from / tiles_, to / tiles_);
    if (ways.empty())
      return {};
    for (const int id : ways) {
      if (!walk(network, at, server(id).from, out))
        return {};
      out.push_back(id);
      at = server(id).to;
    }
  }
  if (!walk(network, at, to, out))
    return {};
  out.push_back(in_port(network, to));
  return out;
}

int Fabric::hops(int network, int from, int to) const {
  const std::vector<int> way = route(network, from, to);
  return way.empty() ? -1 : int(way.size()) - 3;
}

std::string Fabric::component_name(int component) const {
  const trace::Place at = place(component);
  const std::string chip = sheet_.chips > 1 ? "chip" + std::to_string(at.chip) + "/" : "";
  return chip + spec::name(kind(component)) + tile_text(at);
}

std::string Fabric::server_name(int id) const {
  const Server& s = server(id);
  if (s.kind == ServerKind::Memory)
    return component_name(s.from);
  const trace::Place from = place(s.from);
  const trace::Place to = place(s.to);
  if (s.kind == ServerKind::ChipLink)
    return "link" + std::to_string(from.chip) + "/" + tile_text(from) + ">" + std::to_string(to.chip) + "/" +
           tile_text(to);
  const std::string chip = sheet_.chips > 1 ? "chip" + std::to_string(from.chip) + "/" : "";
  const std::string start = chip + sheet_.networks[s.network].name + "/";
  if (s.kind == ServerKind::Link)
    return start + "link" + tile_text(from) + ">" + tile_text(to);
  return start + (s.kind == ServerKind::Out ? "out" : "in") + tile_text(from);
}

std::string Fabric::subject(int id) const {
  const Server& s = server(id);
  const bool whole = s.kind == ServerKind::Memory;
  return whole ? component_name(s.from) : server_name(id);
}

}  // namespace lento::chip
