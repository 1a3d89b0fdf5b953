#include "predict/search/search.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"

namespace lento::predict {
namespace {

// Steps like those of whole banks: a plateau, then a drop.
double stepped(const Shares& s) {
  const double a = std::floor(s[0][0] * 20) / 20, b = std::floor(s[0][1] * 20) / 20, c = s[1][0];
  return std::pow(a - 0.6, 2) + std::pow(b - 0.3, 2) + std::pow(c - 0.25, 2);
}

TEST(Minimise, ExchangeEqualsBruteForceOnASteppedObjective) {
  double brute = INFINITY;
  for (int i = 1; i < 100; ++i) {
    for (int j = 1; i + j < 100; ++j) {
      for (int k = 1; k < 100; ++k)
        brute = std::min(
            brute, stepped({{i / 100.0, j / 100.0, (100 - i - j) / 100.0}, {k / 100.0, 1 - k / 100.0}}));
    }
  }
  MinimiseOptions options;
  options.starts = 4;
  const Minimum found = minimise(stepped, {3, 2}, options);
  EXPECT_LE(found.value, brute + 1e-4);
  for (const auto& part : found.at) {
    double sum = 0;
    for (const double share : part) sum += share;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(Minimise, SameResultForAnyNumberOfThreadsAndWithinTheBudget) {
  for (const Method method : {Method::Soe, Method::Exchange, Method::Subplex}) {
    MinimiseOptions options;
    options.method = method;
    options.starts = 3;
    options.max_evaluations = 600;
    const Minimum one = minimise(stepped, {3, 2}, options);
    options.threads = 3;
    const Minimum three = minimise(stepped, {3, 2}, options);
    EXPECT_EQ(one.value, three.value) << name_of(method);
    EXPECT_EQ(one.at, three.at) << name_of(method);
    EXPECT_LE(one.evaluations, 660u) << name_of(method);
  }
}

TEST(Technology, ALogicStepScalesAreaAndPowerAndMemoryKeepsItsPower) {
  CrossFlowConfig c;
  c.core.area_per_mcu = c.core.operating_area_per_mcu = 1.8;
  c.core.power_per_mcu = 1.3;
  c.dram.frequency = 1e9;
  c.dram.energy_per_bit = 4e-12;
  const CrossFlowConfig n7 =
      with_technology(c, logic_nodes()[1], memory_generations()[1], network_generations()[0]);
  EXPECT_DOUBLE_EQ(n7.core.operating_area_per_mcu, 1);
  EXPECT_DOUBLE_EQ(n7.core.power_per_mcu, 1);
  EXPECT_DOUBLE_EQ(n7.dram.frequency * n7.dram.energy_per_bit, c.dram.frequency * c.dram.energy_per_bit);
}

TEST(Search, TheBestDesignWrittenAndReadAgainTakesTheSameTime) {
  const std::string source = std::filesystem::exists("examples/search/node.yaml")
                                 ? "examples/search/node.yaml"
                                 : "../../examples/search/node.yaml";
  SearchSpace space;
  space.base = read_crossflow(source);
  space.nodes = 16;
  space.must_fit = false;
  space.refine_best = 1;
  space.logic = {logic_nodes()[1]};
  space.memory = {memory_generations()[0]};
  space.network = {network_generations()[0]};
  space.power = {300};
  SearchOptions options;
  options.threads = 1;
  options.minimise.starts = 1;
  options.minimise.max_evaluations = 60;
  const auto results = search(space, options);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_LE(results[0].parallel_s, results[0].data_parallel_s);
  EXPECT_LE(results[0].joint_s, results[0].parallel_s);
  const std::string path = (std::filesystem::temp_directory_path() / "lento_search_test.yaml").string();
  base::write_file(path, write_crossflow(results[0].config));
  EXPECT_NEAR(iteration_time(read_crossflow(path), false), results[0].joint_s, 1e-12);
  std::filesystem::remove(path);
  EXPECT_EQ(conclude(space, results).figures.size(), 4u);
}

TEST(Search, EveryStrategyUsesAllNodes) {
  CrossFlowConfig c;
  c.model = {64, 1000, 64, 4, 0, 2, 4};
  for (const Strategy& s : all_strategies(c, 16, 2)) {
    const Parallelism& p = s.parallelism;
    EXPECT_EQ(p.dp * p.lp * p.kp1 * p.kp2, 16);
    EXPECT_LE(p.lp, 2);
  }
}

TEST(SearchSpace, SaysEveryFaultAtOnce) {
  const std::string path = (std::filesystem::temp_directory_path() / "lento_space_test.yaml").string();
  base::write_file(path, "schema: lento.search/1\nnodes: 0\nlogic: [N9]\nbogus: 1\n");
  try {
    read_search_space(path);
    FAIL();
  } catch (const base::Error& e) {
    const std::string text = e.what();
    EXPECT_THAT(text, ::testing::HasSubstr("'base' is missing"));
    EXPECT_THAT(text, ::testing::HasSubstr("found '0' for 'nodes'"));
    EXPECT_THAT(text, ::testing::HasSubstr("'N9' is not a known generation"));
    EXPECT_THAT(text, ::testing::HasSubstr("unknown key 'bogus'"));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lento::predict
