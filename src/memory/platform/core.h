// One timed hart: the Port of riscv::run with caches, a write buffer and the way to memory.
//
// Timing (docs/formats/platform.md):
//   an instruction takes 1 cycle (multiply_cycles, divide_cycles), plus what its fetch and its data access
//   wait; a hit has latency 1; a miss issued at t asks the network at t + 1, done at d: latency d - t; a
//   store enters the write buffer (latency 1), or waits until the oldest write is done when it is full; a
//   load miss overtakes the own posted writes unless one of them is to the same line; an atomic waits for the
//   own posted writes, then goes to memory itself.
// Actions that others can see (misses, loads, stores, devices) happen in the global order of (cycle, hart);
// everything else may run ahead: `horizon_` is the last cycle at which this hart may act unasked.
#pragma once

#include <cstring>

#include "memory/platform/cache.h"
#include "memory/platform/network.h"
#include "riscv/interpreter.h"

namespace lento::memory {

class System;

class Core {
 public:
  enum class State : uint8_t { Ready, Blocked, Sleeping };

  Core(System& system, const Platform& platform, uint32_t id);

  // The Port of riscv::run.
  bool fetch(uint32_t pc) {
    pc_ = pc;
    return (pc >> line_shift_) == quick_line_ || fetch_slow(pc);
  }
  riscv::Access load(uint32_t address, unsigned size, uint32_t& value) {
    if (time_ <= horizon_ && address - base_ <= last_word_ && !tracing_) [[likely]] {
      ++result.loads;
      if (dcache.hit(address >> line_shift_)) [[likely]] {
        value = 0;
        std::memcpy(&value, ram_ + (address - base_), size);
        return riscv::Access::Done;
      }
      --result.loads;
    }
    return load_slow(address, size, value);
  }
  riscv::Access store(uint32_t address, unsigned size, uint32_t value);
  riscv::Access atomic(riscv::Op op, uint32_t address, uint32_t operand, uint32_t& result);
  riscv::Access fence(riscv::Op op);
  void retire(riscv::Op op) {
    fetched_ = false;
    ++time_;
    if (riscv::is_multiply(op)) time_ += multiply_extra_;
    if (riscv::is_divide(op)) time_ += divide_extra_;
  }
  bool environment_call(riscv::Hart&) { return false; }
  const uint8_t* code_page(uint32_t address);
  uint64_t cycle() const { return time_; }

  // The scheduler's side.
  void granted(Transaction& transaction);  // after Network::grant, for this hart's transaction
  void limit(Cycles other) {
    other_limit_ = std::min(other_limit_, other);
    update_horizon();
  }
  void resume(Cycles other_limit);           // before riscv::run
  Cycles earliest_record(Cycles now) const;  // no later record of this hart lies before it

  riscv::Hart hart;
  Cache icache, dcache;
  State state = State::Ready;
  Cycles time_ = 0;
  RunResult::HartResult result;

 private:
  friend class System;

  bool may_act() { return time_ <= horizon_ || sync(); }
  bool sync();
  void update_horizon();
  bool fetch_slow(uint32_t pc);
  riscv::Access load_slow(uint32_t address, unsigned size, uint32_t& value);
  riscv::Access device(uint32_t address, bool is_store, uint32_t& value);
  riscv::Access perform_device(uint32_t address, bool is_store, uint32_t& value);
  bool in_ram(uint32_t address) const { return address - base_ <= last_word_; }

  // Write buffer: a ring of transactions; granted ones stand before waiting ones.
  Transaction& queued(uint32_t index) { return ring_[(head_ + index) % ring_.size()]; }
  void drop_done();
  Transaction& push(Kind kind, uint32_t address, bool blocking);
  void block(Kind kind, uint32_t address);
  bool write_pending(uint32_t line);
  bool wait_for_room();
  void wake(Cycles at);
  void note_charges(const Transaction& transaction);
  void note_stall(const Transaction& oldest);

  void record(trace::AccessType type, uint32_t address, unsigned size, Cycles begin, bool local,
              uint8_t flags = 0);
  void finish_access(trace::AccessType type, uint32_t address, unsigned size, uint8_t flags = 0);

  System& system_;
  const Platform& platform_;
  uint8_t* ram_ = nullptr;
  uint32_t base_, last_word_, line_shift_, pc_ = 0;
  uint32_t quick_line_ = Cache::kNone, current_line_ = Cache::kNone;
  Cycles multiply_extra_, divide_extra_;
  Cycles horizon_ = 0, other_limit_ = 0;
  bool tracing_ = false, fetched_ = false;
  bool fetch_waits_ = false, fetch_ready_ = false;  // an instruction miss is under way, is served
  bool data_waits_ = false, data_ready_ = false;    // a data access likewise
  bool stalled_ = false;                            // a store found the buffer full
  bool wait_head_ = false, wait_drain_ = false;     // blocked until the oldest, the last write is granted
  Cycles begin_ = 0, fetch_begin_ = 0;
  trace::AccessRecord blame_;  // culprit fields of the access under way
  std::vector<Transaction> ring_;
  uint32_t head_ = 0, used_ = 0, granted_used_ = 0;
  Transaction read_;
};

}  // namespace lento::memory
