// Moves messages between cores and transfers from and to DRAM, segment by segment. A message needs a credit
// of its receiver, a DRAM transfer a slot of its core's memory unit. A message offers its next segment when
// the one before has left, and a DRAM transfer is at most kAhead segments between slot and network, so that
// transfers of a core interleave.
#include <algorithm>

#include "base/error.h"
#include "chip/sim/machine.h"

namespace lento::chip {
namespace {

constexpr uint32_t kAhead = 2;  // segments between a memory unit's slot and the network

}  // namespace

uint32_t Machine::segment_size(uint64_t bytes) const {
  return uint32_t(std::min<uint64_t>(bytes, model_.chip.network.segment_bytes));
}

// Returns the number of a transfer that was set up for an instruction.
uint32_t Machine::new_transfer(uint32_t core, uint32_t number) {
  uint32_t id = free_transfer_;
  if (id == kNone) {
    id = uint32_t(transfers_.size());
    LENTO_CHECK(id < 1u << kKindShift, "more transfers in flight than an event can name");
    transfers_.emplace_back();
  } else {
    free_transfer_ = transfers_[id].next;
  }
  const Entry& e = entry(core, number);
  const Instruction& instruction = at(e.instruction);
  Transfer& t = transfers_[id];
  t = {};
  t.noise = Noise::key(options_.seed, e.instruction, uint64_t{e.inference} << 32 | e.repeat);
  t.to_offer = t.to_finish = t.to_slot = instruction.amount;
  t.instruction = e.instruction;
  t.inference = e.inference;
  t.repeat = e.repeat;
  t.core = core;
  t.entry = number;
  t.action = instruction.action;
  return id;
}

void Machine::free_transfer(uint32_t id) {
  transfers_[id].next = free_transfer_;
  free_transfer_ = id;
}

// Passes the next segment of a transfer to the network.
void Machine::offer_segment(uint32_t id) {
  Transfer& t = transfers_[id];
  const Program& program = model_.program;
  Segment segment;
  segment.transfer = id;
  segment.bytes = segment_size(t.to_offer);
  segment.noise = base::mix64(t.noise + uint64_t{t.segment} * 0x9e3779b97f4a7c15ULL);
  uint32_t route = 0;
  if (t.action == Action::Send) {
    const Program::Channel& channel = program.channels[at(t.instruction).target];
    route = channel.route;
    segment.source = network_.inject_server(int(channel.from));
    segment.sink = network_.eject_server(int(channel.to));
  } else {
    const auto core = int(t.core);
    const uint32_t port = network_.port_server(model_.grid.port_of(core));
    segment.traffic = Traffic::Dram;
    const bool read = t.action == Action::Read;
    route = read ? program.from_port[t.core] : program.to_port[t.core];
    segment.source = read ? port : network_.inject_server(core);
    segment.sink = read ? kNone : port;
  }
  segment.hop = program.routes[route].begin;
  segment.hop_end = program.routes[route].end;
  t.to_offer -= segment.bytes;
  ++t.segment;
  network_.send(segment, now_);
}

void Machine::source_begins(uint32_t id) {
  Transfer& t = transfers_[id];
  if (influence_ != nullptr && now_ < t.begin)
    influence_->begins(mark_of(id));
  t.begin = std::min(t.begin, now_);
}

// Queues the next segment when the one before has left, so that messages of a core interleave.
void Machine::source_done(uint32_t id) {
  const Transfer& t = transfers_[id];
  if (t.action != Action::Send)
    return;
  if (t.to_offer > 0) {
    offer_segment(id);
  } else {
    finish(t.core, t.entry);
  }
}

// Counts bytes that arrived at their end of the network. A message or a write ends with its last byte. Bytes
// of a read have arrived at the core and still pass the slot of its memory unit, which is started on its next
// segment.
void Machine::delivered(uint32_t id, uint32_t bytes) {
  Transfer& t = transfers_[id];
  t.to_finish -= bytes;
  if (t.action == Action::Send) {
    if (t.to_finish > 0)
      return;
    message_arrived(id);
    free_transfer(id);
  } else if (t.action == Action::Read) {
    t.landed += bytes;
    move_slot(id);
  } else {
    --t.ahead;
    if (t.to_finish == 0) {
      transfer_done(id);
    } else {
      move_slot(id);
    }
  }
}

// Returns the record of a transfer.
ProbeRecord Machine::record_of(const Transfer& t, ProbeKind kind) const {
  const bool message = kind == chip::ProbeKind::Message;
  const Program& program = model_.program;
  const Instruction& sent = at(t.instruction);
  const Instruction& shown = message ? at(program.channels[sent.target].receive) : sent;
  const Program::Layer& layer = program.layers[shown.layer];
  ProbeRecord r;
  r.begin = t.begin;
  r.end = now_;
  r.work = shown.amount;
  r.layer = shown.layer;
  r.inference = t.inference;
  r.core = uint16_t(message ? program.channels[sent.target].to : t.core);
  r.peer = uint16_t(message ? t.core : model_.grid.port_of(int(t.core)));
  r.kind = kind;
  r.op = uint8_t(layer.kind);
  r.step = uint16_t(t.repeat * layer.steps + shown.step);
  return r;
}

// Starts a message when the receiver has room for it: at most `credits` repetitions ahead of those it has
// used.
void Machine::try_send(uint32_t core, uint32_t number) {
  Entry& e = entry(core, number);
  const uint32_t c = at(e.instruction).target;
  Channel& channel = channels_[c];
  if (run_repeat(e) - channel.used >= model_.program.channels[c].credits) {
    if (channel.waiting_entry == kNone)
      channel.waiting_entry = number;
    return;
  }
  e.state = Entry::Active;
  ++channel.sent;
  const uint32_t id = new_transfer(core, number);
  const auto cycles = uint64_t(model_.chip.core.start_up_cycles);
  push(now_ + cycles, event(Kind::StartUpDone, id), network_.columns().start_up(), double(cycles));
}

// Records an arrived message and lets a waiting receive continue.
void Machine::message_arrived(uint32_t id) {
  const Transfer t = transfers_[id];
  const uint32_t c = at(t.instruction).target;
  const Program::Channel& channel = model_.program.channels[c];
  ++channels_[c].arrived;
  record(record_of(t, ProbeKind::Message), mark_of(id));
  Core& receiver = cores_[channel.to];
  for (uint32_t number = receiver.head; number != receiver.tail; ++number) {
    const Entry& e = entry(channel.to, number);
    if (e.instruction != channel.receive || e.state != Entry::Waiting)
      continue;
    input_done(channel.to, number);
    return;
  }
}

// Frees the credits of a tile's receives once they are used, so that their senders may continue.
void Machine::give_credits(uint32_t core, const Tile& t) {
  const uint32_t compute = entry(core, t.compute).instruction;
  for (uint32_t i = t.first_instruction; i < compute; ++i) {
    if (at(i).action != Action::Receive)
      continue;
    Channel& channel = channels_[at(i).target];
    ++channel.used;
    if (channel.waiting_entry == kNone)
      continue;
    const uint32_t sender = model_.program.channels[at(i).target].from;
    const uint32_t first = channel.waiting_entry;
    const uint32_t instruction = entry(sender, first).instruction;
    channel.waiting_entry = kNone;
    for (uint32_t number = first; number != cores_[sender].tail; ++number) {
      const Entry& e = entry(sender, number);
      if (e.instruction != instruction || e.state != Entry::Waiting || !tile(sender, e.tile).computed)
        continue;
      try_send(sender, number);
    }
  }
}

// Returns whether a read may start, because the samples that it waits for are written. Otherwise adds it to
// the waiters of the layer.
bool Machine::read_ready(uint32_t core, uint32_t number) {
  const Entry& e = entry(core, number);
  const Instruction& instruction = at(e.instruction);
  if (instruction.target == Program::kNoWait)
    return true;
  const Program::Wait& wait = model_.program.waits[instruction.target];
  const uint64_t repeats = model_.program.layers[wait.layer].repeats;
  const uint64_t needed = e.inference * repeats + std::min(repeats, wait.needed(e.repeat));
  Progress& progress = progress_[wait.layer];
  if (progress.complete >= needed)
    return true;
  progress.waiters.push_back({core, number, needed});
  return false;
}

void Machine::want_slot(uint32_t core, uint32_t number) {
  entry(core, number).state = Entry::Active;
  const uint32_t id = new_transfer(core, number);
  Core& c = cores_[core];
  if (c.free_slots > 0) {
    --c.free_slots;
    take_slot(id);
    return;
  }
  transfers_[id].next = kNone;
  if (c.slot_head == kNone) {
    c.slot_head = id;
  } else {
    transfers_[c.slot_tail].next = id;
  }
  c.slot_tail = id;
}

// Gives a transfer one of the slots of its core's memory unit, and starts it.
void Machine::take_slot(uint32_t id) {
  if (transfers_[id].action == Action::Write) {
    transfers_[id].begin = now_;
    if (influence_ != nullptr)
      influence_->begins(mark_of(id));
    move_slot(id);
    return;
  }
  while (transfers_[id].ahead < kAhead && transfers_[id].to_offer > 0) {
    ++transfers_[id].ahead;
    offer_segment(id);
  }
}

// Frees a slot of the core's memory unit, which the next waiting transfer takes.
void Machine::free_slot(uint32_t core) {
  Core& c = cores_[core];
  if (c.slot_head == kNone) {
    ++c.free_slots;
    return;
  }
  const uint32_t id = c.slot_head;
  c.slot_head = transfers_[id].next;
  take_slot(id);
}

void Machine::move_slot(uint32_t id) {
  Transfer& t = transfers_[id];
  if (t.slot_busy || t.to_slot == 0)
    return;
  if (t.action == Action::Read ? t.landed == 0 : t.ahead >= kAhead)
    return;
  if (t.action == Action::Write)
    ++t.ahead;
  t.slot_busy = true;
  const uint32_t bytes = segment_size(t.to_slot);
  double cycles =
      bytes / model_.chip.memory_unit.bytes_per_cycle * Deviations::of(model_.own.memory_units, t.core);
  if (!memory_faults_[t.core].empty())
    cycles *= slowdown(memory_faults_[t.core]);
  const uint64_t duration = std::max<uint64_t>(1, uint64_t(cycles + 0.999999));
  result_.memory_units[t.core].busy += duration;
  result_.memory_units[t.core].bytes += bytes;
  push(
      now_ + duration,
      event(Kind::SlotDone, id),
      network_.columns().memory_unit(int(t.core)),
      double(duration));
}

// Ends the passage of a segment of transfer `id` through its slot, and starts what this allows.
void Machine::slot_done(uint32_t id) {
  Transfer& t = transfers_[id];
  const uint32_t bytes = segment_size(t.to_slot);
  t.slot_busy = false;
  t.to_slot -= bytes;
  if (t.action == Action::Write) {
    offer_segment(id);
    move_slot(id);
    return;
  }
  t.landed -= bytes;
  --t.ahead;
  if (t.to_slot == 0) {
    transfer_done(id);
    return;
  }
  if (t.to_offer > 0) {
    ++t.ahead;
    offer_segment(id);
  }
  move_slot(id);
}

// Ends a read or write.
void Machine::transfer_done(uint32_t id) {
  const Transfer t = transfers_[id];
  free_transfer(id);
  const bool read = t.action == Action::Read;
  record(record_of(t, read ? ProbeKind::Read : ProbeKind::Write), mark_of(id));
  free_slot(t.core);
  if (read) {
    input_done(t.core, t.entry);
  } else {
    finish(t.core, t.entry);
    const uint32_t layer = at(t.instruction).layer;
    written(layer, uint64_t{t.inference} * model_.program.layers[layer].repeats + t.repeat);
  }
}

// Counts a written part of a layer, and starts the reads that wait for the samples now complete.
void Machine::written(uint32_t layer, uint64_t repeat) {
  Progress& progress = progress_[layer];
  if (progress.written.size() <= repeat)
    progress.written.resize(repeat + 1);
  ++progress.written[repeat];
  const uint64_t before = progress.complete;
  while (progress.complete < progress.written.size() &&
         progress.written[progress.complete] == model_.program.layers[layer].writes) {
    ++progress.complete;
  }
  if (progress.complete == before || progress.waiters.empty())
    return;
  std::vector<Waiter> waiters = std::move(progress.waiters);
  progress.waiters.clear();
  for (const Waiter& w : waiters) {
    if (w.needed <= progress.complete) {
      want_slot(w.core, w.entry);
    } else {
      progress.waiters.push_back(w);
    }
  }
}

}  // namespace lento::chip
