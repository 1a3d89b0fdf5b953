// The case studies on small inputs and, where the data folder is present, on real streams.
#include "lab/tile/cases.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tile/unit/build.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {
namespace {

bool have_compiler() {
  return std::system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1") == 0;
}

TEST(GpuCase, WindowsAreBitExactAndFewCyclesAreLost) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const Image program = build_program(shipped_source("gpu.c"), "gpu.c").image;
  for (const GemmShape& shape : {gemm_shapes()[0], gemm_shapes()[15]}) {
    const GpuWindows w = count_gpu_windows(shape, program, 60'000, 1);
    EXPECT_GT(w.windows, 100u);
    EXPECT_EQ(w.wrong_windows, 0u);
    EXPECT_LT(double(w.cycles - w.taken_cycles), 0.02 * double(w.cycles));
  }
}

// Bits into the tile 215, 64, 3 and 64; bytes out 6, 3, 3 and 288; lines of code at most 75, 2 and 2 (Bryt,
// table 2).
TEST(PaperNumbers, ProgramsAndTheirSignals) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const auto built = [](const char* name) {
    return build_program(shipped_source(name), name);
  };
  const CoreSignals core = {4, {~0u, ~0u, ~0u, ~0u}, true, ~0u, ~0u, 0x1ff, 127, 127};
  EXPECT_EQ(bits_in(FlushMemory().inputs(core)), 215);
  EXPECT_EQ(bits_in(fetch_inputs(~uint64_t{0})), 64);
  EXPECT_EQ(bits_in(gpu_inputs({true, true, true})), 3);
  EXPECT_EQ(16 * kTileValues, 64u);
  EXPECT_EQ(built("pics.c").image.output_bytes % 6, 0u);  // records of 6 bytes, up to four in 12 cycles
  EXPECT_EQ(built("prefetch.c").image.output_bytes, 3u);
  EXPECT_EQ(built("gpu.c").image.output_bytes, 3u);
  EXPECT_EQ(built("values.c").image.output_bytes, 288u);
  EXPECT_LE(built("pics.c").main_lines, 75);
  EXPECT_LE(built("gpu.c").main_lines, 2);
  EXPECT_LE(built("values.c").main_lines, 2);
}

// A loop that fits: every visit hits, nothing is to be looked up twice.
TEST(PrefetchCase, SoftLogicTakesOneAddressACycle) {
  std::vector<uint8_t> scratchpad(0x8000);
  PrefetchLogic logic(scratchpad);
  const auto visit = [&](uint32_t line) {
    TileInputs in;
    in.valid = 3;
    in.data[0] = line << 6;
    logic.step(&in);
  };
  for (uint32_t i = 0; i < 1'000; ++i)
    visit(0x400 + i % 24);
  const uint32_t while_cold = logic.visits_lost();
  for (uint32_t i = 1'000; i < 100'000; ++i)
    visit(0x400 + i % 24);
  EXPECT_EQ(logic.visits_lost(), while_cold);
  for (uint32_t i = 0; i < 100'000; ++i)
    visit(0x400 + i % 24 + i / 24 % 20 * 64);
  EXPECT_EQ(logic.visits(), 200'000u);
  EXPECT_GT(logic.visits_lost(), while_cold);  // 480 lines: misses cost more than a cycle
}

TEST(PrefetchCase, ProgramsGiveTheirLineVisits) {
  riscv::ElfImage program;
  std::string code;
  for (const uint32_t word :
       {0x00500093u, 0xfff08093u, 0xfe009ee3u, 0x0000006fu})  // li 5; loop: addi -1, bnez; j .
    for (int i = 0; i < 4; ++i)
      code += char(word >> 8 * i);
  program.segments.push_back({0x1038, 0x1000, true, true, code});
  program.entry = 0x1038;
  const LineTrace trace = trace_lines(program, 100);
  EXPECT_EQ(trace.instructions, 100u);
  ASSERT_GE(trace.visits.size(), 4u);
  EXPECT_EQ(trace.lines, (std::vector<uint64_t>{0x1038 >> 6, 0x1040 >> 6}));
  EXPECT_EQ(trace.counts[0], 2u);  // li, addi; then the branch from the next line
  EXPECT_EQ(trace.counts[1], 1u);
  EXPECT_EQ(trace.visits[2], 0u);
}

TEST(PrefetchCase, TileIsCloseToTheExactModelOnARealStream) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const char* shared = std::getenv("LENTO_SHARED");
  const std::string path = std::string(shared ? shared : "../shared") + "/data/tile/perl.lft.xz";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no " << path;
  const Image program = build_program(shipped_source("prefetch.c"), "prefetch.c").image;
  const LineTrace trace = read_line_trace(path);
  EmulatedPrefetch e;
  for (const size_t start : {0, 1, 10, 100, 1'000})
    e += emulate_prefetcher(trace, program, EmulatedPolicy::Entangling, start);
  // exact: 0.281 %, 0.858, 0.633
  EXPECT_GT(e.emulated.accesses, 4'400'000u);
  EXPECT_NEAR(e.emulated.miss_rate(), 0.00281, 0.00028);
  EXPECT_NEAR(e.emulated.coverage(), 0.858, 0.042);
  EXPECT_NEAR(e.emulated.accuracy(), 0.633, 0.031);
  EXPECT_LT(e.visits_lost * 10, e.visits);
}

}  // namespace
}  // namespace lento::tile
