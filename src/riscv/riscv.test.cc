#include <gmock/gmock.h>

#include <set>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/test_error.h"
#include "riscv/machine.h"

namespace lento::riscv {
namespace {

using ::testing::HasSubstr;

// A machine with the instructions at 0x1000 and RAM from 0 to 64 KiB.
struct Bench {
  Machine machine;
  explicit Bench(const std::vector<Instruction>& program) {
    machine.memory().map(0, 0x10000);
    uint32_t at = 0x1000;
    for (const Instruction& n : program)
      machine.memory().write(at, 4, encode(n)), at += 4;
    machine.hart().pc = 0x1000;
  }
  Hart& run(uint64_t steps) {
    machine.run(steps);
    return machine.hart();
  }
};

TEST(Decode, EveryTableRowRoundTrips) {
  base::Rng rng(1, "decode");
  std::set<std::string_view> seen;
  for (int i = 2; i < kOps; ++i) {
    const Op op = static_cast<Op>(i);
    Instruction n{op};
    if (writes_rd(op))
      n.rd = 1 + rng.below(31);
    if (reads_rs1(op))
      n.rs1 = 1 + rng.below(31);
    if (reads_rs2(op))
      n.rs2 = 1 + rng.below(31);
    if (format_of(op) == Format::Branch || format_of(op) == Format::Jump)
      n.imm = -16;
    if (format_of(op) == Format::Upper)
      n.imm = int32_t(0xabcde000);
    if (format_of(op) == Format::Load || format_of(op) == Format::Store || format_of(op) == Format::I)
      n.imm = -7;
    EXPECT_EQ(decode(encode(n)), n) << mnemonic(op);
    EXPECT_TRUE(seen.insert(mnemonic(op)).second) << mnemonic(op);
  }
}

TEST(Decode, RefusesWhatIsNoInstruction) {
  for (const uint32_t word : {0u, 0xffffffffu, 0x00000001u, 0x0000707bu, 0x40001033u})
    EXPECT_EQ(decode(word).op, Op::Illegal) << word;
  EXPECT_EQ(decode(0x02000033, {.m = false}).op, Op::Illegal);
  EXPECT_EQ(decode(0x1000202f, {.a = false}).op, Op::Illegal);
  EXPECT_EQ(decode(0x30200073, {.zicsr = false}).op, Op::Illegal);
}

TEST(Disassemble, WritesWhatAnAssemblerReads) {
  EXPECT_EQ(disassemble(decode(0xff010113), 0), "addi sp, sp, -16");
  EXPECT_EQ(disassemble(decode(0x00812783), 0), "lw a5, 8(sp)");
  EXPECT_EQ(disassemble(decode(0x00112623), 0), "sw ra, 12(sp)");
  EXPECT_EQ(disassemble(decode(0x00b50463), 0x80000008), "beq a0, a1, 0x80000010");
  EXPECT_EQ(disassemble(decode(0x000120b7), 0), "lui ra, 0x12");
  EXPECT_EQ(disassemble(decode(0x100526af), 0), "lr.w a3, (a0)");
  EXPECT_EQ(disassemble(decode(0xf1402573), 0), "csrrs a0, 0xf14, zero");
  EXPECT_EQ(disassemble({}, 0), "illegal");
}

TEST(Interpreter, DivisionFollowsTheManual) {
  EXPECT_EQ(alu(Op::Div, 7, 0), 0xffffffffu);
  EXPECT_EQ(alu(Op::Rem, 7, 0), 7u);
  EXPECT_EQ(alu(Op::Div, 0x80000000u, 0xffffffffu), 0x80000000u);
  EXPECT_EQ(alu(Op::Rem, 0x80000000u, 0xffffffffu), 0u);
  EXPECT_EQ(alu(Op::Mulhsu, 0xffffffffu, 0xffffffffu), 0xffffffffu);
}

TEST(Interpreter, WritesToX0AreLost) {
  Bench bench({{Op::Addi, 0, 0, 0, 5}, {Op::Addi, 1, 0, 0, 3}});
  EXPECT_EQ(bench.run(2).x[1], 3u);
  EXPECT_EQ(bench.machine.hart().x[0], 0u);
}

TEST(Interpreter, SeesCodeThatTheProgramRewrote) {
  const uint32_t patched = encode({Op::Addi, 3, 0, 0, 42});
  const int32_t high = int32_t((patched + 0x800) & 0xfffff000);
  // The loop runs the instruction at 0x1014 once as it was and once after the store.
  Bench bench(
      {{Op::Lui, 1, 0, 0, high},
       {Op::Addi, 1, 1, 0, int32_t(patched) - high},
       {Op::Lui, 2, 0, 0, 0x1000},
       {Op::Jal, 0, 0, 0, 8},
       {Op::Sw, 0, 2, 1, 0x14},
       {Op::Addi, 3, 0, 0, 1},
       {Op::Add, 4, 4, 3, 0},
       {Op::Jal, 0, 0, 0, -12}});
  EXPECT_EQ(bench.run(10).x[4], 43u);
}

TEST(Interpreter, MisalignedAccessWorksAcrossPages) {
  Bench bench(
      {{Op::Lui, 1, 0, 0, 0x3000},
       {Op::Addi, 2, 0, 0, -2},
       {Op::Sw, 0, 1, 2, -2},
       {Op::Lw, 3, 1, 0, -2},
       {Op::Lhu, 4, 1, 0, -1}});
  EXPECT_EQ(bench.run(5).x[3], 0xfffffffeu);
  EXPECT_EQ(bench.machine.hart().x[4], 0xffffu);
}

TEST(Interpreter, TrapsCarryCauseAndValue) {
  Bench unknown_csr({{Op::Csrrs, 1, 0, 0, 0x7c0}});
  unknown_csr.machine.hart().mtvec = 0x2000;
  Hart& hart = unknown_csr.run(1);
  EXPECT_EQ(hart.mcause, kIllegalInstruction);
  EXPECT_EQ(hart.mtval, encode({Op::Csrrs, 1, 0, 0, 0x7c0}));
  EXPECT_EQ(hart.mepc, 0x1000u);
  EXPECT_EQ(hart.pc, 0x2000u);
  EXPECT_EQ(hart.instret, 0u);

  Bench outside({{Op::Lui, 1, 0, 0, 0x40000000}, {Op::Lw, 2, 1, 0, 4}});
  EXPECT_EQ(outside.run(2).mcause, kLoadFault);
  EXPECT_EQ(outside.machine.hart().mtval, 0x40000004u);

  Bench jump({{Op::Jal, 1, 0, 0, 6}});
  EXPECT_EQ(jump.run(1).mcause, kInstructionMisaligned);
  EXPECT_EQ(jump.machine.hart().x[1], 0u);
}

TEST(Interpreter, ReadOnlyCsrsTrapOnWriteAndNotOnRead) {
  Bench read({{Op::Csrrs, 1, 0, 0, 0xf14}});
  EXPECT_EQ(read.run(1).instret, 1u);
  Bench write({{Op::Csrrw, 1, 0, 0, 0xf14}});
  EXPECT_EQ(write.run(1).mcause, kIllegalInstruction);
}

TEST(Interpreter, CountsInstructionsExactly) {
  Bench bench({{Op::Addi}, {Op::Addi}, {Op::Csrrs, 5, 0, 0, 0xc02}, {Op::Jal, 0, 0, 0, -12}});
  EXPECT_EQ(bench.run(3).x[5], 2u);
  EXPECT_EQ(bench.run(4).x[5], 6u);
  EXPECT_EQ(bench.machine.hart().instret, 7u);
}

TEST(Hart, TakesInterruptsByPriority) {
  Hart hart;
  hart.mie = kSoftwareBit | kTimerBit | kExternalBit;
  hart.mip = kTimerBit | kSoftwareBit;
  EXPECT_EQ(hart.pending_interrupt(), 0u);  // MIE is off
  hart.mstatus |= 8;
  EXPECT_EQ(hart.pending_interrupt(), kSoftwareInterrupt);
  hart.mtvec = 0x101;  // vectored
  hart.trap(kTimerInterrupt, 0);
  EXPECT_EQ(hart.pc, 0x100u + 4 * 7);
  EXPECT_EQ(hart.pending_interrupt(), 0u);
  hart.mret();
  EXPECT_EQ(hart.pending_interrupt(), kSoftwareInterrupt);
}

std::string error_of(const std::string& bytes) {
  return base::test::error_of([&] {
    parse_elf(bytes, "p.elf");
  });
}

TEST(Elf, RefusesHostileFilesWithTheReason) {
  EXPECT_THAT(error_of(""), HasSubstr("lies outside the file of 0 bytes"));
  std::string elf(52, '\0');
  EXPECT_THAT(error_of(elf), HasSubstr("p.elf: error: not an ELF file"));
  elf.replace(0, 7, "\177ELF\2\1\1");
  EXPECT_THAT(error_of(elf), HasSubstr("64-bit"));
  elf[4] = 1;
  EXPECT_THAT(error_of(elf), HasSubstr("not a RISC-V program"));
  elf[18] = char(243), elf[16] = 2;
  EXPECT_THAT(error_of(elf), HasSubstr("no segment to load"));
  elf[42] = 32, elf[44] = 1, elf[28] = 52;
  EXPECT_THAT(error_of(elf), HasSubstr("a program header at offset 52"));
}

TEST(Elf, TheCompressedFlagIsAWarning) {
  std::string elf = base::read_file("guests/built/false_sharing.elf", 1 << 20);
  const ElfImage plain = parse_elf(elf, "p.elf");
  EXPECT_TRUE(plain.warnings.empty());
  elf[36] = char(elf[36] | 1);
  const ElfImage marked = parse_elf(elf, "p.elf");
  ASSERT_EQ(marked.warnings.size(), 1u);
  EXPECT_THAT(marked.warnings[0], HasSubstr("traps where one is reached"));
  EXPECT_EQ(marked.entry, plain.entry);
}

}  // namespace
}  // namespace lento::riscv
