#include "predict/search/search.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "campaign/campaign.h"
#include "predict/search/data_sheet.h"
#include "predict/search/plan.h"

namespace lento::predict {
namespace {

// Steps like those of whole banks: a plateau, then a drop.
double stepped(const Shares& s) {
  const double a = std::floor(s[0][0] * 20) / 20;
  const double b = std::floor(s[0][1] * 20) / 20;
  const double c = s[1][0];
  return std::pow(a - 0.6, 2) + std::pow(b - 0.3, 2) + std::pow(c - 0.25, 2);
}

TEST(Minimise, ExchangeEqualsBruteForceOnASteppedObjective) {
  double brute = INFINITY;
  for (int i = 1; i < 100; ++i) {
    for (int j = 1; i + j < 100; ++j) {
      for (int k = 1; k < 100; ++k)
        brute = std::min(
            brute,
            stepped({{i / 100.0, j / 100.0, (100 - i - j) / 100.0}, {k / 100.0, 1 - k / 100.0}}));
    }
  }
  MinimiseOptions options;
  options.starts = 4;
  const Minimum found = minimise(stepped, {3, 2}, options);
  EXPECT_LE(found.value, brute + 1e-4);
  for (const auto& part : found.at) {
    double sum = 0;
    for (const double share : part)
      sum += share;
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

SearchSpace small_space() {
  SearchSpace space;
  space.base = read_crossflow("examples/search/node.yaml");
  space.jobs = {{"", space.base.model, std::nullopt}};
  space.nodes = 16;
  space.rules.must_fit = false;
  space.refine_best = 1;
  space.logic = {logic_nodes()[1]};
  space.memory = {memory_generations()[0]};
  space.network = {network_generations()[0]};
  space.power = {300};
  space.chip_area = {space.base.budgets.chip_area};
  return space;
}

SearchOptions few_evaluations(uint64_t evaluations = 60, int starts = 1) {
  SearchOptions options;
  options.minimise.starts = starts;
  options.minimise.max_evaluations = evaluations;
  return options;
}

std::vector<std::string> all_lines(const SearchPlan& plan) {
  std::vector<std::string> lines;
  for (uint64_t i = 0; i < plan.runs(); ++i)
    lines.push_back(plan.run(i));
  return lines;
}

std::vector<DesignResult> search(const SearchSpace& space, const SearchOptions& options) {
  const SearchPlan plan(space, options);
  return plan.results(all_lines(plan));
}

Job transformer_job() {
  TrainingRun run;
  run.model.layers = 24;
  run.model.hidden = 2048;
  run.model.heads = 16;
  run.global_batch = 64;
  return {"", {}, run};
}

TEST(Search, TheBestDesignWrittenAndReadAgainTakesTheSameTime) {
  const SearchSpace space = small_space();
  const auto results = search(space, few_evaluations());
  ASSERT_EQ(results.size(), 1u);
  EXPECT_LE(results[0].parallel_s, results[0].data_parallel_s);
  EXPECT_LE(results[0].joint_s, results[0].parallel_s);
  const std::string path = (std::filesystem::temp_directory_path() / "lento_search_test.yaml").string();
  base::write_file(path, write_crossflow(results[0].config));
  EXPECT_NEAR(job_time(read_crossflow(path), results[0].way, space.rules).seconds, results[0].joint_s, 1e-12);
  std::filesystem::remove(path);
  EXPECT_EQ(conclude(space, results, {}).figures.size(), 4u);
}

// What `lento predict` says of the data sheet is what the search found.
TEST(Search, TheBestMachineOfATransformerIsADataSheet) {
  SearchSpace space = small_space();
  space.jobs = {transformer_job()};
  const auto results = search(space, few_evaluations());
  ASSERT_EQ(results.size(), 1u);
  ASSERT_TRUE(std::isfinite(results[0].joint_s));
  const auto sheet = data_sheet(results[0].config);
  ASSERT_TRUE(sheet);
  const System again = parse_system(write_system(*sheet), "best.yaml");
  EXPECT_NEAR(
      predict_training(again, *results[0].way.training).seconds,
      results[0].joint_s,
      1e-9 * results[0].joint_s);
  const finding::Diagnosis d = conclude(space, results, {});
  ASSERT_FALSE(d.notes.empty());
  EXPECT_NE(d.notes[0].find("kernels of the sheet"), std::string::npos);
}

// With the shares kept, the best of all ways is what trying each finds.
TEST(Search, EqualsBruteForceOverTechnologyAndWays) {
  for (const bool transformer : {false, true}) {
    SearchSpace space = small_space();
    if (transformer)
      space.jobs = {transformer_job()};
    space.optimise_resources = false;
    space.logic = {logic_nodes()[0], logic_nodes()[2]};
    space.package_dims = {1, 2};
    space.power = {200, 300};
    space.goal.measure = Measure::Energy;
    const auto results = search(space, few_evaluations());
    const DesignResult* best = best_of(results);
    ASSERT_TRUE(best);
    double brute = INFINITY;
    for (const DesignPoint& p : design_points(space)) {
      const CrossFlowConfig design = design_of(space, p);
      for (const Way& way : all_ways(design, space.jobs[0], space.nodes, p.package_dim, false)) {
        const double s =
            job_time(with_way(design, space.jobs[0], way, p.package_dim), way, space.rules).seconds;
        brute = std::min(brute, space.nodes * p.power * s);
      }
    }
    EXPECT_DOUBLE_EQ(best->value, brute);
  }
}

// Shares on a grid, tried one and all, against the exchanges from the same design.
TEST(Search, SharesAreNeverWorseThanAGrid) {
  const SearchSpace space = small_space();
  SearchOptions options = few_evaluations(4000, 4);
  const auto results = search(space, options);
  const CrossFlowConfig design = results[0].config;
  double brute = INFINITY;
  for (int core = 1; core < 10; ++core) {
    for (int cache = 1; core + cache < 10; ++cache) {
      Shares s = shares_of(design);
      const double both = s[0][0] + s[0][1];
      s[0][0] = both * core / (core + cache);
      s[0][1] = both * cache / (core + cache);
      brute = std::min(brute, job_time(with_shares(design, s), results[0].way, space.rules).seconds);
    }
  }
  EXPECT_LE(results[0].joint_s, brute * 1.001);
}

TEST(Search, ALatencyComesBeforeTheObjective) {
  SearchSpace space = small_space();
  space.optimise_resources = false;
  space.power = {100, 300};
  space.goal.measure = Measure::Energy;
  const double frugal = best_of(search(space, few_evaluations()))->joint_s;
  space.goal.latency_s = frugal * 0.9;
  const auto results = search(space, few_evaluations());
  const DesignResult* best = best_of(results);
  ASSERT_TRUE(best);
  EXPECT_LT(best->joint_s, frugal);
}

TEST(Goal, CostCountsDiesStacksAndElectricity) {
  const SearchSpace space = small_space();
  Goal goal;
  goal.measure = Measure::Cost;
  goal.prices.wafer_usd["N12"] = 4000;
  const CrossFlowConfig& c = space.base;
  const double die = node_price(goal.prices, c, "N12");
  EXPECT_GT(die, 4000 / 83.0);  // 70686 mm2 of wafer hold at most 83 dies of 850 mm2
  goal.prices.stack_usd = 100;
  const double with_stacks = node_price(goal.prices, c, "N12");
  EXPECT_NEAR(std::fmod(with_stacks - die, 100), 0, 1e-9);
  goal.prices.usd_per_joule = 1;
  EXPECT_NEAR(
      value_of(goal, c, "N12", 2, 3.0),
      2 * with_stacks / goal.prices.life_s * 3 + 2 * 300 * 3.0,
      1e-9);
  EXPECT_THROW(node_price(goal.prices, c, "N7"), base::Error);
}

// Killed at any moment: the journal holds whole runs, each is done once, and the result is the same.
TEST(Search, ResumesAfterAKillWithoutRepeatingAnEvaluation) {
  const SearchSpace space = small_space();
  const SearchPlan plan(space, few_evaluations(10 * 40, 40));
  const std::string path =
      (std::filesystem::temp_directory_path() / ("lento_search_journal" + std::to_string(::getpid())))
          .string();
  std::filesystem::remove(path);
  campaign::Options options;
  options.journal = path;
  options.identity = "test";
  options.threads = 1;
  const pid_t child = ::fork();
  if (child == 0) {
    campaign::run_all(
        plan.runs(),
        [&](uint64_t i) {
          return i == 20 ? (::kill(::getpid(), SIGKILL), "") : plan.run(i);
        },
        options);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  std::vector<int> done(plan.runs(), 0);
  const auto outcome = campaign::run_all(
      plan.runs(),
      [&](uint64_t i) {
        return ++done[i], plan.run(i);
      },
      options);
  EXPECT_EQ(outcome.resumed, 20u);
  for (uint64_t i = 0; i < plan.runs(); ++i)
    EXPECT_EQ(done[i], i < 20 ? 0 : 1) << i;
  EXPECT_EQ(outcome.results, all_lines(plan));
  std::filesystem::remove(path);
}

TEST(Search, StoppingKeepsWhatIsDone) {
  const SearchSpace space = small_space();
  const SearchPlan plan(space, few_evaluations(200, 4));
  std::vector<std::string> lines(plan.runs());
  lines[0] = plan.run(0);
  lines[2] = plan.run(2);
  const auto some = plan.results(lines);
  const auto all = plan.results(all_lines(plan));
  ASSERT_EQ(some.size(), 1u);
  EXPECT_LE(all[0].joint_s, some[0].joint_s);
  EXPECT_LE(some[0].joint_s, some[0].parallel_s);
  lines[0].clear();
  EXPECT_TRUE(plan.results(lines).empty());
}

TEST(Search, ADamagedJournalIsRefusedWithItsRun) {
  const SearchSpace space = small_space();
  const SearchPlan plan(space, few_evaluations(20));
  const std::vector<std::string> good = all_lines(plan);
  const std::pair<std::string, std::string> bad[] = {
      {"7", ""},
      {"0 inf 0 1", ""},
      {"1e9 1 0 1", ""},
      {good[0] + " 9", ""},
      {good[0], "1"},
      {good[0], "-1 5"},
      {good[0], "0.1 5 0.5"},
      {good[0], good[1] + " 0.5"},
      {good[0], "0.1 nan 1"}};
  for (const auto& [ways, start] : bad) {
    std::vector<std::string> lines{ways, start};
    lines.resize(plan.runs());
    try {
      plan.results(lines);
      ADD_FAILURE() << lines[0] << " | " << lines[1];
    } catch (const base::Error& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("run ")) << lines[1];
    }
  }
}

TEST(Search, ATrialStartsWithTheFirstRunThatIsDone) {
  SearchSpace space = small_space();
  space.seeds = 2;
  const SearchPlan plan(space, few_evaluations(60, 2));
  std::vector<std::string> lines = all_lines(plan);
  ASSERT_EQ(lines.size(), 5u);
  lines[3].clear();               // first start of the second seed
  lines[1] = lines[2] = "inf 0";  // no way for the first
  const auto trials = plan.trials(lines);
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].seed, 1);
}

TEST(Search, AComparisonHasATrialForEveryMethodAndSeed) {
  SearchSpace space = small_space();
  space.methods = {Method::Soe, Method::Exchange};
  space.seeds = 3;
  const SearchPlan plan(space, few_evaluations(60, 2));
  const auto trials = plan.trials(all_lines(plan));
  ASSERT_EQ(trials.size(), 6u);
  for (const Trial& t : trials)
    EXPECT_LE(t.evaluations, 60u + 2 * 15);
}

TEST(Search, EveryStrategyUsesAllNodes) {
  CrossFlowConfig c;
  c.model = {64, 1000, 64, 4, 0, 2, 4};
  for (const Strategy& s : all_strategies(c, 16, 2)) {
    const Parallelism& p = s.parallelism;
    EXPECT_EQ(p.dp * p.layer_ways * p.kernel_rows * p.kernel_columns, 16);
    EXPECT_LE(p.layer_ways, 2);
  }
}

TEST(Search, InterleavingNeedsMicroBatchesThatTheStagesDivide) {
  size_t interleaved = 0;
  for (const Way& way : all_ways(small_space().base, transformer_job(), 16, 1, false)) {
    const TrainingRun& r = way.training.value();
    if (r.interleave == 1)
      continue;
    ++interleaved;
    EXPECT_EQ(r.micro_batches() % r.pipeline, 0) << to_string(way);
  }
  EXPECT_GT(interleaved, 0u);
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
