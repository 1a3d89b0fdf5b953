#include "memory/platform/core.h"

#include <bit>

#include "memory/platform/system.h"

namespace lento::memory {

using riscv::Access;
using riscv::Op;
using trace::AccessRecord;
using trace::AccessType;
using trace::DelayCause;

Core::Core(System& system, const Platform& platform, uint32_t id)
    : icache(platform.icache),
      dcache(platform.dcache),
      system_(system),
      platform_(platform),
      base_(platform.memory_base),
      last_word_(platform.memory_bytes - 4),
      line_shift_(static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(platform.dcache.line_bytes)))),
      multiply_extra_(static_cast<Cycles>(platform.multiply_cycles - 1)),
      divide_extra_(static_cast<Cycles>(platform.divide_cycles - 1)),
      ring_(static_cast<size_t>(platform.write_buffer) + 1) {
  hart.id = id;
  blame_.cpu = static_cast<uint16_t>(id);
}

// --- order of actions ---

void Core::update_horizon() {
  const Cycles grant = system_.network_.next_grant();
  // A served access is finished on the slow path first. kNever - 1 is as good as never.
  horizon_ = data_ready_ ? 0 : std::min(other_limit_, grant - 1);
}

void Core::resume(Cycles other_limit) {
  other_limit_ = other_limit;
  update_horizon();
}

// This hart wants to act at time_: performs the grants that are due; false when another hart comes first.
bool Core::sync() {
  if (time_ > other_limit_) return false;
  system_.grant_due(time_);
  update_horizon();
  return time_ <= horizon_;
}

Cycles Core::earliest_record(Cycles now) const {
  if (state == State::Sleeping) return now;
  if (fetch_waits_ || fetch_ready_) return fetch_begin_;
  return data_waits_ || data_ready_ || stalled_ ? begin_ : time_;
}

void Core::wake(Cycles at) {
  state = State::Ready;
  time_ = at;
  if (system_.running_ && system_.running_ != this) {
    system_.running_->limit(at - (hart.id < system_.running_->hart.id));
  }
}

// --- records ---

void Core::record(AccessType type, uint32_t address, unsigned size, Cycles begin, bool local, uint8_t flags) {
  AccessRecord r = blame_;
  r.cycle = begin;
  r.pc = pc_, r.address = address;
  r.latency = static_cast<uint32_t>(time_ - begin + 1);
  r.type = type, r.size = static_cast<uint8_t>(size);
  r.flags = static_cast<uint8_t>(flags | AccessRecord::kServiceKnown | (local ? AccessRecord::kLocal : 0));
  r.blamed = std::min(r.blamed, r.latency - 1);
  system_.options_.sink->record(r);
}

// Ends an access that had to wait: cycles lost, the record, the blame.
void Core::finish_access(AccessType type, uint32_t address, unsigned size, uint8_t flags) {
  result.stalled += time_ - begin_;
  data_ready_ = stalled_ = false;
  if (tracing_) record(type, address, size, begin_, false, flags);
  blame_.culprit = AccessRecord::kNoCpu, blame_.culprit_pc = 0, blame_.blamed = 0,
  blame_.cause = DelayCause::None;
}

void Core::note_charges(const Transaction& t) {
  const size_t row = size_t{hart.id} * system_.cores_.size();
  for (uint32_t i = 0; i < t.charges_used; ++i)
    system_.result_.blame[row + t.charges[i].hart] += t.charges[i].cycles;
  const Charge* charge = t.main_charge();
  if (!charge || blame_.cause == DelayCause::Coherence) return;
  blame_.culprit = charge->hart, blame_.culprit_pc = charge->pc, blame_.blamed = charge->cycles,
  blame_.cause = charge->cause;
}

