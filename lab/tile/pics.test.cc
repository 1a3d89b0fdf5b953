// The tile's cycle stacks against the golden model, on the programs of guests/core where the compiler built
// them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "lab/tile/cases.h"

namespace lento::tile {
namespace {

std::string guest(const std::string& name) {
  const char* folder = std::getenv("LENTO_GUESTS");
  const std::string path = (folder ? std::string(folder) : "build/release/guests/core") + "/" + name + ".elf";
  return std::filesystem::exists(path) ? path : "";
}

struct Micro {
  const char* name;
  uint16_t cause;
};

class MicroBenchmarks : public testing::TestWithParam<Micro> {};

TEST_P(MicroBenchmarks, OneInstructionDominatesForTheRightCause) {
  const std::string path = guest(GetParam().name);
  if (path.empty())
    GTEST_SKIP() << "the guests are not built";
  const PicsRun run = run_pics(riscv::read_elf(path), pics_image(1000));
  for (const CycleStacks* stacks : {&run.tile, &run.golden}) {
    const CycleStacks::Bar top = stacks->bars().front();
    EXPECT_GE(top.parts * 2, stacks->total());
    EXPECT_TRUE(top.causes.front().first & GetParam().cause) << event_names(top.causes.front().first);
  }
  EXPECT_EQ(run.tile.bars().front().pc, run.golden.bars().front().pc);
}
INSTANTIATE_TEST_SUITE_P(
    PicsCase,
    MicroBenchmarks,
    testing::Values(
        Micro{"micro_store", kQueueFull},
        Micro{"micro_branch", kMispredicted},
        Micro{"micro_load", kDataMiss}),
    [](const auto& micro) {
      return std::string(micro.param.name);
    });

TEST(PicsCase, TheTileIsCloseToTheGoldenModel) {
  const std::string path = guest("quicksort");
  if (path.empty())
    GTEST_SKIP() << "the guests are not built";
  const PicsRun run = run_pics(riscv::read_elf(path), pics_image(1000));
  EXPECT_EQ(run.result, 1u);
  EXPECT_GT(run.records, 1000u);
  EXPECT_LE(run.error, 0.04);
  EXPECT_LT(run.dropped_share, 0.01);
  EXPECT_TRUE(run.same_order);
  EXPECT_EQ(run.output_bytes, 6 * run.records);
}

// crc32's inner loop has half the length of the tile's own.
TEST(PicsCase, LoopsInStepWithTheTileAreSeenAllOver) {
  const std::string path = guest("crc32");
  if (path.empty())
    GTEST_SKIP() << "the guests are not built";
  const PicsRun run = run_pics(riscv::read_elf(path), pics_image(1000));
  EXPECT_LT(run.error, 0.08);
  EXPECT_LT(run.dropped_share, 0.01);
}

TEST(CoreModel, ChargesEveryCycleOnce) {
  const std::string path = guest("compress");
  if (path.empty())
    GTEST_SKIP() << "the guests are not built";
  CoreModel core(riscv::read_elf(path));
  CoreSignals signals;
  uint64_t commits = 0;
  while (core.step(signals))
    commits += signals.commits;
  EXPECT_EQ(core.result(), 1u);
  // The last cycle may find nothing left to charge.
  EXPECT_NEAR(double(core.stacks().total()) / kCycleParts, double(core.cycle()), 1);
  EXPECT_NEAR(double(commits), double(core.instructions()), 4);
}

}  // namespace
}  // namespace lento::tile
