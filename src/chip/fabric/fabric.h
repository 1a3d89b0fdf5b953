// A chip sheet prepared for simulation: components, directed servers, routes.
//
// A component is a tile of one chip. A server is a resource that a packet occupies for a while on its way: a
// component's memory, its port out of and into a network, a link between two neighbours, a link between two
// chips. Names: core1-2, dram0-5, NOC_0/out1-2, NOC_0/in1-2, NOC_0/link1-2>2-2, and link1/9-0>0/9-6 between
// chips. With more than one chip the names of all but the last kind begin with the chip: chip3/core1-2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/wiring.h"
#include "chip/read/transfer_record.h"
#include "spec/fabric_sheet.h"

namespace lento::chip {

enum class ServerKind : uint8_t {
  Memory,
  Out,
  Link,
  In,
  ChipLink
};

struct Server {
  ServerKind kind = ServerKind::Link;
  uint8_t network = 0;
  // The components at both ends, equal except for links.
  int from = 0;
  int to = 0;
  double bytes_per_cycle = 1;
  double packet_cycles = 0;  // cycles of each packet beyond bytes / rate
  double pass_cycles = 0;    // from a packet's start here to its head's arrival at the next server
  // Only for links.
  bool along_x = false;
  bool wraps = false;  // from one edge of a network's ring to the other
};

class Fabric {
 public:
  explicit Fabric(spec::FabricSheet sheet);

  const spec::FabricSheet& sheet() const {
    return sheet_;
  }
  int component_count() const {
    return wiring_.tile_count();
  }
  int component(const Place& place) const;  // -1: outside the sheet
  Place place(int component) const;
  spec::TileKind kind(int component) const {
    return wiring_.kind(component);
  }
  int network(const std::string& name) const;  // -1 when there is none of this name

  int server_count() const {
    return int(servers_.size());
  }
  const Server& server(int id) const {
    return servers_[size_t(id)];
  }
  int memory(int component) const {
    return memory_[size_t(component)];
  }
  int out_port(int network, int component) const;
  int in_port(int network, int component) const;
  int link(int network, int from, int to) const;  // -1 when not neighbours in that network

  // Returns the servers that data passes on its way, from the memory of `from` to the memory of `to`. From a
  // component to itself these are memories and ports alone. Empty when no links join the chips of the two.
  std::vector<int> route(int network, int from, int to) const;
  int hops(int network, int from, int to) const;  // routers that a request passes; -1: no route

  std::string component_name(int component) const;
  std::string server_name(int server) const;

 private:
  int add(Server server);
  void add_memories();
  void add_ports(int network);
  void add_link(size_t wire);  // index into the sheet's wiring

  spec::FabricSheet sheet_;
  Wiring wiring_;
  std::vector<Server> servers_;
  std::vector<int> memory_;  // by component
  // Servers by network, then component.
  std::vector<std::vector<int>> out_;
  std::vector<std::vector<int>> in_;
  std::vector<int> wires_;  // servers, by link of the wiring
};

}  // namespace lento::chip