// The buffer was full until `oldest` was done: its main culprit is charged, with no more than the stall.
void Core::note_stall(const Transaction& oldest) {
  const Charge* charge = oldest.main_charge();
  if (!charge) return;
  const uint32_t cycles = static_cast<uint32_t>(std::min<Cycles>(charge->cycles, time_ - begin_));
  system_.result_.blame[size_t{hart.id} * system_.cores_.size() + charge->hart] += cycles;
  blame_.culprit = charge->hart, blame_.culprit_pc = charge->pc, blame_.blamed = cycles,
  blame_.cause = DelayCause::WriteBuffer;
}

// --- write buffer ---

void Core::drop_done() {
  while (granted_used_ > 0 && ring_[head_].done <= time_) {
    head_ = (head_ + 1) % static_cast<uint32_t>(ring_.size());
    --used_, --granted_used_;
  }
}

Transaction& Core::push(Kind kind, uint32_t address, bool blocking) {
  drop_done();
  LENTO_CHECK(used_ < ring_.size(), "the write buffer has no room for what was let in");
  Transaction& t = queued(used_++);
  t.kind = kind, t.address = address, t.line = address >> line_shift_;
  t.pc = pc_, t.hart = static_cast<uint16_t>(hart.id);
  t.issue = time_, t.blocking = blocking, t.granted = false, t.charges_used = 0;
  if (used_ == granted_used_ + 1) {
    system_.network_.inject(t, time_ + 1);
    update_horizon();
  }
  return t;
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
    if (queued(i).line == line) return true;
  }
  return false;
}

