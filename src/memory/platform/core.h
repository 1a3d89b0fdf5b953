// One timed hart: the Port of riscv::run with caches, a write buffer and the way to memory.
//
// Timing (docs/formats/platform.md):
//   - an instruction takes 1 cycle (multiply_cycles, divide_cycles), plus the waits of its fetch and its data
//     access
//   - a hit has latency 1
//   - a miss issued at t requests the network at t + 1. Done at d, it has latency d - t
//   - a store enters the write buffer (latency 1), or waits until the oldest write is done when it is full
//   - a load miss overtakes the posted writes of its hart unless one of them is to the same line
//   - an atomic waits for the posted writes of its hart, then accesses memory past the D-cache
//
// Actions that other harts can observe (misses, loads, stores, devices) happen in the global order of (cycle,
// hart). Everything else may run ahead: `horizon_` is the last cycle at which this hart may act without a
// check. The fast paths (load_now, store_at_once) have exactly the effect of the path through the queues, and
// steps done before their turn (ahead.h) are undone when another hart interferes. A traced run takes only the
// slow paths and thereby checks the fast ones.
#pragma once

#include <cstring>

#include "memory/platform/ahead.h"
#include "memory/platform/cache.h"
#include "memory/platform/network.h"
#include "riscv/interpreter.h"

namespace lento::memory {

class System;

class Core {
 public:
  enum class State : uint8_t {
    Ready,
    Blocked,
    Sleeping
  };

  Core(System& system, Network& network, const Platform& platform, uint32_t id);

  // The Port of riscv::run.
  uint32_t enter(uint32_t pc) {
    const uint32_t line = pc >> line_shift_;
    if (line != quick_line_) [[unlikely]] {
      if (!can_run_on_ || !icache.newest(line))
        return enter_slow(pc);
      quick_line_ = current_line_ = line;
    }
    return line_words_ - ((pc >> 2) & (line_words_ - 1));
  }
  void elapse(uint64_t n, uint32_t pc) {
    time_ += n;
    pc_ = pc;
    fetched_ &= n == 0;
  }
  void extra(riscv::Op op) {
    time_ += riscv::is_multiply(op) ? multiply_extra_ : divide_extra_;
  }
  [[gnu::always_inline]] bool load_now(uint32_t address, unsigned size, uint32_t& value, uint64_t ahead) {
    if (time_ + ahead > quick_horizon_ || !in_ram(address, size) || !dcache.hit(address >> line_shift_))
      return false;
    ++result.loads;
    value = read_ram(address, size);
    return true;
  }
  riscv::Access load(uint32_t address, unsigned size, uint32_t& value);
  riscv::Access store(uint32_t address, unsigned size, uint32_t value);
  riscv::Access atomic(riscv::Op op, uint32_t address, uint32_t operand, uint32_t& result);
  riscv::Access fence(riscv::Op op);
  bool environment_call(riscv::Hart&) {
    return false;
  }
  const uint8_t* code_page(uint32_t address);
  uint64_t cycle() const {
    return time_;
  }

  // The interface of the scheduler.
  void granted(Transaction& transaction);  // after Network::grant, for this hart's transaction
  void limit(Cycles other) {
    other_limit_ = std::min(other_limit_, other);
    update_horizon();
  }
  void resume(Cycles other_limit) {  // before riscv::run
    other_limit_ = other_limit;
    update_horizon();
  }
  void allow_ahead(bool allowed);  // before riscv::run
  void confirm_ahead();            // the hart is first in the order, so its steps are final
  void wait_ahead();               // after riscv::run
  // Undo steps that were done later than `until`: undo_reads if one of them read the line, undo_after always.
  void undo_reads(uint32_t line, Cycles until);
  void undo_after(Cycles until);
  Cycles earliest_record(Cycles now) const;  // this hart writes no further record that begins earlier

  riscv::Hart hart;
  Cache icache;
  Cache dcache;
  State state = State::Ready;
  Cycles time_ = 0;
  RunResult::HartResult result;

 private:
  friend class System;

