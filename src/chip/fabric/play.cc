#include "chip/fabric/play.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <unordered_map>

#include "base/rng.h"

namespace lento::chip {
namespace {

using trace::kNoTime;
using trace::TransferKind;
using trace::TransferRecord;
using trace::TransferStream;
using trace::TransferTrace;

constexpr double kTicks = 64;  // a cycle
constexpr size_t kNone = SIZE_MAX;

int64_t ticks(double cycles) {
  return std::llround(cycles * kTicks);
}

// Order: time, then sequence. What happens at one time happens in the order in which it was planned.
struct Event {
  int64_t time = 0;
  uint32_t sequence = 0;
  uint32_t id = 0;    // step: stream; else transfer
  uint32_t stop = 0;  // kStep, kFree, else the server's place in the route
};
constexpr uint32_t kStep = UINT32_MAX;
constexpr uint32_t kFree = UINT32_MAX - 1;
struct Later {
  bool operator()(const Event& a, const Event& b) const {
    if (a.time != b.time)
      return a.time > b.time;
    return a.sequence > b.sequence;
  }
};

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

// Packets of one tile in one direction of a network, by the server of the first link.
struct Gates {
  std::vector<int> under_way;
  std::unordered_map<int, std::deque<uint32_t>> queues;  // transfers
};

struct ServerTimes {  // of one server, in ticks
  double packet = 0;
  double byte = 0;
  int64_t pass = 0;
  bool noisy = false;
};

class Player {
 public:
  Player(const Fabric& fabric, const TransferTrace& trace, const PlayOptions& options)
      : fabric_(fabric),
        trace_(trace),
        options_(options),
        rng_(options.seed, "chip.fabric.play") {
    const size_t servers = size_t(fabric.server_count());
    free_.assign(servers, 0);
    slow_.assign(servers, 1);
    busy_.assign(servers, 0);
    waited_.assign(servers, 0);
    out_.bytes.assign(servers, 0);
    for (const Slowdown& each : options.slow)
      slow_[size_t(each.server)] *= each.factor;
    gates_.under_way.assign(servers, 0);
    for (size_t id = 0; id < servers; ++id)
      times_.push_back(times_of(int(id)));
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
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      if (event.stop == kStep) {
        step(event.id);
      } else if (event.stop == kFree) {
        leave_gate(event.id);
      } else {
        serve(event.id, event.stop);
      }
    }
    finish();
    return std::move(out_);
  }

 private:
  void plan(int64_t time, uint32_t id, uint32_t stop) {
    events_.push({time, sequence_++, id, stop});
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
    state.waiting = own_wait_.back();
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
    const auto count = uint64_t(fabric_.component_count());
    const uint64_t key = (uint64_t(network) * count + uint64_t(from)) * count + uint64_t(to);
    const auto [it, fresh] = route_ids_.try_emplace(key, int(out_.routes.size()));
    if (fresh)
      out_.routes.push_back(fabric_.route(network, from, to));
    return it->second;
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
    const int route = write ? route_of(network, own, peer) : route_of(network, peer, own);
    const std::vector<int>& request = out_.routes[size_t(route_of(network, own, peer))];
    if (out_.routes[size_t(route)].empty() || request.empty()) {
      ++out_.unplaced;
      return false;
    }
    const auto id = uint32_t(out_.transfers.size());
    out_.transfers.push_back({index, number, route, double(now_) / kTicks, 0});
    tail_.push_back(0);
    own_wait_.push_back(kNone);
    StreamState& state = streams_[index];
    if (trace::ends_alone(record)) {
      own_wait_.back() = out_.waits.size();
      out_.waits.push_back(
          {index, number, double(now_) / kTicks, 0, uint32_t(out_.transfers_of_waits.size()), 1});
      out_.transfers_of_waits.push_back(id);
    } else {
      state.open[write].push_back(id);
      ++state.pending[write];
    }
    plan(write ? now_ : arrival_of_request(request, peer), id, 0);
    return true;
  }

  // A request is short: it takes no server's time, but stands behind the data that does.
  int64_t arrival_of_request(const std::vector<int>& route, int peer) const {
    int64_t time = now_;
    for (size_t i = 1; i < route.size(); ++i) {
      const auto slot = size_t(route[i]);
      if (fabric_.server(route[i]).kind == ServerKind::Link)
        time = std::max(time, free_[slot]);
      time += times_[slot].pass;
    }
    const auto& sheet = fabric_.sheet();
    const bool dram = fabric_.kind(peer) == spec::TileKind::Dram;
    return time + ticks(dram ? sheet.dram.read_cycles : sheet.core_memory.read_cycles);
  }

  ServerTimes times_of(int id) const {
    const Server& server = fabric_.server(id);
    const double slow = slow_[size_t(id)] * kTicks;
    const bool port = server.kind == ServerKind::Out || server.kind == ServerKind::In;
    return {
        server.packet_cycles * slow,
        slow / server.bytes_per_cycle,
        std::llround(server.pass_cycles * slow),
        options_.noise_cv > 0 && !port};
  }

