// Each computing instruction against its definition in the manual, over wide integers: corners by corners and
// drawn operands.
#include "riscv/alu.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace lento::riscv {
namespace {

__extension__ using Wide = __int128;

std::vector<uint32_t> operands() {
  std::vector<uint32_t> all{
      0,
      1,
      2,
      3,
      5,
      31,
      32,
      33,
      0x7f,
      0x80,
      0x7fff,
      0x8000,
      0x7ffffffe,
      0x7fffffff,
      0x80000000,
      0x80000001,
      0xfffffffe,
      0xffffffff};
  base::Rng rng(1, "alu");
  for (int i = 0; i < 40; ++i)
    all.push_back(uint32_t(rng.next() >> rng.below(40)));
  return all;
}

// `expected` sees both operands unsigned and signed.
template <class F>
void expect_all(const std::vector<Op>& ops, F expected) {
  for (const Op op : ops) {
    for (const uint32_t a : operands()) {
      for (const uint32_t b : operands()) {
        const auto ua = Wide(a);
        const auto ub = Wide(b);
        const Wide sa = a >> 31 ? ua - (Wide(1) << 32) : ua;
        const Wide sb = b >> 31 ? ub - (Wide(1) << 32) : ub;
        ASSERT_EQ(alu(op, a, b), uint32_t(expected(ua, ub, sa, sb))) << mnemonic(op) << " " << a << " " << b;
      }
    }
  }
}

TEST(Alu, SumsWrap) {
  expect_all({Op::Add, Op::Addi}, [](Wide a, Wide b, Wide, Wide) {
    return (a + b) & 0xffffffff;
  });
  expect_all({Op::Sub}, [](Wide a, Wide b, Wide, Wide) {
    return (a - b) & 0xffffffff;
  });
}

TEST(Alu, ComparisonsAreSignedOrNot) {
  expect_all({Op::Slt, Op::Slti}, [](Wide, Wide, Wide a, Wide b) {
    return Wide(a < b);
  });
  expect_all({Op::Sltu, Op::Sltiu}, [](Wide a, Wide b, Wide, Wide) {
    return Wide(a < b);
  });
}

TEST(Alu, BitByBit) {
  const auto each_bit = [](Wide a, Wide b, auto of_bits) {
    Wide out = 0;
    for (int i = 0; i < 32; ++i)
      out |= Wide(of_bits(int(a >> i & 1), int(b >> i & 1))) << i;
    return out;
  };
  expect_all({Op::And, Op::Andi}, [&](Wide a, Wide b, Wide, Wide) {
    return each_bit(a, b, [](int x, int y) {
      return x * y;
    });
  });
  expect_all({Op::Or, Op::Ori}, [&](Wide a, Wide b, Wide, Wide) {
    return each_bit(a, b, [](int x, int y) {
      return x + y > 0 ? 1 : 0;
    });
  });
  expect_all({Op::Xor, Op::Xori}, [&](Wide a, Wide b, Wide, Wide) {
    return each_bit(a, b, [](int x, int y) {
      return x == y ? 0 : 1;
    });
  });
}

TEST(Alu, ShiftsByTheLowFiveBits) {
  const auto power = [](Wide b) {
    return Wide(1) << int(b % 32);
  };
  expect_all({Op::Sll, Op::Slli}, [&](Wide a, Wide b, Wide, Wide) {
    return a * power(b) % (Wide(1) << 32);
  });
  expect_all({Op::Srl, Op::Srli}, [&](Wide a, Wide b, Wide, Wide) {
    return a / power(b);
  });
  // An arithmetic shift rounds towards minus infinity.
  expect_all({Op::Sra, Op::Srai}, [&](Wide, Wide b, Wide a, Wide) {
    const Wide quotient = a / power(b);
    return quotient - (quotient * power(b) > a ? 1 : 0);
  });
}

TEST(Alu, ProductsHaveALowAndAHighHalf) {
  const auto high = [](Wide product) {
    const Wide rest = ((product % (Wide(1) << 32)) + (Wide(1) << 32)) % (Wide(1) << 32);
    return (product - rest) / (Wide(1) << 32);
  };
  expect_all({Op::Mul}, [](Wide a, Wide b, Wide, Wide) {
    return a * b % (Wide(1) << 32);
  });
  expect_all({Op::Mulh}, [&](Wide, Wide, Wide a, Wide b) {
    return high(a * b);
  });
  expect_all({Op::Mulhu}, [&](Wide a, Wide b, Wide, Wide) {
    return high(a * b);
  });
  expect_all({Op::Mulhsu}, [&](Wide, Wide b, Wide a, Wide) {
    return high(a * b);
  });
}

TEST(Alu, QuotientsRoundTowardsZero) {
  expect_all({Op::Div}, [](Wide, Wide, Wide a, Wide b) {
    return b == 0 ? Wide(-1) : a / b;
  });
  expect_all({Op::Divu}, [](Wide a, Wide b, Wide, Wide) {
    return b == 0 ? Wide(0xffffffff) : a / b;
  });
  expect_all({Op::Rem}, [](Wide, Wide, Wide a, Wide b) {
    return b == 0 ? a : a % b;
  });
  expect_all({Op::Remu}, [](Wide a, Wide b, Wide, Wide) {
    return b == 0 ? a : a % b;
  });
}

TEST(Alu, DividendIsQuotientTimesDivisorPlusRest) {
  for (const uint32_t a : operands()) {
    for (const uint32_t b : operands()) {
      EXPECT_EQ(alu(Op::Div, a, b) * b + alu(Op::Rem, a, b), a);
      EXPECT_EQ(alu(Op::Divu, a, b) * b + alu(Op::Remu, a, b), a);
    }
  }
}

TEST(BranchTaken, EveryComparisonAndItsOpposite) {
  for (const uint32_t a : operands()) {
    for (const uint32_t b : operands()) {
      const int64_t sa = int32_t(a);
      const int64_t sb = int32_t(b);
      EXPECT_EQ(branch_taken(Op::Beq, a, b), a == b);
      EXPECT_EQ(branch_taken(Op::Blt, a, b), sa < sb);
      EXPECT_EQ(branch_taken(Op::Bltu, a, b), a < b);
      EXPECT_NE(branch_taken(Op::Bne, a, b), branch_taken(Op::Beq, a, b));
      EXPECT_NE(branch_taken(Op::Bge, a, b), branch_taken(Op::Blt, a, b));
      EXPECT_NE(branch_taken(Op::Bgeu, a, b), branch_taken(Op::Bltu, a, b));
    }
  }
  EXPECT_FALSE(branch_taken(Op::Add, 1, 1));
}

TEST(Amo, WhatIsWrittenBack) {
  for (const uint32_t m : operands()) {
    for (const uint32_t o : operands()) {
      const int64_t sm = int32_t(m);
      const int64_t so = int32_t(o);
      EXPECT_EQ(amo(Op::AmoswapW, m, o), o);
      EXPECT_EQ(amo(Op::ScW, m, o), o);
      EXPECT_EQ(amo(Op::LrW, m, o), m);
      EXPECT_EQ(amo(Op::AmoaddW, m, o), uint32_t(uint64_t{m} + o));
      EXPECT_EQ(amo(Op::AmoxorW, m, o), alu(Op::Xor, m, o));
      EXPECT_EQ(amo(Op::AmoandW, m, o), alu(Op::And, m, o));
      EXPECT_EQ(amo(Op::AmoorW, m, o), alu(Op::Or, m, o));
      EXPECT_EQ(amo(Op::AmominW, m, o), uint32_t(std::min(sm, so)));
      EXPECT_EQ(amo(Op::AmomaxW, m, o), uint32_t(std::max(sm, so)));
      EXPECT_EQ(amo(Op::AmominuW, m, o), std::min(m, o));
      EXPECT_EQ(amo(Op::AmomaxuW, m, o), std::max(m, o));
    }
  }
}

TEST(Extend, SignedLoadsCopyTheirSign) {
  for (uint32_t byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(extend(Op::Lb, byte), byte < 128 ? byte : byte + 0xffffff00u);
    EXPECT_EQ(extend(Op::Lbu, byte), byte);
  }
  for (uint32_t half = 0; half < 0x10000; half += 257) {
    EXPECT_EQ(extend(Op::Lh, half), half < 0x8000 ? half : half + 0xffff0000u);
    EXPECT_EQ(extend(Op::Lhu, half), half);
  }
  EXPECT_EQ(extend(Op::Lw, 0x80000000u), 0x80000000u);
}

}  // namespace
}  // namespace lento::riscv
