// Packets on a fabric: routes, servers, virtual channels. The simulation of the program (play.h) decides
// which packets are sent and when.
//   - a packet takes the servers of its route in order: first come first served, each for
//     packet_cycles + bytes / rate. Its head goes on after pass_cycles (cut through)
//   - it holds one virtual channel of each link until its tail has left: of as many links at a time as have
//     buffers for its bytes together. Beyond the wrap-around of a ring (dateline) packets take other
//     channels, so that no packets wait in a circle
//   - a tile sends `channels` packets at a time in one direction of a network
// Times are in ticks, 1/64 cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "chip/fabric/fabric.h"
#include "chip/fabric/places.h"
#include "chip/sim/event_heap.h"

namespace lento::chip {

struct Slowdown {
  int server = 0;
  double factor = 1;
};

constexpr double kTicks = 64;  // ticks in a cycle
inline int64_t ticks(double cycles) {
  return int64_t(cycles * kTicks + (cycles < 0 ? -0.5 : 0.5));
}
inline double cycles(int64_t ticks) {
  return double(ticks) / kTicks;
}

// The servers of all routes, stored one route after another.
class RouteTable {
 public:
  size_t size() const {
    return ends_.size();
  }
  std::span<const int> operator[](size_t route) const {
    return {servers_.data() + begin(route), servers_.data() + ends_[route]};
  }
  // Returns the index of the route's first server among the servers of all routes.
  uint32_t begin(size_t route) const {
    return route == 0 ? 0 : ends_[route - 1];
  }
  int server(size_t at) const {
    return servers_[at];
  }
  void add(std::span<const int> servers) {
    servers_.insert(servers_.end(), servers.begin(), servers.end());
    ends_.push_back(uint32_t(servers_.size()));
  }

 private:
  std::vector<int> servers_;
  std::vector<uint32_t> ends_;  // by route
};

// An event queue ordered by time. `what` is interpreted by the caller. Times may be negative.
class Agenda {
 public:
  struct Event {
    int64_t time = 0;
    uint32_t what = 0;
  };
  bool empty() const {
    return heap_.empty();
  }
  void plan(int64_t time, uint32_t what) {
    heap_.push(uint64_t(time) + kBefore, what);
  }
  Event next() {
    const EventHeap::Event event = heap_.pop();
    return {int64_t(event.time - kBefore), event.what};
  }

 private:
  static constexpr uint64_t kBefore = uint64_t{1} << 63;
  EventHeap heap_;
};

class TrafficModel {
 public:
  struct Options {
    std::vector<Slowdown> slow;
    double noise_cv = 0;  // Gamma-distributed service times of links and memories, mean kept
    uint64_t seed = 1;
  };
  // Adds its events to `agenda`, each with a packet's number. Fabric and agenda must outlive the model.
  TrafficModel(const Fabric& fabric, Agenda& agenda, const Options& options);

  // Returns the number of a route, whose servers lead from memory to memory. A route without servers means
  // that no path exists.
  int route(int network, int from, int to);
  const RouteTable& routes() const {
    return routes_;
  }

  // Sends the next packet, which requests its first server at `time`. Packets are numbered from 0 in the
  // order of sending.
  void send(int route, uint64_t bytes, int64_t time);
  // Returns the arrival time of a request over this route. A request uses no bandwidth but waits behind data
  // on its links.
  int64_t request(int route, int64_t now) const;

  // Handles an event of a packet. Returns the time of its last byte when it has arrived.
  std::optional<int64_t> serve(uint32_t packet, int64_t now);
  // Resolves a deadlock when no event is left: packets whose routes come from a table may wait for each other
  // in a circle, and the first of them then proceeds without a place. Returns false when no packet waits.
  bool unlock();

  int links(uint32_t packet) const {  // links on the packet's route
    return int(flights_[packet].stops) - 4;
  }

  // The use of a server so far, times in ticks.
  struct Use {
    int64_t busy = 0;
    int64_t waited = 0;
    uint64_t bytes = 0;
  };
  Use use(int server) const;
  RouteTable take_routes() {
    return std::move(routes_);
  }

 private:
  static constexpr uint32_t kOpen = UINT32_MAX;  // no resource: any packet may pass

  struct ServerState {
    int64_t free = 0;
    Use use;
    double packet = 0;
    double byte = 0;
    int64_t pass = 0;
    bool noisy = false;
    bool link = false;
    bool stores = false;  // packets are stored in a memory here
  };
  struct Flight {
    uint32_t first = 0;  // index of its first server and resource
    uint32_t stops = 0;
    uint32_t stop = 0;
    uint32_t released = 0;  // stops before this one are released
    uint32_t span = 1;      // links that the packet occupies at a time
    uint32_t gate = kOpen;
    bool admitted = false;  // the packet has its place at `stop`
    int64_t arrived = 0;    // time of arrival at `stop`
    int64_t tail = 0;       // time at which the last byte has left the servers so far
    uint64_t bytes = 0;
  };

  ServerState state_of(int server, double slow) const;
  void add_resources(std::span<const int> servers);
  uint32_t resource_of(uint32_t& resource, int places);
  void admit(uint32_t packet, int64_t time);
  ServerState& server_at(const Flight& flight) {
    return servers_[size_t(routes_.server(flight.first + flight.stop))];
  }
  std::optional<int64_t> take(uint32_t packet);
  int64_t service(const ServerState& server, uint64_t bytes);
  void leave_behind(Flight& flight, int64_t begin);
  void leave_up_to(Flight& flight, uint32_t stop, int64_t tail);
  void leave(Flight& flight, int64_t time);
  void hand_on(uint32_t resource, int64_t time);

  const Fabric& fabric_;
  Agenda& agenda_;
  double noise_cv_;
  base::Rng rng_;
  int64_t now_ = 0;
  int64_t hop_ = 0;
  std::vector<ServerState> servers_;
  std::vector<Flight> flights_;  // by packet
  RouteTable routes_;
  // The resources (Places) whose places, virtual channels, a packet must hold. `resources_` has for each
  // server of each route the resource of the link that it is, or kOpen. `gate_of_` has for each route the
  // resource of the sending tile, whose place is released together with that of the first link.
  std::vector<uint32_t> resources_;
  std::vector<uint32_t> gate_of_;
  std::vector<std::vector<int>> route_ids_;  // by network and origin, destination; -1: not looked up yet
  Places places_;
  // Resources by server of a link: in `gates_` that of the tile that sends over it, and in `lanes_` two for
  // each link, for packets before and after the wrap-around of a ring.
  std::vector<uint32_t> gates_;
  std::vector<uint32_t> lanes_;
};

}  // namespace lento::chip
