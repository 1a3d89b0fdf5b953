// Drawn programs on lines that all harts read and write: what runs before its turn must end as the strict
// order does.
#include "memory/platform/ahead.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "memory/platform/platform.h"
#include "riscv/elf.h"
#include "riscv/instruction.h"

namespace lento::memory {
namespace {

using riscv::Instruction;
using riscv::Op;

constexpr uint32_t kBase = 0x80000000;
constexpr int32_t kTimerRegisters = 0x02000000;
constexpr int32_t kSystemRegisters = 0x10000000;

// A traced run does nothing before its turn.
class Nobody : public AccessSink {
 public:
  void record(const AccessRecord&) override {
  }
};

// Registers 1 to 8 hold values, 26 an address, 27 the rounds left, 28 the own words, 29 the exit register, 30
// the hart, 31 the shared words, 24 the own interrupt register, 23 that of a neighbour, 22 a one.
class Program {
 public:
  Program(uint64_t seed, bool interrupts)
      : rng_(seed, "ahead"),
        interrupts_(interrupts) {
    add({Op::Jal, 0, 0, 0, 16});
    add({Op::Sw, 0, 24, 0, 0});  // the handler
    add({Op::Addi, 8, 8, 0, 1});
    add({Op::Mret});
    add({Op::Csrrs, 30, 0, 0, 0xf14});
    add({Op::Lui, 31, 0, 0, int32_t(kBase + 0x10000)});
    add({Op::Slli, 28, 30, 0, 8});
    add({Op::Add, 28, 28, 31, 0});
    add({Op::Addi, 28, 28, 0, 1024});
    add({Op::Lui, 29, 0, 0, kSystemRegisters});
    add({Op::Lui, 23, 0, 0, kTimerRegisters});
    add({Op::Slli, 24, 30, 0, 2});
    add({Op::Add, 24, 24, 23, 0});
    add({Op::Addi, 22, 0, 0, 1});
    add({Op::Addi, 26, 31, 0, 0});
    add({Op::Addi, 27, 0, 0, 60});
    if (interrupts)
      allow_interrupts();
    const size_t loop = code_.size();
    const uint64_t length = 10 + rng_.below(60);
    for (uint64_t i = 0; i < length; ++i)
      add_drawn();
    add({Op::Addi, 27, 27, 0, -1});
    add({Op::Bne, 0, 27, 0, -4 * int32_t(code_.size() - loop)});
    add({Op::Slli, 1, 1, 0, 1});
    add({Op::Sw, 0, 29, 1, 4});
  }

  riscv::ElfImage image() const {
    riscv::ElfImage out;
    out.entry = kBase;
    std::string bytes;
    for (const Instruction& n : code_) {
      const uint32_t word = encode(n);
      bytes.append(reinterpret_cast<const char*>(&word), 4);
    }
    out.segments.push_back({kBase, 0x20000, true, true, bytes});
    return out;
  }

 private:
  void add(const Instruction& instruction) {
    code_.push_back(instruction);
  }
  uint8_t value() {
    return uint8_t(1 + rng_.below(8));
  }

  void allow_interrupts() {
    add({Op::Lui, 1, 0, 0, int32_t(kBase)});
    add({Op::Addi, 1, 1, 0, 4});
    add({Op::Csrrw, 0, 1, 0, 0x305});
    add({Op::Addi, 1, 0, 0, 8});
    add({Op::Csrrw, 0, 1, 0, 0x304});
    add({Op::Csrrsi, 0, 8, 0, 0x300});
  }

