// An out-of-order RV32IM core that runs real programs, and the 17 signals that a tile observes (Bryt 7.1,
// after TEA: Gottschall et al., ISCA 2023).
//
// A functional machine runs ahead on the right path and the timing follows it: 4 wide, reorder buffer of
// 128, load and store queue of 32 each. Issue and completion of an instruction are fixed when it is
// dispatched: the earliest cycle at which its operands are ready and an issue slot is free, older
// instructions first. Stores write in order after they commit. A wrong prediction stops dispatch until the
// branch is executed and the front end is refilled. The wrong path is not executed, loads never pass a store
// to the same word, and there are no exceptions.
//
// The reference model (stacks()) charges every cycle, in proportion to time:
//   n instructions commit             1/n to each
//   none, the buffer holds some       the oldest
//   empty after a misprediction       the branch
//   empty otherwise                   the next instruction to arrive
// with the events that the instruction has when it commits.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lab/block/branch_predictor.h"
#include "lab/block/core_memory.h"
#include "riscv/machine.h"

namespace lento::tile {

// Bits of an instruction's signature.
enum CoreEvent : uint16_t {
  kInstructionMiss = 1,
  kInstructionPage = 2,
  kDataMiss = 4,
  kDataPage = 8,
  kLastLevelMiss = 16,
  kQueueFull = 32,
  kMispredicted = 64,
  kException = 128,  // stays 0 in this core
  kOrdering = 256,   // stays 0 in this core
};
// Returns names such as "data miss, L2 miss", or "base" for none.
std::string event_names(uint16_t signature);

struct CoreShape {
  uint32_t width = 4;
  uint32_t reorder_buffer = 128;
  uint32_t loads = 32;
  uint32_t stores = 32;
  uint32_t memory_ports = 2;
  uint32_t front_end_cycles = 10;
  uint32_t multiply_cycles = 3;
  uint32_t divide_cycles = 20;
  CoreMemoryShape memory;
};

// The block's signals in one cycle: 6 program counters, 9 events, two 7-bit indices, 215 bits in all.
struct CoreSignals {
  uint32_t commits = 0;
  std::array<uint32_t, 4> committed = {};
  bool has_oldest = false;
  uint32_t oldest = 0;  // valid when the buffer holds an instruction
  uint32_t front = 0;   // the buffer is empty: the next instruction, 0 while it is not known
  // Events so far of the first to commit, of the oldest, or of `front`. kMispredicted is that of the last to
  // commit, which alone can have it.
  uint16_t events = 0;
  uint8_t head = 0;
  uint8_t tail = 0;
};

inline constexpr uint32_t kCycleParts = 24;  // charges are counted in 1/24 cycle: 1, 1/2, 1/3, 1/4 are whole

// Charges by program counter and signature, in parts of a cycle.
class CycleStacks {
 public:
  void add(uint32_t pc, uint16_t signature, uint64_t parts) {
    parts_[uint64_t{pc} << 16 | signature] += parts;
    total_ += parts;
  }
  uint64_t total() const {
    return total_;
  }
  struct Bar {
    uint32_t pc = 0;
    uint64_t parts = 0;
    std::vector<std::pair<uint16_t, uint64_t>> causes;  // largest first
  };
  std::vector<Bar> bars() const;  // highest first, then by pc

 private:
  std::unordered_map<uint64_t, uint64_t> parts_;
  uint64_t total_ = 0;
};

class CoreModel {
 public:
  explicit CoreModel(const riscv::ElfImage& program, const CoreShape& shape = {});

  // Advances by one cycle. Returns false when the program has ended and its last instruction has left.
  bool step(CoreSignals& out);

  uint64_t cycle() const {
    return now_;
  }
  uint64_t instructions() const {
    return committed_;
  }
  std::optional<uint32_t> result() const {
    return machine_.tohost();
  }
  const CycleStacks& stacks() const {
    return stacks_;
  }

 private:
  struct Fetched {
    uint32_t pc = 0;
    uint32_t address = 0;
    uint32_t next = 0;
    riscv::Instruction op;
    uint16_t events = 0;
    uint64_t parts = 0;  // charged before it arrived
  };
  struct Entry {
    uint32_t pc = 0;
    uint32_t address = 0;
    riscv::Op op = riscv::Op::Illegal;
    uint16_t events = 0;
    uint64_t done = 0;
    uint64_t parts = 0;
  };
  struct Store {
    uint32_t word = 0;
    uint64_t data_ready = 0;
    uint64_t written = UINT64_MAX;
  };
  struct Slots {
    uint64_t cycle = 0;
    uint32_t all = 0;
    uint32_t memory = 0;
  };

  bool fetch();
  void commit(CoreSignals& out);
  void charge(CoreSignals& out);
  void dispatch();
  bool queue_is_full(const riscv::Instruction& op);
  void execute(Entry& entry, const riscv::Instruction& op);
  uint64_t issue(uint64_t ready, bool memory);
  uint64_t load(Entry& entry, uint64_t start);
  bool predicted(const Fetched& f);

  CoreShape shape_;
  riscv::Machine machine_;
  CoreMemory memory_;
  BranchPredictor predictor_;
  CycleStacks stacks_;
  std::optional<Fetched> next_;
  uint32_t fetched_line_ = UINT32_MAX;
  std::deque<Entry> buffer_;
  std::deque<uint64_t> loads_;
  std::deque<Store> stores_;
  size_t committed_stores_ = 0;  // at the front of stores_
  std::array<uint64_t, 33> ready_ = {};
  std::vector<Slots> slots_;
  uint64_t now_ = 0;
  uint64_t front_ready_ = 0;
  uint64_t divider_free_ = 0;
  uint64_t last_write_ = 0;
  uint64_t committed_ = 0;
  uint64_t head_ = 0;  // number of the oldest entry
  std::optional<std::pair<uint32_t, uint16_t>> offender_;
};

}  // namespace lento::tile
