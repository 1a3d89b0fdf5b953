#include "chip/fabric/play.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "chip/sim/event_heap.h"

namespace lento::chip {
namespace {

using trace::kNoTime;
using trace::TransferKind;
using trace::TransferRecord;
using trace::TransferStream;
using trace::TransferTrace;

constexpr double kTicks = 64;  // a cycle
constexpr size_t kNone = SIZE_MAX;
constexpr uint32_t kNobody = UINT32_MAX;
constexpr uint64_t kBefore = uint64_t{1} << 63;  // times before the first zone are below zero

int64_t ticks(double cycles) {
  return std::llround(cycles * kTicks);
}

// What an event is about: the sort in the highest bits, below it the stream of a step, else the transfer.
constexpr uint32_t kServe = 0;
constexpr uint32_t kStep = uint32_t{1} << 30;
constexpr uint32_t kFree = uint32_t{2} << 30;
constexpr uint32_t kSort = uint32_t{3} << 30;

struct StreamState {
  uint64_t reached = 0;  // latest recorded time of the records taken
  size_t next = 0;       // record
  const spec::FabricSheet::Processor* processor = nullptr;
  std::vector<uint32_t> open[2];  // transfers since the group before: reads, writes
  uint32_t pending[2] = {0, 0};   // of them not arrived
  int64_t last[2] = {0, 0};       // latest arrival
  size_t waiting = kNone;         // index into Played::waits
  bool waits_for_write = false;
  bool waits_for_one = false;  // for a transfer with an end of its own, not for a group
};

// A server while it plays; times in ticks.
struct ServerState {
  int64_t free = 0;
  int64_t busy = 0;
  int64_t waited = 0;
  uint64_t bytes = 0;
  double packet = 0;
  double byte = 0;
  int64_t pass = 0;
  int under_way = 0;  // of the first link of a tile in one direction of a network: packets beyond the gate
  bool noisy = false;
  bool link = false;
};

// Transfers that stand before a gate.
struct Queue {
  uint32_t first = kNobody;
  uint32_t last = kNobody;
};

// A transfer on its way.
struct Flight {
  const int* way = nullptr;  // servers
  uint32_t stops = 0;
  uint32_t stop = 0;
  int64_t tail = 0;  // when its last byte is through the servers so far
  uint64_t bytes = 0;
  size_t own_wait = kNone;    // index into Played::waits, kNone where a group closes it
  int gate = -1;              // the first link's server; -1: data stays in its tile
  uint32_t behind = kNobody;  // the next transfer before the same gate
};

class Player {
 public:
  Player(const Fabric& fabric, const TransferTrace& trace, const PlayOptions& options)
      : fabric_(fabric),
        trace_(trace),
        options_(options),
        rng_(options.seed, "chip.fabric.play") {
    std::vector<double> slow(size_t(fabric.server_count()), 1);
    for (const Slowdown& each : options.slow)
      slow[size_t(each.server)] *= each.factor;
    for (size_t id = 0; id < slow.size(); ++id)
      servers_.push_back(state_of(int(id), kTicks * slow[id]));
    queues_.resize(slow.size());
    route_ids_.resize(fabric.sheet().networks.size() * size_t(fabric.component_count()));
    for (const std::string& name : trace.networks) {
      const int id = fabric.network(name);
      networks_.push_back(id < 0 && trace.networks.size() == 1 ? 0 : id);
    }
    hop_ = ticks(fabric.sheet().link.hop_cycles);
    buffer_ = ticks(fabric.sheet().link.buffer_bytes / fabric.sheet().link.bytes_per_cycle);
    completion_ = ticks(fabric.sheet().completion_cycles);
  }

  Played run() {
    start();
    while (!events_.empty()) {
      const EventHeap::Event event = events_.pop();
      now_ = int64_t(event.time - kBefore);
      const uint32_t id = event.what & ~kSort;
      const uint32_t sort = event.what & kSort;
      if (sort == kStep) {
        step(id);
      } else if (sort == kFree) {
        leave_gate(id);
      } else {
        serve(id);
      }
    }
    finish();
    return std::move(out_);
  }

 private:
  void plan(int64_t time, uint32_t id, uint32_t sort) {
    events_.push(uint64_t(time) + kBefore, sort | id);
  }

  void start() {
    origin_ = kNoTime;
    bool zones = false;
    for (const TransferStream& stream : trace_.streams) {
      for (const TransferRecord& record : stream.records) {
        const bool zone = record.kind == TransferKind::Zone;
        if (zones && !zone)
          continue;
        if (zone && !zones)
          origin_ = kNoTime;
        zones = zones || zone;
        origin_ = std::min(origin_, record.begin);
      }
    }
    streams_.resize(trace_.streams.size());
    size_t records = 0;
    for (const TransferStream& stream : trace_.streams)
      records += stream.records.size();
    out_.transfers.reserve(records);
    flights_.reserve(records);
    for (uint32_t i = 0; i < streams_.size(); ++i)
      start_stream(i);
  }

