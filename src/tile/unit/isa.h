// The tile's instruction set: RV32I plus eight instructions on custom-0 (docs/formats/tile-isa.md).
//
//   hash     rd, rs1, rs2   rd = XOR of rotr(rs1, j) over the bits j set in rs2
//   hist     rs1, rs2       four 16-bit lanes into the histogram unit
//   hist.in  k              lanes of IORegs 2k and 2k+1, when they hold new data, which frees them
//   hist.rd  rd, rs1        accumulator rs1 & 127
//   hist.cfg rs1            the unit's operation on a lane (histogram.h)
//   emit     format         accumulators to the output FIFO, then clear them; formats 0..9 (histogram.h)
//   loop     rs1, length    the next `length` (1..31) instructions run rs1 times (0 counts as 1), without
//                           bubbles
//   loopi    count, length  the same with a constant n << s, n in 1..4095, s in 0..20
//
// Loops nest two deep, the inner one inside the outer. A taken branch or jump ends all loops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "riscv/instruction.h"

namespace lento::tile {

enum class Custom : uint8_t {
  None,
  Hash,
  Hist,
  HistIn,
  HistRead,
  HistConfig,
  Emit,
  Loop,
  LoopImmediate
};

inline constexpr unsigned kLoopDepth = 2;
inline constexpr uint32_t kEmitHistogram = 0,
                          kEmitPacked = 9;  // emit 1..8: that many bytes, saturated at 255

struct TileOp {
  riscv::Instruction base;  // op is Illegal for custom instructions; rd, rs1, rs2 are set for both
  Custom custom = Custom::None;
  uint32_t count = 0;  // loopi: iterations; emit: format; hist.in: pair
  uint8_t length = 0;  // loop, loopi: instructions of the body
  uint32_t word = 0;

  bool legal() const {
    return base.op != riscv::Op::Illegal || custom != Custom::None;
  }
  bool reads_rs1() const;
  bool reads_rs2() const;
  bool writes_rd() const;
};

// Decodes an instruction word. The result is not legal() for ecall, ebreak, fence.i and everything else
// outside RV32I and the list above.
TileOp decode_tile(uint32_t word);
std::vector<TileOp> decode_code(const std::string& code);

std::string disassemble(const TileOp& op, uint32_t pc);

// Returns the result of the instruction `hash` for the operands rs1 (`value`) and rs2 (`mask`).
uint32_t xor_hash(uint32_t value, uint32_t mask);

}  // namespace lento::tile
