// Instructions for tests, one call each.
#pragma once

#include "riscv/instruction.h"

namespace lento::tile {

inline uint32_t op3(riscv::Op op, unsigned rd, unsigned rs1, unsigned rs2) {
  return riscv::encode({op, uint8_t(rd), uint8_t(rs1), uint8_t(rs2), 0});
}
inline uint32_t imm(riscv::Op op, unsigned rd, unsigned rs1, int value) {
  return riscv::encode({op, uint8_t(rd), uint8_t(rs1), 0, value});
}
inline uint32_t save(riscv::Op op, unsigned rs2, unsigned rs1, int value) {
  return riscv::encode({op, 0, uint8_t(rs1), uint8_t(rs2), value});
}
inline uint32_t branch(riscv::Op op, unsigned rs1, unsigned rs2, int offset) {
  return riscv::encode({op, 0, uint8_t(rs1), uint8_t(rs2), offset});
}
inline uint32_t lui(unsigned rd, uint32_t value) {
  return riscv::encode({riscv::Op::Lui, uint8_t(rd), 0, 0, int32_t(value)});
}

}  // namespace lento::tile
