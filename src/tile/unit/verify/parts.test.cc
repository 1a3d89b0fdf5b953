// Bytes and halves of known words: the concrete words after any run of a random program are inside what the
// explorer found. The order in which it visits instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/rng.h"
#include "tile/unit/test_functional.h"
#include "tile/unit/test_words.h"
#include "tile/unit/verify/control_flow.h"
#include "tile/unit/verify/explorer.h"

namespace lento::tile {
namespace {

using namespace test;
using V = AbstractValue;

constexpr int kWords = 4;

// Loads, changes and stores parts of four words, also at computed places, with branches over some of it. x5
// holds the scratchpad, x8 an input.
Words random_program(base::Rng& rng) {
  Words out = {lui(5, 0x8000), lui(9, 0x4000), imm(Op::Lw, 8, 9, 0)};
  if (rng.below(2))
    out.push_back(imm(Op::Andi, 8, 8, int(1 + rng.below(15))));
  for (const int reg : {6, 7})
    out.push_back(imm(Op::Lw, unsigned(reg), 5, int(4 * rng.below(kWords))));
  for (int i = 0; i < 14; ++i) {
    const auto reg = unsigned(6 + rng.below(3));
    const auto other = unsigned(6 + rng.below(3));
    const int half = int(2 * rng.below(2 * kWords));
    switch (rng.below(12)) {
      case 9:
      case 10:
      case 11:  // a byte of an element of three bytes
        out.push_back(imm(Op::Andi, 12, other, 3));
        out.push_back(imm(Op::Slli, 13, 12, 1));
        out.push_back(op3(Op::Add, 13, 13, 12));
        out.push_back(imm(Op::Andi, 12, reg, 1));
        if (rng.below(2))
          out.push_back(op3(Op::Add, 13, 13, 12));
        out.push_back(op3(Op::Add, 13, 5, 13));
        out.push_back(
            rng.below(2) ? save(Op::Sb, reg, 13, int(rng.below(4)))
                         : imm(Op::Lbu, reg, 13, int(rng.below(4))));
        break;
      case 0:
        out.push_back(imm(rng.below(2) ? Op::Lb : Op::Lbu, reg, 5, int(rng.below(4 * kWords))));
        break;
      case 1:
        out.push_back(imm(rng.below(2) ? Op::Lh : Op::Lhu, reg, 5, half));
        break;
      case 2:
        out.push_back(imm(Op::Lw, reg, 5, half & ~3));
        break;
      case 3:
        out.push_back(save(Op::Sb, reg, 5, int(rng.below(4 * kWords))));
        break;
      case 4:
        out.push_back(save(Op::Sh, reg, 5, half));
        break;
      case 5:
        out.push_back(save(Op::Sw, reg, 5, half & ~3));
        break;
      case 6:
        out.push_back(imm(Op::Andi, reg, other, int(rng.below(256))));
        break;
      case 7:
        out.push_back(imm(Op::Addi, reg, other, int(rng.below(9)) - 4));
        break;
      default:
        out.push_back(branch(rng.below(2) ? Op::Bltu : Op::Beq, reg, other, 8));
        out.push_back(imm(Op::Addi, reg, reg, 1));
    }
  }
  out.push_back(kRet);
  return out;
}

bool holds(const V& v, uint32_t c) {
  return v.low <= c && c <= v.high && (c & v.zeros) == 0 && (~c & v.ones) == 0;
}

TEST(Parts, ConcreteRunsStayInsideWhatIsKnown) {
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    base::Rng rng(seed, "tile.verify.parts");
    const Image image = image_of(random_program(rng), 3);
    Program program{image, decode_code(image.code), {}, {}, {}, {}};
    program.order = visit_order(program.code, {image.main_entry / 4});
    program.in_body.assign(program.code.size(), false);
    Scratchpad words;
    std::array<uint32_t, kWords> concrete{};
    for (int i = 0; i < kWords; ++i) {
      concrete[size_t(i)] = uint32_t(rng.next()) >> rng.below(32);
      const uint32_t at = concrete[size_t(i)];
      const uint32_t width = uint32_t(rng.next()) >> rng.below(32);
      if (rng.below(4))
        words.set(
            cell_of(kDataBase + 4 * uint32_t(i), 4),
            V::range(at - std::min(at, width), at + std::min(~at, width)));
    }
    ExploreOptions options;
    options.join = rng.below(2) ? Join::AtEnd : Join::AtMeeting;
    uint64_t budget = 1'000'000;
    const Exploration known = explore({program, RegionKind::Main, words}, options, budget, {});
    for (int run = 0; run < 8; ++run) {
      FunctionalTile tile(image);
      ASSERT_TRUE(tile.init(100).ended);
      for (int i = 0; i < kWords; ++i)
        std::memcpy(tile.memory().scratchpad.data() + 4 * i, &concrete[size_t(i)], 4);
      TileInputs in;
      in.valid = 3;
      in.data[0] = uint32_t(rng.next()) >> rng.below(32);
      ASSERT_TRUE(tile.main(in, 1000).ended);
      for (uint32_t i = 0; i < kWords; ++i) {
        uint32_t word = 0;
        std::memcpy(&word, tile.memory().scratchpad.data() + 4 * i, 4);
        const V v = known.words.value(cell_of(kDataBase + 4 * i, 4));
        ASSERT_TRUE(holds(v, word)) << "seed " << seed << " word " << i << " = " << word;
      }
    }
  }
}

// Random branches, with loops that are entered at several places: an instruction comes after those that lead
// to it, except by a branch back to the head of a loop around both. A loop's instructions are consecutive.
TEST(Parts, TheOrderOfVisitsBreaksEachCycleAtAHead) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    base::Rng rng(seed, "tile.verify.order");
    const int size = 2 + int(rng.below(30));
    Words words;
    for (int at = 0; at < size; ++at) {
      const int target = int(rng.below(uint64_t(size)));
      words.push_back(rng.below(2) ? imm(Op::Addi, 5, 5, 1) : branch(Op::Beq, 5, 6, 4 * (target - at)));
    }
    const std::vector<TileOp> code = decode_code(image_of(words, 3).code);
    const VisitOrder order = visit_order(code, {0});
    const auto around = [&](uint32_t head, uint32_t at) {
      return std::ranges::count(order.loops[at], head) > 0;
    };
    for (uint32_t at = 0; at < code.size(); ++at) {
      std::vector<uint32_t> next;
      if (code[at].legal() && !riscv::is_jump(code[at].base.op))
        next.push_back(at + 1);
      if (riscv::is_branch(code[at].base.op))
        next.push_back(at + uint32_t(code[at].base.imm) / 4);
      for (const uint32_t to : next) {
        if (to < code.size()) {
          ASSERT_TRUE(order.rank[at] < order.rank[to] || (around(to, to) && around(to, at))) << seed;
        }
      }
      for (const uint32_t head : order.loops[at]) {
        ASSERT_LE(order.rank[head], order.rank[at]);
        for (uint32_t in = 0; in < code.size(); ++in) {
          if (order.rank[head] <= order.rank[in] && order.rank[in] <= order.rank[at]) {
            ASSERT_TRUE(around(head, in)) << seed;
          }
        }
      }
    }
  }
}

// A word that one path leaves as it was, and of which the other stores a half.
TEST(Parts, APathThatStoresAHalfKeepsItsIntervalAtTheJoin) {
  constexpr uint32_t half = cell_of(kDataBase, 2);
  Scratchpad whole;
  whole.set(cell_of(kDataBase, 4), V::constant(5));
  for (const bool first : {false, true}) {
    Scratchpad halves = whole;
    halves.set(half, V::range(0, 300));
    Scratchpad a = first ? halves : whole;
    EXPECT_EQ(a.merge(first ? whole : halves, join), !first);
    EXPECT_EQ(a.value(half).low, 0u);
    EXPECT_EQ(a.value(half).high, 300u);
    EXPECT_TRUE(a.value(cell_of(kDataBase + 2, 2)).is_constant());
  }
}

}  // namespace
}  // namespace lento::tile
