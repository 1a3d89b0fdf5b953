// The RTL equals the C++ model of the tile in every cycle: on random programs, in slices and all together,
// and on the programs that ship. LENTO_TILE_LOCKSTEP=N runs N random programs a slice (default 400).
#include "lockstep.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "random_program.h"
#include "riscv/instruction.h"

namespace lento::tile {
namespace {

uint64_t programs() {
  const char* wish = std::getenv("LENTO_TILE_LOCKSTEP");
  return wish ? std::strtoull(wish, nullptr, 10) : 400;
}

// What surrounds a tile, drawn anew for each program: how often inputs, addresses, commands come, how fast
// the output path is.
class Surroundings {
 public:
  explicit Surroundings(base::Rng& rng, bool commands)
      : rng_(rng),
        gap_(1 + rng.below(24)),
        address_(rng.below(3)),
        width_(1 + rng.below(4)),
        busy_(rng.below(4)),
        command_(commands ? 20 + rng.below(100) : 0) {
  }

  Cycle next() {
    Cycle cycle;
    if (rng_.below(gap_) == 0 || address_ == 2)
      cycle.inputs = &draw();
    if (rng_.below(4) >= busy_)
      cycle.take = uint32_t(width_);
    if (command_ && rng_.below(command_) == 0) {
      cycle.command = static_cast<Command>(2 + rng_.below(5));  // Start to Finalize
      cycle.argument = uint32_t(rng_.below(16));
    }
    return cycle;
  }

 private:
  const TileInputs& draw() {
    inputs_.valid = rng_.below(gap_) ? 0 : rng_.below(2) ? 3 : uint32_t(rng_.next());
    for (uint32_t& word : inputs_.data)
      word = uint32_t(rng_.next()) >> rng_.below(32);
    inputs_.has_address = address_ > 0;
    inputs_.address = uint32_t(rng_.below(16)) | (rng_.below(8) ? 0 : uint32_t(rng_.next()) << 4);
    return inputs_;
  }

  base::Rng& rng_;
  uint64_t gap_;
  uint64_t address_;
  uint64_t width_;
  uint64_t busy_;
  uint64_t command_;
  TileInputs inputs_;
};

struct Tally {
  uint64_t instructions = 0;
  uint64_t started = 0;
  uint64_t bytes = 0;
  uint64_t errors = 0;
};

void run_programs(const char* name, const ProgramMix& mix, bool commands, uint64_t cycles) {
  std::array<Lockstep, 3> queues{Lockstep(0), Lockstep(1), Lockstep(RtlTile::kQueue)};
  Tally tally;
  for (uint64_t seed = 0; seed < programs() && !testing::Test::HasFailure(); ++seed) {
    Lockstep& pair = queues[seed % queues.size()];
    base::Rng rng(seed, std::string("tile.rtl.") + name);
    pair.load(random_image(rng, mix));
    pair.step({nullptr, Command::Resume});
    Surroundings around(rng, commands);
    for (uint64_t n = 0; n < cycles && pair.same(); ++n) {
      if (pair.model().status() == Status::Error && n % 64 == 63)
        break;
      pair.step(around.next());
      if (commands && !mix.stores && rng.below(300) == 0)
        pair.load_again();
    }
    tally.errors += pair.model().status() == Status::Error;
    ASSERT_TRUE(pair.same()) << name << " program " << seed << ": " << pair.difference();
    ASSERT_EQ(pair.memory_difference(), "") << name << " program " << seed;
  }
  TileCounters c;
  uint64_t compared = 0;
  for (Lockstep& pair : queues) {
    c.started += pair.model().counters().started;
    c.instructions += pair.model().counters().instructions;
    c.output_bytes += pair.model().counters().output_bytes;
    compared += pair.compared();
  }
  EXPECT_GT(c.started, programs() / 4) << "the programs hardly run";
  testing::Test::RecordProperty("cycles", std::to_string(compared));
  printf(
      "%s: %llu cycles, %llu instructions, %llu runs of main, %llu bytes out, %llu faults\n",
      name,
      static_cast<unsigned long long>(compared),
      static_cast<unsigned long long>(c.instructions),
      static_cast<unsigned long long>(c.started),
      static_cast<unsigned long long>(c.output_bytes),
      static_cast<unsigned long long>(tally.errors));
}

TEST(Lockstep, PlainPrograms) {
  run_programs("plain", {false, false, true, false}, false, 1500);
}
TEST(Lockstep, InputsTriggersAndCommands) {
  run_programs("inputs", {false, true, true, false}, true, 1500);
}
TEST(Lockstep, HistogramHashAndLoops) {
  run_programs("custom", {true, false, true, false}, false, 1500);
}
TEST(Lockstep, Everything) {
  run_programs("all", {true, true, true, true}, true, 1500);
}
TEST(Lockstep, NewImagesInEveryState) {
  run_programs("images", {true, true, false, true}, true, 1500);
}

// finish begins in the cycle in which init ends, with a write to ra still on its way to WB.
TEST(Lockstep, AReturnAddressOutlivesOlderWrites) {
  using riscv::Op;
  Image image;
  image.main_entry = 4;
  image.code.resize(kCodeBytes);
  const auto place = [&](uint32_t at, const riscv::Instruction& n) {
    const uint32_t word = riscv::encode(n);
    std::memcpy(image.code.data() + at, &word, 4);
  };
  place(0, {Op::Lui, 5, 0, 0, 0x2000});
  place(4, {Op::Addi, 1, 0, 0, 64});
  place(8, {Op::Jalr, 0, 5, 0, 0});
  place(kFinishEntry, {Op::Jalr, 0, 1, 0, 0});
  Lockstep pair;
  pair.load(image);
  pair.step({nullptr, Command::Finalize});
  for (int n = 0; n < 40; ++n)
    pair.step({});
  EXPECT_TRUE(pair.same()) << pair.difference();
  EXPECT_EQ(pair.model().status(), Status::Paused);
  EXPECT_EQ(pair.model().counters().instructions, 4u);
}

}  // namespace
}  // namespace lento::tile
