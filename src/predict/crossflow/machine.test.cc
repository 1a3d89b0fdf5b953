// What budgets give, in closed form on a design of round numbers, and iterations against sums of their
// kernels.
#include "predict/crossflow/machine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "predict/crossflow/language_model.h"
#include "predict/crossflow/placement.h"
#include "predict/crossflow/schedule.h"

namespace lento::predict {
namespace {

CrossFlowConfig example() {
  return read_crossflow("examples/search/node.yaml");
}

// At nominal power a part runs at its nominal point; power over frequency follows the square of the voltage.
TEST(Machine, PowerOfACoreFollowsItsVoltage) {
  CrossFlowConfig c = example();
  c.core = {1, 100, 1, 1e9, 0.8, 0.2, 0.05, 1, 4, 4, "best", 0.5};
  c.budgets.chip_area = 100;
  c.budgets.area[kCore] = 0.4;
  c.budgets.share[kCore] = 0.5;
  c.budgets.power = 80;  // 40 units of 1 W
  const Machine nominal = generate(c);
  EXPECT_EQ(nominal.mcus, 40);
  EXPECT_EQ(nominal.bundles, 10);
  EXPECT_NEAR(nominal.core.voltage, 0.8, 1e-12);
  EXPECT_NEAR(nominal.core.frequency, 1e9, 1);
  EXPECT_NEAR(nominal.raw_flops, 40 * 100 * 1e9, 1e4);
  EXPECT_NEAR(nominal.flops, 0.5 * nominal.raw_flops, 1e4);
  for (const double power : {20.0, 50.0, 120.0}) {
    c.budgets.power = power;
    const Machine m = generate(c);
    const double drawn = 40 * (m.core.frequency / 1e9) * std::pow(m.core.voltage / 0.8, 2);
    EXPECT_NEAR(drawn, power / 2, 1e-9 * power) << power;
    const double speed = std::pow(m.core.voltage - 0.2, 2) / m.core.voltage;
    EXPECT_NEAR(m.core.frequency / 1e9, speed / (0.36 / 0.8), 1e-9) << power;
  }
}

TEST(Machine, UnderTheMarginUnitsAreSwitchedOffAtItsVoltage) {
  CrossFlowConfig c = example();
  c.core = {1, 100, 1, 1e9, 0.8, 0.2, 0.35, 1, 4, 4, "best", 1};
  c.budgets.chip_area = 100;
  c.budgets.area[kCore] = 1;
  c.budgets.share[kCore] = 1;
  c.budgets.power = 10;
  const Machine m = generate(c, BelowMargin::FewerUnits);
  EXPECT_NEAR(m.core.voltage, 0.55, 1e-12);
  const double each = (m.core.frequency / 1e9) * std::pow(0.55 / 0.8, 2);
  EXPECT_LE(m.mcus * each, 10 + 1e-9);
  EXPECT_GT((m.mcus + 1) * each, 10);
}

TEST(Machine, AMemoryIsItsBanksAndWhatIsLeftAfterLeakage) {
  CrossFlowConfig c = example();
  SramTechnology& t = c.sram[2];
  t = {1e-13, 1e-9, 1e-7, 65536, 0, 0, 1e-9, 0.25, 0.8};
  c.budgets.chip_area = 100;
  c.budgets.area[kL2] = 0.1;
  c.budgets.power = 100;
  c.budgets.share[kL2] = 0.1;
  const MemoryLevel l2 = generate(c).memory[2];
  const double bank = 65536 * 8 * 1e-7;
  EXPECT_EQ(l2.units, int(0.75 * 10 / bank));
  EXPECT_DOUBLE_EQ(l2.bytes, l2.units * 65536.0);
  const double leaks = 1e-9 * 8 * l2.bytes;
  EXPECT_NEAR(l2.raw_bytes_per_s, (10 - leaks) / (1e-13 * 8), 1e3);
  EXPECT_NEAR(l2.bytes_per_s, 0.8 * l2.raw_bytes_per_s, 1e3);
  t.static_power_per_bit = 1;  // leaks more than it gets
  EXPECT_EQ(generate(c).memory[2].units, 0);
}

TEST(Machine, MoreOfABudgetIsNeverLess) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    base::Rng rng(seed, "budgets");
    CrossFlowConfig c = example();
    for (double& share : c.budgets.area)
      share *= rng.uniform(0.3, 1.5);
    for (double& share : c.budgets.share)
      share *= rng.uniform(0.3, 1.5);
    const Machine before = generate(c, BelowMargin::FewerUnits);
    c.budgets.power *= 1.5;
    const Machine after = generate(c, BelowMargin::FewerUnits);
    EXPECT_GE(after.raw_flops, before.raw_flops * (1 - 1e-9)) << seed;
    for (size_t i = 0; i < 4; ++i)
      EXPECT_GE(after.memory[i].raw_bytes_per_s, before.memory[i].raw_bytes_per_s * (1 - 1e-9)) << seed;
    EXPECT_GE(after.inter.bytes_per_s, before.inter.bytes_per_s * (1 - 1e-9)) << seed;
  }
}

