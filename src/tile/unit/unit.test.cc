// The tile: its state machine, pipeline timing in closed form, and the cycle model against the plain one on
// random programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "base/rng.h"
#include "tile/unit/test_encode.h"
#include "tile/unit/test_functional.h"

namespace lento::tile {
namespace {

using riscv::Op;

const uint32_t kRet = imm(Op::Jalr, 0, 1, 0);
const uint32_t kNop = imm(Op::Addi, 0, 0, 0);

// init is one `ret`; `main` follows at 4.
Image image_of(std::vector<uint32_t> main, uint32_t mask = 1) {
  Image image;
  image.main_entry = 4;
  image.input_mask = mask;
  main.insert(main.begin(), kRet);
  image.code.assign(reinterpret_cast<const char*>(main.data()), 4 * main.size());
  return image;
}

TileInputs input(uint32_t value, uint32_t mask = 1) {
  TileInputs in;
  in.valid = mask;
  in.data.fill(value);
  return in;
}

// A tile that has run init and waits for input.
struct Ready {
  Tile tile;
  explicit Ready(const Image& image, const TileOptions& options = {})
      : tile(options) {
    tile.config_image(image);
    tile.resume();
    for (int n = 0; n < 50 && tile.status() != Status::ActivePaused; ++n)
      tile.step(nullptr);
    EXPECT_EQ(tile.status(), Status::ActivePaused);
  }
  // Cycles from the input to the end of main.
  uint64_t main_cycles(const TileInputs& in) {
    tile.step(&in);
    uint64_t cycles = 0;
    while (tile.status() == Status::ActiveRunning && cycles < 100000)
      tile.step(nullptr), ++cycles;
    while (!tile.idle())
      tile.step(nullptr);
    return cycles;
  }
};

TEST(StatusMachine, FullTransitionTable) {
  // Rows: U P AP AR F E; columns in the order of Event. Written from the paper's text, not from the code.
  const char* table[6] = {
      "U P U U U U U E",
      "U P AP P F P P E",
      "U P AP P F AR AP E",
      "U P AR AR AR AR AP E",
      "U P F F F F P E",
      "U P E E E E E E"};
  const auto name = [](Status s) -> std::string {
    return s == Status::Undefined       ? "U"
           : s == Status::Paused        ? "P"
           : s == Status::ActivePaused  ? "AP"
           : s == Status::ActiveRunning ? "AR"
           : s == Status::Finalize      ? "F"
                                        : "E";
  };
  const Status all[] = {
      Status::Undefined,
      Status::Paused,
      Status::ActivePaused,
      Status::ActiveRunning,
      Status::Finalize,
      Status::Error};
  for (int s = 0; s < 6; ++s) {
    std::string row;
    for (int e = 0; e < kEvents; ++e)
      row += (e ? " " : "") + name(next_status(all[s], static_cast<Event>(e)));
    EXPECT_EQ(row, table[s]);
  }
  for (uint8_t code = 0; code < 16; ++code) {
    EXPECT_EQ(is_status(code), code <= 4 || code == 8);
    if (!is_status(code)) {
      EXPECT_EQ(next_status(static_cast<Status>(code), Event::Resume), Status::Error);
    }
  }
}

TEST(Pipeline, CyclesInClosedForm) {
  // Fill (fetch, decode) 2, then one cycle an instruction; the closing jump ends in its EX.
  EXPECT_EQ(Ready(image_of({kNop, kNop, kNop, kRet})).main_cycles(input(1)), 2u + 4);
  // A load's user waits one cycle; with one instruction between it does not.
  const uint32_t load = imm(Op::Lw, 5, 2, -4), use = op3(Op::Add, 6, 5, 5);
  EXPECT_EQ(Ready(image_of({load, use, kRet})).main_cycles(input(1)), 2u + 3 + 1);
  EXPECT_EQ(Ready(image_of({load, kNop, use, kRet})).main_cycles(input(1)), 2u + 4);
  // A taken branch loses two cycles, one not taken none.
  EXPECT_EQ(Ready(image_of({branch(Op::Beq, 0, 0, 8), kNop, kRet})).main_cycles(input(1)), 2u + 2 + 2);
  EXPECT_EQ(Ready(image_of({branch(Op::Bne, 0, 0, 8), kNop, kRet})).main_cycles(input(1)), 2u + 3);
  // loopi adds itself and nothing else: 100 rounds of 2 instructions.
  EXPECT_EQ(
      Ready(image_of({encode_loop_immediate(100, 0, 2), kNop, kNop, kRet})).main_cycles(input(1)),
      2u + 1 + 200 + 1);
  // Nested: 10 x (1 + 5 x 1).
  EXPECT_EQ(
      Ready(image_of({encode_loop_immediate(10, 0, 3), encode_loop_immediate(5, 0, 1), kNop, kNop, kRet}))
          .main_cycles(input(1)),
      2u + 1 + 10 * (1 + 5 + 1) + 1);
  // loop acts in EX: one cycle is lost behind it.
  EXPECT_EQ(
      Ready(image_of({imm(Op::Addi, 5, 0, 7), encode_loop(5, 1), kNop, kRet})).main_cycles(input(1)),
      2u + 2 + 1 + 7 + 1);
  // What reads accumulators waits for values on their way: hist.rd one cycle, its user another, emit two.
  EXPECT_EQ(
      Ready(image_of({encode_hist(0, 0), encode_hist_read(5, 0), imm(Op::Addi, 5, 5, 0), kRet}))
          .main_cycles(input(1)),
      2u + 1 + 2 + 2 + 1);
  EXPECT_EQ(Ready(image_of({encode_hist(0, 0), encode_emit(1), kRet})).main_cycles(input(1)), 2u + 1 + 3 + 1);
  EXPECT_EQ(
      Ready(image_of({encode_hist(0, 0), kNop, kNop, encode_emit(1), kRet})).main_cycles(input(1)),
      2u + 3 + 1 + 1);
}

TEST(Pipeline, CountedLoopsRunTheBodyExactlyThatOften) {
  for (const unsigned count : {1u, 2u, 17u, 256u}) {
    Ready ready(
        image_of({encode_loop_immediate(count, 0, 1), imm(Op::Addi, 5, 5, 1), save(Op::Sw, 5, 2, -4), kRet}));
    ready.main_cycles(input(1));
    EXPECT_EQ(ready.tile.registers()[5], count);
  }
}

TEST(Inputs, WhatArrivesWhileMainRunsIsDroppedAndCounted) {
  Ready ready(image_of({kNop, kNop, kNop, kRet}));  // 6 cycles of main, one of waiting
  for (int n = 0; n < 70; ++n) {
    const TileInputs in = input(n);
    ready.tile.step(&in);
  }
  const TileCounters& c = ready.tile.counters();
  EXPECT_EQ(c.inputs, 70u);
  EXPECT_EQ(c.started, 10u);
  EXPECT_EQ(c.dropped[size_t(Drop::Running)], 60u);
  EXPECT_EQ(c.worst_main_cycles, 6u);
}

TEST(Inputs, AQueueTakesUpBursts) {
  for (const uint32_t depth : {0u, 1u, 3u}) {
    Ready ready(image_of({kNop, kRet}), {64, depth});
    for (int n = 0; n < 4; ++n) {
      const TileInputs in = input(n);
      ready.tile.step(&in);
    }
    for (int n = 0; n < 50; ++n)
      ready.tile.step(nullptr);
    EXPECT_EQ(ready.tile.counters().started, 1u + depth);
    EXPECT_EQ(ready.tile.counters().total_dropped(), 3u - depth);
  }
}

TEST(Inputs, TriggerOpensAtStartAndClosesAfterEnd) {
  Image image = image_of({kRet});
  image.triggered = true;
  image.trigger_start = 100, image.trigger_end = 102;
  Ready ready(image);
  std::vector<uint32_t> started;
  for (uint32_t address = 98; address < 106; ++address) {
    TileInputs in = input(address);
    in.has_address = true, in.address = address;
    const uint64_t before = ready.tile.counters().started;
    ready.tile.step(&in);
    for (int n = 0; n < 10; ++n)
      ready.tile.step(nullptr);
    if (ready.tile.counters().started != before)
      started.push_back(address);
  }
  EXPECT_THAT(started, testing::ElementsAre(100, 101, 102));
  EXPECT_EQ(ready.tile.counters().dropped[size_t(Drop::Untriggered)], 5u);
}

TEST(Inputs, HistInTakesOneInputACycle) {
  Ready ready(image_of({encode_loop_immediate(64, 0, 1), encode_hist_in(0), encode_emit(1), kRet}));
  for (int n = 0; n < 80; ++n) {
    const TileInputs in = input(1);
    ready.tile.step(&in);
  }
  const TileCounters& c = ready.tile.counters();
  EXPECT_EQ(ready.tile.drain(9), std::string(1, 64));
  EXPECT_GE(c.streamed, 64u);
  EXPECT_EQ(c.starved_cycles, 0u);
}

TEST(Inputs, EveryInputIsProcessedOrDropped) {
  // Streams two inputs, then runs on: the third waits in the freed registers and is lost with the rest.
  Ready ready(image_of({encode_hist_in(0), encode_hist_in(0), kNop, kNop, kNop, kRet}));
  for (int n = 0; n < 9; ++n) {
    const TileInputs in = input(1);
    ready.tile.step(&in);
  }
  while (ready.tile.status() == Status::ActiveRunning)
    ready.tile.step(nullptr);
  const TileCounters& c = ready.tile.counters();
  EXPECT_EQ(c.started, 1u);
  EXPECT_EQ(c.streamed, 2u);
  EXPECT_EQ(c.total_dropped(), c.inputs - c.streamed);
  // One that comes as main returns starts nothing.
  Ready late(image_of({encode_hist_in(0), kRet}));
  TileInputs in = input(1);
  late.tile.step(&in);
  for (int n = 0; n < 3; ++n)
    late.tile.step(nullptr);
  ASSERT_EQ(late.tile.status(), Status::ActiveRunning);
  late.tile.step(&in);
  ASSERT_EQ(late.tile.status(), Status::ActivePaused);
  EXPECT_EQ(late.tile.counters().total_dropped(), 1u);
  EXPECT_EQ(late.tile.memory().valid, 0u);
}

TEST(Inputs, WhatStillQueuesAtTheEndIsDropped) {
  Ready ready(image_of({kNop, kRet}), {64, 3});
  for (int n = 0; n < 4; ++n) {
    const TileInputs in = input(n);
    ready.tile.step(&in);
  }
  ready.tile.finalize();
  for (int n = 0; n < 50; ++n)
    ready.tile.step(nullptr);
  EXPECT_EQ(ready.tile.counters().started, 1u);
  EXPECT_EQ(ready.tile.counters().dropped[size_t(Drop::Finalizing)], 3u);
}

TEST(Inputs, TheAddressShowsWithoutATrigger) {
  Ready ready(image_of({lui(5, 0x6000), imm(Op::Lw, 6, 5, 12), kRet}));
  TileInputs in = input(1);
  in.has_address = true, in.address = 1234;
  ready.main_cycles(in);
  EXPECT_EQ(ready.tile.registers()[6], 1234u);
}

TEST(Faults, StopTheTileWithTheirPlace) {
  struct Case {
    std::vector<uint32_t> main;
    FaultCause cause;
    uint32_t pc, address;
  };
  const Case cases[] = {
      {{kNop, 0xffffffff, kRet}, FaultCause::IllegalInstruction, 8, 0xffffffff},
      {{imm(Op::Lw, 5, 0, 0x100), kRet}, FaultCause::LoadAddress, 4, 0x100},  // code is not readable
      {{lui(5, 0x4000), save(Op::Sw, 5, 5, 0), kRet},
       FaultCause::StoreAddress,
       8,
       0x4000},                                                               // IORegs are read only
      {{save(Op::Sw, 5, 0, 0x10), kRet}, FaultCause::StoreAddress, 4, 0x10},  // code is not writable
      {{imm(Op::Lw, 5, 2, -2), kRet}, FaultCause::LoadAddress, 4, 0xfffe},    // misaligned
      {{lui(5, 0x3000), imm(Op::Jalr, 0, 5, 0)}, FaultCause::FetchAddress, 8, 0x3000},
      {{imm(Op::Jalr, 0, 0, 2)}, FaultCause::FetchAddress, 4, 2},
      {{encode_emit(4), riscv::encode({Op::Mul, 1, 2, 3, 0})},
       FaultCause::IllegalInstruction,
       8,
       0x023100b3 & 0xffffffff},
  };
  for (const Case& test : cases) {
    Ready ready(image_of(test.main));
    ready.main_cycles(input(1));
    EXPECT_EQ(ready.tile.status(), Status::Error);
    EXPECT_EQ(ready.tile.fault().cause, test.cause);
    EXPECT_EQ(ready.tile.fault().pc, test.pc);
    EXPECT_EQ(ready.tile.fault().address, test.address);
    const TileInputs in = input(1);
    ready.tile.step(&in);
    EXPECT_EQ(ready.tile.counters().dropped[size_t(Drop::Error)], 1u);
  }
}

TEST(HostInterface, SixCallsDriveTheTile) {
  Tile tile;
  Image image = image_of({imm(Op::Addi, 5, 5, 1), kRet});
  image.code.resize(kCodeBytes, '\0');
  const uint32_t finish[2] = {imm(Op::Addi, 6, 0, 42), kRet};
  image.code.replace(kFinishEntry, 8, reinterpret_cast<const char*>(finish), 8);
  const auto steps = [&](int n, bool with_input = false) {
    const TileInputs in = input(1);
    while (n-- > 0)
      tile.step(with_input ? &in : nullptr);
  };
  EXPECT_EQ(tile.status(), Status::Undefined);
  tile.config_image(image);
  steps(20);
  EXPECT_EQ(tile.status(), Status::Paused);
  steps(3, true);
  EXPECT_EQ(tile.counters().dropped[size_t(Drop::Paused)], 3u);
  tile.resume();
  steps(2);
  EXPECT_EQ(tile.status(), Status::ActivePaused);
  steps(1, true);
  EXPECT_EQ(tile.status(), Status::ActiveRunning);
  tile.pause();  // takes effect when main has ended
  steps(1);
  EXPECT_EQ(tile.status(), Status::ActiveRunning);
  steps(20);
  EXPECT_EQ(tile.status(), Status::Paused);
  EXPECT_EQ(tile.registers()[5], 1u);
  tile.finalize();
  steps(2);
  EXPECT_EQ(tile.status(), Status::Finalize);
  steps(20);
  EXPECT_EQ(tile.status(), Status::Paused);
  EXPECT_EQ(tile.registers()[6], 42u);
  tile.config_start(0x500);
  tile.config_stop(0x600);
  steps(2);
  EXPECT_EQ(tile.memory().trigger_start, 0x500u);
  EXPECT_EQ(tile.memory().trigger_end, 0x600u);
}

TEST(Output, AFullFifoStallsTheTileUntilBytesAreTaken) {
  Ready ready(image_of({encode_emit(0), kRet}), {16, 0});
  std::string taken;
  for (int n = 0; n < 3000; ++n) {
    const TileInputs in = input(1);
    ready.tile.step(&in);
    if (n % 3 == 0)
      taken += ready.tile.drain(4);
  }
  EXPECT_NEAR(double(taken.size()), 4000, 40);  // the path is never idle while the tile waits
  EXPECT_GT(ready.tile.counters().output_stalls, 1000u);
}

// main is 8 cycles long and says when its input came: bursts wait in the queue, and none is told later.
TEST(Inputs, EachCarriesTheCycleInWhichItArrived) {
  for (const uint32_t queue : {0u, 2u, 4u}) {
    Ready ready(
        image_of(
            {lui(5, kControlBase),
             imm(Op::Lw, 6, 5, YPU_MAP_ARRIVAL - YPU_MAP_CONTROL),
             lui(7, kFifoBase),
             save(Op::Sw, 6, 7, 0),
             kNop,
             kNop,
             kRet}),
        {64, queue});
    base::Rng rng(queue, "tile.unit.arrival");
    std::vector<uint32_t> kept, told;
    std::string bytes;
    for (int n = 0; n < 4000; ++n) {
      const TileInputs in = input(1);
      const bool comes = rng.below(7) == 0;
      const uint64_t dropped = ready.tile.counters().total_dropped();
      ready.tile.step(comes ? &in : nullptr);
      if (comes && ready.tile.counters().total_dropped() == dropped)
        kept.push_back(uint32_t(ready.tile.counters().cycles));
      bytes += ready.tile.drain(4);
    }
    for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      told.emplace_back();
      std::memcpy(&told.back(), bytes.data() + at, 4);
    }
    ASSERT_GT(told.size(), 200u);
    EXPECT_LE(kept.size() - told.size(), queue + 1);
    kept.resize(told.size());
    EXPECT_EQ(told, kept) << "queue " << queue;
  }
}

// A streaming main takes what waits before what comes.
TEST(Inputs, StreamsTakeWaitingInputsInTheirOrder) {
  Ready ready(
      image_of(
          {kNop,
           kNop,
           kNop,
           kNop,
           encode_loop_immediate(4, 0, 1),
           encode_hist_in(0),
           lui(5, kIoBase),
           imm(Op::Lw, 6, 5, 0),
           lui(7, kFifoBase),
           save(Op::Sw, 6, 7, 0),
           kRet}),
      {64, 4});
  for (uint32_t n = 0; n < 4; ++n) {
    const TileInputs in = input(n);
    ready.tile.step(&in);
  }
  for (int n = 0; n < 40; ++n)
    ready.tile.step(nullptr);
  EXPECT_EQ(ready.tile.counters().streamed, 4u);
  EXPECT_EQ(ready.tile.counters().total_dropped(), 0u);
  EXPECT_EQ(ready.tile.drain(4), std::string("\3\0\0\0", 4)) << "the last of four";
}

TEST(Histogram, BucketsAndSaturation) {
  HistogramUnit unit;
  unit.configure(2u << 16 | 96u << 4 | 7);            // bf16: exponents 96..159, sign
  EXPECT_EQ(unit.bucket_of(0x3f80), 127u - 96);       // 1.0
  EXPECT_EQ(unit.bucket_of(0xbf80), 64u + 127 - 96);  // -1.0
  EXPECT_EQ(unit.bucket_of(0), 0u);
  EXPECT_EQ(unit.bucket_of(0x7f80), 63u);
  for (int n = 0; n < 65536; ++n) {
    unit.take(0, 0);
    unit.tick();
  }
  EXPECT_TRUE(unit.filling());
  unit.flush();
  EXPECT_FALSE(unit.busy());
  EXPECT_EQ(unit.read(0), kAccumulatorMax);  // 4 x 65,536 is one more than 18 bits hold
  EXPECT_TRUE(unit.saturated());
  EXPECT_EQ(unit.lost(), 1u);
  EXPECT_EQ(unit.packed(kEmitHistogram).size(), 288u);
  EXPECT_EQ(unit.packed(3), std::string("\xff\0\0", 3));
  unit.configure(1u << 16 | 0x101);  // v ^ rotr(v, 8)
  EXPECT_EQ(unit.bucket_of(0x1234), (0x34u ^ 0x12u) & 127);
  unit.clear();
  unit.configure(0);
  unit.take(0x00020001, 0x00040003);
  unit.tick();
  unit.tick();
  EXPECT_EQ(unit.read(0), 0u);
  unit.tick();
  for (uint32_t lane = 0; lane < 4; ++lane)
    EXPECT_EQ(unit.read(lane), lane + 1);
}

TEST(Isa, EncodingsDecodeAndUnusedBitsAreIllegal) {
  for (const uint32_t word :
       {encode_hash(1, 2, 3),
        encode_hist(4, 5),
        encode_hist_in(15),
        encode_hist_read(6, 7),
        encode_hist_config(8),
        encode_emit(9),
        encode_loop(9, 31),
        encode_loop_immediate(4095, 20, 31)}) {
    EXPECT_TRUE(decode_tile(word).legal());
  }
  EXPECT_EQ(decode_tile(encode_loop_immediate(2048, 4, 1)).count, 32768u);
  for (const uint32_t word :
       {encode_emit(10),
        encode_hist_in(16),
        encode_loop(1, 0),
        encode_loop_immediate(0, 0, 1),
        encode_loop_immediate(1, 21, 1),
        encode_hash(1, 2, 3) | 1u << 25,
        0x73u,
        0x100073u,
        0u,
        riscv::encode({Op::Mul, 1, 2, 3, 0})}) {
    EXPECT_FALSE(decode_tile(word).legal()) << std::hex << word;
  }
}

// Random main programs: arithmetic, scratchpad traffic, forward branches, histogram instructions, loops.
std::vector<uint32_t> random_main(base::Rng& rng, int length) {
  std::vector<uint32_t> out = {lui(8, 0x8000)};
  const auto reg = [&] {
    return unsigned(5 + rng.below(3)) + (rng.below(2) ? 5 : 0);
  };
  while (int(out.size()) < length) {
    const int at = int(rng.below(1024)) * 4 - 2048;
    switch (rng.below(10)) {
      case 0:
        out.push_back(op3(static_cast<Op>(int(Op::Add) + int(rng.below(10))), reg(), reg(), reg()));
        break;
      case 1:
        out.push_back(
            imm(static_cast<Op>(int(Op::Addi) + int(rng.below(6))),
                reg(),
                reg(),
                int(rng.below(4096)) - 2048));
        break;
      case 2:
        out.push_back(riscv::encode(
            {static_cast<Op>(int(Op::Slli) + int(rng.below(3))),
             uint8_t(reg()),
             uint8_t(reg()),
             0,
             int(rng.below(32))}));
        break;
      case 3:
        out.push_back(imm(static_cast<Op>(int(Op::Lb) + int(rng.below(5))), reg(), 8, at & 0x7fc));
        break;
      case 4:
        out.push_back(save(static_cast<Op>(int(Op::Sb) + int(rng.below(3))), reg(), 8, at & 0x7fc));
        break;
      case 5:
        out.push_back(branch(
            static_cast<Op>(int(Op::Beq) + int(rng.below(6))),
            reg(),
            reg(),
            4 * int(1 + rng.below(5))));
        break;
      case 6:
        out.push_back(encode_hash(reg(), reg(), reg()));
        break;
      case 7:
        out.push_back(rng.below(2) ? encode_hist(reg(), reg()) : encode_hist_read(reg(), reg()));
        break;
      case 8:
        out.push_back(rng.below(4) ? encode_hist_config(reg()) : encode_emit(unsigned(rng.below(10))));
        break;
      default:
        if (rng.below(2))
          out.push_back(encode_loop_immediate(unsigned(1 + rng.below(9)), 0, unsigned(1 + rng.below(6))));
        else
          out.push_back(imm(Op::Andi, 5, reg(), 7)),
              out.push_back(encode_loop(5, unsigned(1 + rng.below(6))));
    }
  }
  for (int n = 0; n < 32; ++n)
    out.push_back(kNop);
  out.push_back(kRet);
  return out;
}

TEST(Differential, CycleModelAndPlainModelAgreeOnRandomPrograms) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::Rng rng(seed, "tile.unit.differential");
    const Image image = image_of(random_main(rng, 120));
    Ready ready(image);
    FunctionalTile plain(image);
    plain.init(100);
    for (int n = 0; n < 3; ++n) {
      const TileInputs in = input(uint32_t(rng.next()));
      ready.tile.step(&in);
      std::string sent;
      for (int c = 0; c < 20000 && (ready.tile.status() == Status::ActiveRunning || !ready.tile.idle());
           ++c) {
        ready.tile.step(nullptr);
        sent += ready.tile.drain(4);
      }
      while (ready.tile.output_waiting())
        sent += ready.tile.drain(4);
      const auto outcome = plain.main(in, 100000);
      ASSERT_EQ(ready.tile.status() == Status::ActivePaused, outcome.ended) << seed;
      EXPECT_EQ(sent, plain.take_output()) << seed;
      if (!outcome.ended) {
        EXPECT_EQ(ready.tile.fault().pc, outcome.fault.pc);
        break;
      }
      ASSERT_EQ(ready.tile.registers(), plain.registers()) << seed;
      ASSERT_EQ(ready.tile.memory().scratchpad, plain.memory().scratchpad) << seed;
      ASSERT_EQ(ready.tile.histogram(), plain.histogram()) << seed;
    }
  }
}

}  // namespace
}  // namespace lento::tile