  int64_t service(const ServerTimes& times, uint64_t bytes) {
    double duration = times.packet + double(bytes) * times.byte;
    if (times.noisy) {
      const double shape = 1 / (options_.noise_cv * options_.noise_cv);
      duration *= rng_.gamma(shape, 1 / shape);
    }
    return int64_t(duration + 0.5);
  }

  // The first link's server stands for tile, network and direction; -1: data stays in its tile.
  int gate_of(const std::vector<int>& route) const {
    if (route.size() > 3 && fabric_.server(route[2]).kind == ServerKind::Link)
      return route[2];
    return -1;
  }

  bool enter_gate(uint32_t id, const std::vector<int>& route) {
    const int channels = fabric_.sheet().port.channels;
    const int gate_id = gate_of(route);
    if (channels == 0 || gate_id < 0)
      return true;
    int& under_way = gates_.under_way[size_t(gate_id)];
    if (under_way < channels) {
      ++under_way;
      return true;
    }
    gates_.queues[gate_id].push_back(id);
    return false;
  }

  void leave_gate(uint32_t id) {
    const int gate_id = gate_of(route(id));
    int& under_way = gates_.under_way[size_t(gate_id)];
    --under_way;
    const auto waiting = gates_.queues.find(gate_id);
    if (waiting == gates_.queues.end() || waiting->second.empty())
      return;
    const uint32_t next = waiting->second.front();
    waiting->second.pop_front();
    ++under_way;
    take(next, 1);
  }

  const std::vector<int>& route(uint32_t transfer) const {
    return out_.routes[size_t(out_.transfers[transfer].route)];
  }

  void serve(uint32_t id, uint32_t stop) {
    if (stop == 1 && !enter_gate(id, route(id)))
      return;
    take(id, stop);
  }

  void take(uint32_t id, uint32_t stop) {
    const std::vector<int>& way = route(id);
    const int server = way[stop];
    const auto slot = size_t(server);
    const PlayedTransfer& transfer = out_.transfers[id];
    const uint64_t bytes = trace_.streams[transfer.stream].records[transfer.record].bytes;
    const int64_t begin = std::max(now_, free_[slot]);
    const int64_t duration = service(times_[slot], bytes);
    free_[slot] = begin + duration;
    if (begin > now_ && stop > 0)
      hold(way[stop - 1], begin + duration);
    busy_[slot] += duration;
    waited_[slot] += begin - now_;
    out_.bytes[slot] += bytes;
    // The last byte is through when it was through the server before and when this one has passed it on.
    const int64_t pass = times_[slot].pass;
    tail_[id] = std::max(tail_[id], begin + duration);
    if (stop + 1 == way.size())
      return arrive(id, tail_[id]);
    tail_[id] += pass;
    plan(begin + pass, id, stop + 1);
  }

  // What stands before a taken server keeps the link behind it taken, but for what the buffer between holds.
  void hold(int before, int64_t until) {
    if (buffer_ == 0 || fabric_.server(before).kind != ServerKind::Link)
      return;
    int64_t& free = free_[size_t(before)];
    free = std::max(free, until - buffer_);
  }

  void arrive(uint32_t id, int64_t time) {
    PlayedTransfer& transfer = out_.transfers[id];
    const std::vector<int>& way = route(id);
    const bool write = record_of(transfer).kind == TransferKind::Write;
    // The writer hears of the arrival by a short answer over as many routers.
    if (write)
      time += hop_ * int64_t(way.size() - 3);
    transfer.arrival = double(time) / kTicks;
    if (fabric_.sheet().port.channels > 0 && gate_of(way) >= 0)
      plan(time, id, kFree);
    if (own_wait_[id] != kNone)
      return end_own_wait(transfer.stream, own_wait_[id], time + completion_);
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
    for (size_t i = 0; i < busy_.size(); ++i) {
      out_.busy.push_back(double(busy_[i]) / kTicks);
      out_.waited.push_back(double(waited_[i]) / kTicks);
    }
  }

  const Fabric& fabric_;
  const TransferTrace& trace_;
  const PlayOptions& options_;
  base::Rng rng_;
  Played out_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  uint32_t sequence_ = 0;
  int64_t now_ = 0;
  int64_t last_end_ = 0;
  int64_t hop_ = 0;
  int64_t completion_ = 0;
  int64_t buffer_ = 0;
  uint64_t origin_ = 0;
  std::vector<StreamState> streams_;
  std::vector<int64_t> free_;
  std::vector<int64_t> busy_;
  std::vector<int64_t> waited_;
  std::vector<size_t> own_wait_;  // by transfer: index into Played::waits, kNone where a group closes it
  std::vector<int64_t> tail_;     // by transfer: when its last byte is through the servers so far
  std::vector<double> slow_;
  std::vector<int> networks_;
  std::unordered_map<uint64_t, int> route_ids_;  // (network, from, to) packed
  Gates gates_;
  std::vector<ServerTimes> times_;
};

}  // namespace

Played play(const Fabric& fabric, const TransferTrace& trace, const PlayOptions& options) {
  return Player(fabric, trace, options).run();
}

}  // namespace lento::chip
