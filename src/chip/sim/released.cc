// Simulates the model of the released SLOTH example: windows of instructions, messages that store and
// forward, and DRAM beside the mesh. Rounding and the order of counting follow the release, because its
// published times depend on them. Cost: one event per instruction and hop.
#include "chip/sim/released.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rng.h"
#include "chip/map/grid.h"
#include "chip/sim/event_heap.h"

namespace lento::chip {
namespace {

using Kind = ReleasedProgram::Kind;

constexpr int kSlots = 4;               // slots of a memory unit
constexpr double kBandwidthRate = 0.5;  // rate of the gamma distribution; shape = width * rate
constexpr uint64_t kPortDelay = 1;
constexpr uint64_t kRouterDelay = 1;
// Standard deviation of the compute rate, relative to the mean, as in the release: a normal rate whose 95th
// percentile lies a tenth above the mean has four times this value.
constexpr double kRateDeviation = 0.1 / 1.645 / 4;

class ReleasedMachine {
 public:
  ReleasedMachine(
      const spec::Chip& chip,
      const ReleasedProgram& program,
      const std::vector<Fault>& faults,
      const ReleasedOptions& options,
      RecordSink* sink)
      : chip_(chip),
        program_(program),
        options_(options),
        sink_(sink),
        grid_(chip) {
    const size_t cores = program.cores.size();
    cores_.resize(cores);
    core_faults_.resize(cores);
    unit_faults_.resize(cores);
    link_faults_.resize(grid_.link_count());
    link_free_.resize(grid_.link_count());
    result_.core_busy.resize(cores);
    result_.link_busy.resize(grid_.link_count());
    for (size_t c = 0; c < cores; ++c) {
      cores_[c].met.resize(program.cores[c].size() * options.inferences);
      cores_[c].started.resize(cores_[c].met.size());
      result_.unfinished += cores_[c].met.size();
    }
    for (const Fault& fault : faults)
      add_fault(fault);
  }

  // Runs the model to its end.
  ReleasedResult run() {
    for (uint32_t core = 0; core < cores_.size(); ++core)
      open_window(core);
    while (!events_.empty()) {
      const EventHeap::Event event = events_.pop();
      now_ = event.time;
      step(event.what);
    }
    result_.cycles = now_;
    return std::move(result_);
  }

 private:
  struct Core {
    std::vector<uint16_t> met;     // completions so far that each instruction waits for
    std::vector<uint8_t> started;  // issued; of a receive: its message has arrived
    uint64_t window = 0;           // the window starts at instruction window * issue_window
    int done = 0;                  // instructions done in the window
    bool opening = false;          // the window is being opened
    uint64_t compute_free = 0;
    uint64_t port_in_free = 0;
    uint64_t port_out_free = 0;
    std::array<uint64_t, kSlots> slot_free{};
  };
  // An action in progress: an instruction in service, or a message on its way.
  struct Flight {
    enum class At : uint8_t {
      Service,
      StartUp,
      Injected,
      Router,
      Arrived,
      Handed
    } at = At::Service;
    uint32_t core = 0;
    uint64_t instruction = 0;  // number in the run
    int router = 0;
    uint64_t begin = 0;
    uint64_t sent = 0;
    uint32_t next = 0;
  };

  const ReleasedProgram::Instruction& at(uint32_t core, uint64_t i) const {
    return program_.cores[core][i % program_.cores[core].size()];
  }
  bool in_window(uint32_t core, uint64_t i) const {
    return i / uint64_t(chip_.core.issue_window) == cores_[core].window;
  }

  // Adds a slow component. Throws base::Error for parts that the released model does not have.
  void add_fault(const Fault& fault) {
    if (!fault.exists())
      return;
    if (fault.part == Part::DramPort)
      throw base::Error(
          {fault.name},
          "the released model has no DRAM ports that could be slow",
          "simulate without --preset released, or take this fault out");
    if (fault.part == Part::Core)
      core_faults_[fault.index].push_back(&fault);
    if (fault.part == Part::MemoryUnit)
      unit_faults_[fault.index].push_back(&fault);
    if (fault.part == Part::Router) {
      for (const int link : grid_.links_of(fault.index))
        link_faults_[link].push_back(&fault);
    }
    if (fault.part == Part::Link) {
      link_faults_[grid_.find_link(fault.index, fault.other)].push_back(&fault);
      link_faults_[grid_.find_link(fault.other, fault.index)].push_back(&fault);
    }
  }

  double factor(const std::vector<const Fault*>& faults) const {
    double all = 1;
    for (const Fault* fault : faults)
      all *= fault->at(now_);
    return all;
  }

  // Returns the random numbers of one step of an instruction, independent of the order of events.
  base::Rng draw(uint32_t core, uint64_t instruction, uint64_t hop) const {
    return base::Rng(
        options_.seed,
        "chip.released",
        base::mix64(instruction * 0x9e3779b97f4a7c15ULL ^ uint64_t{core} << 40 ^ hop));
  }

