// The five stages, evaluated from WB back to IF so that each stage reads the latches of the cycle before.
//
// Invariants:
//   1. A register is written in the stage that computes its value (EX, or MEM for loads and hist.rd). Users
//      of a load or hist.rd wait for it, so no stage reads an old value, as with forwarding in hardware.
//   2. retired_ shows the hardware's WB, two cycles after EX.
//   3. Loop counters change in IF. A taken branch in EX ends all loops, so that a counter which changed on a
//      wrong path is never used.
#include "riscv/alu.h"
#include "tile/unit/tile.h"

namespace lento::tile {

using riscv::Op;

void Tile::raise(FaultCause cause, uint32_t pc, uint32_t address) {
  fault_ = {cause, pc, address};
  running_ = false;
  flush_front();
  status_ = next_status(status_, Event::Fault);
}

void Tile::flush_front() {
  fetched_.valid = decoded_.valid = false;
  loop_depth_ = 0;
  emit_left_ = 0;
}

bool Tile::access_memory() {
  write_back_ = {};
  if (!memory_stage_.valid)
    return true;
  Executed& now = memory_stage_;
  if (now.bad_target) {
    raise(FaultCause::FetchAddress, now.pc, now.address);
    now.valid = false;
    return true;
  }
  const Op op = now.slot->op.base.op;
  if (now.slot->is_store) {
    const Reach reach = memory_.store(now.address, riscv::access_size(op), now.value);
    if (reach == Reach::Full) {
      ++memory_.counters.output_stalls;
      return false;
    }
    if (reach == Reach::Fault) {
      raise(FaultCause::StoreAddress, now.pc, now.address);
      now.valid = false;
      return true;
    }
  } else if (now.slot->is_load) {
    uint32_t raw = 0;
    if (memory_.load(now.address, riscv::access_size(op), raw) == Reach::Fault) {
      raise(FaultCause::LoadAddress, now.pc, now.address);
      now.valid = false;
      return true;
    }
    now.value = riscv::extend(op, raw);
    if (now.rd)
      x_[now.rd] = now.value;
  } else if (now.slot->answers_late) {
    now.value = histogram_.read(now.address);
    if (now.rd)
      x_[now.rd] = now.value;
  }
  write_back_ = now;
  now.valid = false;
  return true;
}

// Continues the fetch at a jump target. A target outside the code raises a fault one stage later. At
// kReturnAddress, execute() ends the region.
void Tile::jump(uint32_t target, Executed& out) {
  loop_depth_ = 0;
  if (target == kReturnAddress) {
    pc_ = target;
    return;
  }
  constexpr uint32_t kPcBits = 2 * kReturnAddress - 1;  // bits of the program counter
  out.bad_target = (target & 3) || target > kReturnAddress;
  if (out.bad_target) {
    out.address = target;
    out.rd = 0;
  }
  pc_ = target & kPcBits;
  redirect_ = true;
  fetched_.valid = false;
}

// Returns whether hist.rd or emit must wait in EX for values in the histogram's pipeline. Emit also waits for
// a hist.rd that is in MEM and reads the accumulators in this cycle.
bool Tile::waits_for_histogram(const Decoded& now) const {
  const Custom custom = now.slot->op.custom;
  if (custom == Custom::HistRead)
    return histogram_.filling();
  if (custom != Custom::Emit)
    return false;
  return histogram_.busy() || (write_back_.valid && write_back_.slot->op.custom == Custom::HistRead);
}

// Executes one cycle of emit: writes the next bytes of the histogram, up to four, to the output FIFO. Returns
// whether all are written.
bool Tile::execute_emit(uint32_t format) {
  if (emit_left_ == 0) {
    emit_bytes_ = histogram_.packed(format);
    emit_left_ = uint32_t(emit_bytes_.size());
  }
  const uint32_t now = emit_left_ < 4 ? emit_left_ : 4;
  if (!memory_.room(now)) {
    ++memory_.counters.output_stalls;
    return false;
  }
  memory_.push(emit_bytes_.data() + (emit_bytes_.size() - emit_left_), now);
  emit_left_ -= now;
  if (emit_left_ > 0)
    return false;
  histogram_.clear();
  return true;
}

// Executes hist.in: gives the IORegs 2 * pair and 2 * pair + 1 to the histogram when they hold new data.
// Returns false while it waits for that. A pending pause or finalize command ends the wait.
bool Tile::execute_stream(uint32_t pair) {
  const uint32_t both = 3u << (2 * pair);
  const uint32_t needed = both & image_.input_mask;
  stream_mask_ |= needed;
  if ((memory_.valid & needed) != needed) {
    if (want_pause_ || want_finalize_)
      return true;  // there will be no further input
    ++memory_.counters.starved_cycles;
    return false;
  }
  histogram_.take(memory_.io[2 * pair], memory_.io[2 * pair + 1]);
  consumed_ |= needed;
  memory_.counters.streamed += needed != 0;  // a register pair that no input reaches delivers its old content
  return true;
}

// Executes an instruction of the tile's own extension (isa.h). Returns whether it is complete, or must stay
// in EX.
bool Tile::execute_custom(const Decoded& now, Executed& out) {
  const TileOp& op = now.slot->op;
  const uint32_t a = x_[now.slot->rs1];
  const uint32_t b = x_[now.slot->rs2];
  switch (op.custom) {
    case Custom::Hash:
      out.value = xor_hash(a, b);
      break;
    case Custom::Hist:
      histogram_.take(a, b);
      break;
    case Custom::HistIn:
      return execute_stream(op.count);
    case Custom::HistRead:
      out.address = a;
      break;
    case Custom::HistConfig:
      histogram_.configure(a);
      break;
    case Custom::Emit:
      return execute_emit(op.count);
    case Custom::Loop:
      set_loop(now.pc + 4, op.length, a);
      break;
    default:
      break;  // loopi takes effect in ID
  }
  return true;
}

bool Tile::execute() {
  redirect_ = false;
  if (!decoded_.valid)
    return true;
  const Decoded now = decoded_;
  const Slot& slot = *now.slot;
  const riscv::Instruction& n = slot.op.base;
  Executed out{true, now.pc, now.slot, slot.rd, 0, 0};
  const uint32_t a = x_[slot.rs1];
  const uint32_t b = x_[slot.rs2];
  bool ends = false;
  if (slot.is_alu_immediate) {
    out.value = riscv::alu(n.op, a, uint32_t(n.imm));
  } else if (slot.is_alu) {
    out.value = riscv::alu(n.op, a, b);
  } else if (slot.is_load || slot.is_store) {
    out.address = a + uint32_t(n.imm);
    out.value = b;
  } else if (slot.op.custom != Custom::None) {
    if (waits_for_histogram(now) || !execute_custom(now, out))
      return false;
  } else if (riscv::is_branch(n.op) || riscv::is_jump(n.op)) {
    const bool taken = riscv::is_jump(n.op) || riscv::branch_taken(n.op, a, b);
    const uint32_t target = n.op == Op::Jalr ? (a + uint32_t(n.imm)) & ~1u : now.pc + uint32_t(n.imm);
    if (taken)
      jump(target, out);
    ends = taken && target == kReturnAddress;
    out.value = now.pc + 4;
    if (ends)
      out.rd = 0;
  } else if (n.op == Op::Lui) {
    out.value = uint32_t(n.imm);
  } else if (n.op == Op::Auipc) {
    out.value = now.pc + uint32_t(n.imm);
  } else if (&slot == &end_mark_) {
    decoded_.valid = false;
    end_region();
    return true;
  } else if (n.op != Op::Fence) {
    raise(FaultCause::IllegalInstruction, now.pc, slot.op.word);
    return true;
  }
  if (out.rd && !slot.answers_late)
    x_[out.rd] = out.value;
  memory_stage_ = out;
  decoded_.valid = false;
  ++memory_.counters.instructions;
  if (ends)
    end_region();
  return true;
}

void Tile::set_loop(uint32_t start, uint32_t length, uint32_t count) {
  if (loop_depth_ == kLoopDepth)
    loop_depth_ = 0;  // a third nesting level ends the other two
  loops_[loop_depth_++] = {start, start + 4 * (length - 1), count};
}

// Moves the fetched instruction to the latch of EX, unless it needs the result of a load or hist.rd that is
// not ready.
void Tile::decode() {
  fetch_waits_ = false;
  if (redirect_ || !fetched_.valid)
    return;
  const Slot& slot = *fetched_.slot;
  // Execute ran before, so memory_stage_ holds the instruction that was in EX in this cycle.
  const Executed& older = memory_stage_;
  const bool feeds = older.valid && older.rd && (older.rd == slot.rs1 || older.rd == slot.rs2);
  if (feeds && older.slot->answers_late)
    return;
  if (slot.op.custom == Custom::LoopImmediate)
    set_loop(fetched_.pc + 4, slot.op.length, slot.op.count);
  fetch_waits_ = slot.op.custom == Custom::Loop;
  decoded_ = fetched_;
  fetched_.valid = false;
}

// Fetches the next instruction, and goes back to the start of a hardware loop at its end.
void Tile::fetch() {
  if (redirect_ || fetch_waits_ || fetched_.valid || !running_)
    return;
  const Slot* slot =
      pc_ < kReturnAddress ? (pc_ / 4 < code_.size() ? &code_[pc_ / 4] : &bad_fetch_) : &end_mark_;
  fetched_ = {true, pc_, slot};
  if (loop_depth_ > 0) {
    Loop& loop = loops_[loop_depth_ - 1];
    if (pc_ == loop.end) {
      if (loop.left > 1) {
        --loop.left;
        pc_ = loop.start;
        return;
      }
      --loop_depth_;
    }
  }
  if (pc_ < kReturnAddress)
    pc_ += 4;
}

}  // namespace lento::tile
