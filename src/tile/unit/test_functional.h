// A functional model of the tile (tile.h) without timing, for tests and the fuzz target. It runs one region
// of a program to its end, instruction by instruction, and the cycle model must give the same results. As in
// the pipeline, the fetch address advances before a loop instruction adds its own loop.
#pragma once

#include <algorithm>
#include <functional>

#include "riscv/alu.h"
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
  // Supplies the next input to hist.in when its registers are not valid. Returns nullptr when no further
  // input comes.
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

inline FunctionalTile::FunctionalTile(const Image& image)
    : code_(decode_code(image.code)),
      main_entry_(image.main_entry),
      input_mask_(image.input_mask),
      memory_(UINT32_MAX / 2) {
  std::ranges::copy(image.data, memory_.scratchpad.begin());
  x_[2] = kDataBase + kDataBytes;
}

inline FunctionalTile::Outcome
FunctionalTile::main(const TileInputs& inputs, uint64_t budget, const Stream& stream) {
  memory_.io = inputs.data;
  memory_.valid = inputs.valid;
  const Outcome outcome = run(main_entry_, budget, stream);
  memory_.valid = 0;
  return outcome;
}

inline std::string FunctionalTile::take_output() {
  std::string out;
  out.swap(memory_.fifo_);
  return out;
}

inline bool FunctionalTile::custom(const TileOp& op, uint32_t pc, const Stream& stream) {
  const uint32_t a = x_[op.base.rs1];
  const uint32_t b = x_[op.base.rs2];
  const auto set_loop = [&](uint32_t count) {
    if (loop_depth_ == kLoopDepth)
      loop_depth_ = 0;
    loops_[loop_depth_++] = {pc + 4, pc + 4u * op.length, count};
  };
  switch (op.custom) {
    case Custom::None:
      return false;
    case Custom::Hash:
      x_[op.base.rd] = xor_hash(a, b);
      break;
    case Custom::Hist:
      histogram_.take(a, b);
      histogram_.flush();
      break;
    case Custom::HistIn: {
      const uint32_t needed = (3u << (2 * op.count)) & input_mask_;
      if ((memory_.valid & needed) != needed) {
        const TileInputs* next = stream ? stream() : nullptr;
        if (!next)
          break;
        memory_.io = next->data;
        memory_.valid |= next->valid;
      }
      histogram_.take(memory_.io[2 * op.count], memory_.io[2 * op.count + 1]);
      histogram_.flush();
      memory_.valid &= ~needed;
      break;
    }
    case Custom::HistRead:
      x_[op.base.rd] = histogram_.read(a);
      break;
    case Custom::HistConfig:
      histogram_.configure(a);
      break;
    case Custom::Emit: {
      const std::string bytes = histogram_.packed(op.count);
      memory_.push(bytes.data(), bytes.size());
      histogram_.clear();
      break;
    }
    case Custom::Loop:
      set_loop(a);
      break;
    case Custom::LoopImmediate:
      set_loop(op.count);
      break;
  }
  return true;
}

// Executes a load or a store. Returns false, with the fault in `fault`, when the address cannot be accessed.
inline bool FunctionalTile::access(const TileOp& op, uint32_t pc, Fault& fault) {
  const riscv::Instruction& n = op.base;
  const uint32_t address = x_[n.rs1] + uint32_t(n.imm);
  if (riscv::is_load(n.op)) {
    uint32_t raw = 0;
    if (memory_.load(address, riscv::access_size(n.op), raw) != Reach::Done) {
      fault = {FaultCause::LoadAddress, pc, address};
      return false;
    }
    x_[n.rd] = riscv::extend(n.op, raw);
  } else if (memory_.store(address, riscv::access_size(n.op), x_[n.rs2]) != Reach::Done) {
    fault = {FaultCause::StoreAddress, pc, address};
    return false;
  }
  return true;
}

// Returns the program counter after the instruction at `pc`: the start of the innermost hardware loop at its
// end while rounds are left, else pc + 4. Counts the rounds.
inline uint32_t FunctionalTile::after(uint32_t pc) {
  if (loop_depth_ > 0) {
    Loop& loop = loops_[loop_depth_ - 1];
    if (pc == loop.end) {
      if (loop.left > 1)
        return --loop.left, loop.start;
      --loop_depth_;
    }
  }
  return pc + 4;
}

inline FunctionalTile::Outcome FunctionalTile::run(uint32_t entry, uint64_t budget, const Stream& stream) {
  Outcome out;
  x_[1] = kReturnAddress;
  loop_depth_ = 0;
  for (uint32_t pc = entry; pc != kReturnAddress; ++out.instructions) {
    if (out.instructions == budget)
      return out;
    if (pc / 4 >= code_.size()) {
      out.fault = {FaultCause::IllegalInstruction, pc, 0};
      return out;
    }
    const TileOp& op = code_[pc / 4];
    const riscv::Instruction& n = op.base;
    uint32_t next = 0;
    // The fetch address advances (past the end of a loop or back to its start) before a loop instruction
    // adds its own loop.
    if (op.custom == Custom::Loop || op.custom == Custom::LoopImmediate)
      next = after(pc);
    if (riscv::is_load(n.op) || riscv::is_store(n.op)) {
      if (!access(op, pc, out.fault))
        return out;
    } else if (riscv::is_jump(n.op) || riscv::is_branch(n.op)) {
      const bool taken = riscv::is_jump(n.op) || riscv::branch_taken(n.op, x_[n.rs1], x_[n.rs2]);
      const uint32_t target =
          n.op == riscv::Op::Jalr ? (x_[n.rs1] + uint32_t(n.imm)) & ~1u : pc + uint32_t(n.imm);
      if (taken && ((target & 3) || target > kReturnAddress)) {
        out.fault = {FaultCause::FetchAddress, pc, target};
        return out;
      }
      if (taken) {
        next = target;
        loop_depth_ = 0;
      }
      if (riscv::is_jump(n.op) && target != kReturnAddress)
        x_[n.rd] = pc + 4;
      if (taken && next == 0) {  // a jump to 0 restarts init's code; pc 0 is a legal target
        x_[0] = 0;
        pc = 0;
        continue;
      }
    } else if (n.op == riscv::Op::Lui || n.op == riscv::Op::Auipc) {
      x_[n.rd] = uint32_t(n.imm) + (n.op == riscv::Op::Auipc ? pc : 0);
    } else if (n.op >= riscv::Op::Add && n.op <= riscv::Op::And) {
      x_[n.rd] = riscv::alu(n.op, x_[n.rs1], x_[n.rs2]);
    } else if (n.op >= riscv::Op::Addi && n.op <= riscv::Op::Srai) {
      x_[n.rd] = riscv::alu(n.op, x_[n.rs1], uint32_t(n.imm));
    } else if (n.op != riscv::Op::Fence && !custom(op, pc, stream)) {
      out.fault = {FaultCause::IllegalInstruction, pc, op.word};
      return out;
    }
    x_[0] = 0;
    pc = next ? next : after(pc);
  }
  out.ended = true;
  return out;
}

}  // namespace lento::tile
