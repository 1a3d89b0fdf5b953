// Products on arrays, with narrow weights, and as a framework runs them.
#include "predict/time/gemm.h"

#include <gtest/gtest.h>

namespace lento::predict {
namespace {

constexpr Gemm kLarge{1, 8192, 8192, 8192, Precision::Bf16};

double seconds(const System& s, const Gemm& g) {
  return predict_gemm(s, g).seconds;
}

// How a sheet counts a chip's arrays must not matter to a large product.
TEST(Arrays, ALargeProductKnowsOnlyTheWholeChip) {
  System cores = read_system("tpu-v5p");
  cores.chip.units = 2;
  for (double& flops : cores.chip.flops_per_cycle)
    flops *= 4;
  EXPECT_NEAR(seconds(cores, kLarge) / seconds(read_system("tpu-v5p"), kLarge), 1, 0.01);
  cores.chip.array = 0;  // a sheet without the key
  EXPECT_NEAR(seconds(cores, kLarge) / seconds(read_system("tpu-v5p"), kLarge), 1, 0.1);
}

// One row through a 256 x 256 array takes as long as 256 rows: the next weights are loaded meanwhile.
TEST(Arrays, FewRowsTakeAsLongAsTheWeightsAreLoaded) {
  const System v6e = read_system("tpu-v6e");
  const Gemm one{1, 1, 4096, 4096, Precision::Bf16};
  const Gemm full{1, 256, 4096, 4096, Precision::Bf16};
  EXPECT_DOUBLE_EQ(predict_gemm(v6e, one).compute_s, predict_gemm(v6e, full).compute_s);
}

// A product of one row is bound by its weights: half the bits, half the traffic.
TEST(Weights, NarrowWeightsHalveTheTraffic) {
  const System a100 = read_system("a100");
  const Gemm whole{1, 1, 16384, 16384, Precision::Bf16};
  const Gemm bytes{1, 1, 16384, 16384, Precision::Int8Weights};
  EXPECT_NEAR(predict_gemm(a100, bytes).memory_bytes / predict_gemm(a100, whole).memory_bytes, 0.5, 0.01);
  EXPECT_EQ(a100.chip.peak(Precision::Int8Weights), a100.chip.peak(Precision::Bf16));
}

TEST(Framework, KernelsOfAFrameworkAreItsOwn) {
  const System h100 = read_system("h100");
  const System eager = with_framework(h100, "VLLM eager");
  const Gemm small{1, 16, 1024, 1024, Precision::Fp8Block};
  EXPECT_GT(seconds(eager, small), 5 * seconds(h100, small));  // launched by the host
  EXPECT_EQ(seconds(with_framework(h100, "no such framework"), small), seconds(h100, small));
}

TEST(Relatives, ASheetWithoutConstantsBorrowsThem) {
  const System gb200 = read_system("gb200");
  const System b200 = read_system("b200");
  const Calibration& c = gb200.chip.constants(Precision::Bf16);
  EXPECT_EQ(c.measured_on, "b200");
  EXPECT_EQ(c.compute, b200.chip.constants(Precision::Bf16).compute);
  EXPECT_EQ(gb200.stack.launch_s, b200.stack.launch_s);
  EXPECT_LT(b200.stack.launch_s, 2e-6);
}

}  // namespace
}  // namespace lento::predict
