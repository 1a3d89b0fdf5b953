// Words put together bit by bit as the manual's chapter of formats draws them.
#include "riscv/instruction.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace lento::riscv {
namespace {

// Bits `high` to `low` of `value`, moved to begin at `at`.
uint32_t field(int64_t value, int high, int low, int at) {
  const auto bits = uint64_t(value) >> low & ((uint64_t{1} << (high - low + 1)) - 1);
  return uint32_t(bits << at);
}

uint32_t i_type(int32_t imm, uint32_t rs1, uint32_t funct3, uint32_t rd, uint32_t opcode) {
  return field(imm, 11, 0, 20) | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
uint32_t s_type(int32_t imm, uint32_t rs2, uint32_t rs1, uint32_t funct3) {
  return field(imm, 11, 5, 25) | rs2 << 20 | rs1 << 15 | funct3 << 12 | field(imm, 4, 0, 7) | 0x23;
}
uint32_t b_type(int32_t imm, uint32_t rs2, uint32_t rs1, uint32_t funct3) {
  return field(imm, 12, 12, 31) | field(imm, 10, 5, 25) | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         field(imm, 4, 1, 8) | field(imm, 11, 11, 7) | 0x63;
}
uint32_t j_type(int32_t imm, uint32_t rd) {
  return field(imm, 20, 20, 31) | field(imm, 10, 1, 21) | field(imm, 11, 11, 20) | field(imm, 19, 12, 12) |
         rd << 7 | 0x6f;
}

TEST(Decode, ImmediatesOfTwelveBits) {
  for (int32_t imm = -2048; imm < 2048; ++imm) {
    EXPECT_EQ(decode(i_type(imm, 3, 0, 7, 0x13)), (Instruction{Op::Addi, 7, 3, 0, imm}));
    EXPECT_EQ(decode(i_type(imm, 3, 2, 7, 0x03)), (Instruction{Op::Lw, 7, 3, 0, imm}));
    EXPECT_EQ(decode(i_type(imm, 3, 0, 7, 0x67)), (Instruction{Op::Jalr, 7, 3, 0, imm}));
    EXPECT_EQ(decode(s_type(imm, 9, 3, 1)), (Instruction{Op::Sh, 0, 3, 9, imm}));
  }
}

TEST(Decode, BranchesReachFourKibibytes) {
  const Op ops[] = {Op::Beq, Op::Bne, Op::Illegal, Op::Illegal, Op::Blt, Op::Bge, Op::Bltu, Op::Bgeu};
  for (uint32_t funct3 = 0; funct3 < 8; ++funct3) {
    for (int32_t imm = -4096; imm < 4096; imm += 2) {
      const Instruction n = decode(b_type(imm, 9, 3, funct3));
      if (ops[funct3] == Op::Illegal) {
        ASSERT_EQ(n, Instruction{});
      } else {
        ASSERT_EQ(n, (Instruction{ops[funct3], 0, 3, 9, imm}));
      }
    }
  }
}

TEST(Decode, JumpsReachAMebibyte) {
  for (int32_t imm = -(1 << 20); imm < 1 << 20; imm += 254)
    ASSERT_EQ(decode(j_type(imm, 5)), (Instruction{Op::Jal, 5, 0, 0, imm}));
  EXPECT_EQ(decode(j_type((1 << 20) - 2, 5)).imm, (1 << 20) - 2);
}

TEST(Decode, EveryRegisterInEveryPlace) {
  for (uint32_t r = 0; r < 32; ++r) {
    EXPECT_EQ(decode(0x33 | r << 7).rd, r);
    EXPECT_EQ(decode(0x33 | r << 15).rs1, r);
    EXPECT_EQ(decode(0x33 | r << 20).rs2, r);
    EXPECT_EQ(decode(0x37 | r << 7).rd, r);
  }
}

TEST(Decode, ShiftsAndUpperImmediates) {
  for (int32_t shift = 0; shift < 32; ++shift) {
    EXPECT_EQ(decode(i_type(shift, 1, 1, 2, 0x13)), (Instruction{Op::Slli, 2, 1, 0, shift}));
    EXPECT_EQ(decode(i_type(shift, 1, 5, 2, 0x13)), (Instruction{Op::Srli, 2, 1, 0, shift}));
    EXPECT_EQ(decode(i_type(shift + 0x400, 1, 5, 2, 0x13)), (Instruction{Op::Srai, 2, 1, 0, shift}));
    EXPECT_EQ(decode(i_type(shift + 0x20, 1, 1, 2, 0x13)).op, Op::Illegal);
  }
  EXPECT_EQ(decode(0xfffff037), (Instruction{Op::Lui, 0, 0, 0, -4096}));
  EXPECT_EQ(decode(0x12345117), (Instruction{Op::Auipc, 2, 0, 0, 0x12345000}));
}

TEST(Decode, WordsThatAnAssemblerWrites) {
  const std::pair<uint32_t, Instruction> words[] = {
      {0xffd10093, {Op::Addi, 1, 2, 0, -3}},      // addi x1, x2, -3
      {0x40c58533, {Op::Sub, 10, 11, 12, 0}},     // sub a0, a1, a2
      {0x00812503, {Op::Lw, 10, 2, 0, 8}},        // lw a0, 8(sp)
      {0xfea42a23, {Op::Sw, 0, 8, 10, -12}},      // sw a0, -12(s0)
      {0x00008067, {Op::Jalr, 0, 1, 0, 0}},       // ret
      {0x0000006f, {Op::Jal, 0, 0, 0, 0}},        // j .
      {0x02c5d533, {Op::Divu, 10, 11, 12, 0}},    // divu a0, a1, a2
      {0x30529073, {Op::Csrrw, 0, 5, 0, 0x305}},  // csrw mtvec, t0
      {0x30046073, {Op::Csrrsi, 0, 8, 0, 0x300}}  // csrsi mstatus, 8
  };
  for (const auto& [word, instruction] : words)
    EXPECT_EQ(decode(word), instruction) << std::hex << word;
}

TEST(Decode, EachExtensionCanBeLeftOut) {
  for (int i = 2; i < kOps; ++i) {
    const Op op = static_cast<Op>(i);
    const uint32_t word =
        encode({op, uint8_t(writes_rd(op)), uint8_t(2 * reads_rs1(op)), uint8_t(3 * reads_rs2(op)), 0});
    const bool m = is_multiply(op) || is_divide(op);
    EXPECT_EQ(decode(word, {.m = false}).op, m ? Op::Illegal : op) << mnemonic(op);
    EXPECT_EQ(decode(word, {.a = false}).op, is_atomic(op) ? Op::Illegal : op) << mnemonic(op);
  }
}

TEST(Decode, AnyWordIsEitherIllegalOrComesBack) {
  base::Rng rng(3, "words");
  int legal = 0;
  for (int i = 0; i < 200000; ++i) {
    const auto word = uint32_t(rng.next()) | 3;
    const Instruction n = decode(word);
    if (n.op == Op::Illegal) {
      ASSERT_EQ(n, Instruction{});
      continue;
    }
    ++legal;
    ASSERT_EQ(decode(encode(n)), n) << std::hex << word;
  }
  EXPECT_GT(legal, 1000);
}

TEST(Op, KindsDoNotOverlap) {
  for (int i = 2; i < kOps; ++i) {
    const Op op = static_cast<Op>(i);
    const int kinds = is_load(op) + is_store(op) + is_branch(op) + is_atomic(op) + is_multiply(op) +
                      is_divide(op) + is_jump(op);
    EXPECT_LE(kinds, 1) << mnemonic(op);
    EXPECT_EQ(access_size(op) > 0, is_load(op) || is_store(op) || is_atomic(op)) << mnemonic(op);
    if (is_store(op) || is_branch(op)) {
      EXPECT_FALSE(writes_rd(op)) << mnemonic(op);
      EXPECT_TRUE(reads_rs1(op) && reads_rs2(op)) << mnemonic(op);
    }
    if (is_load(op)) {
      EXPECT_TRUE(writes_rd(op) && reads_rs1(op) && !reads_rs2(op)) << mnemonic(op);
    }
  }
}

TEST(Op, SizesOfAccesses) {
  for (const Op op : {Op::Lb, Op::Lbu, Op::Sb})
    EXPECT_EQ(access_size(op), 1u);
  for (const Op op : {Op::Lh, Op::Lhu, Op::Sh})
    EXPECT_EQ(access_size(op), 2u);
  for (const Op op : {Op::Lw, Op::Sw, Op::LrW, Op::ScW, Op::AmoaddW})
    EXPECT_EQ(access_size(op), 4u);
}

TEST(Disassemble, TargetsAreAbsolute) {
  EXPECT_EQ(disassemble({Op::Jal, 1, 0, 0, -16}, 0x1000), "jal ra, 0xff0");
  EXPECT_EQ(disassemble({Op::Bne, 0, 10, 11, 8}, 0x80000000), "bne a0, a1, 0x80000008");
  EXPECT_EQ(disassemble({Op::Sb, 0, 2, 10, -1}, 0), "sb a0, -1(sp)");
}

TEST(RegisterName, ThirtyTwoDifferentOnes) {
  EXPECT_EQ(register_name(0), "zero");
  EXPECT_EQ(register_name(1), "ra");
  EXPECT_EQ(register_name(8), "s0");
  EXPECT_EQ(register_name(10), "a0");
  EXPECT_EQ(register_name(18), "s2");
  EXPECT_EQ(register_name(31), "t6");
}

}  // namespace
}  // namespace lento::riscv
