// The RTL equals the C++ model of the tile in every cycle on the programs that ship: beside the blocks of the
// case studies, and all of them with random inputs at the declared rate.
#include "lab/tile/cases.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "lockstep.h"
#include "tile/unit/build.h"

namespace lento::tile {
namespace {

// The inputs of the next cycle; nullptr when the block has none.
using Block = std::function<const TileInputs*()>;

// Loads the image, lets init end, runs beside the block, then finalizes (a main that streams may run on).
void run_beside(const std::string& name, const Image& image, const Block& block, uint64_t cycles) {
  Lockstep pair;
  pair.load(image);
  for (int n = 0; n < 20000 && !pair.model().idle() && pair.same(); ++n)
    pair.step({});
  pair.step({nullptr, Command::Resume});
  for (uint64_t n = 0; n < cycles && pair.same(); ++n)
    pair.step({block(), Command::None, 0, 4});
  pair.step({nullptr, Command::Finalize});
  for (int n = 0; n < 20000 && pair.model().status() != Status::Paused && pair.same(); ++n)
    pair.step({nullptr, Command::None, 0, 4});
  EXPECT_TRUE(pair.same()) << name << ": " << pair.difference();
  EXPECT_EQ(pair.memory_difference(), "") << name;
  EXPECT_GT(pair.model().counters().started, 0u) << name;
  std::printf(
      "%s: %llu cycles, %llu instructions, %llu bytes out\n",
      name.c_str(),
      static_cast<unsigned long long>(pair.compared()),
      static_cast<unsigned long long>(pair.model().counters().instructions),
      static_cast<unsigned long long>(pair.model().counters().output_bytes));
}

class Shipped : public testing::Test {
 protected:
  void SetUp() override {
    try {
      build_program(shipped_source("echo.c"), "echo.c");
    } catch (const base::Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  static Image image_of(const std::string& name) {
    return build_program(shipped_source(name), name).image;
  }
};

TEST_F(Shipped, CountGpuWindowsBesideAnSm) {
  const std::vector<GemmShape> shapes = gemm_shapes();
  for (const GemmShape& shape : {shapes.front(), shapes.back()}) {
    SmModel sm(shape, 1);
    TileInputs in;
    run_beside(
        "gpu.c, " + shape.name(),
        image_of("gpu.c"),
        [&]() -> const TileInputs* {
          SmSignals now;
          if (!sm.step(now))
            return nullptr;
          in = gpu_inputs(now);
          return &in;
        },
        200000);
  }
}

TEST_F(Shipped, SampleCycleStacksBesideACore) {
  const std::string elf = std::string(LENTO_GUESTS) + "/core/sieve.elf";
  if (!std::filesystem::exists(elf))
    GTEST_SKIP() << "no " << elf;
  CoreModel core(riscv::parse_elf(base::read_file(elf, 1 << 24), elf));
  FlushMemory flush;
  TileInputs in;
  run_beside(
      "pics.c, sieve",
      pics_image(1000),
      [&]() -> const TileInputs* {
        CoreSignals now;
        if (!core.step(now))
          return nullptr;
        in = flush.inputs(now);
        return &in;
      },
      500000);
}

TEST_F(Shipped, CountValues) {
  base::Rng rng(1, "tile.rtl.values");
  const auto bfloat16 = [&] {
    const float value = float(rng.normal());
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits >> 16;
  };
  TileInputs in;
  in.valid = 3;
  run_beside(
      "values.c",
      image_of("values.c"),
      [&] {
        for (int i = 0; i < 2; ++i)
          in.data[size_t(i)] = bfloat16() | bfloat16() << 16;
        return &in;
      },
      200000);
}

TEST_F(Shipped, AllWithRandomInputs) {
  for (const std::string& name : shipped_programs()) {
    const Image image = image_of(name);
    base::Rng rng(1, "tile.rtl.shipped");
    const uint64_t period = std::min<uint64_t>(image.arrival_cycles, 64);
    uint64_t cycle = 0;
    TileInputs in;
    in.valid = image.input_mask;
    run_beside(
        name,
        image,
        [&]() -> const TileInputs* {
          if (cycle++ % period != 0)
            return nullptr;
          for (uint32_t& word : in.data)
            word = uint32_t(rng.next()) >> rng.below(32);
          return &in;
        },
        200000);
  }
}

}  // namespace
}  // namespace lento::tile
