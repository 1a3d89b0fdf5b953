// The same tile without timing: runs one region of a program to its end as fast as a plain loop can. It is
// the reference of the cycle model, and tests and the fuzz target run accepted programs on it. No command
// uses it.
#pragma once

#include <functional>

#include "tile/unit/tile.h"

namespace lento::tile {

class FunctionalTile {
 public:
  explicit FunctionalTile(const Image& image);

  struct Outcome {
    bool ended = false;  // the region returned within the budget and without a fault
    Fault fault;
    uint64_t instructions = 0;
  };
  // Supplies inputs to hist.in when its registers are not valid. nullptr means that no further input comes.
  using Stream = std::function<const TileInputs*()>;

  Outcome run(uint32_t entry, uint64_t budget, const Stream& stream = {});
  Outcome init(uint64_t budget) {
    return run(0, budget);
  }
  Outcome main(const TileInputs& inputs, uint64_t budget, const Stream& stream = {});
  Outcome finish(uint64_t budget) {
    return run(kFinishEntry, budget);
  }

  std::string take_output();
  TileMemory& memory() {
    return memory_;
  }
  HistogramUnit& histogram() {
    return histogram_;
  }
  std::array<uint32_t, 32>& registers() {
    return x_;
  }

 private:
  struct Loop {
    uint32_t start = 0;
    uint32_t end = 0;
    uint32_t left = 0;
  };
  bool custom(const TileOp& op, uint32_t pc, const Stream& stream);
  bool access(const TileOp& op, uint32_t pc, Fault& fault);
  uint32_t after(uint32_t pc);

  std::vector<TileOp> code_;
  uint32_t main_entry_;
  uint32_t input_mask_;
  TileMemory memory_;
  HistogramUnit histogram_;
  std::array<uint32_t, 32> x_ = {};
  std::array<Loop, kLoopDepth> loops_;
  unsigned loop_depth_ = 0;
};

}  // namespace lento::tile
