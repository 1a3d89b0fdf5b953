// What a stack's scalars do to a training step, and the micro batch that is left open.
#include "predict/time/training.h"

#include <gtest/gtest.h>

namespace lento::predict {
namespace {

TrainingRun run_of(int tensor, int pipeline, int data) {
  TrainingRun run;
  run.model.layers = 16;
  run.model.hidden = 2048;
  run.model.heads = 16;
  run.sequence = 4096;
  run.global_batch = 64;
  run.tensor = tensor;
  run.pipeline = pipeline;
  run.data = data;
  return run;
}

double seconds(const System& s, const TrainingRun& run) {
  return predict_training(s, run).seconds;
}

TEST(Training, AHandOverBetweenNodesStallsEveryMicroBatch) {
  System s = read_system("h100");
  const TrainingRun run = run_of(8, 4, 1);
  const double before = seconds(s, run);
  s.stack.hand_over_s = 0.5;
  EXPECT_NEAR(seconds(s, run) - before, 0.5 * (2 * 64 + 1), 1e-6);
  EXPECT_DOUBLE_EQ(seconds(s, run_of(2, 4, 1)), seconds(read_system("h100"), run_of(2, 4, 1)));  // one node
}

TEST(Training, HostTimeGrowsWithTensorWaysInPipelinesAcrossNodes) {
  System s = read_system("h100");
  s.stack.host_layer_s = 5e-3;
  const double before = seconds(s, run_of(8, 2, 1));
  s.stack.host_tensor = 0.5;
  EXPECT_GT(seconds(s, run_of(8, 2, 1)), 3 * before);
  EXPECT_LT(seconds(s, run_of(8, 1, 2)), before * 2.2);  // no pipeline
}

TEST(Training, AnOpenMicroBatchIsTheFastestThatFits) {
  const System s = read_system("h100");
  TrainingRun run = run_of(1, 1, 8);
  run.micro_batch = 0;
  const TrainingRun chosen = with_micro_batch(s, run);
  for (const int64_t other : {1, 2, 4, 8}) {
    run.micro_batch = other;
    const TrainingTime t = predict_training(s, run);
    EXPECT_TRUE(!t.fits || t.seconds >= seconds(s, chosen)) << other;
  }
}

TEST(Training, AnInterleavedScheduleNeedsMicroBatchesThatTheStagesDivide) {
  const System s = read_system("a100");
  TrainingRun run = run_of(1, 4, 1);
  run.interleave = 2;
  EXPECT_GT(seconds(s, run), 0);
  run.micro_batch = 32;
  EXPECT_THROW(predict_training(s, run), base::Error);
}

TEST(Training, SequenceParallelismNeedsNoGatherAtAHandOver) {
  const System s = read_system("a100");
  TrainingRun run = run_of(8, 4, 1);
  const double gathered = predict_training(s, run).pipeline_s;
  run.sequence_parallel = true;
  EXPECT_LT(predict_training(s, run).pipeline_s, gathered);
}

}  // namespace
}  // namespace lento::predict
