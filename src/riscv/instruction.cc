// Decodes, encodes and disassembles instructions from the one table in instruction.h. A decoder written by
// hand and a disassembler written by hand would have to agree, so both search the rows of that table.
#include "riscv/instruction.h"

#include <array>
#include <cstdio>
#include <vector>

#include "base/units.h"

namespace lento::riscv {
namespace {

struct Row {
  Op op;
  std::string_view mnemonic;
  Format format;
  uint32_t match;
  uint32_t mask;
  char extension;
};

constexpr Row kRows[] = {
#define LENTO_RISCV_ROW(name, mnemonic, format, match, mask, extension) \
  {Op::name, mnemonic, Format::format, match, mask, extension},
    LENTO_RISCV_ALL(LENTO_RISCV_ROW)
#undef LENTO_RISCV_ROW
};
static_assert(std::size(kRows) + 2 == kOps);

const Row* row_of(Op op) {
  const int index = int(op) - 2;
  return index >= 0 && index < int(std::size(kRows)) ? &kRows[index] : nullptr;
}

// Groups the rows by bits 6..2 of the word, so that decoding compares only a few rows.
const std::array<std::vector<const Row*>, 32>& buckets() {
  static const auto kBuckets = [] {
    std::array<std::vector<const Row*>, 32> out;
    for (const Row& row : kRows)
      out[(row.match >> 2) & 31].push_back(&row);
    return out;
  }();
  return kBuckets;
}

constexpr int32_t sign_extend(uint32_t value, unsigned bits) {
  return int32_t(value << (32 - bits)) >> (32 - bits);
}

// Returns the immediate operand of an instruction word.
int32_t immediate(uint32_t w, Format format) {
  switch (format) {
    case Format::I:
    case Format::Load:
      return sign_extend(w >> 20, 12);
    case Format::Shift:
      return int32_t((w >> 20) & 31);
    case Format::Store:
      return sign_extend(((w >> 25) << 5) | ((w >> 7) & 31), 12);
    case Format::Branch:
      return sign_extend(
          ((w >> 31) << 12) | (((w >> 7) & 1) << 11) | (((w >> 25) & 63) << 5) | (((w >> 8) & 15) << 1),
          13);
    case Format::Upper:
      return int32_t(w & 0xfffff000);
    case Format::Jump:
      return sign_extend(
          ((w >> 31) << 20) | (((w >> 12) & 255) << 12) | (((w >> 20) & 1) << 11) | (((w >> 21) & 1023) << 1),
          21);
    case Format::Csr:
    case Format::CsrImmediate:
    case Format::Fence:
      return int32_t(w >> 20);
    default:
      return 0;
  }
}

// Returns the bits of an immediate operand in an instruction word.
uint32_t immediate_bits(int32_t imm, Format format) {
  const uint32_t i = uint32_t(imm);
  switch (format) {
    case Format::I:
    case Format::Load:
    case Format::Shift:
    case Format::Csr:
    case Format::CsrImmediate:
    case Format::Fence:
      return i << 20;
    case Format::Store:
      return ((i >> 5) << 25) | ((i & 31) << 7);
    case Format::Branch:
      return (((i >> 12) & 1) << 31) | (((i >> 5) & 63) << 25) | (((i >> 1) & 15) << 8) |
             (((i >> 11) & 1) << 7);
    case Format::Upper:
      return i & 0xfffff000;
    case Format::Jump:
      return (((i >> 20) & 1) << 31) | (((i >> 1) & 1023) << 21) | (((i >> 11) & 1) << 20) |
             (((i >> 12) & 255) << 12);
    default:
      return 0;
  }
}

// Returns whether the extension of an instruction is enabled.
bool allowed(char extension, const Extensions& extensions) {
  switch (extension) {
    case 'M':
      return extensions.m;
    case 'A':
      return extensions.a;
    case 'Z':
      return extensions.zicsr;
    default:
      return true;
  }
}

std::string reg(unsigned index) {
  return std::string(register_name(index));
}

// Formats the operands in assembler syntax.
std::string operands(const Instruction& n, Format format, uint32_t pc) {
  const std::string imm = std::to_string(n.imm);
  const std::string target = base::hex(pc + uint32_t(n.imm));
  switch (format) {
    case Format::R:
      return reg(n.rd) + ", " + reg(n.rs1) + ", " + reg(n.rs2);
    case Format::I:
    case Format::Shift:
      return reg(n.rd) + ", " + reg(n.rs1) + ", " + imm;
    case Format::Load:
      return reg(n.rd) + ", " + imm + "(" + reg(n.rs1) + ")";
    case Format::Store:
      return reg(n.rs2) + ", " + imm + "(" + reg(n.rs1) + ")";
    case Format::Branch:
      return reg(n.rs1) + ", " + reg(n.rs2) + ", " + target;
    case Format::Upper:
      return reg(n.rd) + ", " + base::hex(uint32_t(n.imm) >> 12);
    case Format::Jump:
      return reg(n.rd) + ", " + target;
    case Format::Amo:
      return reg(n.rd) + ", " + (n.op == Op::LrW ? "" : reg(n.rs2) + ", ") + "(" + reg(n.rs1) + ")";
    case Format::Csr:
      return reg(n.rd) + ", " + base::hex(uint32_t(n.imm)) + ", " + reg(n.rs1);
    case Format::CsrImmediate:
      return reg(n.rd) + ", " + base::hex(uint32_t(n.imm)) + ", " + std::to_string(n.rs1);
    default:
      return "";
  }
}

}  // namespace

Format format_of(Op op) {
  return row_of(op) ? row_of(op)->format : Format::None;
}
std::string_view mnemonic(Op op) {
  return row_of(op) ? row_of(op)->mnemonic : "illegal";
}

bool writes_rd(Op op) {
  const Format f = format_of(op);
  return f != Format::None && f != Format::Store && f != Format::Branch && f != Format::Fence;
}

bool reads_rs1(Op op) {
  const Format f = format_of(op);
  return f != Format::None && f != Format::Upper && f != Format::Jump && f != Format::CsrImmediate &&
         f != Format::Fence;
}

bool reads_rs2(Op op) {
  const Format f = format_of(op);
  return f == Format::R || f == Format::Store || f == Format::Branch || (f == Format::Amo && op != Op::LrW);
}

Instruction decode(uint32_t word, const Extensions& extensions) {
  if ((word & 3) != 3)
    return {};
  for (const Row* row : buckets()[(word >> 2) & 31]) {
    if ((word & row->mask) != row->match || !allowed(row->extension, extensions))
      continue;
    Instruction n;
    n.op = row->op;
    n.imm = immediate(word, row->format);
    if (writes_rd(n.op))
      n.rd = (word >> 7) & 31;
    if (reads_rs1(n.op) || row->format == Format::CsrImmediate)
      n.rs1 = (word >> 15) & 31;
    if (reads_rs2(n.op))
      n.rs2 = (word >> 20) & 31;
    return n;
  }
  return {};
}

uint32_t encode(const Instruction& n) {
  const Row* row = row_of(n.op);
  if (!row)
    return 0;
  return row->match | immediate_bits(n.imm, row->format) | uint32_t{n.rd} << 7 | uint32_t{n.rs1} << 15 |
         uint32_t{n.rs2} << 20;
}

std::string disassemble(const Instruction& instruction, uint32_t pc) {
  const std::string text = operands(instruction, format_of(instruction.op), pc);
  return std::string(mnemonic(instruction.op)) + (text.empty() ? "" : " " + text);
}

std::string_view register_name(unsigned index) {
  static constexpr std::string_view kNames[32] = {
      "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
      "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  return kNames[index & 31];
}

}  // namespace lento::riscv
