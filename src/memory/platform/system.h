// The harts, their memory and devices, and the order in which they act: always the one with the smallest
// (cycle, hart); grants of the network that are due come before.
#pragma once

#include <memory>

#include "memory/platform/core.h"
#include "memory/platform/devices.h"

namespace lento::memory {

class System {
 public:
  System(const riscv::ElfImage& program, const Platform& platform, const RunOptions& options);

  RunResult run();

 private:
  friend class Core;

  struct Choice {
    Core* core = nullptr;
    Cycles time = Network::kNever;
    Cycles other_limit = Network::kNever;  // the last cycle at which it is still first
  };
  Choice choose();
  void step(Core& core, Cycles other_limit);
  bool wake_sleeper(Core& core);
  void grant_due(Cycles until);
  void tell_progress();

  // What cores tell.
  void store_done(uint32_t address, unsigned size, uint16_t hart);
  void line_written(const Transaction& transaction);
  void line_filled(uint32_t line, uint16_t hart, uint32_t evicted);
  void devices_changed(Cycles now);
  void finish();
  uint64_t& sharers(uint32_t line) { return sharers_.get()[line - first_line_]; }

  const Platform platform_;
  const RunOptions& options_;
  std::vector<uint8_t> ram_;
  riscv::CodeCache code_;
  Network network_;
  Devices devices_;
  std::vector<std::unique_ptr<Core>> cores_;
  struct Free {
    void operator()(uint64_t* p) const { std::free(p); }
  };
  std::unique_ptr<uint64_t, Free> sharers_;  // per line: the harts whose D-cache holds it
  uint32_t first_line_ = 0;
  uint64_t reserved_ = 0;  // harts that hold a reservation
  Core* running_ = nullptr;
  uint32_t tohost_ = 0xffffffff;
  bool finished_ = false;
  RunResult result_;
  Cycles now_ = 0;
  uint64_t slices_ = 0;
};

}  // namespace lento::memory
