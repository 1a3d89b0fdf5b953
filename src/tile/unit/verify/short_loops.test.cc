// Short loops by their definition: whatever concrete registers stand inside the abstract ones, a concrete run
// of the loop ends inside the abstract result, after as many rounds.
#include "tile/unit/verify/short_loops.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "riscv/alu.h"
#include "tile/unit/test_encode.h"

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

std::vector<TileOp> code_of(const std::vector<uint32_t>& words) {
  std::vector<TileOp> out;
  for (const uint32_t word : words)
    out.push_back(decode_tile(word));
  return out;
}

bool holds(const V& v, uint32_t x) {
  const bool as_signed = v.least <= int32_t(x) && int32_t(x) <= v.most;
  return v.low <= x && x <= v.high && (x & v.zeros) == 0 && (~x & v.ones) == 0 && as_signed &&
         std::popcount(x) <= v.most_ones;
}

// Registers 5 to 12 in random arithmetic, 13 counts down.
std::vector<uint32_t> random_loop(base::Rng& rng) {
  constexpr std::array kOps =
      {Op::Add, Op::Sub, Op::And, Op::Or, Op::Xor, Op::Sll, Op::Srl, Op::Sra, Op::Slt, Op::Sltu};
  const auto reg = [&] {
    return unsigned(5 + rng.below(8));
  };
  std::vector<uint32_t> words;
  const auto length = 1 + rng.below(8);
  for (uint64_t i = 0; i < length; ++i) {
    const Op op = kOps[rng.below(kOps.size())];
    if (rng.below(2))
      words.push_back(op3(op, reg(), reg(), reg()));
    else
      words.push_back(imm(Op::Addi, reg(), reg(), int(rng.below(4096)) - 2048));
  }
  words.push_back(imm(Op::Addi, 13, 13, -1));
  words.push_back(branch(Op::Bne, 13, 0, -4 * int(words.size())));
  return words;
}

// A value, and an interval or a constant around it.
V around(base::Rng& rng, uint32_t x) {
  if (rng.below(3) == 0)
    return V::constant(x);
  const auto reach = uint32_t(rng.next() >> (32 + rng.below(32)));
  const uint32_t low = x < reach ? 0 : x - reach;
  const uint32_t high = x > UINT32_MAX - reach ? UINT32_MAX : x + reach;
  return V::range(low, high);
}

uint64_t run_concrete(const std::vector<TileOp>& code, std::array<uint32_t, 32>& x) {
  for (uint64_t rounds = 1;; ++rounds) {
    for (size_t at = 0; at + 1 < code.size(); ++at) {
      const riscv::Instruction& n = code[at].base;
      x[n.rd] = riscv::alu(n.op, x[n.rs1], riscv::reads_rs2(n.op) ? x[n.rs2] : uint32_t(n.imm));
    }
    if (x[13] == 0)
      return rounds;
  }
}

TEST(ShortLoops, HoldEveryConcreteRun) {
  base::Rng rng(1, "tile.short_loops");
  for (int program = 0; program < 400; ++program) {
    const std::vector<TileOp> code = code_of(random_loop(rng));
    ShortLoops loops(code);
    ShortLoops::Loop* loop = loops.at(0);
    ASSERT_NE(loop, nullptr);
    for (int start = 0; start < 12; ++start) {  // more than are remembered
      std::array<uint32_t, 32> x = {};
      ShortLoops::Registers begin;
      begin[0] = V::constant(0);
      for (unsigned reg = 5; reg < 13; ++reg) {
        x[reg] = uint32_t(rng.next()) >> rng.below(32);
        begin[reg] = around(rng, x[reg]);
      }
      x[13] = 1 + uint32_t(rng.below(20));
      begin[13] = V::constant(x[13]);
      uint64_t steps = 0;
      const ShortLoops::Run* run = loops.run(*loop, begin, steps);
      ASSERT_NE(run, nullptr);
      ASSERT_TRUE(run->ends);
      EXPECT_EQ(run->rounds, run_concrete(code, x));
      for (const ShortLoops::Write& w : run->writes)
        EXPECT_TRUE(holds(w.value, x[w.reg])) << "program " << program << ", register " << int(w.reg);
    }
  }
}

TEST(ShortLoops, AreRememberedByWhatTheyRead) {
  const auto code = code_of({op3(Op::Add, 5, 5, 6), imm(Op::Addi, 13, 13, -1), branch(Op::Bne, 13, 0, -8)});
  ShortLoops loops(code);
  ShortLoops::Registers x;
  x[0] = V::constant(0);
  x[5] = V::constant(1);
  x[6] = V::range(0, 3);
  x[13] = V::constant(10);
  uint64_t steps = 0;
  const ShortLoops::Run first = *loops.run(*loops.at(0), x, steps);
  EXPECT_EQ(steps, 1 + 10 * 3u);
  EXPECT_EQ(first.writes.front().value.low, 1u);
  EXPECT_EQ(first.writes.front().value.high, 31u);
  x[9] = V::constant(7);  // is not read
  loops.run(*loops.at(0), x, steps);
  EXPECT_EQ(steps, 1u);
  x[6] = V::range(0, 4);
  EXPECT_EQ(loops.run(*loops.at(0), x, steps)->writes.front().value.high, 41u);
  EXPECT_GT(steps, 1u);
  x[6].initialised = false;
  EXPECT_EQ(loops.run(*loops.at(0), x, steps), nullptr);
}

TEST(ShortLoops, AnUndecidedBranchDoesNotEnd) {
  const auto code = code_of({imm(Op::Srli, 5, 5, 1), branch(Op::Bne, 5, 0, -4)});
  ShortLoops loops(code);
  ShortLoops::Registers x;
  x[0] = V::constant(0);
  uint64_t steps = 0;
  EXPECT_FALSE(loops.run(*loops.at(0), x, steps)->ends);
}

TEST(ShortLoops, BranchesBetweenInstructionsMakeNone) {
  const ShortLoops::Loop* const none = nullptr;
  for (const int back : {-2, -6, -10}) {
    const auto code =
        code_of({imm(Op::Addi, 5, 5, 3), imm(Op::Addi, 13, 13, -1), branch(Op::Bne, 13, 0, back)});
    ShortLoops loops(code);
    for (uint32_t at = 0; at < code.size(); ++at)
      EXPECT_EQ(loops.at(at), none) << back << " at " << at;
  }
}

TEST(ShortLoops, AreArithmeticOnly) {
  const uint32_t back = branch(Op::Bne, 5, 0, -4);
  EXPECT_EQ(ShortLoops(code_of({imm(Op::Lw, 5, 6, 0), back})).at(0), nullptr);
  EXPECT_EQ(ShortLoops(code_of({save(Op::Sw, 5, 6, 0), back})).at(0), nullptr);
  EXPECT_EQ(ShortLoops(code_of({imm(Op::Addi, 2, 2, -16), back})).at(0), nullptr);
  EXPECT_EQ(ShortLoops(code_of({encode_hash(5, 5, 6), back})).at(0), nullptr);
  EXPECT_EQ(ShortLoops(code_of({imm(Op::Addi, 5, 5, -1), branch(Op::Bne, 5, 0, 8)})).at(0), nullptr);
}

}  // namespace
}  // namespace lento::tile