  void start_stream(uint32_t index) {
    const TransferStream& stream = trace_.streams[index];
    StreamState& state = streams_[index];
    state.processor = processor_of(trace_.names[stream.processor]);
    if (stream.records.empty())
      return;
    const TransferRecord& first = stream.records.front();
    const double lead =
        first.kind == TransferKind::Zone && state.processor ? state.processor->start_cycles : 0;
    const bool modelled = options_.issue == Issue::Modelled;
    plan(at(first.begin) + (modelled ? ticks(lead) : 0), index, kStep);
  }

  const spec::FabricSheet::Processor* processor_of(const std::string& name) const {
    const auto& all = fabric_.sheet().processors;
    for (const auto& each : all)
      if (each.name == name)
        return &each;
    if (all.empty())
      return nullptr;
    return &all.front();
  }

  int64_t at(uint64_t time) const {
    return (int64_t(time) - int64_t(origin_)) * int64_t(kTicks);
  }

  // Takes records until one costs time: a transfer, or a wait that is not over.
  void step(uint32_t index) {
    const TransferStream& stream = trace_.streams[index];
    StreamState& state = streams_[index];
    while (state.next < stream.records.size()) {
      const TransferRecord& record = stream.records[state.next];
      if (options_.issue == Issue::Stamps && at(record.begin) > now_)
        return plan(at(record.begin), index, kStep);
      const auto number = uint32_t(state.next++);
      state.reached = std::max(state.reached, record.begin);
      const bool alone = trace::ends_alone(record);
      const bool blocks = !alone || trace::waited_for(stream, number);
      if (record.end != kNoTime && blocks)
        state.reached = std::max(state.reached, record.end);
      if (trace::is_transfer(record.kind) || record.kind == TransferKind::Compute) {
        const bool issued = trace::is_transfer(record.kind) && issue(index, number);
        if (issued && alone && blocks && options_.issue != Issue::Stamps)
          return wait_for_last(index);
        return plan(now_ + pause(stream, state, record), index, kStep);
      }
      if (trace::is_group(record.kind))
        return wait(index, number);
      if (options_.issue == Issue::Gaps && state.next < stream.records.size())
        return plan(now_ + gap(stream, state), index, kStep);
    }
  }

  void wait_for_last(uint32_t index) {
    StreamState& state = streams_[index];
    state.waiting = flights_.back().own_wait;
    state.waits_for_one = true;
  }

  // From the latest time recorded so far to the next record's; a zone may be recorded twice, the second time
  // out of order.
  int64_t gap(const TransferStream& stream, const StreamState& state) const {
    if (state.next >= stream.records.size())
      return 0;
    return std::max<int64_t>(0, at(stream.records[state.next].begin) - at(state.reached));
  }

  int64_t pause(const TransferStream& stream, const StreamState& state, const TransferRecord& record) const {
    if (options_.issue == Issue::Stamps)
      return 0;
    if (options_.issue == Issue::Gaps)
      return gap(stream, state);
    if (record.kind == TransferKind::Compute)
      return record.end == kNoTime ? 0 : at(record.end) - at(record.begin);
    if (!state.processor)
      return ticks(1);
    const int peer = fabric_.component(record.peer);
    const bool dram = peer >= 0 && fabric_.kind(peer) == spec::TileKind::Dram;
    if (dram)
      return ticks(state.processor->issue_dram_cycles);
    const bool turns = state.next < stream.records.size() && stream.records[state.next].peer.known() &&
                       stream.records[state.next].peer != record.peer;
    return ticks(state.processor->issue_core_cycles + (turns ? state.processor->turn_cycles : 0));
  }

  int route_of(int network, int from, int to) {
    const auto count = size_t(fabric_.component_count());
    std::vector<int>& ids = route_ids_[size_t(network) * count + size_t(from)];
    if (ids.empty())
      ids.assign(count, -1);
    int& id = ids[size_t(to)];
    if (id < 0) {
      id = int(out_.routes.size());
      out_.routes.push_back(fabric_.route(network, from, to));
    }
    return id;
  }

