// The case studies on small inputs and, where the data folder is present, on real streams.
#include "tile/cases/cases.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tile/unit/build.h"
#include "tile/unit/verify.h"

namespace lento::tile {
namespace {

bool have_compiler() { return std::system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1") == 0; }

TEST(GpuCase, WindowsAreBitExactAndFewCyclesAreLost) {
  if (!have_compiler()) GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const Image program = build_program(shipped_source("gpu.c"), "gpu.c").image;
  for (const GemmShape& shape : {gemm_shapes()[0], gemm_shapes()[15]}) {
    const GpuWindows w = count_gpu_windows(shape, program, 60'000, 1);
    EXPECT_GT(w.windows, 100u);
    EXPECT_EQ(w.wrong_windows, 0u);
    EXPECT_LT(static_cast<double>(w.cycles - w.taken_cycles), 0.02 * static_cast<double>(w.cycles));
  }
}

TEST(PrefetchCase, TileIsCloseToTheExactModelOnARealStream) {
  if (!have_compiler()) GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const char* shared = std::getenv("LENTO_SHARED");
  const std::string path = std::string(shared ? shared : "../shared") + "/data/tile/perl.lft.xz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Image program = build_program(shipped_source("prefetch.c"), "prefetch.c").image;
  const EmulatedPrefetch e = emulate_prefetcher(read_line_trace(path), program);
  EXPECT_GT(e.emulated.accesses, 900'000u);
  EXPECT_LT(e.emulated.miss_rate(), 0.006);
  EXPECT_GT(e.emulated.coverage(), 0.7);
}

}  // namespace
}  // namespace lento::tile