  // Returns whole cycles of `amount` at `rate`, as the release rounds them.
  static uint64_t cycles(double amount, double rate) {
    return uint64_t(std::max(0.0, std::floor((amount + rate - 1) / rate)));
  }

  uint64_t passage(double bytes, double width, base::Rng rng) const {
    return cycles(bytes, rng.gamma(width * kBandwidthRate, 1 / kBandwidthRate));
  }

  // Opens the next windows. A window of receives whose messages have all arrived is done at once, and so may
  // be the next one.
  void open_window(uint32_t id) {
    Core& core = cores_[id];
    if (core.opening)
      return;  // the loop of the caller continues with the new window
    core.opening = true;
    for (uint64_t opened = UINT64_MAX; opened != core.window;) {
      opened = core.window;
      core.done = 0;
      start_window(id);
    }
    core.opening = false;
  }

  // Starts all instructions of a core's window that wait for nothing.
  void start_window(uint32_t id) {
    Core& core = cores_[id];
    const auto size = uint64_t(chip_.core.issue_window);
    const uint64_t window = core.window;
    const uint64_t begin = window * size;
    const uint64_t end = std::min<uint64_t>(begin + size, core.met.size());
    for (uint64_t i = begin; i < end && core.window == window; ++i) {
      if (at(id, i).kind == Kind::Receive) {
        if (core.started[i])
          complete(id, i);
      } else if (core.met[i] == at(id, i).needs && !core.started[i]) {
        issue(id, i);
      }
    }
  }

  // Starts an instruction.
  void issue(uint32_t id, uint64_t i) {
    Core& core = cores_[id];
    core.started[i] = 1;
    const ReleasedProgram::Instruction& in = at(id, i);
    const auto amount = double(in.amount);
    if (in.kind == Kind::Send) {
      fly({Flight::At::StartUp, id, i, 0, 0, 0, 0}, now_ + uint64_t(chip_.core.start_up_cycles));
    } else if (in.kind == Kind::Compute) {
      const double mean = chip_.core.ops_per_cycle / factor(core_faults_[id]);
      const uint64_t time = cycles(amount, draw(id, i, 0).normal(mean, mean * kRateDeviation));
      const uint64_t begin = std::max(now_, core.compute_free);
      core.compute_free = begin + time;
      result_.core_busy[id] += time;
      fly({Flight::At::Service, id, i, 0, begin, 0, 0}, core.compute_free);
    } else {
      uint64_t& slot = *std::ranges::min_element(core.slot_free);
      const uint64_t begin = std::max(now_, slot);
      slot = begin + cycles(amount, chip_.memory_unit.bytes_per_cycle / factor(unit_faults_[id]));
      fly({Flight::At::Service, id, i, 0, begin, 0, 0}, slot);
    }
  }

  // Plans the next step of an action (Flight) at `time`.
  void fly(const Flight& flight, uint64_t time) {
    uint32_t id = free_;
    if (id == kEmpty) {
      id = uint32_t(flights_.size());
      flights_.push_back(flight);
    } else {
      free_ = flights_[id].next;
      flights_[id] = flight;
    }
    events_.push(time, id);
  }

  // Performs the step that fly() planned.
  void step(uint32_t id) {
    Flight flight = flights_[id];
    flights_[id].next = free_;
    free_ = id;
    switch (flight.at) {
      case Flight::At::Service:
        finish_service(flight);
        break;
      case Flight::At::StartUp:
        inject(flight);
        break;
      case Flight::At::Injected:
        flight.sent = now_;
        flight.at = Flight::At::Router;
        flight.router = int(flight.core);
        fly(flight, now_ + kRouterDelay);
        complete(flight.core, flight.instruction);
        break;
      case Flight::At::Router:
        cross(flight);
        break;
      case Flight::At::Arrived:
        arrive(flight);
        break;
      case Flight::At::Handed:
        complete(flight.core, flight.instruction);
        break;
    }
  }

  // Records a finished read, write or computation.
  void finish_service(const Flight& f) {
    const ReleasedProgram::Instruction& in = at(f.core, f.instruction);
    const ProbeKind kind = in.kind == Kind::Compute ? chip::ProbeKind::Compute
                           : in.kind == Kind::Read  ? chip::ProbeKind::Read
                                                    : chip::ProbeKind::Write;
    const int port = kind == chip::ProbeKind::Compute ? 0 : grid_.port_of(int(f.core));
    record(f, f.core, f.instruction, kind, f.begin, port);
    complete(f.core, f.instruction);
  }

  // Passes a message whole through the port of its core into the network, first come first served.
  void inject(Flight f) {
    const double bytes = double(at(f.core, f.instruction).amount);
    uint64_t& free = cores_[f.core].port_in_free;
    free = std::max(now_, free) + kPortDelay +
           passage(bytes, chip_.core.scratchpad_bytes_per_cycle, draw(f.core, f.instruction, 1));
    f.at = Flight::At::Injected;
    fly(f, free);
  }

