// Kernels in closed form on a machine made by hand: one slow level at a time decides.
#include "predict/crossflow/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lento::predict {
namespace {

// Levels so wide that only what a test narrows can be felt.
Machine wide() {
  Machine m;
  m.mcus = m.bundles = 1;
  m.flops = m.raw_flops = 1e12;
  for (MemoryLevel& level : m.memory) {
    level.bytes = level.bytes_per_scope = 1 << 20;
    level.bytes_per_s = level.raw_bytes_per_s = 1e18;
    level.units = 1;
  }
  return m;
}

CrossFlowConfig plain() {
  CrossFlowConfig c;
  c.precision = 2;
  c.launch_overhead = 0;
  c.core.dataflow = "none";
  return c;
}

TEST(Pointwise, IsTheSlowerOfWorkAndTraffic) {
  Machine m = wide();
  m.memory[0].bytes_per_s = 1e9;
  m.memory[0].latency = 1e-6;
  const KernelModel model(m, plain());
  // 1e6 bytes at 1e9 a second; little work.
  EXPECT_DOUBLE_EQ(model.pointwise(10, 1e6), 1e-3 + 1e-6);
  // Above the balance of 1000 operations a byte only the work counts.
  EXPECT_DOUBLE_EQ(model.pointwise(1e12, 1e6), 1);
  EXPECT_DOUBLE_EQ(model.pointwise(1e9, 1e6), 1e-3);
}

TEST(Pointwise, DramIsChargedWhenAskedFor) {
  Machine m = wide();
  m.memory[3].bytes_per_s = 1e6;
  KernelModel model(m, plain());
  EXPECT_LT(model.pointwise(1, 1e6), 1e-6);
  model.charge_dram(true);
  EXPECT_DOUBLE_EQ(model.pointwise(1, 1e6), 1);
  model.charge_dram(false);
  EXPECT_LT(model.pointwise(1, 1e6), 1e-6);
}

class Ring : public testing::TestWithParam<int> {
 protected:
  Link link() const {
    Link l;
    l.bytes_per_s = 1e9;
    l.latency = 1e-6;
    return l;
  }
};

TEST_P(Ring, MovesItsShareOncePerStep) {
  const int p = GetParam();
  const KernelModel model(wide(), plain());
  const double elements = 1 << 20;
  const double step = 2 * elements / p / 1e9 + 1e-6;
  const auto time = [&](KernelModel::Collective kind) {
    return model.collective(kind, elements, p, link());
  };
  EXPECT_NEAR(time(KernelModel::Collective::AllGather) / (step * (p - 1)), 1, 1e-3);
  EXPECT_NEAR(time(KernelModel::Collective::ReduceScatter) / (step * (p - 1)), 1, 1e-3);
  EXPECT_NEAR(time(KernelModel::Collective::AllReduce) / (2 * step * (p - 1)), 1, 1e-3);
}

TEST_P(Ring, EveryReductionIsAKernelThatIsLaunched) {
  const int p = GetParam();
  CrossFlowConfig c = plain();
  const double elements = 1 << 20;
  const auto time = [&](KernelModel::Collective kind) {
    return KernelModel(wide(), c).collective(kind, elements, p, link());
  };
  const double gather = time(KernelModel::Collective::AllGather);
  const double scatter = time(KernelModel::Collective::ReduceScatter);
  c.launch_overhead = 1;
  EXPECT_NEAR(time(KernelModel::Collective::AllGather) - gather, 1, 1e-9);
  EXPECT_NEAR(time(KernelModel::Collective::ReduceScatter) - scatter, p - 1, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Nodes, Ring, testing::Values(2, 3, 8, 64));

TEST(Collective, OfOneNodeIsFreeAndOverNoLinkNever) {
  const KernelModel model(wide(), plain());
  Link none;
  EXPECT_EQ(model.collective(KernelModel::Collective::AllReduce, 100, 1, none), 0);
  EXPECT_TRUE(std::isinf(model.collective(KernelModel::Collective::AllReduce, 1e6, 2, none)));
}

TEST(Gemm, TakesTheOperationsOfItsCheapestOrder) {
  KernelModel model(wide(), plain());
  for (const auto& [m, k, n] : {std::tuple{64, 64, 64}, std::tuple{100, 300, 7}, std::tuple{1, 1024, 1024}}) {
    // Each result takes one addition less than multiplications, and orders may put any size innermost.
    const double inner = std::min({m, k, n});
    const double operations = double(m) * k * n / inner * (2 * inner - 1);
    EXPECT_NEAR(model.gemm(m, k, n).seconds / (operations / 1e12), 1, 1e-6) << m << " " << k << " " << n;
  }
}

TEST(Gemm, ALaunchIsAddedOnce) {
  CrossFlowConfig c = plain();
  const double before = KernelModel(wide(), c).gemm(64, 64, 64).seconds;
  c.launch_overhead = 0.5;
  KernelModel model(wide(), c);
  EXPECT_NEAR(model.gemm(64, 64, 64).seconds - before, 0.5, 1e-9);
  EXPECT_EQ(model.launch(), 0.5);
  EXPECT_EQ(model.precision(), 2);
}

TEST(Gemm, DramHoldsAProductThatFitsToItsCompulsoryTraffic) {
  Machine m = wide();
  m.memory[3].bytes_per_s = 1e6;
  for (MemoryLevel& level : m.memory)
    level.bytes = level.bytes_per_scope = double(1 << 30);
  KernelModel model(m, plain());
  for (const auto& [a, b, c] : {std::tuple{64, 64, 64}, std::tuple{128, 32, 256}}) {
    const double bytes = 2.0 * (a * b + b * c + a * c);
    EXPECT_GE(model.gemm(a, b, c).seconds, bytes / 1e6 * 0.999);
  }
}

TEST(Gemm, IsTheFastestOfItsTilings) {
  Machine m = wide();
  m.memory[1].bytes_per_s = 1e10;
  m.memory[2].bytes_per_s = 1e9;
  m.memory[3].bytes_per_s = 1e8;
  m.memory[0].bytes = m.memory[0].bytes_per_scope = 1 << 10;
  m.memory[1].bytes = m.memory[1].bytes_per_scope = 1 << 14;
  KernelModel model(m, plain());
  const Dims dims{200, 300, 100};
  const GemmTime best = model.gemm(dims[0], dims[1], dims[2]);
  EXPECT_DOUBLE_EQ(model.gemm_with(dims, best.order, best.tiles), best.seconds);
  for (const double small : {4.0, 8.0, 16.0}) {
    Tiles tiles;
    tiles.fill({small, small, small});
    EXPECT_GE(model.gemm_with(dims, best.order, tiles), best.seconds * (1 - 1e-12)) << small;
  }
}

TEST(Gemm, ASlowerLevelIsNeverFaster) {
  for (size_t level = 0; level < 4; ++level) {
    double before = 0;
    for (const double rate : {1e18, 1e12, 1e10, 1e8}) {
      Machine m = wide();
      m.memory[level].bytes_per_s = rate;
      const double time = KernelModel(m, plain()).gemm(256, 256, 256).seconds;
      EXPECT_GE(time, before) << level;
      before = time;
    }
    EXPECT_GT(before, 2.0 * 256 * 256 * 256 / 1e12) << level;
  }
}

}  // namespace
}  // namespace lento::predict
