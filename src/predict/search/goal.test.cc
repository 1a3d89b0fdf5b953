#include "predict/search/goal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "predict/search/technology.h"

namespace lento::predict {
namespace {

Goal priced(Measure measure) {
  Goal goal;
  goal.measure = measure;
  goal.prices.wafer_usd["N12"] = 4000;
  return goal;
}

CrossFlowConfig design() {
  return read_crossflow("examples/search/node.yaml");
}

TEST(Goal, TheNamesOfMeasures) {
  for (const auto& [name, measure] :
       {std::pair{"time", Measure::Time},
        std::pair{"energy", Measure::Energy},
        std::pair{"cost", Measure::Cost}})
    EXPECT_EQ(measure_of(name), measure);
  EXPECT_NE(title_of(Measure::Time), title_of(Measure::Energy));
}

TEST(Goal, EnergyIsPowerTimesNodesTimesTime) {
  CrossFlowConfig c = design();
  c.budgets.power = 250;
  EXPECT_DOUBLE_EQ(energy_of(c, 8, 0.5), 1000);
  EXPECT_DOUBLE_EQ(value_of(priced(Measure::Energy), c, "N12", 8, 0.5), 1000);
  EXPECT_DOUBLE_EQ(value_of(priced(Measure::Time), c, "N12", 8, 0.5), 0.5);
}

TEST(Goal, ADieCostsItsShareOfTheWaferOverTheYield) {
  CrossFlowConfig c = design();
  Goal goal = priced(Measure::Cost);
  for (const double area : {100.0, 400.0, 800.0}) {
    c.budgets.chip_area = area;
    const double dies = std::numbers::pi * 150 * 150 / area - std::numbers::pi * 300 / std::sqrt(2 * area);
    goal.prices.defects_per_mm2 = 0;
    const double perfect = node_price(goal.prices, c, "N12");
    EXPECT_NEAR(perfect, 4000 / std::floor(dies), 1e-9) << area;
    goal.prices.defects_per_mm2 = 0.002;
    const double faults = 0.002 * area;
    const double yield = std::pow((1 - std::exp(-faults)) / faults, 2);
    EXPECT_NEAR(node_price(goal.prices, c, "N12"), perfect / yield, 1e-6) << area;
  }
}

TEST(Goal, ANodeIsPaidOverItsLife) {
  const CrossFlowConfig c = design();
  Goal goal = priced(Measure::Cost);
  goal.prices.node_usd = 10000;
  goal.prices.life_s = 1e6;
  const double node = node_price(goal.prices, c, "N12");
  EXPECT_NEAR(cost_of(goal, c, "N12", 3, 100), 3 * node * 100 / 1e6, 1e-9);
  Goal dearer = goal;
  dearer.prices.node_usd += 500;
  EXPECT_NEAR(node_price(dearer.prices, c, "N12") - node, 500, 1e-6);
  goal.prices.usd_per_joule = 1e-7;
  EXPECT_NEAR(cost_of(goal, c, "N12", 3, 100), 3 * node * 100 / 1e6 + 1e-7 * energy_of(c, 3, 100), 1e-9);
}

TEST(Goal, BeyondTheLatencyNothingIsBetterThanWithinAndLongerIsWorse) {
  const CrossFlowConfig c = design();
  for (const Measure measure : {Measure::Time, Measure::Energy, Measure::Cost}) {
    Goal goal = priced(measure);
    goal.latency_s = 0.1;
    const double within = value_of(goal, c, "N12", 64, 0.1);
    const double late = value_of(goal, c, "N12", 1, 0.1001);
    EXPECT_GT(late, within);
    EXPECT_GT(value_of(goal, c, "N12", 1, 0.2), late);
    EXPECT_TRUE(std::isinf(value_of(goal, c, "N12", 1, INFINITY)));
  }
}

TEST(Technology, NamesAreFoundOrTheNearestIsTold) {
  EXPECT_EQ(generation(logic_nodes(), "N5").value, 2);
  EXPECT_EQ(generation(memory_generations(), "HBM2").name, "HBM2");
  EXPECT_THROW(generation(logic_nodes(), "N6"), base::Error);
}

TEST(Technology, EachStepMultipliesTheOneBefore) {
  const CrossFlowConfig base = design();
  const auto& memory = memory_generations().front();
  const auto& network = network_generations().front();
  for (size_t i = 1; i < logic_nodes().size(); ++i) {
    const CrossFlowConfig before = with_technology(base, logic_nodes()[i - 1], memory, network);
    const CrossFlowConfig after = with_technology(base, logic_nodes()[i], memory, network);
    EXPECT_NEAR(before.core.area_per_mcu / after.core.area_per_mcu, 1.8, 1e-9);
    EXPECT_NEAR(before.core.power_per_mcu / after.core.power_per_mcu, 1.3, 1e-9);
    for (size_t level = 0; level < 3; ++level) {
      EXPECT_NEAR(before.sram[level].area_per_bit / after.sram[level].area_per_bit, 1.8, 1e-9);
      EXPECT_NEAR(before.sram[level].energy_per_bit / after.sram[level].energy_per_bit, 1.3, 1e-9);
    }
    EXPECT_EQ(after.dram.frequency, base.dram.frequency);
  }
}

TEST(Technology, MemoryAndNetworkKeepTheirPower) {
  const CrossFlowConfig base = design();
  for (const Generation& memory : memory_generations()) {
    for (const Generation& network : network_generations()) {
      const CrossFlowConfig c = with_technology(base, logic_nodes()[0], memory, network);
      const double rate = memory.value / memory_generations().front().value;
      EXPECT_NEAR(c.dram.frequency / base.dram.frequency, rate, 1e-9);
      EXPECT_NEAR(
          c.dram.frequency * c.dram.energy_per_bit,
          base.dram.frequency * base.dram.energy_per_bit,
          1e-9 * base.dram.frequency * base.dram.energy_per_bit);
      EXPECT_NEAR(
          c.inter.frequency / base.inter.frequency,
          network.value / network_generations().front().value,
          1e-9);
      EXPECT_EQ(c.core.area_per_mcu, base.core.area_per_mcu);
    }
  }
}

}  // namespace
}  // namespace lento::predict
