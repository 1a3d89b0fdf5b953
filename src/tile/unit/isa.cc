// Decodes the tile's instructions. A word is legal only in its one canonical form: unused fields
// of a custom instruction must be zero, so that no two words mean the same.
#include "tile/unit/isa.h"

#include <bit>
#include <cstring>

namespace lento::tile {
namespace {

using riscv::Op;

constexpr uint32_t kCustom0 = 0x0b;

TileOp decode_custom(uint32_t w) {
  TileOp out;
  out.word = w;
  const unsigned rd = (w >> 7) & 31;
  const unsigned funct3 = (w >> 12) & 7;
  const unsigned rs1 = (w >> 15) & 31;
  const unsigned rs2 = (w >> 20) & 31;
  const uint32_t imm = w >> 20;
  const uint32_t funct7 = w >> 25;
  const auto accept = [&](Custom custom, bool good, unsigned d, unsigned a, unsigned b) {
    if (!good)
      return;
    out.custom = custom;
    out.base.rd = uint8_t(d);
    out.base.rs1 = uint8_t(a);
    out.base.rs2 = uint8_t(b);
  };
  switch (funct3) {
    case 0:
      accept(Custom::Hash, funct7 == 0, rd, rs1, rs2);
      break;
    case 1:
      accept(Custom::Hist, funct7 == 0 && rd == 0, 0, rs1, rs2);
      break;
    case 2:
      accept(Custom::HistIn, imm < 16 && rd == 0 && rs1 == 0, 0, 0, 0), out.count = imm;
      break;
    case 3:
      accept(Custom::HistRead, imm == 0, rd, rs1, 0);
      break;
    case 4:
      accept(Custom::HistConfig, imm == 0 && rd == 0, 0, rs1, 0);
      break;
    case 5:
      accept(Custom::Emit, imm <= kEmitPacked && rd == 0 && rs1 == 0, 0, 0, 0), out.count = imm;
      break;
    case 6:
      accept(Custom::Loop, imm >= 1 && imm <= 31 && rd == 0, 0, rs1, 0), out.length = uint8_t(imm);
      break;
    default:
      accept(Custom::LoopImmediate, imm >= 1 && rd <= 20 && rs1 >= 1, 0, 0, 0);
      out.length = uint8_t(rs1);
      out.count = imm << (rd & 31);
  }
  return out;
}

}  // namespace

bool TileOp::reads_rs1() const {
  if (custom == Custom::None)
    return riscv::reads_rs1(base.op);
  return custom != Custom::HistIn && custom != Custom::Emit && custom != Custom::LoopImmediate;
}

bool TileOp::reads_rs2() const {
  return custom == Custom::None ? riscv::reads_rs2(base.op)
                                : custom == Custom::Hash || custom == Custom::Hist;
}

bool TileOp::writes_rd() const {
  if (base.rd == 0)
    return false;
  return custom == Custom::None ? riscv::writes_rd(base.op)
                                : custom == Custom::Hash || custom == Custom::HistRead;
}

TileOp decode_tile(uint32_t word) {
  if ((word & 0x7f) == kCustom0)
    return decode_custom(word);
  TileOp out;
  out.word = word;
  out.base = riscv::decode(word, {false, false, false});
  const Op op = out.base.op;
  if (op == Op::Ecall || op == Op::Ebreak || op == Op::FenceI)
    out.base = {};
  return out;
}

std::vector<TileOp> decode_code(const std::string& code) {
  std::vector<TileOp> out;
  for (size_t at = 0; at + 4 <= code.size(); at += 4) {
    uint32_t word;
    std::memcpy(&word, code.data() + at, 4);
    out.push_back(decode_tile(word));
  }
  return out;
}

std::string disassemble(const TileOp& op, uint32_t pc) {
  const auto reg = [](unsigned index) {
    return std::string(riscv::register_name(index));
  };
  switch (op.custom) {
    case Custom::None:
      return riscv::disassemble(op.base, pc);
    case Custom::Hash:
      return "hash " + reg(op.base.rd) + ", " + reg(op.base.rs1) + ", " + reg(op.base.rs2);
    case Custom::Hist:
      return "hist " + reg(op.base.rs1) + ", " + reg(op.base.rs2);
    case Custom::HistIn:
      return "hist.in " + std::to_string(op.count);
    case Custom::HistRead:
      return "hist.rd " + reg(op.base.rd) + ", " + reg(op.base.rs1);
    case Custom::HistConfig:
      return "hist.cfg " + reg(op.base.rs1);
    case Custom::Emit:
      return "emit " + std::to_string(op.count);
    case Custom::Loop:
      return "loop " + reg(op.base.rs1) + ", " + std::to_string(op.length);
    case Custom::LoopImmediate:
      return "loopi " + std::to_string(op.count) + ", " + std::to_string(op.length);
  }
  return "illegal";
}

uint32_t xor_hash(uint32_t value, uint32_t mask) {
  uint32_t out = 0;
  for (; mask != 0; mask &= mask - 1)
    out ^= std::rotr(value, std::countr_zero(mask));
  return out;
}

}  // namespace lento::tile
