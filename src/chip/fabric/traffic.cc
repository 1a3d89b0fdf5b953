// Moves packets through the servers of their routes with cut-through and virtual channels. A packet's head
// and tail are tracked by times. A packet spans as many links as its bytes fill buffers, and each link is
// released when the tail has left it. Cost: one event per packet and server.
#include "chip/fabric/traffic.h"

#include <algorithm>
#include <cmath>

namespace lento::chip {
namespace {

constexpr size_t kFirstLink = 2;  // index of the first link in a route, after memory and port

}  // namespace

TrafficModel::TrafficModel(const Fabric& fabric, Agenda& agenda, const Options& options)
    : fabric_(fabric),
      agenda_(agenda),
      noise_cv_(options.noise_cv),
      rng_(options.seed, "chip.fabric.play"),
      hop_(ticks(fabric.sheet().link.hop_cycles)) {
  const auto count = size_t(fabric.server_count());
  std::vector<double> slow(count, 1);
  for (const Slowdown& each : options.slow)
    slow[size_t(each.server)] *= each.factor;
  servers_.reserve(count);
  for (size_t id = 0; id < count; ++id)
    servers_.push_back(state_of(int(id), slow[id]));
  gates_.resize(count, kOpen);
  lanes_.resize(count * 2, kOpen);
  route_ids_.resize(fabric.sheet().networks.size() * size_t(fabric.component_count()));
}

// Returns the service times of a server that is slower by the factor `slow`.
TrafficModel::ServerState TrafficModel::state_of(int id, double slow) const {
  const Server& server = fabric_.server(id);
  const bool port = server.kind == ServerKind::Out || server.kind == ServerKind::In;
  ServerState state;
  state.packet = server.packet_cycles * slow * kTicks;
  state.byte = slow * kTicks / server.bytes_per_cycle;
  state.pass = ticks(server.pass_cycles * slow);
  state.noisy = noise_cv_ > 0 && !port;
  state.link = server.kind == ServerKind::Link;
  state.stores = server.kind == ServerKind::ChipLink;
  return state;
}

int TrafficModel::route(int network, int from, int to) {
  const auto count = size_t(fabric_.component_count());
  std::vector<int>& ids = route_ids_[size_t(network) * count + size_t(from)];
  if (ids.empty())
    ids.assign(count, -1);
  int& id = ids[size_t(to)];
  if (id < 0) {
    id = int(routes_.size());
    const std::vector<int> servers = fabric_.route(network, from, to);
    routes_.add(servers);
    add_resources(servers);
  }
  return id;
}

// Adds along a route the virtual channels of each link (`resources_`) and the sending channel of the tile
// (`gate_of_`), for which packets queue.
void TrafficModel::add_resources(std::span<const int> servers) {
  const auto& sheet = fabric_.sheet();
  const size_t first = resources_.size();
  resources_.resize(first + servers.size(), kOpen);
  gate_of_.push_back(kOpen);
  size_t lane = 0;
  for (size_t i = kFirstLink; i < servers.size(); ++i) {
    const auto id = size_t(servers[i]);
    if (!servers_[id].link)
      continue;
    const Server& link = fabric_.server(servers[i]);
    const bool goes_on =
        servers_[size_t(servers[i - 1])].link && fabric_.server(servers[i - 1]).along_x == link.along_x;
    lane = link.wraps ? 1 : goes_on ? lane : 0;
    resources_[first + i] = resource_of(lanes_[id * 2 + lane], sheet.link.virtual_channels);
    if (i == kFirstLink)
      gate_of_.back() = resource_of(gates_[id], sheet.port.channels);
  }
}

uint32_t TrafficModel::resource_of(uint32_t& resource, int places) {
  if (places > 0 && resource == kOpen)
    resource = uint32_t(places_.add(places));
  return resource;
}

void TrafficModel::send(int route, uint64_t bytes, int64_t time) {
  Flight flight{routes_.begin(size_t(route)), uint32_t(routes_[size_t(route)].size())};
  flight.gate = gate_of_[size_t(route)];
  flight.bytes = bytes;
  const double buffer = fabric_.sheet().link.buffer_bytes;
  if (buffer > 0)
    flight.span = uint32_t(std::clamp(std::ceil(double(bytes) / buffer), 1.0, double(flight.stops)));
  flights_.push_back(flight);
  agenda_.plan(time, uint32_t(flights_.size() - 1));
}

int64_t TrafficModel::request(int route, int64_t now) const {
  const std::span<const int> way = routes_[size_t(route)];
  for (size_t i = 1; i + 1 < way.size(); ++i) {
    const ServerState& server = servers_[size_t(way[i])];
    if (server.link)
      now = std::max(now, server.free);
    now += server.pass;
  }
  return now;
}

bool TrafficModel::unlock() {
  const uint32_t packet = places_.force();
  if (packet == Places::kNobody)
    return false;
  admit(packet, now_);
  return true;
}

void TrafficModel::admit(uint32_t packet, int64_t time) {
  flights_[packet].admitted = true;
  agenda_.plan(std::max(now_, time), packet);
}

std::optional<int64_t> TrafficModel::serve(uint32_t packet, int64_t now) {
  now_ = now;
  Flight& flight = flights_[packet];
  if (!flight.admitted) {
    flight.arrived = now;
    const uint32_t resource = flight.stop == 0 ? flight.gate : resources_[flight.first + flight.stop];
    const int64_t from = resource == kOpen ? now : places_.enter(resource, packet, now);
    if (from == Places::kLater)
      return std::nullopt;
    if (from > now) {
      admit(packet, from);
      return std::nullopt;
    }
  }
  flight.admitted = false;
  return take(packet);
}

// Starts the service of a packet at its server. Returns the time at which it ends, or nothing.
std::optional<int64_t> TrafficModel::take(uint32_t packet) {
  Flight& flight = flights_[packet];
  ServerState& server = server_at(flight);
  const int64_t begin = std::max(now_, server.free);
  const int64_t duration = service(server, flight.bytes);
  server.free = begin + duration;
  server.use.busy += duration;
  server.use.waited += begin - flight.arrived;
  server.use.bytes += flight.bytes;
  leave_behind(flight, begin);
  // The last byte leaves this server when it has left the previous one and this server has sent it.
  flight.tail = std::max(flight.tail, begin + duration);
  if (++flight.stop == flight.stops) {
    leave_up_to(flight, flight.stops, flight.tail);
    return flight.tail;
  }
  flight.tail += server.pass;
  const int64_t next = begin + server.pass;
  if (next == now_)
    return serve(packet, next);
  agenda_.plan(next, packet);
  return std::nullopt;
}

// Returns the service time of a packet, in ticks. It varies at random when the server is noisy.
int64_t TrafficModel::service(const ServerState& server, uint64_t bytes) {
  double duration = server.packet + double(bytes) * server.byte;
  if (server.noisy) {
    const double shape = 1 / (noise_cv_ * noise_cv_);
    duration *= rng_.gamma(shape, 1 / shape);
  }
  return int64_t(duration + 0.5);
}

// Frees links when the packet's head starts service at the server `flight.stop`, at tick `begin`.
// Links that lie `flight.span` or more before it are free as soon as the tail has passed them, and all links
// are free when the packet is stored in a memory.
void TrafficModel::leave_behind(Flight& flight, int64_t begin) {
  if (server_at(flight).stores)
    return leave_up_to(flight, flight.stop, flight.tail);
  while (flight.released + flight.span <= flight.stop)
    leave(flight, std::max(begin, flight.tail - int64_t(flight.stop - flight.released) * hop_));
}

// Frees the virtual channels before `stop`. `tail` is the time at which the last byte has left the last of
// them.
void TrafficModel::leave_up_to(Flight& flight, uint32_t stop, int64_t tail) {
  while (flight.released < stop)
    leave(flight, tail - int64_t(stop - 1 - flight.released) * hop_);
}

void TrafficModel::leave(Flight& flight, int64_t time) {
  const uint32_t resource = resources_[flight.first + flight.released];
  if (flight.released == kFirstLink && flight.gate != kOpen)
    hand_on(flight.gate, time);
  ++flight.released;
  if (resource != kOpen)
    hand_on(resource, time);
}

void TrafficModel::hand_on(uint32_t resource, int64_t time) {
  const uint32_t next = places_.leave(resource, time);
  if (next != Places::kNobody)
    admit(next, time);
}

TrafficModel::Use TrafficModel::use(int server) const {
  return servers_[size_t(server)].use;
}

}  // namespace lento::chip