  void add_drawn() {
    const uint64_t kind = rng_.below(100);
    const auto shared = int32_t(4 * rng_.below(24));
    const auto own = int32_t(4 * rng_.below(40));
    if (kind < 20)
      return add({Op::Lw, value(), 31, 0, shared});
    if (kind < 40)
      return add({Op::Lw, value(), 28, 0, own});
    if (kind < 44)
      return add({rng_.below(2) ? Op::Sw : Op::Sb, 0, 31, value(), shared});
    if (kind < 56)
      return add({Op::Sw, 0, 28, value(), own});
    if (kind < 58)
      return add({Op::Lw, value(), 31, 0, shared + 2});  // may cross a line
    if (kind < 60)
      return add({Op::Sw, 0, 31, value(), shared + 2});
    if (kind < 70)
      return add({rng_.below(2) ? Op::Beq : Op::Bltu, 0, value(), value(), 8});
    if (kind < 72)
      return add_atomic(shared);
    if (kind < 73)
      return add({rng_.below(4) ? Op::Fence : Op::FenceI});
    if (kind < 75)
      return add({Op::Div, value(), value(), value(), 0});
    if (kind < 77)
      return add({Op::Csrrs, value(), 0, 0, 0xc00});  // cycles
    if (kind < 78 && interrupts_)
      return add({Op::Sw, 0, 23, 22, int32_t(4 * rng_.below(4))});
    add({rng_.below(2) ? Op::Add : Op::Xor, value(), value(), value(), 0});
  }

  void add_atomic(int32_t at) {
    add({Op::Addi, 26, 31, 0, at});
    if (rng_.below(2))
      return add({Op::AmoaddW, value(), 26, value(), 0});
    add({Op::LrW, value(), 26, 0, 0});
    add({Op::ScW, value(), 26, value(), 0});
  }

  base::Rng rng_;
  const bool interrupts_;
  std::vector<Instruction> code_;
};

// All that a run tells, as text.
std::string told(const RunResult& run) {
  std::string text = std::to_string(int(run.ending)) + " exit " + std::to_string(run.exit_code) + " cycles " +
                     std::to_string(run.cycles) + " busy " + std::to_string(run.interconnect_busy) + "\n";
  for (const RunResult::HartResult& h : run.harts) {
    for (const uint64_t figure :
         {h.instructions,
          h.ifetch_misses,
          h.loads,
          h.load_misses,
          h.coherence_misses,
          h.stores,
          h.store_stalls,
          h.atomics,
          h.stalled})
      text += std::to_string(figure) + " ";
    text += "\n";
  }
  for (const uint64_t cycles : run.blame)
    text += std::to_string(cycles) + " ";
  return text;
}

Platform machine(uint64_t seed) {
  base::Rng rng(seed, "machine");
  static constexpr Topology kTopologies[] = {Topology::Bus, Topology::Crossbar, Topology::Mesh};
  static constexpr Arbiter kArbiters[] = {Arbiter::RoundRobin, Arbiter::Fixed, Arbiter::Fcfs};
  Platform p;
  p.harts = int(2 + rng.below(9));
  p.topology = kTopologies[rng.below(3)];
  p.arbiter = kArbiters[rng.below(3)];
  p.banks = p.topology == Topology::Bus ? 1 : 4;
  p.write_buffer = int(1 + rng.below(4));
  p.dcache.bytes = p.icache.bytes = 512;
  p.dcache.ways = p.icache.ways = int(1 << rng.below(3));
  return p;
}

void expect_strict_order(bool interrupts, Cycles max_cycles) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const riscv::ElfImage image = Program(seed, interrupts).image();
    const Platform platform = machine(seed);
    RunOptions options;
    options.max_cycles = max_cycles;
    const std::string ahead = told(simulate(image, platform, options));
    Nobody sink;
    options.sink = &sink;
    ASSERT_EQ(ahead, told(simulate(image, platform, options))) << seed;
  }
}

TEST(Ahead, DrawnProgramsEndAsInTheStrictOrder) {
  expect_strict_order(false, 400'000);
}

TEST(Ahead, InterruptsOfOthersArriveAsInTheStrictOrder) {
  expect_strict_order(true, 400'000);
}

// The last cycles before the limit are run in the strict order; the limit lies beyond a slice.
TEST(Ahead, ACycleLimitCutsAsInTheStrictOrder) {
  expect_strict_order(false, 2000);
  expect_strict_order(false, 163'000);
}

}  // namespace
}  // namespace lento::memory