// True when a store may enter now; otherwise the hart waits for the oldest write.
bool Core::wait_for_room() {
  if (stalled_ && queued(0).granted && queued(0).done <= time_) note_stall(queued(0));
  drop_done();
  if (used_ < static_cast<uint32_t>(platform_.write_buffer)) return true;
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
  if (t.kind == Kind::Write || t.kind == Kind::Atomic) system_.line_written(t);
  if (t.kind == Kind::Fill) system_.line_filled(t.line, t.hart, dcache.fill(t.line));
  if (t.kind == Kind::Fetch) icache.fill(t.line);
  const bool buffered = &t != &read_;
  if (buffered) {
    ++granted_used_;
    if (granted_used_ < used_) {
      Transaction& next = queued(granted_used_);
      system_.network_.inject(next, std::max(next.issue + 1, t.granted_at));
    }
  }
  if (t.blocking) {
    note_charges(t);
    if (t.kind == Kind::Fetch) {
      fetch_waits_ = false, fetch_ready_ = true;
    } else {
      data_waits_ = false, data_ready_ = true;
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

// --- the port ---

bool Core::fetch_slow(uint32_t pc) {
  if (fetched_) return true;  // the instruction is taken up again after a data access had to wait
  const uint32_t line = pc >> line_shift_;
  const bool entered = line != current_line_;
  if (fetch_ready_) {
    fetch_ready_ = false;
    result.stalled += time_ - fetch_begin_;
    if (tracing_) record(AccessType::Fetch, pc, 4, fetch_begin_, false);
    blame_.culprit = AccessRecord::kNoCpu, blame_.culprit_pc = 0, blame_.blamed = 0,
    blame_.cause = DelayCause::None;
  } else if (!entered || icache.hit(line)) {
    if (tracing_ && (entered || platform_.trace_every_fetch)) record(AccessType::Fetch, pc, 4, time_, true);
  } else {
    if (!in_ram(pc)) return true;  // run() traps when it finds no code there
    if (!may_act()) return false;
    ++result.ifetch_misses;
    fetch_begin_ = time_;
    fetch_waits_ = true;
    state = State::Blocked;
    read_ = {};
    read_.kind = Kind::Fetch, read_.address = pc, read_.line = line, read_.pc = pc;
    read_.hart = static_cast<uint16_t>(hart.id), read_.issue = time_, read_.blocking = true;
    system_.network_.inject(read_, time_ + 1);
    return false;
  }
  current_line_ = line;
  quick_line_ = tracing_ ? Cache::kNone : line;
  fetched_ = tracing_;
  return true;
}

Access Core::load_slow(uint32_t address, unsigned size, uint32_t& value) {
  if (data_ready_) {
    if (!in_ram(address)) return perform_device(address, false, value);
    finish_access(AccessType::Load, address, size);
  } else {
    if (!may_act()) return Access::Stop;
    if (!in_ram(address)) return device(address, false, value);
    ++result.loads;
    const uint32_t line = address >> line_shift_;
    if (!dcache.hit(line)) {
      ++result.load_misses;
      if (const Cache::Lost* lost = dcache.lost(line)) {
        ++result.coherence_misses;
        blame_.culprit = lost->culprit, blame_.culprit_pc = lost->culprit_pc,
        blame_.cause = DelayCause::Coherence;
        blame_.blamed =
            UINT32_MAX;  // all of the latency beyond a hit: without the culprit it would have been one
      }
      if (write_pending(line)) {
        block(Kind::Fill, address);
        return Access::Stop;
      }
      begin_ = time_;
      data_waits_ = true;
      state = State::Blocked;
      read_.kind = Kind::Fill, read_.address = address, read_.line = line, read_.pc = pc_;
      read_.hart = static_cast<uint16_t>(hart.id), read_.issue = time_, read_.blocking = true,
      read_.charges_used = 0;
      system_.network_.inject(read_, time_ + 1);
      return Access::Stop;
    }
    if (tracing_) record(AccessType::Load, address, size, time_, true);
  }
  value = 0;
  std::memcpy(&value, ram_ + (address - base_), size);
  return Access::Done;
}

Access Core::store(uint32_t address, unsigned size, uint32_t value) {
  if (data_ready_ && !in_ram(address)) return perform_device(address, true, value);
  if (!may_act()) return Access::Stop;
  if (!in_ram(address)) return device(address, true, value);
  if (!wait_for_room()) return Access::Stop;
  ++result.stores;
  if (stalled_) {
    finish_access(AccessType::Store, address, size);
  } else if (tracing_) {
    record(AccessType::Store, address, size, time_, true);
  }
  std::memcpy(ram_ + (address - base_), &value, size);
  push(Kind::Write, address, false);
  system_.store_done(address, size, static_cast<uint16_t>(hart.id));
  return system_.finished_ ? Access::DoneStop : Access::Done;
}

Access Core::atomic(Op op, uint32_t address, uint32_t operand, uint32_t& out) {
  if (!data_ready_) {
    if (!may_act()) return Access::Stop;
    if (!in_ram(address)) return Access::Fault;
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
    hart.reserved = true, hart.reservation = address;
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
    std::memcpy(ram_ + (address - base_), &fresh, 4);
    system_.store_done(address, 4, static_cast<uint16_t>(hart.id));
  }
  return system_.finished_ ? Access::DoneStop : Access::Done;
}

Access Core::fence(Op op) {
  if (!may_act()) return Access::Stop;
  if (op == Op::FenceI) {
    icache.clear();
    current_line_ = quick_line_ = Cache::kNone;
  }
  drop_done();
  if (used_ == 0) return Access::Done;
  if (granted_used_ == used_) {
    result.stalled += queued(used_ - 1).done - time_;
    time_ = queued(used_ - 1).done;
    return Access::Done;
  }
  wait_drain_ = true;
  state = State::Blocked;
  return Access::Stop;
}

Access Core::device(uint32_t address, bool, uint32_t&) {
  if (address >= Devices::kEnd) return Access::Fault;
  block(Kind::Uncached, address & 3);  // bank 0 answers for the devices
  return Access::Stop;
}

Access Core::perform_device(uint32_t address, bool is_store, uint32_t& value) {
  finish_access(is_store ? AccessType::Store : AccessType::Load, address, 4);
  const bool known =
      is_store ? system_.devices_.write(address, time_, value) : system_.devices_.read(address, time_, value);
  if (!known) return Access::Fault;
  system_.devices_changed(time_);
  return Access::DoneStop;  // interrupts may have changed
}

const uint8_t* Core::code_page(uint32_t address) {
  return in_ram(address) ? ram_ + ((address - base_) & ~(riscv::kPageBytes - 1)) : nullptr;
}

}  // namespace lento::memory