  // False where the fabric lacks a place for it.
  bool issue(uint32_t index, uint32_t number) {
    const TransferStream& stream = trace_.streams[index];
    const TransferRecord& record = stream.records[number];
    const bool write = record.kind == TransferKind::Write;
    const int own = fabric_.component(stream.core);
    const int peer = fabric_.component(record.peer);
    const int network = record.network < networks_.size() ? networks_[record.network] : -1;
    if (own < 0 || peer < 0 || network < 0) {
      ++out_.unplaced;
      return false;
    }
    const int towards = route_of(network, own, peer);
    const int route = write ? towards : route_of(network, peer, own);
    const std::vector<int>& way = out_.routes[size_t(route)];
    const std::vector<int>& request = out_.routes[size_t(towards)];
    if (way.empty() || request.empty()) {
      ++out_.unplaced;
      return false;
    }
    const auto id = uint32_t(out_.transfers.size());
    out_.transfers.push_back({index, number, route, double(now_) / kTicks, 0});
    flights_.push_back({way.data(), uint32_t(way.size()), 0, 0, record.bytes, kNone, gate_of(way)});
    StreamState& state = streams_[index];
    if (trace::ends_alone(record)) {
      flights_.back().own_wait = out_.waits.size();
      out_.waits.push_back(
          {index, number, double(now_) / kTicks, 0, uint32_t(out_.transfers_of_waits.size()), 1});
      out_.transfers_of_waits.push_back(id);
    } else {
      state.open[write].push_back(id);
      ++state.pending[write];
    }
    plan(write ? now_ : arrival_of_request(request, peer), id, kServe);
    return true;
  }

  // A request is short: it takes no server's time, but stands behind the data that does.
  int64_t arrival_of_request(const std::vector<int>& route, int peer) const {
    int64_t time = now_;
    for (size_t i = 1; i < route.size(); ++i) {
      const ServerState& server = servers_[size_t(route[i])];
      if (server.link)
        time = std::max(time, server.free);
      time += server.pass;
    }
    const auto& sheet = fabric_.sheet();
    const bool dram = fabric_.kind(peer) == spec::TileKind::Dram;
    return time + ticks(dram ? sheet.dram.read_cycles : sheet.core_memory.read_cycles);
  }

  // `ticks`: of a cycle of this server.
  ServerState state_of(int id, double ticks) const {
    const Server& server = fabric_.server(id);
    const bool port = server.kind == ServerKind::Out || server.kind == ServerKind::In;
    ServerState state;
    state.packet = server.packet_cycles * ticks;
    state.byte = ticks / server.bytes_per_cycle;
    state.pass = std::llround(server.pass_cycles * ticks);
    state.noisy = options_.noise_cv > 0 && !port;
    state.link = server.kind == ServerKind::Link;
    return state;
  }

  int64_t service(const ServerState& server, uint64_t bytes) {
    double duration = server.packet + double(bytes) * server.byte;
    if (server.noisy) {
      const double shape = 1 / (options_.noise_cv * options_.noise_cv);
      duration *= rng_.gamma(shape, 1 / shape);
    }
    return int64_t(duration + 0.5);
  }

  // The first link's server stands for tile, network and direction; -1: data stays in its tile.
  int gate_of(const std::vector<int>& route) const {
    if (fabric_.sheet().port.channels > 0 && route.size() > 3 && servers_[size_t(route[2])].link)
      return route[2];
    return -1;
  }

  bool enter_gate(uint32_t id) {
    const int gate = flights_[id].gate;
    if (gate < 0)
      return true;
    int& under_way = servers_[size_t(gate)].under_way;
    if (under_way < fabric_.sheet().port.channels) {
      ++under_way;
      return true;
    }
    Queue& queue = queues_[size_t(gate)];
    (queue.first == kNobody ? queue.first : flights_[queue.last].behind) = id;
    queue.last = id;
    return false;
  }

  void leave_gate(uint32_t id) {
    const int gate = flights_[id].gate;
    int& under_way = servers_[size_t(gate)].under_way;
    --under_way;
    Queue& queue = queues_[size_t(gate)];
    const uint32_t next = queue.first;
    if (next == kNobody)
      return;
    queue.first = flights_[next].behind;
    ++under_way;
    take(next);
  }

  void serve(uint32_t id) {
    if (flights_[id].stop == 1 && !enter_gate(id))
      return;
    take(id);
  }

  void take(uint32_t id) {
    Flight& flight = flights_[id];
    ServerState& server = servers_[size_t(flight.way[flight.stop])];
    const int64_t begin = std::max(now_, server.free);
    const int64_t duration = service(server, flight.bytes);
    server.free = begin + duration;
    if (begin > now_ && flight.stop > 0)
      hold(servers_[size_t(flight.way[flight.stop - 1])], begin + duration);
    server.busy += duration;
    server.waited += begin - now_;
    server.bytes += flight.bytes;
    // The last byte is through when it was through the server before and when this one has passed it on.
    flight.tail = std::max(flight.tail, begin + duration);
    if (++flight.stop == flight.stops)
      return arrive(id, flight.tail);
    flight.tail += server.pass;
    plan(begin + server.pass, id, kServe);
  }

