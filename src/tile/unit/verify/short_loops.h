// Loops of one straight block of arithmetic that end by a count, such as the 32 steps of a division. They are
// executed on abstract registers alone, and each result is remembered with the values of the registers that
// the loop reads. A program that divides in a loop is thereby explored in a fraction of the steps.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "tile/unit/isa.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

class ShortLoops {
 public:
  using Registers = std::array<AbstractValue, 32>;
  struct Write {
    uint8_t reg = 0;
    AbstractValue value;
  };
  struct Run {
    bool ends = false;  // false: the loop may continue after these rounds
    uint64_t rounds = 0;
    std::vector<Write> writes;         // values of registers after the loop
    std::vector<AbstractValue> begin;  // start values of the registers that the loop reads
  };
  struct Loop {
    uint32_t head = 0;    // index of its first instruction
    uint32_t branch = 0;  // index of the branch back
    uint32_t reads = 0;   // bits of the registers that a round reads before it writes them
    uint32_t writes = 0;
    std::vector<Run> known;
    size_t next = 0;  // entry of `known` that is replaced next
    uint64_t instructions() const {
      return branch - head + 1;
    }
  };

  explicit ShortLoops(const std::vector<TileOp>& code);

  // Returns the loop whose first instruction has this index (pc / 4), or nullptr.
  Loop* at(uint32_t index);
  // Returns the result of a loop that begins with the registers `x`, and sets `steps` to its cost in steps
  // (Explorer::charge): 1, and 1 for each instruction that had to be executed. The values written have no
  // terms. Returns nullptr when a register that the loop reads was never set. The result is valid until the
  // next call.
  const Run* run(Loop& loop, const Registers& x, uint64_t& steps) const;

 private:
  Run follow(const Loop& loop, Registers x) const;

  const std::vector<TileOp>& code_;
  std::map<uint32_t, Loop> loops_;
  std::vector<bool> heads_;
};

}  // namespace lento::tile
