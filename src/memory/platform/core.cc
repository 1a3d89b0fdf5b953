// One timed hart: executes loads, stores, fetches and atomics through its caches and write buffer, and waits
// for the network where they miss. core.h states the timing rules. An access that must wait returns to the
// scheduler and is repeated by the instruction simulator once it has been served.
#include "memory/platform/core.h"

#include <bit>

#include "memory/platform/system.h"

namespace lento::memory {

using riscv::Access;
using riscv::Op;

// On a mesh, an atomic to a near bank can be done before a write to a far bank that was granted earlier. The
// ring has room for this many writes that atomics have overtaken.
constexpr size_t kOvertaking = 32;

Core::Core(System& system, Network& network, const Platform& platform, uint32_t id)
    : icache(platform.icache),
      dcache(platform.dcache),
      system_(system),
      network_(network),
      platform_(platform),
      base_(platform.memory_base),
      bytes_(platform.memory_bytes),
      line_shift_(uint32_t(std::countr_zero(unsigned(platform.dcache.line_bytes)))),
      line_words_(uint32_t(platform.dcache.line_bytes / 4)),
      multiply_extra_(static_cast<Cycles>(platform.multiply_cycles - 1)),
      divide_extra_(static_cast<Cycles>(platform.divide_cycles - 1)),
      ring_(std::bit_ceil(
          size_t(platform.write_buffer) + (platform.topology == Topology::Mesh ? kOvertaking : 1))),
      ring_mask_(uint32_t(ring_.size() - 1)),
      least_service_(static_cast<Cycles>(
          std::min(platform.read_cycles, platform.write_cycles) + platform.bank_latency)) {
  hart.id = id;
  blame_.cpu = uint16_t(id);
}

// --- order of actions ---

// Advances the simulation to time_, at which this hart acts: performs the grants that are due. Returns false
// when another hart comes first.
bool Core::sync() {
  if (time_ > other_limit_)
    return false;
  // A grant may wake a hart that acts before the next one.
  while (network_.next_grant() <= time_) {
    system_.grant_due(network_.next_grant());
    if (time_ > other_limit_)
      return false;
  }
  update_horizon();
  return time_ <= horizon_;
}

Cycles Core::earliest_record(Cycles now) const {
  if (state == State::Sleeping)
    return now;
  if (fetch_waits_ || fetch_ready_)
    return fetch_begin_;
  return data_waits_ || data_ready_ || stalled_ ? begin_ : time_;
}

// Makes a waiting core ready at cycle `at`, and limits the running core so that it does not pass that cycle.
void Core::wake(Cycles at) {
  state = State::Ready;
  time_ = at;
  system_.set_order(*this);
  if (system_.running_ && system_.running_ != this) {
    system_.running_->limit(at - (hart.id < system_.running_->hart.id));
  }
}

// --- records ---

// Gives a finished access to the trace.
void Core::record(AccessType type, uint32_t address, unsigned size, Cycles begin, bool local, uint8_t flags) {
  AccessRecord r = blame_;
  r.cycle = begin;
  r.pc = pc_;
  r.address = address;
  r.latency = uint32_t(time_ - begin + 1);
  r.type = type;
  r.size = uint8_t(size);
  r.flags = uint8_t(flags | AccessRecord::kServiceKnown | (local ? AccessRecord::kLocal : 0));
  r.blamed = std::min(r.blamed, r.latency - 1);
  system_.options_.sink->record(r);
}

// Ends an access that had to wait: adds the lost cycles and writes the record with its culprit.
void Core::finish_access(AccessType type, uint32_t address, unsigned size, uint8_t flags) {
  result.stalled += time_ - begin_;
  data_ready_ = stalled_ = false;
  if (tracing_)
    record(type, address, size, begin_, false, flags);
  forget_blame();
}

void Core::forget_blame() {
  blame_.culprit = AccessRecord::kNoCpu;
  blame_.culprit_pc = 0;
  blame_.blamed = 0;
  blame_.cause = DelayCause::None;
}

// Adds the cycles that each other core delayed a transaction to RunResult::blame, and enters the main culprit
// in the record of the access.
void Core::note_charges(const Transaction& t) {
  const size_t row = size_t{hart.id} * system_.cores_.size();
  t.each_charge([&](const Charge& c) {
    system_.result_.blame[row + c.hart] += c.cycles;
  });
  const Charge* charge = t.main_charge();
  if (!charge || blame_.cause == DelayCause::Coherence)
    return;
  blame_.culprit = charge->hart, blame_.culprit_pc = charge->pc, blame_.blamed = charge->cycles,
  blame_.cause = charge->cause;
}

// Charges a stall at a full write buffer to the core that delayed `oldest` most, the write whose end made
// room. The charge is at most the stall.
void Core::note_stall(const Transaction& oldest) {
  const Charge* charge = oldest.main_charge();
  if (!charge)
    return;
  const uint32_t cycles = uint32_t(std::min<Cycles>(charge->cycles, time_ - begin_));
  system_.result_.blame[size_t{hart.id} * system_.cores_.size() + charge->hart] += cycles;
  blame_.culprit = charge->hart, blame_.culprit_pc = charge->pc, blame_.blamed = cycles,
  blame_.cause = charge->cause == DelayCause::Bank ? DelayCause::Bank : DelayCause::WriteBuffer;
}

// --- write buffer ---

// Appends a transaction to the write buffer.
Transaction& Core::append(Kind kind, uint32_t address, bool blocking) {
  LENTO_CHECK(used_ < ring_.size(), "the write buffer has no room for what was let in");
  Transaction& t = queued(used_++);
  t.kind = kind;
  t.address = address;
  t.line = address >> line_shift_;
  t.pc = pc_;
  t.hart = uint16_t(hart.id);
  t.issue = time_;
  t.blocking = blocking;
  t.granted = false;
  t.forget_charges();
  return t;
}

// Appends a transaction and offers it to the network when it is the oldest without a grant.
void Core::push(Kind kind, uint32_t address, bool blocking) {
  drop_done();
  Transaction& t = append(kind, address, blocking);
  if (used_ != granted_used_ + 1)
    return;
  network_.inject(t, time_ + 1);
  update_horizon();
}

void Core::block(Kind kind, uint32_t address) {
  begin_ = time_;
  data_waits_ = true;
  state = State::Blocked;
  push(kind, address, true);
}

bool Core::write_pending(uint32_t line) {
  drop_done();
  for (uint32_t i = 0; i < used_; ++i) {
    if (queued(i).line == line)
      return true;
  }
  return false;
}

// Returns true when a store may enter now. Otherwise the hart waits for the oldest write.
bool Core::wait_for_room() {
  if (stalled_ && queued(0).granted && queued(0).done <= time_)
    note_stall(queued(0));
  drop_done();
  if (used_ < uint32_t(platform_.write_buffer))
    return true;
  if (!stalled_) {
    stalled_ = true;
    begin_ = time_;
    ++result.store_stalls;
  }
  if (queued(0).granted) {
    time_ = queued(0).done;
  } else {
    wait_head_ = true;
    state = State::Blocked;
  }
  return false;
}

void Core::granted(Transaction& t) {
  if (t.kind == Kind::Write || t.kind == Kind::Atomic)
    system_.line_written(t);
  if (t.kind == Kind::Fill)
    system_.line_filled(t.line, t.hart, dcache.fill(t.line));
  if (t.kind == Kind::Fetch)
    icache.fill(t.line);
  const bool buffered = &t != &read_;
  if (buffered) {
    ++granted_used_;
    if (granted_used_ < used_) {
      Transaction& next = queued(granted_used_);
      network_.inject(next, std::max(next.issue + 1, t.granted_at));
    }
  }
  if (t.blocking) {
    note_charges(t);
    if (t.kind == Kind::Fetch) {
      fetch_waits_ = false;
      fetch_ready_ = true;
      can_run_on_ = false;
    } else {
      data_waits_ = false;
      data_ready_ = true;
    }
    wake(t.done - 1);
  } else if (wait_head_ && &t == &queued(0)) {
    wait_head_ = false;
    wake(std::max(time_, t.done));
  } else if (wait_drain_ && granted_used_ == used_) {
    wait_drain_ = false;
    wake(std::max(time_, t.done));
  }
}

// --- the core's port to its caches and the network: fetches, loads, stores ---

// Fetches an instruction that is not on the current line. Returns the number of instructions to run, 0 when
// the core must wait.
uint32_t Core::enter_slow(uint32_t pc) {
  cut_short_ = !ahead_.empty();
  if (cut_short_)
    return 0;  // the order of recent use in a cache set cannot be rolled back, so running ahead ends here
  const uint32_t line = pc >> line_shift_;
  const bool every_fetch = tracing_ && platform_.trace_every_fetch;
  const uint32_t run = every_fetch ? 1 : line_words_ - ((pc >> 2) & (line_words_ - 1));
  if (fetched_)
    return run;  // the instruction is taken up again after a data access had to wait
  pc_ = pc;
  const bool entered = line != current_line_;
  if (fetch_ready_) {
    fetch_ready_ = false;
    can_run_on_ = !tracing_;
    result.stalled += time_ - fetch_begin_;
    if (tracing_)
      record(AccessType::Fetch, pc, 4, fetch_begin_, false);
    forget_blame();
  } else if (!entered || icache.hit(line)) {
    if (tracing_ && (entered || every_fetch))
      record(AccessType::Fetch, pc, 4, time_, true);
  } else {
    miss_fetch(pc, line);
    return 0;
  }
  current_line_ = line;
  quick_line_ = tracing_ ? Cache::kNone : line;
  fetched_ = tracing_;
  return run;
}

// Requests the line of a missing instruction and blocks the core.
void Core::miss_fetch(uint32_t pc, uint32_t line) {
  if (!may_act())
    return;
  ++result.ifetch_misses;
  fetch_begin_ = time_;
  fetch_waits_ = true;
  state = State::Blocked;
  send_read(Kind::Fetch, pc, line);
}

// Sends `read_` to the network, past the write buffer. The hart waits for it.
void Core::send_read(Kind kind, uint32_t address, uint32_t line) {
  read_.kind = kind;
  read_.address = address;
  read_.line = line;
  read_.pc = pc_;
  read_.hart = uint16_t(hart.id);
  read_.issue = time_;
  read_.blocking = true;
  read_.forget_charges();
  network_.inject(read_, time_ + 1);
}

// Executes a load: from the cache at once, else the core waits for the line.
Access Core::load(uint32_t address, unsigned size, uint32_t& value) {
  if (data_ready_) {
    if (!in_ram(address, size))
      return perform_device(address, false, value);
    finish_access(AccessType::Load, address, size);
  } else {
    if (!may_act())
      return load_ahead(address, size, value);
    if (!in_ram(address, size))
      return device(address, false, value);
    ++result.loads;
    const uint32_t line = address >> line_shift_;
    if (!dcache.hit(line)) {
      ++result.load_misses;
      if (const Cache::Lost* lost = dcache.lost(line)) {
        ++result.coherence_misses;
        blame_.culprit = lost->culprit, blame_.culprit_pc = lost->culprit_pc,
        blame_.cause = DelayCause::Coherence;
        blame_.blamed =
            UINT32_MAX;  // record() clamps it to latency - 1: without the culprit the load would have hit
      }
      if (write_pending(line)) {
        block(Kind::Fill, address);
        return Access::Stop;
      }
      begin_ = time_;
      data_waits_ = true;
      state = State::Blocked;
      send_read(Kind::Fill, address, line);
      return Access::Stop;
    }
    if (tracing_)
      record(AccessType::Load, address, size, time_, true);
  }
  value = read_ram(address, size);
  return Access::Done;
}

// Grants a write without queues when its channel is free in the next cycle and no other request can reach it
// earlier, so that the path through the queues would end the same. Returns false otherwise.
bool Core::store_at_once(uint32_t address, unsigned size) {
  if (used_ != granted_used_ || !network_.is_free(address >> line_shift_, time_ + 1))
    return false;
  drop_done();
  if (used_ >= uint32_t(platform_.write_buffer))
    return false;
  system_.settle_store(address, size, *this);
  if (time_ >= quick_horizon_)
    return false;  // a hart whose steps were undone acts before the grant
  Transaction& t = append(Kind::Write, address, false);
  network_.grant_free(t, time_ + 1);
  ++granted_used_;
  system_.line_written(t);
  return true;
}

// Executes a store: at once when no other core can observe the order, else through the write buffer.
Access Core::store(uint32_t address, unsigned size, uint32_t value) {
  if (time_ < quick_horizon_ && in_ram(address, size) && !stalled_ && store_at_once(address, size)) {
    ++result.stores;
    write_ram(address, size, value);
    system_.store_done(address, size, uint16_t(hart.id));
    return system_.finished_ ? Access::DoneStop : Access::Done;
  }
  if (data_ready_ && !in_ram(address, size))
    return perform_device(address, true, value);
  if (!may_act()) {
    turned_away_ = in_ram(address, size);
    return Access::Stop;
  }
  if (!in_ram(address, size))
    return device(address, true, value);
  if (!wait_for_room())
    return Access::Stop;
  ++result.stores;
  if (stalled_) {
    finish_access(AccessType::Store, address, size);
  } else if (tracing_) {
    record(AccessType::Store, address, size, time_, true);
  }
  system_.settle_store(address, size, *this);
  write_ram(address, size, value);
  push(Kind::Write, address, false);
  system_.store_done(address, size, uint16_t(hart.id));
  return system_.finished_ ? Access::DoneStop : Access::Done;
}

// Executes an atomic operation, which blocks the core until the line arrives.
Access Core::atomic(Op op, uint32_t address, uint32_t operand, uint32_t& out) {
  if (!data_ready_) {
    if (!may_act())
      return Access::Stop;
    if (!in_ram(address, 4))
      return Access::Fault;
    block(op == Op::LrW ? Kind::Uncached : Kind::Atomic, address);
    return Access::Stop;
  }
  ++result.atomics;
  uint32_t old = 0;
  std::memcpy(&old, ram_ + (address - base_), 4);
  bool writes = op != Op::LrW;
  AccessType type = AccessType::Atomic;
  out = old;
  if (op == Op::LrW) {
    type = AccessType::LoadLinked;
    hart.reserved = true;
    hart.reservation = address;
    system_.reserved_ |= uint64_t{1} << hart.id;
  } else if (op == Op::ScW) {
    type = AccessType::StoreConditional;
    writes = hart.reserved && hart.reservation == address;
    hart.reserved = false;
    system_.reserved_ &= ~(uint64_t{1} << hart.id);
    out = writes ? 0 : 1;
  }
  finish_access(type, address, 4, op == Op::ScW && !writes ? AccessRecord::kFailed : 0);
  if (writes) {
    const uint32_t fresh = riscv::amo(op, old, operand);
    system_.settle_store(address, 4, *this);
    std::memcpy(ram_ + (address - base_), &fresh, 4);
    system_.store_done(address, 4, uint16_t(hart.id));
  }
  return system_.finished_ ? Access::DoneStop : Access::Done;
}

// Executes a fence: waits until the write buffer is empty.
Access Core::fence(Op op) {
  if (!may_act())
    return Access::Stop;
  drop_done();
  if (used_ > 0 && granted_used_ < used_) {
    wait_drain_ = true;
    state = State::Blocked;
    return Access::Stop;
  }
  if (used_ > 0) {
    result.stalled += queued(used_ - 1).done - time_;
    time_ = queued(used_ - 1).done;
  }
  if (op == Op::FenceI) {
    icache.clear();
    current_line_ = quick_line_ = Cache::kNone;
  }
  return Access::Done;
}

Access Core::device(uint32_t address, bool, uint32_t&) {
  if (address >= Devices::kEnd)
    return Access::Fault;
  block(Kind::Uncached, address & 3);  // the port of bank 0 serves the devices
  return Access::Stop;
}

// Accesses a device register. Steps that other cores did before their turn are undone first, because a device
// may affect every core. Returns Fault for an unknown register.
Access Core::perform_device(uint32_t address, bool is_store, uint32_t& value) {
  finish_access(is_store ? AccessType::Store : AccessType::Load, address, 4);
  system_.settle_all(*this);
  const bool known =
      is_store ? system_.devices_.write(address, time_, value) : system_.devices_.read(address, time_, value);
  if (!known)
    return Access::Fault;
  system_.devices_changed(time_);
  return Access::DoneStop;  // interrupts may have changed
}

const uint8_t* Core::code_page(uint32_t address) {
  return in_ram(address, 4) ? ram_ + ((address - base_) & ~(riscv::kPageBytes - 1)) : nullptr;
}

}  // namespace lento::memory
