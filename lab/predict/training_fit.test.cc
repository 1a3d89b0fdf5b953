#include "lab/predict/training_fit.h"

#include <gtest/gtest.h>

namespace lento::predict {
namespace {

PublishedRun run_of(int64_t hidden, int64_t sequence, double scale = 1) {
  PublishedRun out;
  TrainingRun run;
  run.model.layers = 8;
  run.model.hidden = hidden;
  run.model.heads = hidden / 128;
  run.sequence = sequence;
  run.global_batch = 16;
  run.micro_batch = 2;
  run.data = 8;
  run.zero = 3;
  out.measured.question = {run, "h100", "planted"};
  System system = *find_shipped("h100");
  system.stack = Stack{};
  system.stack.library = 0.6;
  system.stack.attention = 0.4;
  system.stack.pointwise = 2;
  out.measured.seconds = scale * predict_training(system, run).seconds;
  out.table = "MPT";
  out.name = std::to_string(hidden);
  out.chip = out.silicon = "h100";
  out.software = "planted";
  out.parameters = run.model.parameters();
  return out;
}

std::vector<PublishedRun> planted() {
  std::vector<PublishedRun> runs;
  for (const int64_t hidden : {1024, 2048, 3072, 4096, 6144})
    for (const int64_t sequence : {1024, 4096, 16384, 65536})
      runs.push_back(run_of(hidden, sequence));
  return runs;
}

TEST(TrainingFit, PlantedScalarsArePredictedOnModelsNeverSeen) {
  const std::vector<PublishedRun> runs = planted();
  const std::vector<JudgedRun> judged = judge_training(runs);
  const std::vector<TrainingBar> bars = training_bars(judged);
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_EQ(bars[0].rows, runs.size());
  EXPECT_LT(bars[0].mean, 0.08);
  EXPECT_LT(bars[0].mean, 0.5 * bars[0].flat_mean);
  EXPECT_TRUE(bars[0].reached());
}

TEST(TrainingFit, ARunIsNeverJudgedByAFitThatSawItsModel) {
  std::vector<PublishedRun> runs = planted();
  const std::vector<int> parts = parts_by_model(runs);
  for (size_t i = 0; i < runs.size(); ++i)
    for (size_t j = 0; j < runs.size(); ++j)
      EXPECT_TRUE(runs[i].parameters != runs[j].parameters || parts[i] == parts[j]);
  // Wrong times of one part leave what it is judged by as it was.
  const Stack before = fit_stacks(runs, parts[0]).at({"h100", "planted"});
  for (size_t i = 0; i < runs.size(); ++i)
    runs[i].measured.seconds *= parts[i] == parts[0] ? 1.6 : 1;
  EXPECT_EQ(fit_stacks(runs, parts[0]).at({"h100", "planted"}).library, before.library);
  EXPECT_LT(fit_stacks(runs, 1 - parts[0]).at({"h100", "planted"}).library, before.library);
}

TEST(TrainingFit, FewModelsAreEachAPartOfTheirOwn) {
  const std::vector<PublishedRun> runs = {run_of(1024, 1024), run_of(2048, 1024), run_of(4096, 1024)};
  EXPECT_EQ(parts_by_model(runs), (std::vector<int>{0, 1, 2}));
}

TEST(TrainingFit, AMissedLimitIsSaid) {
  std::vector<PublishedRun> runs = {run_of(1024, 1024)};
  JudgedRun j{&runs[0], {}, 1};
  j.time.seconds = 1.2 * runs[0].measured.seconds;
  EXPECT_FALSE(training_bars({j})[0].reached());
  EXPECT_NEAR(training_bars({j})[0].bias, 0.2, 1e-9);
}

TEST(TrainingFit, MemoryIsJudgedAgainstTheAllocatorsPeak) {
  std::vector<PublishedRun> runs = {run_of(1024, 1024), run_of(2048, 1024)};
  runs[0].peak_bytes = 50e9;
  JudgedRun with{&runs[0], {}, 1};
  with.time.memory_bytes = 55e9 + find_shipped("h100")->chip.memory_reserve;
  with.time.fits = true;
  const JudgedRun without{&runs[1], {}, 1};  // said not to fit
  const std::vector<TrainingBar> bars = memory_bars({with, without});
  EXPECT_EQ(bars[0].rows, 1u);
  EXPECT_NEAR(bars[0].mean, 0.1, 1e-9);
  EXPECT_NEAR(bars[1].mean, 0.5, 1e-12);
  EXPECT_FALSE(bars[1].reached());
}

}  // namespace
}  // namespace lento::predict
