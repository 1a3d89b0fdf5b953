// Simulates a recorded program event by event: streams issue transfers, transfers travel as packets of the
// traffic model, waits end when their last transfer arrives. Recorded values are untrusted: transfers of
// unknown tiles or networks are counted and skipped. play.h states the model. Cost: one heap event per
// transfer and server.
#include "chip/fabric/play.h"

#include <algorithm>
#include <cmath>

#include "chip/fabric/traffic.h"

namespace lento::chip {
namespace {

constexpr size_t kNone = SIZE_MAX;

// With this bit set, an event is a step of the stream in the other bits. Otherwise its number is a transfer.
constexpr uint32_t kStep = uint32_t{1} << 31;

struct StreamState {
  uint64_t reached = 0;  // latest recorded time of the records simulated so far
  size_t next = 0;       // index of the next record
  const spec::FabricSheet::Processor* processor = nullptr;
  std::vector<uint32_t> open[2];  // transfers since the previous group: reads, writes
  uint32_t pending[2] = {0, 0};   // those that have not arrived yet
  int64_t last[2] = {0, 0};       // latest arrival
  size_t waiting = kNone;         // index into Played::waits
  bool waits_for_write = false;
  bool waits_for_one = false;  // the current wait is for one transfer with a recorded end, not for a group
};

class Player {
 public:
  Player(const Fabric& fabric, const TransferTrace& trace, const PlayOptions& options)
      : fabric_(fabric),
        trace_(trace),
        options_(options),
        traffic_(fabric, agenda_, {options.slow, options.noise_cv, options.seed}) {
    for (const std::string& name : trace.networks) {
      const int id = fabric.network(name);
      networks_.push_back(id < 0 && trace.networks.size() == 1 ? 0 : id);
    }
  }

  // Simulates all transfers of the trace.
  Played run() {
    start();
    do {
      while (!agenda_.empty()) {
        const Agenda::Event event = agenda_.next();
        now_ = event.time;
        const uint32_t id = event.what & ~kStep;
        if (event.what & kStep) {
          step(id);
        } else if (const auto tail = traffic_.serve(id, now_)) {
          arrive(id, *tail);
        }
      }
    } while (traffic_.unlock());
    finish();
    return std::move(out_);
  }

 private:
  void plan_step(int64_t time, uint32_t stream) {
    agenda_.plan(time, kStep | stream);
  }

  // Finds the begin of the trace and starts each stream of records.
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
    wait_of_transfer_.reserve(records);
    for (uint32_t i = 0; i < streams_.size(); ++i)
      start_stream(i);
  }

  // Starts one stream: the records of one processor of a core.
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
    plan_step(at(first.begin) + (modelled ? ticks(lead) : 0), index);
  }

