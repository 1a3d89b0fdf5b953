// Registers that were made of one number, by definition: whatever is true of one of them is made true of the
// others and holds for the concrete ones.
#include "tile/unit/verify/relation.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/rng.h"
#include "riscv/alu.h"

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;

bool holds(const V& v, uint32_t c) {
  const auto n = int32_t(c);
  return v.low <= c && c <= v.high && (c & v.zeros) == 0 && (~c & v.ones) == 0 && v.least <= n &&
         n <= v.most && std::popcount(c) <= v.most_ones;
}

struct Register {
  V known = V::any();
  uint32_t held = 0;
};

Register number(uint32_t held, uint32_t id) {
  Register out{V::any(), held};
  out.known.term = {id};
  return out;
}

Register made(Op op, const Register& from, uint32_t constant) {
  const V c = V::constant(constant);
  return {related_alu(op, from.known, c), riscv::alu(op, from.held, constant)};
}

Register limited(Register r, Op test, uint32_t constant) {
  V c = V::constant(constant);
  refine(test, riscv::branch_taken(test, r.held, constant), r.known, c);
  return r;
}

TEST(Relation, WhatIsSaidOfTheNextNumberHoldsForThis) {
  const Register i = number(2, 1);
  const Register next = made(Op::Addi, i, 1);
  const V sharper = sharpened(next.known, limited(i, Op::Bltu, 4).known);
  EXPECT_EQ(sharper.low, 1u);
  EXPECT_EQ(sharper.high, 4u);
  EXPECT_EQ(sharpened(i.known, limited(next, Op::Bltu, 4).known).high, UINT32_MAX);  // i may be -1
}

// The address of an element of 36 bytes: 9 times its index, made of a shift and a sum, is no mere multiple
// of 8.
TEST(Relation, AMultipleOfAShiftAndASumKeepsItsFactor) {
  const Register index = made(Op::Andi, number(0x4711, 3), 3);
  const V eight = made(Op::Slli, index, 3).known;
  const V nine = related_alu(Op::Add, eight, index.known);
  EXPECT_EQ(nine.modulus, 9u);
  EXPECT_EQ(nine.reach, 0u);
  const V member = related_alu(Op::Slli, related_alu(Op::Add, nine, V::range(0, 7)), V::constant(2));
  EXPECT_EQ(member.modulus, 36u);
  EXPECT_EQ(member.reach, 28u);
}

TEST(Relation, APartThatIsNotZeroBoundsTheWhole) {
  const Register v = number(0x12345, 7);
  const Register upper = made(Op::And, v, 0xfffe);
  const Register half = made(Op::Srli, made(Op::Slli, v, 16), 16);
  const V sharper = sharpened(half.known, limited(upper, Op::Bne, 0).known);
  EXPECT_EQ(sharper.low, 2u);
  EXPECT_EQ(sharper.high, 0xffffu);
}

TEST(Relation, OtherNumbersAreLeftAlone) {
  const Register a = number(3, 1);
  const Register b = number(3, 2);
  EXPECT_EQ(sharpened(b.known, limited(a, Op::Bltu, 4).known), b.known);
}

TEST(Relation, OneOneLessEachRound) {
  Register v = number(0xffffffff, 3);
  for (int left = 31; left >= 0; --left) {
    const Register less = made(Op::Addi, v, uint32_t(-1));
    const V result = related_alu(Op::And, v.known, less.known);
    EXPECT_EQ(result.most_ones, left);
    v = {result, v.held & less.held};
    v.known.term = {uint32_t(100 - left)};
  }
  EXPECT_TRUE(v.known.is_constant());
  EXPECT_EQ(v.known.low, 0u);
  EXPECT_EQ(related_alu(Op::And, number(1, 4).known, number(2, 5).known).most_ones, 32);
}

// Chains of sums, masks and shifts of one number; one of them is compared with a constant.
TEST(Relation, SharpenedRegistersHoldTheConcreteOnes) {
  base::Rng rng(1, "tile.relation");
  constexpr std::array kOps = {Op::Addi, Op::Andi, Op::Slli, Op::Srli};
  int sharper = 0;
  for (int n = 0; n < 300'000; ++n) {
    const uint32_t held = uint32_t(rng.next()) >> rng.below(32);
    std::vector<Register> x = {number(held, 1)};
    x[0].known.high = std::max(held, UINT32_MAX >> rng.below(32));
    while (x.size() < 6) {
      const Op op = kOps[rng.below(kOps.size())];
      const Register& from = x[rng.below(x.size())];
      uint32_t constant = uint32_t(rng.next()) >> rng.below(32);
      if (op == Op::Slli || op == Op::Srli)
        constant = rng.below(2) && from.known.term.factor != 1
                       ? uint32_t(std::countr_zero(from.known.term.factor))
                       : uint32_t(rng.below(32));
      x.push_back(made(op, from, constant));
    }
    const Register& one = x[rng.below(x.size())];
    const auto test = static_cast<Op>(int(Op::Beq) + int(rng.below(6)));
    const uint32_t near = one.held + uint32_t(rng.below(5)) - 2;
    const Register known = limited(one, test, rng.below(2) ? near : uint32_t(rng.next()));
    for (const Register& r : x) {
      const V now = sharpened(r.known, known.known);
      ASSERT_TRUE(holds(now, r.held)) << n;
      sharper += !now.same_value(r.known);
      ASSERT_TRUE(holds(related_alu(Op::And, r.known, one.known), r.held & one.held)) << n;
    }
  }
  EXPECT_GT(sharper, 50'000);
}

}  // namespace
}  // namespace lento::tile