TEST(Schedule, OneDeviceDoesOneThingAtATime) {
  StepTimes s;
  s.embedding_f = 1;
  s.cell_f = 10;
  s.softmax_f = 5;
  for (const int sequence : {1, 3, 8}) {
    for (const int layers : {1, 2, 4}) {
      const double work = sequence * (1 + 10.0 * layers + 5);
      EXPECT_DOUBLE_EQ(forward_time(s, {sequence, layers, 1}), work) << sequence << " " << layers;
    }
  }
  s.embedding_b = 2;
  s.cell_b = 20;
  s.softmax_b = 10;
  EXPECT_DOUBLE_EQ(backward_time(s, {3, 2, 1}), 3 * (2 + 40 + 10));
}

TEST(Schedule, NoScheduleBeatsItsLongestChainOrItsBusiestDevice) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    base::Rng rng(seed, "schedule");
    StepTimes s;
    s.embedding_f = rng.uniform(0.1, 3);
    s.cell_f = rng.uniform(0.1, 3);
    s.softmax_f = rng.uniform(0.1, 3);
    s.hop = rng.uniform(0, 1);
    const GridShape shape{int(1 + rng.below(10)), int(1 + rng.below(6)), int(1 + rng.below(5))};
    const double hops = shape.devices > 1 ? 2 * s.hop : 0;
    const double chain = s.embedding_f + s.cell_f * (shape.layers + shape.sequence - 1) + s.softmax_f + hops;
    const double work =
        shape.sequence * (s.embedding_f + shape.layers * s.cell_f + s.softmax_f) / shape.devices;
    const double seconds = forward_time(s, shape);
    EXPECT_GE(seconds, chain - 1e-9) << seed;
    EXPECT_GE(seconds, work - 1e-9) << seed;
  }
}

TEST(LanguageModel, MemoryAndParametersAreTheirSums) {
  CrossFlowConfig c = example();
  const Machine m = generate(c, BelowMargin::FewerUnits);
  c.parallelism = {};
  const LanguageModelTime t = language_model_time(m, c, ElementTraffic::Dram);
  EXPECT_DOUBLE_EQ(
      t.parameters,
      2 * c.model.vocabulary * c.model.hidden +
          2 * c.model.hidden * c.model.gates * c.model.hidden * c.model.layers);
  EXPECT_DOUBLE_EQ(t.seconds, t.forward + t.backward);
  EXPECT_DOUBLE_EQ(t.memory_there, m.memory[3].bytes);
  EXPECT_GE(t.memory_bytes, 3 * c.precision * t.parameters);
  // The released way of charging is never slower.
  EXPECT_LE(language_model_time(m, c, ElementTraffic::AsReleased).seconds, t.seconds);
}

TEST(LanguageModel, WhatCannotBeCutIsSaid) {
  CrossFlowConfig c = example();
  c.model.batch = 64;
  c.model.hidden = 1000;
  c.parallelism = {65, 1, 1, 1, Split::None};
  EXPECT_EQ(impossible(c), "more data-parallel workers than samples");
  c.parallelism = {1, 1, 3, 1, Split::ColumnRow};
  EXPECT_EQ(impossible(c), "twice the hidden size is not divisible by kp1");
  c.parallelism = {1, 1, 3, 1, Split::RowColumn};
  EXPECT_EQ(impossible(c), "the batch of a worker is not divisible by kp1");
  c.parallelism = {1, 1, 2, 3, Split::RowColumn};
  EXPECT_EQ(impossible(c), "the gates' width is not divisible by kp2");
  c.parallelism = {2, 1, 2, 4, Split::RowColumn};
  EXPECT_EQ(impossible(c), "");
}

TEST(ParallelLinks, ASharedLinkIsDividedByItsUsers) {
  CrossFlowConfig c = example();
  Machine m;
  m.intra.bytes_per_s = 100;
  m.inter.bytes_per_s = 60;
  c.workers = 16;
  c.nodes_per_wafer = 4;
  c.intra_derate = 2;
  c.inter_derate = 3;
  c.crosses = {false, true, false, true};
  const ParallelLinks links = parallel_links(m, c);
  EXPECT_DOUBLE_EQ(links.kernel_rows.bytes_per_s, 50);
  EXPECT_DOUBLE_EQ(links.kernel_columns.bytes_per_s, 20);
  EXPECT_DOUBLE_EQ(links.layer_ways.bytes_per_s, 20);
  c.inter_derate = 1;  // what crosses leaves its package too
  EXPECT_DOUBLE_EQ(parallel_links(m, c).kernel_columns.bytes_per_s, 50);
  c.workers = 4;
  EXPECT_DOUBLE_EQ(parallel_links(m, c).kernel_columns.bytes_per_s, 0);
}

TEST(Placement, ARingOnOnePackageLoadsItsLinksOnceOrTwice) {
  const PlacementResult one = place({4, 1, 1, 1}, {0, 1, 2, 3}, 2);
  ASSERT_TRUE(one.fits);
  EXPECT_EQ(one.derate.inter, 0);
  EXPECT_LE(one.derate.intra, 2);
  EXPECT_EQ(one.derate.crosses, (std::array<bool, 4>{false, false, false, false}));
  const PlacementResult apart = place({1, 1, 8, 1}, {2, 0, 1, 3}, 1);
  ASSERT_TRUE(apart.fits);
  EXPECT_TRUE(apart.derate.crosses[2]);
  EXPECT_GE(apart.derate.inter, 1);
}

}  // namespace
}  // namespace lento::predict
