// The fast loop against single steps: the same program, budgets of every size, code that rewrites itself.
#include <gtest/gtest.h>

#include "riscv/machine.h"

namespace lento::riscv {
namespace {

constexpr uint32_t kCode = 0x1000;
constexpr uint32_t kData = 0x9000;

std::string bytes_of(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), 4 * words.size()};
}

// Counts to 3,000 through memory, half a word misaligned now and then, and replaces its own instruction at
// `target` (x11 += 1, then x11 += 16) half way.
ElfImage program() {
  const auto i = [](Op op, int rd, int rs1, int rs2, int32_t imm) {
    return encode({op, uint8_t(rd), uint8_t(rs1), uint8_t(rs2), imm});
  };
  std::vector<uint32_t> code = {
      i(Op::Lui, 5, 0, 0, kData & ~0xfff),  // data
      i(Op::Addi, 6, 0, 0, 1500),
      i(Op::Add, 7, 6, 6, 0),  // half, end
      i(Op::Lui, 8, 0, 0, kCode),
      i(Op::Lw, 9, 8, 0, 4 * 17),  // the replacement
      i(Op::Addi, 12, 12, 0, 1),   // 5: loop
      i(Op::Sw, 0, 5, 12, 0),
      i(Op::Lw, 13, 5, 0, 0),  //
      i(Op::Sh, 0, 5, 12, 7),
      i(Op::Lhu, 14, 5, 0, 7),    //
      i(Op::Add, 15, 15, 14, 0),  //
      i(Op::Bne, 0, 12, 6, 8),
      i(Op::Sw, 0, 8, 9, 4 * 13),          // rewrites
      i(Op::Addi, 11, 11, 0, 1),           // 13: target
      i(Op::Bne, 0, 13, 7, 4 * (5 - 14)),  //
      i(Op::Sw, 0, 5, 7, 0x100),
      i(Op::Jal, 0, 0, 0, 0),  // tohost
      i(Op::Addi, 11, 11, 0, 16)};
  ElfImage image;
  image.entry = kCode;
  image.segments = {{kCode, 0x1000, true, true, bytes_of(code)}, {kData, 0x1000, false, true, ""}};
  image.symbols = {{"tohost", kData + 0x100, 4, false}};
  return image;
}

TEST(MachineFast, EveryBudgetGivesTheStateOfSingleSteps) {
  Machine steps;
  steps.load(program());
  while (!steps.tohost())
    steps.run(1);
  EXPECT_EQ(*steps.tohost(), 3000u);
  EXPECT_EQ(steps.hart().x[11], 1499u + 16u * 1501u);
  for (const uint64_t budget : {7u, 1025u, 1500u, 5000u, 1u << 20}) {
    Machine machine;
    machine.load(program());
    while (!machine.tohost()) {
      const uint64_t before = machine.hart().instret;
      machine.run(budget);
      if (machine.tohost())
        break;
      EXPECT_EQ(machine.hart().instret - before, budget);
    }
    EXPECT_EQ(machine.hart(), steps.hart()) << budget;
    EXPECT_EQ(machine.cycle(), steps.cycle());
  }
}

TEST(MachineFast, AccessesOutsideTheMemoryTrap) {
  ElfImage image = program();
  image.segments.pop_back();
  image.symbols.clear();
  Machine machine;
  machine.load(image, 0);
  machine.run(5000);
  EXPECT_EQ(machine.hart().mcause, uint32_t(kInstructionFault));  // mtvec 0 is no memory either
}

}  // namespace
}  // namespace lento::riscv