  // Moves one hop along x, then y, and at the end through the port into the core.
  void cross(Flight f) {
    const ReleasedProgram::Instruction& in = at(f.core, f.instruction);
    const auto bytes = double(in.amount);
    if (f.router == int(in.partner_core)) {
      uint64_t& free = cores_[in.partner_core].port_out_free;
      free = std::max(now_, free) + kPortDelay +
             passage(bytes, chip_.core.scratchpad_bytes_per_cycle, draw(f.core, f.instruction, 2));
      f.at = Flight::At::Arrived;
      fly(f, free);
      return;
    }
    const int link = grid_.route(f.router, int(in.partner_core)).front().link;
    const auto hop = uint64_t(3 + link);
    const uint64_t time =
        passage(bytes, chip_.network.link_bytes_per_cycle, draw(f.core, f.instruction, hop));
    const auto slowed = uint64_t(double(time) * factor(link_faults_[link]));
    link_free_[link] = std::max(now_, link_free_[link]) + slowed;
    result_.link_busy[link] += slowed;
    f.router = grid_.link(link).to;
    const bool last = f.router == int(in.partner_core);
    fly(f, link_free_[link] + (last ? 0 : kRouterDelay));
  }

  // Records a message at its receiver and completes the receive instruction.
  void arrive(const Flight& f) {
    const ReleasedProgram::Instruction& in = at(f.core, f.instruction);
    const uint64_t inference = f.instruction / program_.cores[f.core].size();
    const uint64_t receive = inference * program_.cores[in.partner_core].size() + in.partner;
    record(f, in.partner_core, receive, chip::ProbeKind::Message, f.sent, int(f.core));
    cores_[in.partner_core].started[receive] = 1;
    if (in_window(in.partner_core, receive))
      complete(in.partner_core, receive);
  }

  // Completes an instruction: counts it for the instructions it triggers, then for the window.
  void complete(uint32_t id, uint64_t i) {
    const ReleasedProgram::Instruction& in = at(id, i);
    const uint64_t inference = i / program_.cores[id].size();
    --result_.unfinished;
    for (uint32_t t = in.triggers_begin; t < in.triggers_end; ++t) {
      const auto [core, index] = program_.triggers[t];
      const uint64_t target = inference * program_.cores[core].size() + index;
      ++cores_[core].met[target];
      if (cores_[core].met[target] != at(core, target).needs || cores_[core].started[target] ||
          !in_window(core, target))
        continue;
      // The data passes through the port into the core, not through the memory unit.
      if (in.kind == Kind::Write) {
        cores_[core].started[target] = 1;
        uint64_t& free = cores_[core].port_out_free;
        free = std::max(now_, free) + kPortDelay +
               passage(double(in.amount), chip_.core.scratchpad_bytes_per_cycle, draw(core, target, 2));
        fly({Flight::At::Handed, core, target, 0, now_, 0, 0}, free);
      } else {
        issue(core, target);
      }
    }
    if (++cores_[id].done == chip_.core.issue_window) {
      ++cores_[id].window;
      open_window(id);
    }
  }

  void record(const Flight& f, uint32_t core, uint64_t i, ProbeKind kind, uint64_t begin, int peer) {
    ++result_.records;
    if (!sink_)
      return;
    const ReleasedProgram::Instruction& in = at(core, i);
    ProbeRecord r;
    r.begin = begin;
    r.end = now_;
    r.work = in.amount;
    r.layer = uint32_t(program_.layer_ids[in.layer]);
    r.inference = uint32_t(f.instruction / program_.cores[f.core].size());
    r.core = uint16_t(core);
    r.peer = uint16_t(peer);
    r.kind = kind;
    r.op = uint8_t(in.layer_kind);
    sink_->record(r);
  }

  static constexpr uint32_t kEmpty = UINT32_MAX;
  const spec::Chip& chip_;
  const ReleasedProgram& program_;
  const ReleasedOptions options_;
  RecordSink* sink_;
  const Grid grid_;
  uint64_t now_ = 0;
  EventHeap events_;
  std::vector<Core> cores_;
  std::vector<std::vector<const Fault*>> core_faults_;
  std::vector<std::vector<const Fault*>> unit_faults_;
  std::vector<std::vector<const Fault*>> link_faults_;
  std::vector<uint64_t> link_free_;
  std::vector<Flight> flights_;
  uint32_t free_ = kEmpty;
  ReleasedResult result_;
};

}  // namespace

ReleasedResult simulate_released(
    const spec::Chip& chip,
    const ReleasedProgram& program,
    const std::vector<Fault>& faults,
    const ReleasedOptions& options,
    RecordSink* sink) {
  return ReleasedMachine(chip, program, faults, options, sink).run();
}

}  // namespace lento::chip
