// Runs a program: the event loop, the cores' windows and their compute units. Messages and DRAM transfers are
// in machine_transfers.cc, and deadlock.cc explains runs that cannot go on.
//
// Event order: time, then insertion (EventHeap). After each event the window of every core that changed
// advances, in the order in which the changes came.
#include "chip/sim/machine.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"

namespace lento::chip {
namespace {

constexpr double kLeastRate = 0.05;          // of the mean: lower bound of a drawn rate
constexpr uint64_t kStopInterval = 1 << 16;  // events between two checks of Options::stop

uint32_t ring_size(int window) {
  return std::bit_ceil(uint32_t(window) + 2);
}

}  // namespace

Machine::Machine(
    const Model& model,
    const std::vector<Fault>& faults,
    const Options& options,
    RecordSink* sink)
    : model_(model),
      faults_(faults),
      options_(options),
      sink_(sink),
      network_(
          {model.chip,
           model.grid,
           options.noise ? model.noise : model.silence,
           model.program.hops,
           model.own,
           options.datelines},
          events_,
          *this),
      ring_(ring_size(model.chip.core.issue_window)),
      mask_(ring_ - 1),
      cores_(model.grid.core_count()),
      entries_(cores_.size() * ring_),
      tiles_(cores_.size() * ring_),
      channels_(model.program.channels.size()),
      progress_(model.program.layers.size()) {
  const Program& program = model.program;
  std::vector<int> ids;
  for (const Program::Layer& layer : program.layers)
    ids.push_back(layer.id);
  costs_ = cost_table(options.probes, ids, model.chip);
  for (uint32_t id = 0; id < cores_.size(); ++id) {
    cores_[id].free_slots = model.chip.memory_unit.slots;
    if (program.first_section[id] == program.first_section[id + 1]) {
      cores_[id].exhausted = true;
      continue;
    }
    cores_[id].next = program.sections[program.first_section[id]].begin;
    ++unfinished_;
    request_advance(id);
  }
  result_.layers.resize(program.layers.size());
  result_.core_busy.resize(cores_.size());
  result_.probe_cycles.resize(cores_.size());
  result_.memory_units.resize(cores_.size());
  result_.inference_end.resize(options.inferences);
  set_faults();
}

Machine::Machine(const Machine& at, const std::vector<Fault>& faults, RecordSink* sink)
    : Machine(at) {
  faults_ = faults;
  sink_ = sink;
  influence_ = nullptr;
  network_.attach(events_, *this);
  set_faults();
}

void Machine::keep(Influence& influence) {
  influence_ = &influence;
  network_.keep(influence);
}

void Machine::push(uint64_t time, uint32_t what, uint32_t column, double cycles) {
  events_.push(time, what);
  if (influence_ != nullptr)
    influence_->pushed(what, column, cycles);
}

void Machine::set_faults() {
  result_.fault_hits.assign(faults_.size(), 0);
  core_faults_.assign(cores_.size(), {});
  memory_faults_.assign(cores_.size(), {});
  for (size_t i = 0; i < faults_.size(); ++i) {
    if (!faults_[i].exists())
      continue;
    if (faults_[i].part == Part::Core)
      core_faults_[faults_[i].index].push_back(uint32_t(i));
    if (faults_[i].part == Part::MemoryUnit)
      memory_faults_[faults_[i].index].push_back(uint32_t(i));
  }
  network_.set_faults(faults_, result_.fault_hits);
}

// Returns the factor by which these faults slow a component now.
double Machine::slowdown(const std::vector<uint32_t>& faults) {
  double factor = 1;
  for (const uint32_t i : faults) {
    if (!faults_[i].holds(now_))
      continue;
    factor *= faults_[i].at(now_);
    ++result_.fault_hits[i];
  }
  return factor;
}

bool Machine::run_until(uint64_t cycles) {
  advance_windows();
  while (!events_.empty()) {
    if (events_.next_time() > cycles ||
        (result_.events % kStopInterval == 0 && options_.stop && options_.stop()))
      return true;
    const EventHeap::Event event = events_.pop();
    now_ = event.time;
    ++result_.events;
    if (influence_ != nullptr)
      influence_->happens(event.what);
    const uint32_t index = event.what & ((1u << kKindShift) - 1);
    switch (static_cast<Kind>(event.what >> kKindShift)) {
      case Kind::ServerDone:
        network_.server_done(index, now_);
        break;
      case Kind::ComputeDone:
        compute_done(index);
        break;
      case Kind::StartUpDone:
        offer_segment(index);
        break;
      case Kind::SlotDone:
        slot_done(index);
        break;
    }
    advance_windows();
  }
  if (unfinished_ > 0)
    deadlock();
  return false;
}

Result Machine::result() {
  result_.finished = events_.empty();
  result_.cycles = now_;
  result_.link_hops = network_.hops_done();
  for (int link = 0; link < model_.grid.link_count(); ++link) {
    result_.links.push_back({network_.use(link).busy, network_.use(link).bytes});
  }
  for (int port = 0; port < model_.grid.port_count(); ++port) {
    const Network::Use& use = network_.use(network_.port_server(port));
    result_.ports.push_back({use.busy, use.bytes});
  }
  return std::move(result_);
}

void Machine::request_advance(uint32_t core) {
  if (cores_[core].advance_asked)
    return;
  cores_[core].advance_asked = true;
  advance_asked_.push_back(core);
}

// Advances the windows of all cores that requested it in this event.
void Machine::advance_windows() {
  for (size_t i = 0; i < advance_asked_.size(); ++i) {
    cores_[advance_asked_[i]].advance_asked = false;
    advance(advance_asked_[i]);
  }
  advance_asked_.clear();
}

// Moves a core's window past finished instructions and admits new ones.
void Machine::advance(uint32_t id) {
  Core& core = cores_[id];
  const auto window = uint32_t(model_.chip.core.issue_window);
  for (;;) {
    while (core.head != core.tail && entry(id, core.head).state == Entry::Done)
      ++core.head;
    if (core.tail - core.head >= window)
      return;
    if (!enter_next(id))
      break;
  }
  if (core.exhausted && core.head == core.tail && core.section != kNone) {
    core.section = kNone;  // so that the core is counted as done only once
    --unfinished_;
  }
}

// Lets the next instruction enter the core's window. Returns false at the end of the program.
bool Machine::enter_next(uint32_t id) {
  Core& core = cores_[id];
  if (core.exhausted)
    return false;
  const Instruction& instruction = at(core.next);
  if (instruction.first)
    tile(id, core.tiles++) = {0, kNone, core.next, false};
  const uint32_t number = core.tail++;
  entry(id, number) = {core.next, core.inference, core.repeat, core.tiles - 1, Entry::Waiting};
  step_cursor(core, id);
  enter(id, number);
  return true;
}

// Moves the cursor of a core to its next instruction. At the end of a section it repeats the section or goes
// to the next one.
void Machine::step_cursor(Core& core, uint32_t id) {
  const Program& program = model_.program;
  const uint32_t first = program.first_section[id];
  const uint32_t last = program.first_section[id + 1];
  const Program::Section* section = &program.sections[first + core.section];
  if (++core.next < section->end)
    return;
  if (++core.repeat == section->repeats) {
    core.repeat = 0;
    if (first + ++core.section == last) {
      core.section = 0;
      if (++core.inference == options_.inferences)
        core.exhausted = true;
    }
    section = &program.sections[first + core.section];
  }
  core.next = section->begin;
}

// Starts an instruction that entered the window.
void Machine::enter(uint32_t core, uint32_t number) {
  Entry& e = entry(core, number);
  Tile& t = tile(core, e.tile);
  const Instruction& instruction = at(e.instruction);
  switch (instruction.action) {
    case Action::Read:
      ++t.pending;
      if (read_ready(core, number))
        want_slot(core, number);
      break;
    case Action::Receive:
      ++t.pending;
      if (channels_[instruction.target].arrived > run_repeat(e))
        input_done(core, number);
      break;
    case Action::Compute:
      t.compute = number;
      try_compute(core);
      break;
    case Action::Write:
      if (t.computed)
        want_slot(core, number);
      break;
    case Action::Send:
      if (t.computed)
        try_send(core, number);
      break;
  }
}

// Ends an instruction.
void Machine::finish(uint32_t core, uint32_t number) {
  Entry& e = entry(core, number);
  e.state = Entry::Done;
  result_.inference_end[e.inference] = now_;
  request_advance(core);
}

void Machine::input_done(uint32_t core, uint32_t number) {
  --tile(core, entry(core, number).tile).pending;
  finish(core, number);
  try_compute(core);
}

void Machine::try_compute(uint32_t id) {
  Core& core = cores_[id];
  if (core.computing || core.next_compute == core.tiles)
    return;
  const Tile& t = tile(id, core.next_compute);
  if (t.compute == kNone || t.pending > 0)
    return;
  Entry& e = entry(id, t.compute);
  e.state = Entry::Active;
  core.computing = true;
  core.compute_began = now_ + core.debt;
  core.debt = 0;
  if (influence_ != nullptr)
    influence_->begins(id);
  const uint64_t cycles = compute_cycles(id, e);
  push(core.compute_began + cycles, event(Kind::ComputeDone, id), id, double(cycles));
}

// Returns the cycles of an operation, rounded up and at least 1: operations over a rate that is drawn from a
// normal distribution, times the deviation of the core and the factors of active faults. 0 without
// operations.
uint64_t Machine::compute_cycles(uint32_t id, const Entry& e) {
  const Instruction& instruction = at(e.instruction);
  if (instruction.amount == 0)
    return 0;
  double rate = model_.chip.core.ops_per_cycle;
  if (options_.noise) {
    const uint64_t key =
        Noise::key(options_.seed, uint64_t{id} << 32 | e.instruction, uint64_t{e.inference} << 32 | e.repeat);
    rate *= std::max(kLeastRate, 1 + model_.chip.core.rate_deviation * model_.noise.normal(key));
  }
  double cycles = double(instruction.amount) / rate * Deviations::of(model_.own.cores, id);
  if (!core_faults_[id].empty())
    cycles *= slowdown(core_faults_[id]);
  return std::max<uint64_t>(1, uint64_t(cycles + 0.999999));
}

// Ends a computation: records it, releases its results and starts the next one.
void Machine::compute_done(uint32_t id) {
  Core& core = cores_[id];
  const Tile t = tile(id, core.next_compute);
  const Entry e = entry(id, t.compute);
  const Instruction& instruction = at(e.instruction);
  result_.core_busy[id] += now_ - core.compute_began;
  Result::LayerTime& layer = result_.layers[instruction.layer];
  layer.busy += now_ - core.compute_began;
  if (instruction.amount > 0) {
    const Program::Layer& of = model_.program.layers[instruction.layer];
    record(
        {core.compute_began,
         now_,
         instruction.amount,
         instruction.layer,
         e.inference,
         uint16_t(id),
         0,
         chip::ProbeKind::Compute,
         uint8_t(of.kind),
         uint16_t(e.repeat * of.steps + instruction.step)},
        id);
  }
  tile(id, core.next_compute).computed = true;
  ++core.next_compute;
  core.computing = false;
  finish(id, t.compute);
  give_credits(id, t);
  release_outputs(id, t);
  try_compute(id);
}

// Lets sends and writes of a finished computation start.
void Machine::release_outputs(uint32_t id, const Tile& t) {
  const uint32_t tile_number = entry(id, t.compute).tile;
  for (uint32_t number = t.compute + 1; number != cores_[id].tail; ++number) {
    const Entry& e = entry(id, number);
    if (e.tile != tile_number)
      break;
    if (at(e.instruction).action == Action::Write) {
      want_slot(id, number);
    } else {
      try_send(id, number);
    }
  }
}

// Writes a record. Its layer is an index until here, and the sink gets the mapping's layer id.
void Machine::record(const ProbeRecord& r, uint32_t mark) {
  Result::LayerTime& layer = result_.layers[r.layer];
  layer.begin = std::min(layer.begin, r.begin);
  layer.end = std::max(layer.end, r.end);
  const int32_t cost = costs_[size_t(r.kind) * progress_.size() + r.layer];
  if (cost < 0)
    return;
  auto cycles = uint32_t(cost);
  ++result_.records;
  ProbeRecord out = r;
  out.layer = uint32_t(model_.program.layers[r.layer].id);
  if (influence_ != nullptr)
    influence_->ends(mark, out);
  if (sink_) {
    const RecordSink::Outcome outcome = sink_->record(out);
    // The cost of a record (cost_table()) includes an insertion into a sketch. Of the cycles that the sink
    // reports, only those beyond that are added.
    const auto paid = uint32_t(model_.chip.probe.sketch_insert_cycles);
    if (outcome.cost_cycles > paid)
      cycles += outcome.cost_cycles - paid;
    result_.dropped += outcome.dropped;
  }
  cores_[r.core].debt += cycles;
  result_.probe_cycles[r.core] += cycles;
}

Result
simulate(const Model& model, const std::vector<Fault>& faults, const Options& options, RecordSink* sink) {
  LENTO_CHECK(options.inferences > 0, "a run has at least one inference");
  Machine machine(model, faults, options, sink);
  machine.run_until(options.max_cycles);
  return machine.result();
}

Result simulate_influence(const Model& model, const Options& options, InfluenceSink& sink) {
  LENTO_CHECK(options.inferences > 0, "a run has at least one inference");
  Influence influence(model.grid, sink);
  Machine machine(model, {}, options, nullptr);
  machine.keep(influence);
  machine.run_until(options.max_cycles);
  return machine.result();
}

}  // namespace lento::chip
