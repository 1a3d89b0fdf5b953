// The verifier: shipped programs pass, and each rule has mutants that break it.
#include "tile/unit/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "riscv/alu.h"
#include "tile/unit/build.h"
#include "tile/unit/test_encode.h"
#include "tile/unit/test_words.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {
namespace {

using namespace test;

// Rates are declared generously, so that a test meets only the rule it is about.
Image loose(const Words& main, const Words& finish = {kRet}) {
  Image image = image_of(main, 3, finish);
  image.drops_declared = true;
  image.output_bytes = 1 << 20;
  return image;
}

// Main is the end of the code: no finish.
Image open_end(const Words& main) {
  Image image = loose(main);
  image.code.resize(4 + 4 * main.size());
  return image;
}

testing::AssertionResult broken(const Image& image, Rule rule) {
  const VerifyReport report = verify(image);
  for (const Violation& v : report.violations) {
    if (v.rule == rule)
      return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << write_report(report);
}

TEST(AbstractValues, ContainEveryConcreteResult) {
  base::Rng rng(1, "tile.verify.abstract");
  const auto value = [&](uint32_t& concrete) {
    const uint32_t raw = uint32_t(rng.next());
    concrete = raw >> rng.below(32);
    if (rng.below(4) == 0)
      concrete = 0u - concrete;
    switch (rng.below(4)) {
      case 0:
        return AbstractValue::constant(concrete);
      case 1:
        return AbstractValue::any();
      case 2: {
        const uint32_t width = uint32_t(rng.next()) >> rng.below(32);
        AbstractValue v = AbstractValue::range(
            concrete - std::min(concrete, width),
            concrete + std::min(UINT32_MAX - concrete, width));
        if (rng.below(2))
          v.most_ones = uint8_t(std::min<uint64_t>(32, uint64_t(std::popcount(concrete)) + rng.below(3)));
        return v;
      }
      default: {
        AbstractValue v;
        const uint32_t known = uint32_t(rng.next());
        v.ones = concrete & known, v.zeros = ~concrete & known;
        v.low = v.ones, v.high = ~v.zeros;
        if (rng.below(2)) {
          const auto c = int32_t(concrete);
          v.least = c - int32_t(std::min<int64_t>(int64_t{c} - INT32_MIN, rng.below(100)));
          v.most = c + int32_t(std::min<int64_t>(INT32_MAX - int64_t{c}, rng.below(100)));
        }
        return v;
      }
    }
  };
  const auto holds = [](const AbstractValue& v, uint32_t c) {
    const auto n = int32_t(c);
    return v.low <= c && c <= v.high && (c & v.zeros) == 0 && (~c & v.ones) == 0 && v.least <= n &&
           n <= v.most && std::popcount(c) <= v.most_ones;
  };
  const auto branch_op = [&] {
    return static_cast<Op>(int(Op::Beq) + int(rng.below(6)));
  };
  for (int n = 0; n < 400000; ++n) {
    uint32_t a;
    uint32_t b;
    AbstractValue va = value(a);
    AbstractValue vb = value(b);
    const Op op = rng.below(2) ? static_cast<Op>(int(Op::Add) + int(rng.below(10)))
                               : static_cast<Op>(int(Op::Addi) + int(rng.below(9)));
    ASSERT_TRUE(holds(abstract_alu(op, va, vb), riscv::alu(op, a, b)))
        << riscv::mnemonic(op) << ' ' << a << ' ' << b;
    const Op test = branch_op();
    const bool taken = riscv::branch_taken(test, a, b);
    const Truth truth = abstract_branch(test, va, vb);
    ASSERT_TRUE(truth == Truth::Unknown || (truth == Truth::Yes) == taken)
        << riscv::mnemonic(test) << ' ' << a << ' ' << b;
    ASSERT_TRUE(holds(join(va, vb), a) && holds(join(va, vb), b));
    refine(test, taken, va, vb);
    ASSERT_TRUE(holds(va, a) && holds(vb, b))
        << riscv::mnemonic(test) << ' ' << taken << ' ' << a << ' ' << b;
  }
}

TEST(Verify, AcceptsEveryShippedProgram) {
  if (std::system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  for (const std::string& name : shipped_programs()) {
    const Built built = build_program(shipped_source(name), name);
    // The sketch masks its way into one pool of memory; no single entry of it is a variable.
    const auto objects = name == "sketch.c" ? std::vector<DataObject>() : data_objects(built.elf, name);
    const VerifyReport report = verify(built.image, {}, objects);
    EXPECT_TRUE(report.accepted) << name << "\n" << write_report(report);
  }
}

// Programs as one would write them from the guide (tests/tile/programs): at most one in twenty may be
// refused.
TEST(Verify, AcceptsNaturalPrograms) {
  if (std::system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  int all = 0;
  int accepted = 0;
  std::string refused;
  for (const auto& file : std::filesystem::directory_iterator("tests/tile/programs")) {
    const std::string name = file.path().filename().string();
    const Built built = build_program(base::read_file(file.path().string()), name);
    const VerifyReport report = verify(built.image, {}, data_objects(built.elf, name));
    ++all;
    accepted += report.accepted;
    if (!report.accepted)
      refused += name + ": " + describe(report.violations.front()) + "\n";
  }
  EXPECT_GE(all, 40);
  EXPECT_GE(accepted * 20, all * 19) << refused;
}

// The address of a[x & mask], a of 16 bytes at 0x8000, and a load or store of one byte there.
Image indexed(int mask, uint32_t access) {
  return loose(
      {lui(5, 0x4000),
       imm(Op::Lw, 6, 5, 0),
       imm(Op::Andi, 6, 6, mask),
       lui(7, 0x8000),
       op3(Op::Add, 6, 6, 7),
       access,
       kRet});
}

TEST(Verify, ComputedAddressesStayInTheirVariable) {
  const std::vector<DataObject> objects = {{0x8000, 16, "a"}, {0x8010, 16, "b"}};
  for (const uint32_t access : {imm(Op::Lbu, 8, 6, 0), save(Op::Sb, 0, 6, 0)}) {
    EXPECT_TRUE(verify(indexed(15, access), {}, objects).accepted);
    EXPECT_TRUE(verify(indexed(31, access)).accepted) << "nothing is known of variables";
    const VerifyReport report = verify(indexed(31, access), {}, objects);
    ASSERT_EQ(report.violations.size(), 1u);
    EXPECT_EQ(report.violations[0].pc, 0x18u);
    EXPECT_THAT(report.violations[0].text, testing::HasSubstr("bytes 0..31 of 'a', which has 16"));
    EXPECT_THAT(describe(report.violations[0]), testing::HasSubstr("mask it"));
  }
  // The last byte of a word counts too; beyond all variables the scratchpad is the bound.
  EXPECT_FALSE(verify(indexed(12, imm(Op::Lw, 8, 6, 4)), {}, objects).accepted);
  EXPECT_TRUE(verify(indexed(12, imm(Op::Lw, 8, 6, 0)), {}, objects).accepted);
  EXPECT_TRUE(verify(indexed(31, imm(Op::Lbu, 8, 6, 64)), {}, objects).accepted);
}

// A summary every 256 runs counts as its 256th part, to the byte; without the counter it does not.
TEST(Verify, ACounterVouchesForPeriodicOutput) {
  const auto program = [](bool counts) {
    return Words{
        lui(5, 0x8000),
        imm(Op::Lw, 6, 5, 0),
        imm(Op::Addi, 6, 6, counts ? 1 : 0),
        save(Op::Sw, 6, 5, 0),
        imm(Op::Addi, 7, 0, 256),
        branch(Op::Bne, 6, 7, 20),
        save(Op::Sw, 0, 5, 0),
        encode_emit(8),
        encode_emit(8),
        kNop,
        kRet};
  };
  Image image = loose(program(true));
  image.arrival_cycles = 40;
  image.output_bytes = 16;
  image.output_cycles = 40 * 256;
  const VerifyReport report = verify(image);
  EXPECT_TRUE(report.accepted) << write_report(report);
  EXPECT_DOUBLE_EQ(report.main.bytes_per_run, 16.0 / 256);
  --image.output_bytes;
  EXPECT_TRUE(broken(image, Rule::OutputRate));
  // An input decides: nothing vouches.
  Image any = loose({lui(5, 0x4000), imm(Op::Lw, 6, 5, 0), branch(Op::Bne, 6, 0, 8), encode_emit(8), kRet});
  any.arrival_cycles = 40;
  any.output_bytes = 7;
  any.output_cycles = 40;
  EXPECT_TRUE(broken(any, Rule::OutputRate));
}

// What one run leaves in the scratchpad is what the next may find: an index that only grows leaves its array.
TEST(Verify, WhatRunsLeaveBehindIsKnownToTheNext) {
  const auto program = [](bool wraps) {
    return Words{
        lui(5, 0x8000),
        imm(Op::Lw, 6, 5, 0),
        imm(Op::Slli, 7, 6, 2),
        op3(Op::Add, 7, 7, 5),
        save(Op::Sw, 6, 7, 16),
        imm(Op::Addi, 6, 6, 1),
        imm(Op::Andi, 6, 6, wraps ? 7 : -1),
        save(Op::Sw, 6, 5, 0),
        kRet};
  };
  EXPECT_TRUE(verify(loose(program(true))).accepted) << write_report(verify(loose(program(true))));
  EXPECT_TRUE(broken(loose(program(false)), Rule::StoreBounds));
}

// An index that grows by one a run is extended to one constant of the program after the other (constants_of).
TEST(Verify, ABoundIsFoundBehindManyConstants) {
  Words main = {lui(5, 0x8000), imm(Op::Lw, 6, 5, 0)};
  for (int constant = 2; constant < 127; constant += 3)
    main.push_back(imm(Op::Addi, 8, 0, constant));
  for (const uint32_t word :
       {imm(Op::Slli, 7, 6, 2),
        op3(Op::Add, 7, 7, 5),
        save(Op::Sw, 6, 7, 16),
        imm(Op::Addi, 6, 6, 1),
        imm(Op::Andi, 6, 6, 127),
        save(Op::Sw, 6, 5, 0),
        kRet})
    main.push_back(word);
  EXPECT_TRUE(verify(loose(main)).accepted) << write_report(verify(loose(main)));
}

TEST(Verify, RefusalsNameTheWayThereAndTheWayOut) {
  const VerifyReport report = verify(
      loose({lui(5, 0x4000), imm(Op::Lw, 6, 5, 0), branch(Op::Beq, 6, 0, 8), imm(Op::Lw, 7, 6, 0), kRet}));
  ASSERT_EQ(report.violations.size(), 1u);
  const std::string text = describe(report.violations[0]);
  EXPECT_THAT(text, testing::HasSubstr("load bounds at 0x10"));
  EXPECT_THAT(text, testing::HasSubstr("by way of 0xc (not taken)"));
  EXPECT_THAT(text, testing::HasSubstr("mask it"));
}

TEST(Verify, RejectsAMutantOfEachClass) {
  const auto good = loose({kRet});
  EXPECT_TRUE(verify(good).accepted) << write_report(verify(good));
  EXPECT_TRUE(broken(loose({0xffffffff, kRet}), Rule::IllegalInstruction));
  EXPECT_TRUE(broken(loose({op3(Op::Mul, 5, 0, 0), kRet}), Rule::IllegalInstruction));
  EXPECT_TRUE(broken(open_end({imm(Op::Addi, 5, 0, 1)}), Rule::ControlFlow));  // falls off the end
  EXPECT_TRUE(broken(loose({jal(0, 0x4000)}), Rule::ControlFlow));
  EXPECT_TRUE(broken(loose({lui(5, 0x1000), imm(Op::Jalr, 0, 5, 0)}), Rule::IndirectJump));
  EXPECT_TRUE(
      broken(loose({lui(5, 0x4000), imm(Op::Lw, 5, 5, 0), imm(Op::Jalr, 0, 5, 0)}), Rule::IndirectJump));
  EXPECT_TRUE(broken(
      loose({jal(0, 8), encode_loop_immediate(3, 0, 1), imm(Op::Addi, 5, 0, 1), kRet}),
      Rule::LoopBody));  // past the loop instruction, into its body
  EXPECT_TRUE(broken(
      loose(
          {jal(0, 12), encode_loop_immediate(3, 0, 2), imm(Op::Addi, 5, 0, 1), imm(Op::Addi, 5, 0, 1), kRet}),
      Rule::LoopBody));
  EXPECT_TRUE(broken(loose({encode_loop_immediate(3, 0, 2), jal(0, 4), kRet, kRet}), Rule::LoopBody));
  EXPECT_TRUE(broken(open_end({encode_loop_immediate(3, 0, 31), kRet}), Rule::LoopBody));
  EXPECT_TRUE(broken(loose({jal(1, 0)}), Rule::Recursion));
  EXPECT_TRUE(broken(loose({imm(Op::Lw, 5, 0, 0), kRet}), Rule::LoadBounds));  // code is not readable
  EXPECT_TRUE(
      broken(loose({lui(5, 0x4000), imm(Op::Lw, 5, 5, 0), imm(Op::Lw, 6, 5, 0), kRet}), Rule::LoadBounds));
  EXPECT_TRUE(broken(loose({lui(5, 0x8000), imm(Op::Lw, 5, 5, 2), kRet}), Rule::LoadBounds));  // misaligned
  EXPECT_TRUE(broken(loose({save(Op::Sw, 0, 0, 0x10), kRet}), Rule::StoreBounds));  // code is not writable
  EXPECT_TRUE(broken(
      loose({lui(5, 0x4000), save(Op::Sw, 0, 5, 0), kRet}),
      Rule::StoreBounds));  // IORegs are read only
  EXPECT_TRUE(
      broken(loose({lui(5, 0x6000), save(Op::Sw, 0, 5, 0), kRet}), Rule::StoreBounds));  // so is STATUS
  EXPECT_TRUE(broken(loose({lui(5, 0x10000), save(Op::Sw, 0, 5, 0), kRet}), Rule::StoreBounds));
  EXPECT_TRUE(broken(loose({op3(Op::Add, 5, 6, 7), kRet}), Rule::Uninitialised));
  EXPECT_TRUE(broken(loose({jal(0, 0)}), Rule::Unbounded));
  EXPECT_TRUE(broken(
      loose({lui(5, 0x4000), imm(Op::Lw, 5, 5, 0), imm(Op::Addi, 5, 5, -1), branch(Op::Bne, 5, 0, -4), kRet}),
      Rule::Unbounded));
  EXPECT_TRUE(broken(
      loose({lui(5, 0x4000), imm(Op::Lw, 5, 5, 0), encode_loop(5, 1), imm(Op::Addi, 6, 0, 0), kRet}),
      Rule::Unbounded));
  EXPECT_TRUE(broken(loose({imm(Op::Addi, 2, 2, -16), kRet}), Rule::Stack));
  EXPECT_TRUE(broken(loose({lui(2, 0x4000), kRet}), Rule::Stack));
  Image late = loose({imm(Op::Addi, 5, 0, 1), kRet});
  late.drops_declared = false;
  late.arrival_cycles = 4;
  EXPECT_TRUE(broken(late, Rule::Arrival));  // 2 + 2 cycles and one to wait for the next
  late.arrival_cycles = 5;
  EXPECT_TRUE(verify(late).accepted);
  Image loud = loose({lui(5, 0x7000), save(Op::Sw, 0, 5, 0), kRet});
  loud.output_bytes = 3, loud.output_cycles = 6;
  EXPECT_TRUE(broken(loud, Rule::OutputRate));
  loud.output_bytes = 4;
  EXPECT_TRUE(verify(loud).accepted) << write_report(verify(loud));
  Image leak = loose({lui(5, 0x4000), imm(Op::Lw, 6, 5, 0), lui(7, 0x5000), save(Op::Sw, 6, 7, 0), kRet});
  EXPECT_TRUE(broken(leak, Rule::Taint));
  leak.soft_logic = "entangling";
  EXPECT_TRUE(verify(leak).accepted);
  Image endless = loose({kRet});
  endless.code.resize(kCodeBytes, '\x13');
  for (size_t at = 8; at < kCodeBytes; at += 4)
    endless.code.replace(at, 4, std::string("\x13\0\0\0", 4));
  EXPECT_TRUE(broken(endless, Rule::FinishSize));
}

TEST(Verify, AsksForAFinish) {
  EXPECT_TRUE(broken(open_end({kRet}), Rule::FinishSize));
  EXPECT_TRUE(verify(loose({kRet})).accepted);
  EXPECT_TRUE(broken(loose({kRet}, Words(16, kNop)), Rule::FinishSize));
}

TEST(Verify, OnlyMainMayWaitForInput) {
  EXPECT_TRUE(broken(loose({kRet}, {encode_hist_in(0), kRet}), Rule::Unbounded));
  Image init = loose({kRet});
  place(init, 0, {encode_hist_in(0), kRet, kRet});
  init.main_entry = 8;
  EXPECT_TRUE(broken(init, Rule::Unbounded));
  EXPECT_TRUE(verify(loose({encode_hist_in(0), kRet}, {encode_hist_in(1), kRet})).accepted)
      << "a pair outside the input mask waits for nothing";
}

TEST(Verify, LargeNumbersDoNotWrap) {
  // 2^13 rounds of 2^18 words sent: 2^33 bytes, times 2^31 cycles is 0 in 64 bits.
  Image loud = loose(
      {lui(5, 0x7000),
       encode_loop_immediate(1, 13, 3),
       encode_loop_immediate(1, 18, 1),
       save(Op::Sw, 0, 5, 0),
       kNop,
       kRet});
  loud.output_cycles = 0x80000000, loud.output_bytes = 0, loud.arrival_cycles = UINT32_MAX;
  EXPECT_TRUE(broken(loud, Rule::OutputRate));
  // A counted loop of 2^19 rounds around two nested hardware loops of 2^20 and 30 instructions.
  Words endless = {lui(20, 1 << 19), encode_loop_immediate(1, 20, 31), encode_loop_immediate(1, 20, 29)};
  endless.insert(endless.end(), 30, kNop);
  endless.insert(endless.end(), {imm(Op::Addi, 20, 20, -1), branch(Op::Bne, 20, 0, -4 * 33), kRet});
  EXPECT_TRUE(broken(loose(endless), Rule::Unbounded));
}

// Stores to the whole scratchpad, then for ever a branch on an input.
Words costly_branches(unsigned rounds) {
  return {
      lui(5, 0x8000),
      lui(6, 0x10000),
      save(Op::Sw, 0, 5, 0),
      imm(Op::Addi, 5, 5, 4),
      branch(Op::Bne, 5, 6, -8),
      lui(9, 0x4000),
      lui(20, rounds),
      imm(Op::Lw, 7, 9, 0),
      branch(Op::Beq, 7, 0, 8),
      imm(Op::Addi, 8, 0, 1),
      imm(Op::Addi, 20, 20, -1),
      branch(Op::Bne, 20, 0, -16),
      kRet};
}

TEST(Verify, BranchesCostTheSameHoweverMuchIsKnown) {
  const VerifyReport report = verify(loose(costly_branches(1 << 17)));
  EXPECT_TRUE(report.accepted) << write_report(report);
  EXPECT_LT(report.main.steps, 3'000'000u);
}

TEST(Verify, StopsWhenAsked) {
  int asked = 0;
  const VerifyReport report = verify(loose(costly_branches(0x7ffff000)), {{}, [&] {
                                                                            return ++asked == 3;
                                                                          }});
  EXPECT_FALSE(report.accepted);
  EXPECT_TRUE(report.stopped);
  EXPECT_THAT(write_report(report), testing::HasSubstr("nothing is proved"));
}

TEST(Verify, NothingReachesSoftLogicThatIsNotThere) {
  // Through the trigger's ADDR register, by a branch on an input, and by an address made of an input.
  EXPECT_TRUE(broken(
      loose({lui(5, 0x6000), imm(Op::Lw, 6, 5, 12), lui(7, 0x5000), save(Op::Sw, 6, 7, 0), kRet}),
      Rule::Taint));
  EXPECT_TRUE(broken(
      loose(
          {lui(5, 0x4000),
           imm(Op::Lw, 6, 5, 0),
           lui(7, 0x5000),
           branch(Op::Beq, 6, 0, 8),
           save(Op::Sw, 0, 7, 0),
           kRet}),
      Rule::Taint));
  EXPECT_TRUE(broken(
      loose(
          {lui(5, 0x4000),
           imm(Op::Lw, 6, 5, 0),
           imm(Op::Andi, 6, 6, 28),
           lui(7, 0x5000),
           op3(Op::Add, 7, 7, 6),
           save(Op::Sw, 0, 7, 0),
           kRet}),
      Rule::Taint));
}

TEST(Verify, DropsOfStreamingCountTheCyclesOutsideHistIn) {
  const auto streams = [](const Words& main, uint32_t arrival) {
    Image image = loose(main);
    image.arrival_cycles = arrival, image.drops_declared = false;
    return image;
  };
  // 250 inputs are streamed, then 700 cycles pass: inputs are lost.
  const Words then_busy =
      {encode_loop_immediate(250, 0, 1), encode_hist_in(0), encode_loop_immediate(700, 0, 1), kNop, kRet};
  EXPECT_TRUE(broken(streams(then_busy, 4), Rule::Arrival));
  // One side of the branch streams, the other is busy.
  const Words either = {
      lui(5, 0x4000),
      imm(Op::Lw, 6, 5, 0),
      branch(Op::Beq, 6, 0, 16),
      encode_loop_immediate(256, 0, 1),
      encode_hist_in(0),
      kRet,
      encode_loop_immediate(1000, 0, 1),
      kNop,
      kRet};
  EXPECT_TRUE(broken(streams(either, 4), Rule::Arrival));
  // Three cycles between two hist.in, 3 before, 1 after the last and one to wait for the next.
  const Words paced = {encode_loop_immediate(100, 0, 2), encode_hist_in(0), kNop, kRet};
  EXPECT_EQ(verify(streams(paced, 99)).main.lossless_period, 3u + 2 + 2);
  EXPECT_TRUE(broken(streams(paced, 6), Rule::Arrival));
  EXPECT_TRUE(verify(streams(paced, 7)).accepted);
  // hist.in waits for one half of the inputs: the other half is lost.
  Image half = streams(paced, 1000);
  half.input_mask = 15;
  EXPECT_TRUE(broken(half, Rule::Arrival));
}

TEST(Verify, SavingARegisterDoesNotSetIt) {
  const uint32_t spill = save(Op::Sw, 5, 2, -4);
  const uint32_t use = op3(Op::Add, 7, 6, 6);
  const auto refused = [](const Words& main) {
    return broken(loose(main), Rule::Uninitialised);
  };
  EXPECT_TRUE(verify(loose({spill, imm(Op::Lw, 5, 2, -4), kRet})).accepted) << "save and restore";
  EXPECT_TRUE(refused({spill, imm(Op::Lw, 6, 2, -4), use, kRet}));
  EXPECT_TRUE(refused({spill, encode_loop_immediate(1, 0, 1), kNop, imm(Op::Lw, 6, 2, -4), use, kRet}));
  EXPECT_TRUE(refused({save(Op::Sb, 5, 2, -4), imm(Op::Lbu, 6, 2, -4), use, kRet}));
  EXPECT_TRUE(refused({spill, imm(Op::Lbu, 6, 2, -3), use, kRet}));
  EXPECT_TRUE(refused({spill, save(Op::Sb, 0, 2, -4), imm(Op::Lw, 6, 2, -4), use, kRet}));
  EXPECT_TRUE(refused(
      {spill,
       lui(8, 0x4000),
       imm(Op::Lw, 8, 8, 0),
       imm(Op::Andi, 8, 8, 4),
       op3(Op::Add, 8, 8, 2),
       imm(Op::Lw, 6, 8, -8),
       use,
       kRet}));
  EXPECT_TRUE(refused(
      {imm(Op::Addi, 6, 0, 0), encode_loop_immediate(2, 0, 3), use, imm(Op::Lw, 6, 2, -4), spill, kRet}));
  EXPECT_TRUE(refused(
      {spill, imm(Op::Addi, 6, 0, 0), encode_loop_immediate(2, 0, 2), use, imm(Op::Lw, 6, 2, -4), kRet}));
  // Left by the run before.
  EXPECT_TRUE(refused({imm(Op::Lw, 6, 2, -4), use, spill, kRet}));
  EXPECT_TRUE(broken(loose({spill, kRet}, {imm(Op::Lw, 6, 2, -4), use, kRet}), Rule::Uninitialised));
}

TEST(Verify, ABranchBetweenInstructionsIsRefused) {
  const auto counting = [](int back) {
    return loose({imm(Op::Addi, 5, 0, 4), imm(Op::Addi, 5, 5, -1), branch(Op::Bne, 5, 0, back), kRet});
  };
  EXPECT_TRUE(verify(counting(-4)).accepted);
  EXPECT_TRUE(broken(counting(-2), Rule::ControlFlow));
  EXPECT_TRUE(broken(counting(-6), Rule::ControlFlow));
}

TEST(Verify, NoCallEntersAHardwareLoop) {
  EXPECT_TRUE(broken(
      loose(
          {riscv::encode({Op::Auipc, 5, 0, 0, 0}),
           imm(Op::Jalr, 1, 5, 16),
           kRet,
           encode_loop_immediate(3, 0, 2),
           kNop,
           kNop,
           kRet}),
      Rule::LoopBody));
  Image entry = loose({encode_loop_immediate(3, 0, 2), kNop, kNop, kRet});
  entry.main_entry = 12;
  EXPECT_TRUE(broken(entry, Rule::LoopBody));
}

}  // namespace
}  // namespace lento::tile
