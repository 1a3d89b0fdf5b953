// Encodes instructions of RV32I and of the tile as words, for tests: one function for each format, or for
// each instruction of the tile.
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

// Instructions of the tile itself: all custom-0, distinguished by funct3.
inline uint32_t custom0(unsigned funct3, unsigned rd, unsigned rs1, unsigned rs2) {
  return 0x0bu | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20;
}
inline uint32_t encode_hash(unsigned rd, unsigned rs1, unsigned rs2) {
  return custom0(0, rd, rs1, rs2);
}
inline uint32_t encode_hist(unsigned rs1, unsigned rs2) {
  return custom0(1, 0, rs1, rs2);
}
inline uint32_t encode_hist_in(unsigned pair) {
  return custom0(2, 0, 0, pair);
}
inline uint32_t encode_hist_read(unsigned rd, unsigned rs1) {
  return custom0(3, rd, rs1, 0);
}
inline uint32_t encode_hist_config(unsigned rs1) {
  return custom0(4, 0, rs1, 0);
}
inline uint32_t encode_emit(unsigned format) {
  return custom0(5, 0, 0, format);
}
inline uint32_t encode_loop(unsigned rs1, unsigned length) {
  return custom0(6, 0, rs1, length);
}
inline uint32_t encode_loop_immediate(unsigned count, unsigned shift, unsigned length) {
  return custom0(7, shift, length, 0) | count << 20;
}

}  // namespace lento::tile
