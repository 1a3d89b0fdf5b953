// The verifier: shipped programs pass, each rule has mutants that break it, and a grammar makes programs that
// must be accepted and then, run for real, must keep every promise of the report.
// LENTO_TILE_GRAMMAR=N runs N programs (default 100,000).
#include "tile/unit/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/rng.h"
#include "riscv/alu.h"
#include "tile/unit/abstract_value.h"
#include "tile/unit/build.h"
#include "tile/unit/functional.h"
#include "tile/unit/test_encode.h"

namespace lento::tile {
namespace {

using riscv::Op;
using Words = std::vector<uint32_t>;

const uint32_t kRet = imm(Op::Jalr, 0, 1, 0);

Image image_of(Words main) {
  Image image;
  image.main_entry = 4;
  image.input_mask = 3;
  image.drops_declared = true;
  image.output_bytes = 1 << 20;
  main.insert(main.begin(), kRet);
  image.code.assign(reinterpret_cast<const char*>(main.data()), 4 * main.size());
  return image;
}

testing::AssertionResult broken(const Image& image, Rule rule) {
  const VerifyReport report = verify(image);
  for (const Violation& v : report.violations) {
    if (v.rule == rule) return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << write_report(report);
}

TEST(AbstractValues, ContainEveryConcreteResult) {
  base::Rng rng(1, "tile.verify.abstract");
  const auto value = [&](uint32_t& concrete) {
    const uint32_t raw = static_cast<uint32_t>(rng.next());
    concrete = raw >> rng.below(32);
    if (rng.below(4) == 0) concrete = 0u - concrete;
    switch (rng.below(4)) {
      case 0:
        return AbstractValue::constant(concrete);
      case 1:
        return AbstractValue::any();
      case 2: {
        const uint32_t width = static_cast<uint32_t>(rng.next()) >> rng.below(32);
        return AbstractValue::range(concrete - std::min(concrete, width),
                                    concrete + std::min(UINT32_MAX - concrete, width));
      }
      default: {
        AbstractValue v;
        const uint32_t known = static_cast<uint32_t>(rng.next());
        v.ones = concrete & known, v.zeros = ~concrete & known;
        v.low = v.ones, v.high = ~v.zeros;
        return v;
      }
    }
  };
  const auto holds = [](const AbstractValue& v, uint32_t c) {
    return v.low <= c && c <= v.high && (c & v.zeros) == 0 && (~c & v.ones) == 0;
  };
  const auto branch_op = [&] { return static_cast<Op>(int(Op::Beq) + int(rng.below(6))); };
  for (int n = 0; n < 400000; ++n) {
    uint32_t a, b;
    AbstractValue va = value(a), vb = value(b);
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
    const VerifyReport report = verify(build_program(shipped_source(name), name).image);
    EXPECT_TRUE(report.accepted) << name << "\n" << write_report(report);
  }
}

TEST(Verify, RejectsAMutantOfEachClass) {
  const auto good = image_of({kRet});
  EXPECT_TRUE(verify(good).accepted) << write_report(verify(good));
  EXPECT_TRUE(broken(image_of({0xffffffff, kRet}), Rule::IllegalInstruction));
  EXPECT_TRUE(broken(image_of({op3(Op::Mul, 5, 0, 0), kRet}), Rule::IllegalInstruction));
  EXPECT_TRUE(broken(image_of({imm(Op::Addi, 5, 0, 1)}), Rule::ControlFlow));  // falls off the end
  EXPECT_TRUE(broken(image_of({riscv::encode({Op::Jal, 0, 0, 0, 0x4000})}), Rule::ControlFlow));
  EXPECT_TRUE(broken(image_of({lui(5, 0x1000), imm(Op::Jalr, 0, 5, 0)}), Rule::IndirectJump));
  EXPECT_TRUE(
      broken(image_of({lui(5, 0x4000), imm(Op::Lw, 5, 5, 0), imm(Op::Jalr, 0, 5, 0)}), Rule::IndirectJump));
  EXPECT_TRUE(broken(image_of({riscv::encode({Op::Jal, 0, 0, 0, 8}), encode_loop_immediate(3, 0, 1),
                               imm(Op::Addi, 5, 0, 1), kRet}),
                     Rule::LoopBody));  // past the loop instruction, into its body
  EXPECT_TRUE(broken(image_of({riscv::encode({Op::Jal, 0, 0, 0, 12}), encode_loop_immediate(3, 0, 2),
                               imm(Op::Addi, 5, 0, 1), imm(Op::Addi, 5, 0, 1), kRet}),
                     Rule::LoopBody));
  EXPECT_TRUE(
      broken(image_of({encode_loop_immediate(3, 0, 2), riscv::encode({Op::Jal, 0, 0, 0, 4}), kRet, kRet}),
             Rule::LoopBody));
  EXPECT_TRUE(broken(image_of({encode_loop_immediate(3, 0, 31), kRet}), Rule::LoopBody));
  EXPECT_TRUE(broken(image_of({riscv::encode({Op::Jal, 1, 0, 0, 0})}), Rule::Recursion));
  EXPECT_TRUE(broken(image_of({imm(Op::Lw, 5, 0, 0), kRet}), Rule::LoadBounds));  // code is not readable
  EXPECT_TRUE(
      broken(image_of({lui(5, 0x4000), imm(Op::Lw, 5, 5, 0), imm(Op::Lw, 6, 5, 0), kRet}), Rule::LoadBounds));
  EXPECT_TRUE(
      broken(image_of({lui(5, 0x8000), imm(Op::Lw, 5, 5, 2), kRet}), Rule::LoadBounds));  // misaligned
  EXPECT_TRUE(broken(image_of({save(Op::Sw, 0, 0, 0x10), kRet}), Rule::StoreBounds));  // code is not writable
  EXPECT_TRUE(broken(image_of({lui(5, 0x4000), save(Op::Sw, 0, 5, 0), kRet}),
                     Rule::StoreBounds));  // IORegs are read only
  EXPECT_TRUE(
      broken(image_of({lui(5, 0x6000), save(Op::Sw, 0, 5, 0), kRet}), Rule::StoreBounds));  // so is STATUS
  EXPECT_TRUE(broken(image_of({lui(5, 0x10000), save(Op::Sw, 0, 5, 0), kRet}), Rule::StoreBounds));
  EXPECT_TRUE(broken(image_of({op3(Op::Add, 5, 6, 7), kRet}), Rule::Uninitialised));
  EXPECT_TRUE(broken(image_of({riscv::encode({Op::Jal, 0, 0, 0, 0})}), Rule::Unbounded));
  EXPECT_TRUE(broken(image_of({lui(5, 0x4000), imm(Op::Lw, 5, 5, 0), imm(Op::Addi, 5, 5, -1),
                               riscv::encode({Op::Bne, 0, 5, 0, -4}), kRet}),
                     Rule::Unbounded));
  EXPECT_TRUE(broken(
      image_of({lui(5, 0x4000), imm(Op::Lw, 5, 5, 0), encode_loop(5, 1), imm(Op::Addi, 6, 0, 0), kRet}),
      Rule::Unbounded));
  EXPECT_TRUE(broken(image_of({imm(Op::Addi, 2, 2, -16), kRet}), Rule::Stack));
  EXPECT_TRUE(broken(image_of({lui(2, 0x4000), kRet}), Rule::StoreBounds) == false);
  Image late = image_of({imm(Op::Addi, 5, 0, 1), kRet});
  late.drops_declared = false;
  late.arrival_cycles = 4;
  EXPECT_TRUE(broken(late, Rule::Arrival));  // 2 + 2 cycles and one to wait for the next
  late.arrival_cycles = 5;
  EXPECT_TRUE(verify(late).accepted);
  Image loud = image_of({lui(5, 0x7000), save(Op::Sw, 0, 5, 0), kRet});
  loud.output_bytes = 3, loud.output_cycles = 6;
  EXPECT_TRUE(broken(loud, Rule::OutputRate));
  loud.output_bytes = 4;
  EXPECT_TRUE(verify(loud).accepted) << write_report(verify(loud));
  Image leak = image_of({lui(5, 0x4000), imm(Op::Lw, 6, 5, 0), lui(7, 0x5000), save(Op::Sw, 6, 7, 0), kRet});
  EXPECT_TRUE(broken(leak, Rule::Taint));
  leak.soft_logic = "entangling";
  EXPECT_TRUE(verify(leak).accepted);
  Image endless = image_of({kRet});
  endless.code.resize(kCodeBytes, '\x13');
  for (size_t at = 8; at < kCodeBytes; at += 4) endless.code.replace(at, 4, std::string("\x13\0\0\0", 4));
  EXPECT_TRUE(broken(endless, Rule::FinishSize));
}

// Programs that keep the rules by construction: masked addresses, counted loops, balanced stack, calls down.
class Grammar {
 public:
  explicit Grammar(uint64_t seed) : rng_(seed, "tile.verify.grammar") {}

  Image make() {
    words_ = {lui(8, 0x8000), lui(9, 0x4000), lui(18, 0x7000)};
    for (unsigned r = 10; r <= 15; ++r) words_.push_back(imm(Op::Lw, r, 9, int(4 * rng_.below(2))));
    block(3);
    words_.push_back(kRet);
    Image image = image_of(words_);
    return image;
  }

 private:
  unsigned reg() { return unsigned(10 + rng_.below(6)); }

  void block(int depth) {
    const int count = 1 + static_cast<int>(rng_.below(5));
    for (int n = 0; n < count && words_.size() < 1500; ++n) statement(depth);
  }

  void statement(int depth) {
    switch (rng_.below(depth > 0 ? 10 : 6)) {
      case 0:
      case 1:
        words_.push_back(op3(static_cast<Op>(int(Op::Add) + int(rng_.below(10))), reg(), reg(), reg()));
        break;
      case 2:
        words_.push_back(imm(static_cast<Op>(int(Op::Addi) + int(rng_.below(6))), reg(), reg(),
                             int(rng_.below(4096)) - 2048));
        break;
      case 3:
        access();
        break;
      case 4:
        words_.push_back(rng_.below(2) ? encode_hash(reg(), reg(), reg()) : encode_hist(reg(), reg()));
        break;
      case 5:
        words_.push_back(save(static_cast<Op>(int(Op::Sb) + int(rng_.below(3))), reg(), 18, 0));
        break;
      case 6:
        branch(depth);
        break;
      case 7:
        counted(depth);
        break;
      case 8:
        hardware();
        break;
      default:
        data_bounded();
        break;
    }
  }

  // A scratchpad access through a masked index.
  void access() {
    const unsigned size = unsigned(rng_.below(3)), index = reg();
    const int mask = int((rng_.below(2048) >> size) << size);
    words_.push_back(imm(Op::Andi, 5, index, mask));
    words_.push_back(op3(Op::Add, 5, 5, 8));
    if (rng_.below(2))
      words_.push_back(save(static_cast<Op>(int(Op::Sb) + int(size)), reg(), 5, 0));
    else
      words_.push_back(
          imm(size == 2 ? Op::Lw : static_cast<Op>(int(size ? Op::Lh : Op::Lb) + 0), reg(), 5, 0));
  }

  void branch(int depth) {
    const size_t at = words_.size();
    words_.push_back(0);
    block(depth - 1);
    size_t end = words_.size();
    if (rng_.below(2)) {  // with an else part
      words_.push_back(0);
      const size_t other = words_.size();
      block(depth - 1);
      words_[end] = riscv::encode({Op::Jal, 0, 0, 0, int32_t(4 * (words_.size() - end))});
      end = other;
    }
    words_[at] = riscv::encode({static_cast<Op>(int(Op::Beq) + int(rng_.below(6))), 0, uint8_t(reg()),
                                uint8_t(reg()), int32_t(4 * (end - at))});
  }

  void counted(int depth) {
    const unsigned counter = unsigned(20 + depth);
    words_.push_back(imm(Op::Addi, counter, 0, int(1 + rng_.below(6))));
    const size_t head = words_.size();
    block(depth - 1);
    words_.push_back(imm(Op::Addi, counter, counter, -1));
    words_.push_back(riscv::encode({Op::Bne, 0, uint8_t(counter), 0, -4 * int32_t(words_.size() - head)}));
  }

  void hardware() {
    const unsigned length = unsigned(1 + rng_.below(4));
    if (rng_.below(2))
      words_.push_back(imm(Op::Andi, 6, reg(), 15)), words_.push_back(encode_loop(6, length));
    else
      words_.push_back(encode_loop_immediate(unsigned(1 + rng_.below(20)), 0, length));
    for (unsigned n = 0; n < length; ++n)
      words_.push_back(op3(static_cast<Op>(int(Op::Add) + int(rng_.below(10))), reg(), reg(), reg()));
  }

  // while (i < (input & 7)) ...
  void data_bounded() {
    words_.push_back(imm(Op::Andi, 6, reg(), 7));
    words_.push_back(imm(Op::Addi, 7, 0, 0));
    words_.push_back(riscv::encode({Op::Bgeu, 0, 7, 6, 16}));
    words_.push_back(op3(Op::Xor, 10, 10, 11));
    words_.push_back(imm(Op::Addi, 7, 7, 1));
    words_.push_back(riscv::encode({Op::Jal, 0, 0, 0, -12}));
  }

  base::Rng rng_;
  Words words_;
};

uint64_t grammar_runs() {
  const char* wish = std::getenv("LENTO_TILE_GRAMMAR");
  return wish ? std::strtoull(wish, nullptr, 10) : 100000;
}

TEST(Grammar, AcceptedProgramsKeepEveryPromiseWhenRun) {
  const uint64_t wanted = grammar_runs();
  uint64_t accepted = 0, made = 0;
  for (uint64_t seed = 0; accepted < wanted && seed < 4 * wanted; ++seed) {
    const Image image = Grammar(seed).make();
    const VerifyReport report = verify(image);
    ++made;
    if (!report.accepted) continue;
    ++accepted;
    base::Rng rng(seed, "tile.verify.grammar.run");
    Tile tile;
    tile.config_image(image);
    tile.resume();
    while (tile.status() != Status::ActivePaused) tile.step(nullptr);
    TileInputs in;
    in.valid = 3;
    in.data[0] = static_cast<uint32_t>(rng.next()) >> rng.below(32),
    in.data[1] = static_cast<uint32_t>(rng.next()) >> rng.below(32);
    const uint64_t sent = tile.counters().output_bytes;
    tile.step(&in);
    for (uint64_t c = 0; c < report.main.worst_cycles + 10 && tile.status() == Status::ActiveRunning; ++c)
      tile.step(nullptr), tile.drain(4);
    ASSERT_EQ(tile.status(), Status::ActivePaused) << seed << ": " << fault_name(tile.fault().cause);
    ASSERT_LE(tile.counters().worst_main_cycles, report.main.worst_cycles) << seed;
    ASSERT_GE(tile.counters().worst_main_cycles, report.main.best_cycles) << seed;
    ASSERT_LE(tile.counters().output_bytes - sent, report.main.worst_bytes) << seed;
  }
  EXPECT_EQ(accepted, wanted) << "of " << made;
  RecordProperty("made", std::to_string(made));
  EXPECT_GT(accepted * 10, made * 9) << "the verifier refuses too many programs that keep the rules";
}

}  // namespace
}  // namespace lento::tile
