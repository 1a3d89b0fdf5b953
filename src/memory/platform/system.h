// The harts with their memory and devices. The hart with the smallest (cycle, hart) acts first, after the
// network has made all grants that are due by then.
#pragma once

#include <memory>

#include "memory/platform/core.h"
#include "memory/platform/devices.h"
#include "memory/platform/order.h"

namespace lento::memory {

class System {
 public:
  System(const riscv::ElfImage& program, const Platform& platform, const RunOptions& options);

  RunResult run();

 private:
  friend class Core;

  static constexpr uint64_t kSlice =
      20000;  // instructions that a hart runs at most before the scheduler looks again

  void step(Core& core, Cycles other_limit);
  void run_slice(Core& core, Cycles other_limit);
  void set_order(const Core& core) {
    const bool waits = core.state == Core::State::Blocked || core.time_ == Network::kNever;
    waits ? order_.remove(core.hart.id) : order_.place(core.hart.id, core.time_);
  }
  bool wake_sleeper(Core& core);
  void grant_due(Cycles until);
  void tell_progress();

  // Undoes steps that other harts did before their turn (ahead.h). settle_store undoes those that a store of
  // `by` to the address would have changed, settle_all every one that comes later than `by`.
  void settle_store(uint32_t address, unsigned size, const Core& by) {
    if (const uint64_t others = ahead_ & ~(uint64_t{1} << by.hart.id))
      settle_store_of(others, address, size, by);
  }
  void settle_store_of(uint64_t others, uint32_t address, unsigned size, const Core& by);
  void settle_all(const Core& by);

  // Events that cores report.
  void store_done(uint32_t address, unsigned size, uint16_t hart) {
    code_.written(address, size);
    if (reserved_ & ~(uint64_t{1} << hart))
      break_reservations(address, hart);
    if (address == tohost_ && size == 4)
      stored_tohost();
  }
  void break_reservations(uint32_t address, uint16_t hart);
  void stored_tohost();
  void line_written(const Transaction& t) {
    // An atomic bypasses its hart's D-cache, so it removes the line there too. A write keeps it.
    const uint64_t keep = t.kind == Kind::Atomic ? 0 : uint64_t{1} << t.hart;
    if (sharers(t.line) & ~keep)
      take_line(t, keep);
  }
  void take_line(const Transaction& transaction, uint64_t keep);
  void line_filled(uint32_t line, uint16_t hart, uint32_t evicted);
  void devices_changed(Cycles now);
  void finish();
  uint64_t& sharers(uint32_t line) {
    return sharers_.get()[line - first_line_];
  }

  const Platform platform_;
  const RunOptions& options_;
  std::vector<uint8_t> ram_;
  riscv::CodeCache code_;
  Network network_;
  Devices devices_;
  std::vector<std::unique_ptr<Core>> cores_;
  Order order_;
  struct Free {
    void operator()(uint64_t* p) const {
      std::free(p);
    }
  };
  std::unique_ptr<uint64_t, Free> sharers_;  // per line: the harts whose D-cache holds it
  uint32_t first_line_ = 0;
  uint64_t reserved_ = 0;  // harts that hold a reservation
  uint64_t ahead_ = 0;     // harts with steps done before their turn
  // longest_slice_ is the largest number of cycles that a slice without a wait lasts. A hart does steps
  // before its turn only up to the cycle ahead_until_.
  Cycles longest_slice_ = 0;
  Cycles ahead_until_ = 0;
  Core* running_ = nullptr;
  uint32_t tohost_ = 0xffffffff;
  bool finished_ = false;
  RunResult result_;
  Cycles now_ = 0;
  uint64_t slices_ = 0;
};

}  // namespace lento::memory
