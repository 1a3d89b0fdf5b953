// The results of computing instructions as pure functions, which every core model shares (interpreter,
// out-of-order core, verifier). With a constant `op` the compiler reduces each function to a single
// operation.
#pragma once

#include <cstdint>

#include "riscv/instruction.h"

namespace lento::riscv {

// Returns the result of a register or immediate instruction, where `b` is rs2 or the immediate. Division by
// zero and overflow follow table 7.1 of the manual.
[[gnu::always_inline]] constexpr uint32_t alu(Op op, uint32_t a, uint32_t b) {
  const int32_t sa = int32_t(a);
  const int32_t sb = int32_t(b);
  const bool overflow = a == 0x80000000u && b == 0xffffffffu;
  switch (op) {
    case Op::Add:
    case Op::Addi:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Sll:
    case Op::Slli:
      return a << (b & 31);
    case Op::Slt:
    case Op::Slti:
      return sa < sb;
    case Op::Sltu:
    case Op::Sltiu:
      return a < b;
    case Op::Xor:
    case Op::Xori:
      return a ^ b;
    case Op::Srl:
    case Op::Srli:
      return a >> (b & 31);
    case Op::Sra:
    case Op::Srai:
      return uint32_t(sa >> (b & 31));
    case Op::Or:
    case Op::Ori:
      return a | b;
    case Op::And:
    case Op::Andi:
      return a & b;
    case Op::Mul:
      return a * b;
    case Op::Mulh:
      return uint32_t((int64_t{sa} * int64_t{sb}) >> 32);
    case Op::Mulhsu:
      return uint32_t((int64_t{sa} * int64_t(uint64_t{b})) >> 32);
    case Op::Mulhu:
      return uint32_t((uint64_t{a} * uint64_t{b}) >> 32);
    case Op::Div:
      return b == 0 ? 0xffffffffu : overflow ? a : uint32_t(sa / sb);
    case Op::Divu:
      return b == 0 ? 0xffffffffu : a / b;
    case Op::Rem:
      return b == 0 ? a : overflow ? 0 : uint32_t(sa % sb);
    case Op::Remu:
      return b == 0 ? a : a % b;
    default:
      return 0;
  }
}

[[gnu::always_inline]] constexpr bool branch_taken(Op op, uint32_t a, uint32_t b) {
  switch (op) {
    case Op::Beq:
      return a == b;
    case Op::Bne:
      return a != b;
    case Op::Blt:
      return int32_t(a) < int32_t(b);
    case Op::Bge:
      return int32_t(a) >= int32_t(b);
    case Op::Bltu:
      return a < b;
    case Op::Bgeu:
      return a >= b;
    default:
      return false;
  }
}

// Returns the word that an AMO writes back, from the old word in memory and rs2. ScW writes its operand. LrW
// writes nothing, and its result is not used.
constexpr uint32_t amo(Op op, uint32_t memory, uint32_t operand) {
  const int32_t m = int32_t(memory);
  const int32_t o = int32_t(operand);
  switch (op) {
    case Op::AmoaddW:
      return memory + operand;
    case Op::AmoxorW:
      return memory ^ operand;
    case Op::AmoandW:
      return memory & operand;
    case Op::AmoorW:
      return memory | operand;
    case Op::AmominW:
      return m < o ? memory : operand;
    case Op::AmomaxW:
      return m > o ? memory : operand;
    case Op::AmominuW:
      return memory < operand ? memory : operand;
    case Op::AmomaxuW:
      return memory > operand ? memory : operand;
    case Op::LrW:
      return memory;
    default:
      return operand;
  }
}

// Returns the value that a load puts into rd, from the zero-extended bytes.
[[gnu::always_inline]] constexpr uint32_t extend(Op op, uint32_t raw) {
  if (op == Op::Lb)
    return uint32_t(int32_t(int8_t(raw)));
  if (op == Op::Lh)
    return uint32_t(int32_t(int16_t(raw)));
  return raw;
}

}  // namespace lento::riscv