  // Returns the properties that the sheet gives for this processor, those of its first processor when the
  // name is unknown, or nullptr when it lists none.
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
    return (int64_t(time) - int64_t(origin_)) * ticks(1);
  }

  // Simulates records of a stream until one takes time: a transfer, or a wait that is not over.
  void step(uint32_t index) {
    const TransferStream& stream = trace_.streams[index];
    StreamState& state = streams_[index];
    while (state.next < stream.records.size()) {
      const TransferRecord& record = stream.records[state.next];
      if (options_.issue == Issue::Stamps && at(record.begin) > now_)
        return plan_step(at(record.begin), index);
      const auto number = uint32_t(state.next++);
      state.reached = std::max(state.reached, record.begin);
      const bool alone = ends_alone(record);
      const bool blocks = !alone || waited_for(stream, number);
      if (record.end != kNoTime && blocks)
        state.reached = std::max(state.reached, record.end);
      if (is_transfer(record.kind) || record.kind == TransferKind::Compute) {
        const bool issued = is_transfer(record.kind) && issue(index, number);
        if (issued && alone && blocks && options_.issue != Issue::Stamps)
          return wait_for_last(index);
        return plan_step(now_ + pause(stream, state, record), index);
      }
      if (is_group(record.kind))
        return wait(index, number);
      if (options_.issue == Issue::Gaps && state.next < stream.records.size())
        return plan_step(now_ + gap(stream, state), index);
    }
  }

  void wait_for_last(uint32_t index) {
    StreamState& state = streams_[index];
    state.waiting = wait_of_transfer_.back();
    state.waits_for_one = true;
  }

  // Returns the ticks from the latest recorded time so far to that of the next record, at least 0: a zone (a
  // named part of a kernel) may be recorded twice, the second time out of order.
  int64_t gap(const TransferStream& stream, const StreamState& state) const {
    if (state.next >= stream.records.size())
      return 0;
    return std::max<int64_t>(0, at(stream.records[state.next].begin) - at(state.reached));
  }

  // Returns the ticks from this record to the next, by the rule of issue: none (Issue::Stamps), the recorded
  // gap (Issue::Gaps), or the time that the computation or the processor's issue takes.
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
    const bool answers = state.next < stream.records.size() && stream.records[state.next].peer.known() &&
                         stream.records[state.next].peer != record.peer;
    return ticks(state.processor->issue_core_cycles + (answers ? state.processor->turn_cycles : 0));
  }

  // Issues a transfer. Returns false when its route does not exist on the fabric.
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
    const int towards = traffic_.route(network, own, peer);
    const int route = write ? towards : traffic_.route(network, peer, own);
    if (traffic_.routes()[size_t(route)].empty() || traffic_.routes()[size_t(towards)].empty()) {
      ++out_.unplaced;
      return false;
    }
    const auto id = uint32_t(out_.transfers.size());
    out_.transfers.push_back({index, number, route, cycles(now_), 0});
    wait_of_transfer_.push_back(kNone);
    StreamState& state = streams_[index];
    if (ends_alone(record)) {
      wait_of_transfer_.back() = out_.waits.size();
      out_.waits.push_back({index, number, cycles(now_), 0, uint32_t(out_.transfers_of_waits.size()), 1});
      out_.transfers_of_waits.push_back(id);
    } else {
      state.open[write].push_back(id);
      ++state.pending[write];
    }
    traffic_.send(route, record.bytes, write ? now_ : arrival_of_request(towards, peer));
    return true;
  }

  // Returns the time at which a read request reaches its target, in ticks.
  int64_t arrival_of_request(int route, int peer) const {
    const auto& sheet = fabric_.sheet();
    const bool dram = fabric_.kind(peer) == spec::TileKind::Dram;
    return traffic_.request(route, now_) +
           ticks(dram ? sheet.dram.read_cycles : sheet.core_memory.read_cycles);
  }

  // Records the arrival of a transfer. A write is complete when its acknowledgement is back.
  void arrive(uint32_t id, int64_t time) {
    PlayedTransfer& transfer = out_.transfers[id];
    const bool write = record_of(transfer).kind == TransferKind::Write;
    // A short acknowledgement over the same number of routers reports the arrival to the writer.
    if (write)
      time += ticks(fabric_.sheet().link.hop_cycles) * traffic_.links(id);
    transfer.arrival = cycles(time);
    if (wait_of_transfer_[id] != kNone)
      return end_transfer_wait(transfer.stream, wait_of_transfer_[id], time + completion());
    StreamState& state = streams_[transfer.stream];
    --state.pending[write];
    state.last[write] = std::max(state.last[write], time);
    if (state.waiting != kNone && !state.waits_for_one && state.waits_for_write == write &&
        state.pending[write] == 0)
      end_wait(transfer.stream, state.last[write] + completion());
  }

  int64_t completion() const {
    return ticks(fabric_.sheet().completion_cycles);
  }

  // Ends a wait for a single transfer.
  void end_transfer_wait(uint32_t index, size_t wait, int64_t time) {
    StreamState& state = streams_[index];
    if (state.waiting == wait) {
      state.waits_for_one = false;
      return end_wait(index, time);
    }
    out_.waits[wait].end = cycles(time);
    last_end_ = std::max(last_end_, time);
  }

  const TransferRecord& record_of(const PlayedTransfer& transfer) const {
    return trace_.streams[transfer.stream].records[transfer.record];
  }

  // Starts a wait of the processor for its open transfers of one direction.
  void wait(uint32_t index, uint32_t number) {
    StreamState& state = streams_[index];
    const bool write = trace_.streams[index].records[number].kind == TransferKind::WriteGroup;
    PlayedWait wait{index, number, cycles(now_), 0};
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
      end_wait(index, wait.transfers ? state.last[write] + completion() : now_);
  }

  // Ends the current wait of a stream and plans its next record.
  void end_wait(uint32_t index, int64_t time) {
    StreamState& state = streams_[index];
    time = std::max(time, now_);
    out_.waits[state.waiting].end = cycles(time);
    state.waiting = kNone;
    last_end_ = std::max(last_end_, time);
    plan_step(time + pause_after_wait(index), index);
  }

  // Returns the time between the end of a wait and the next record, in ticks.
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

  // Sets the period, the routes, and the busy and waiting cycles and bytes of each server in the result.
  void finish() {
    out_.begin = 0;
    out_.end = cycles(last_end_);
    const auto servers = size_t(fabric_.server_count());
    out_.busy.reserve(servers);
    out_.waited.reserve(servers);
    out_.bytes.reserve(servers);
    for (int server = 0; server < fabric_.server_count(); ++server) {
      const TrafficModel::Use use = traffic_.use(server);
      out_.busy.push_back(cycles(use.busy));
      out_.waited.push_back(cycles(use.waited));
      out_.bytes.push_back(use.bytes);
    }
    out_.routes = traffic_.take_routes();
  }

  const Fabric& fabric_;
  const TransferTrace& trace_;
  const PlayOptions& options_;
  Agenda agenda_;
  TrafficModel traffic_;
  Played out_;
  int64_t now_ = 0;
  int64_t last_end_ = 0;
  uint64_t origin_ = 0;
  std::vector<StreamState> streams_;
  // Index of each transfer's own wait in Played::waits, or kNone when a group's wait covers it.
  std::vector<size_t> wait_of_transfer_;
  std::vector<int> networks_;
};

}  // namespace

Played play(const Fabric& fabric, const TransferTrace& trace, const PlayOptions& options) {
  return Player(fabric, trace, options).run();
}

}  // namespace lento::chip