  // What stands before a taken server keeps the link behind it taken, but for what the buffer between holds.
  void hold(ServerState& before, int64_t until) const {
    if (buffer_ > 0 && before.link)
      before.free = std::max(before.free, until - buffer_);
  }

  void arrive(uint32_t id, int64_t time) {
    PlayedTransfer& transfer = out_.transfers[id];
    const Flight& flight = flights_[id];
    const bool write = record_of(transfer).kind == TransferKind::Write;
    // The writer hears of the arrival by a short answer over as many routers.
    if (write)
      time += hop_ * (int64_t(flight.stops) - 3);
    transfer.arrival = double(time) / kTicks;
    if (flight.gate >= 0)
      plan(time, id, kFree);
    if (flight.own_wait != kNone)
      return end_own_wait(transfer.stream, flight.own_wait, time + completion_);
    StreamState& state = streams_[transfer.stream];
    --state.pending[write];
    state.last[write] = std::max(state.last[write], time);
    if (state.waiting != kNone && !state.waits_for_one && state.waits_for_write == write &&
        state.pending[write] == 0)
      end_wait(transfer.stream, state.last[write] + completion_);
  }

  void end_own_wait(uint32_t index, size_t wait, int64_t time) {
    StreamState& state = streams_[index];
    if (state.waiting == wait) {
      state.waits_for_one = false;
      return end_wait(index, time);
    }
    out_.waits[wait].end = double(time) / kTicks;
    last_end_ = std::max(last_end_, time);
  }

  const TransferRecord& record_of(const PlayedTransfer& transfer) const {
    return trace_.streams[transfer.stream].records[transfer.record];
  }

  void wait(uint32_t index, uint32_t number) {
    StreamState& state = streams_[index];
    const bool write = trace_.streams[index].records[number].kind == TransferKind::WriteGroup;
    PlayedWait wait{index, number, double(now_) / kTicks, 0};
    wait.first_transfer = uint32_t(out_.transfers_of_waits.size());
    wait.transfers = uint32_t(state.open[write].size());
    out_.transfers_of_waits.insert(
        out_.transfers_of_waits.end(),
        state.open[write].begin(),
        state.open[write].end());
    state.open[write].clear();
    out_.waits.push_back(wait);
    state.waiting = out_.waits.size() - 1;
    state.waits_for_write = write;
    if (state.pending[write] == 0)
      end_wait(index, wait.transfers ? state.last[write] + completion_ : now_);
  }

  void end_wait(uint32_t index, int64_t time) {
    StreamState& state = streams_[index];
    time = std::max(time, now_);
    out_.waits[state.waiting].end = double(time) / kTicks;
    state.waiting = kNone;
    last_end_ = std::max(last_end_, time);
    plan(time + pause_after_wait(index), index, kStep);
  }

  int64_t pause_after_wait(uint32_t index) const {
    if (options_.issue == Issue::Stamps)
      return 0;
    const TransferStream& stream = trace_.streams[index];
    const StreamState& state = streams_[index];
    const bool recorded = stream.records[state.next - 1].end != kNoTime;
    if (options_.issue == Issue::Gaps && recorded)
      return gap(stream, state);
    return ticks(fabric_.sheet().resume_cycles);
  }

  void finish() {
    out_.begin = 0;
    out_.end = double(last_end_) / kTicks;
    for (const ServerState& server : servers_) {
      out_.busy.push_back(double(server.busy) / kTicks);
      out_.waited.push_back(double(server.waited) / kTicks);
      out_.bytes.push_back(server.bytes);
    }
  }

  const Fabric& fabric_;
  const TransferTrace& trace_;
  const PlayOptions& options_;
  base::Rng rng_;
  Played out_;
  EventHeap events_;
  int64_t now_ = 0;
  int64_t last_end_ = 0;
  int64_t hop_ = 0;
  int64_t completion_ = 0;
  int64_t buffer_ = 0;
  uint64_t origin_ = 0;
  std::vector<StreamState> streams_;
  std::vector<ServerState> servers_;
  std::vector<Flight> flights_;  // by transfer
  std::vector<int> networks_;
  std::vector<std::vector<int>> route_ids_;  // by network and origin, destination; -1: not asked
  std::vector<Queue> queues_;                // by server of a gate
};

}  // namespace

Played play(const Fabric& fabric, const TransferTrace& trace, const PlayOptions& options) {
  return Player(fabric, trace, options).run();
}

}  // namespace lento::chip