  bool may_act() {
    return time_ <= horizon_ || sync();
  }
  bool sync();
  void update_horizon() {
    // Horizon 0 makes a served access finish on the slow path. next_grant() may be kNever: then there is no
    // limit.
    horizon_ = data_ready_ ? 0 : std::min(other_limit_, network_.next_grant() - 1);
    quick_horizon_ = tracing_ ? 0 : horizon_;
  }
  uint32_t enter_slow(uint32_t pc);
  void miss_fetch(uint32_t pc, uint32_t line);
  void send_read(Kind kind, uint32_t address, uint32_t line);
  bool store_at_once(uint32_t address, unsigned size);
  riscv::Access load_ahead(uint32_t address, unsigned size, uint32_t& value);
  void remember();
  void go_back(Cycles until);
  void run_on(Cycles until);
  riscv::Access device(uint32_t address, bool is_store, uint32_t& value);
  riscv::Access perform_device(uint32_t address, bool is_store, uint32_t& value);
  uint32_t read_ram(uint32_t address, unsigned size) const {
    const uint8_t* const from = ram_ + (address - base_);
    if (size == 1)
      return *from;
    uint32_t value = 0;
    if (size == 2)
      std::memcpy(&value, from, 2);
    else
      std::memcpy(&value, from, 4);
    return value;
  }
  void write_ram(uint32_t address, unsigned size, uint32_t value) {
    uint8_t* const to = ram_ + (address - base_);
    if (size == 1)
      *to = uint8_t(value);
    else if (size == 2)
      std::memcpy(to, &value, 2);
    else
      std::memcpy(to, &value, 4);
  }
  bool in_ram(uint32_t address, unsigned size) const {
    return address - base_ <= bytes_ - size;
  }

  // The write buffer is a ring of transactions in which granted ones precede waiting ones.
  Transaction& queued(uint32_t index) {
    return ring_[(head_ + index) & ring_mask_];
  }
  void drop_done() {
    while (granted_used_ > 0 && ring_[head_].done <= time_) {
      head_ = (head_ + 1) & ring_mask_;
      --used_;
      --granted_used_;
    }
  }
  Transaction& append(Kind kind, uint32_t address, bool blocking);
  void push(Kind kind, uint32_t address, bool blocking);
  void block(Kind kind, uint32_t address);
  bool write_pending(uint32_t line);
  bool wait_for_room();
  void wake(Cycles at);
  void note_charges(const Transaction& transaction);
  void note_stall(const Transaction& oldest);
  void forget_blame();

  void record(AccessType type, uint32_t address, unsigned size, Cycles begin, bool local, uint8_t flags = 0);
  void finish_access(AccessType type, uint32_t address, unsigned size, uint8_t flags = 0);

  System& system_;
  Network& network_;
  const Platform& platform_;
  uint8_t* ram_ = nullptr;
  uint32_t base_;
  uint32_t bytes_;
  uint32_t line_shift_;
  uint32_t line_words_;
  uint32_t pc_ = 0;
  uint32_t quick_line_ = Cache::kNone;
  uint32_t current_line_ = Cache::kNone;
  Cycles multiply_extra_;
  Cycles divide_extra_;
  Cycles horizon_ = 0;
  Cycles other_limit_ = 0;
  Cycles quick_horizon_ = 0;  // horizon_ for the fast paths, 0 while tracing
  Cycles look_at_ = 0;        // cycle at which interrupt lines may change
  bool tracing_ = false;
  bool fetched_ = false;
  bool can_run_on_ = true;  // false while tracing or with a served, unfinished instruction miss
  // An instruction miss is under way, or has been served.
  bool fetch_waits_ = false;
  bool fetch_ready_ = false;
  // The same for a data access.
  bool data_waits_ = false;
  bool data_ready_ = false;
  bool stalled_ = false;  // a store found the buffer full
  // The hart is blocked until its oldest write (wait_head_) or all its writes (wait_drain_) are granted.
  bool wait_head_ = false;
  bool wait_drain_ = false;
  Cycles begin_ = 0;
  Cycles fetch_begin_ = 0;
  AccessRecord blame_;             // culprit fields of the access under way
  std::vector<Transaction> ring_;  // a power of two long
  uint32_t ring_mask_;
  uint32_t head_ = 0;
  uint32_t used_ = 0;
  uint32_t granted_used_ = 0;
  Transaction read_;
  Ahead ahead_;
  Cycles least_service_ = 0;  // fewest cycles from the grant of a write until it is done
  uint32_t pause_ = 0;        // remaining turns in which the hart does not run ahead
  bool run_ahead_ = false;
  bool cut_short_ = false;    // running ahead stopped at another instruction line
  bool turned_away_ = false;  // a store was refused because it was not the hart's turn
};

}  // namespace lento::memory
