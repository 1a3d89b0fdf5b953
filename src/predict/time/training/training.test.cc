// What a stack's scalars do to a training step, and the micro batch that is left open.
#include "predict/time/training/training.h"

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

// Experts on all sixteen replicas have no copies over which their state could be divided once more.
TEST(TrainingMemory, TheStateOfAModelIsNeverSmallerThanItsParameters) {
  TrainingRun run;
  run.model.layers = 8;
  run.model.hidden = 1024;
  run.model.heads = 8;
  run.model.experts = 64;
  run.model.active_experts = 2;
  run.model.ffn = 4096;
  run.data = 16;
  for (run.tensor = 1; run.tensor <= 4; run.tensor *= 4) {
    for (run.zero = 1; run.zero <= 3; ++run.zero) {
      for (run.expert = 1; run.expert <= 16 * run.tensor; run.expert *= 2) {
        const double all = training_memory(run, {}).weights * 16 * run.tensor;
        EXPECT_GE(all, 16 * run.model.parameters()) << run.tensor << " " << run.zero << " " << run.expert;
      }
    }
  }
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

double part_s(const TrainingRun& run, double TrainingTime::*part, const System& s = read_system("h100")) {
  return predict_training(s, run).*part;
}

TEST(Training, FrozenWeightsNeedNoGradientsOfTheirOwn) {
  TrainingRun run = run_of(1, 1, 8);
  const double learning = part_s(run, &TrainingTime::compute_s);
  run.frozen = true;
  const double saved = learning - part_s(run, &TrainingTime::compute_s);
  const double gradients = 16 * time_layer(read_system("h100"), run.model, shard_of(run)).weight_gradient_s;
  EXPECT_GT(saved, 8 * gradients);  // 8 micro batches, and the output layer's
  EXPECT_LT(saved, 1.3 * 8 * gradients);
  EXPECT_EQ(part_s(run, &TrainingTime::data_s), 0);
  EXPECT_EQ(part_s(run, &TrainingTime::optimizer_s), 0);
}

TEST(Training, ShardedWeightsAreGatheredForEveryMicroBatch) {
  System s = read_system("h100");
  s.stack.overlap = 0;
  TrainingRun run = run_of(1, 1, 8);
  run.zero = 3;
  const double eight = part_s(run, &TrainingTime::data_s, s);
  run.micro_batch = 8;
  EXPECT_NEAR(eight / part_s(run, &TrainingTime::data_s, s), 8, 1e-9);
}

TEST(Training, BubblesOfSchedulesFollowTheirClosedForms) {
  TrainingRun run = run_of(1, 8, 1);
  const double plain = part_s(run, &TrainingTime::bubble_s);
  run.interleave = 2;
  EXPECT_NEAR(part_s(run, &TrainingTime::bubble_s), plain / 2, 1e-12);
  run.interleave = 1;
  run.schedule = Schedule::ZeroBubble;
  const double zero = part_s(run, &TrainingTime::bubble_s);
  const double gradients = 2 * time_layer(read_system("h100"), run.model, shard_of(run)).weight_gradient_s;
  EXPECT_NEAR(zero, plain - 7 * 2 * gradients, 1e-9);  // two layers a stage
  run.schedule = Schedule::DualPipe;
  const double dual = part_s(run, &TrainingTime::bubble_s);
  EXPECT_GT(dual, 3.0 / 7 * zero);  // (p/2 - 1) of (p - 1), by units lent to exchanges
  EXPECT_LT(dual, 1.3 * 3.0 / 7 * zero);
}

TEST(Training, ExpandedKeysCrossNodesByTheHead) {
  TrainingRun run = run_of(8, 1, 1);
  run.model.kv_heads = 8;
  run.model.heads = 16;
  run.context = 2;
  run.sequence_parallel = true;
  const double narrow = part_s(run, &TrainingTime::tensor_s);
  run.expanded_keys = true;
  EXPECT_GT(part_s(run, &TrainingTime::tensor_s), narrow);
}

TEST(Training, ExpertsOnOtherNodesCostMoreUnlessOverlapped) {
  TrainingRun run = run_of(1, 1, 64);
  run.model.experts = 64;
  run.model.active_experts = 4;
  run.expert = 8;
  const double here = part_s(run, &TrainingTime::tensor_s);
  run.expert = 64;
  const double there = part_s(run, &TrainingTime::tensor_s);
  EXPECT_GT(there, 2 * here);
  run.overlap_experts = true;
  EXPECT_LT(part_s(run, &TrainingTime::tensor_s), there);
}

TEST(Training, OnlyLayersWithExpertsExchangeRowsAndAsWideAsTheExpertsTakeThem) {
  System s = read_system("h100");
  s.network.between_Bps = 1e9;  // the exchange between nodes takes nearly all the time
  TrainingRun run = run_of(1, 1, 64);
  run.model.experts = 64;
  run.model.active_experts = 4;
  run.model.expert_width = run.model.hidden;
  run.expert = 64;
  const double whole = predict_training(s, run).tensor_s;
  run.model.expert_width = run.model.hidden / 4;
  EXPECT_NEAR(predict_training(s, run).tensor_s, whole / 4, 0.02 * whole);
  run.model.expert_width = run.model.hidden;
  run.model.dense_layers = run.model.layers / 2;
  run.model.dense_ffn = 8192;
  EXPECT_NEAR(predict_training(s, run).tensor_s, whole / 2, 0.02 * whole);
}

TEST(Training, AHybridsLayersKeepWhatTheirKindNeeds) {
  TrainingRun run = run_of(1, 1, 1);
  const double whole = training_memory(run, {}).activations;
  run.model.attention_layers = run.model.layers / 2;  // each layer attends or feeds
  run.model.feed_layers = run.model.layers / 2;
  EXPECT_NEAR(training_memory(run, {}).activations, whole / 2, 1e-6 * whole);
}

TEST(Training, NarrowProductsAreQuickerButTheirOperandsAreCast) {
  TrainingRun run = run_of(1, 1, 8);
  run.micro_batch = 8;
  const double wide = part_s(run, &TrainingTime::compute_s);
  run.products = Precision::Fp8;
  const double narrow = part_s(run, &TrainingTime::compute_s);
  EXPECT_LT(narrow, wide);
  EXPECT_GT(narrow, 0.55 * wide);
}

TEST(Training, TheStacksAttentionSetsThePaceOfLongSequences) {
  System s = read_system("h100");
  TrainingRun run = run_of(1, 1, 8);
  run.sequence = 65536;
  const double before = part_s(run, &TrainingTime::compute_s, s);
  s.stack.attention = 0.5;
  EXPECT_GT(part_s(run, &TrainingTime::compute_s, s), 1.5 * before);
}

TEST(Training, MemoryOfALayerIsWhatItsProductsAndNormsNeed) {
  TrainingRun run = run_of(1, 1, 1);
  run.model.vocab = 0;
  Stack stack;
  stack.kept = 1;
  const double h = 2048;
  const double tokens = 4096;
  // 8 hidden of norms, 4 + 4 of attention, 4 times 4 of the feed
  const TrainingMemory whole = training_memory(run, stack);
  EXPECT_NEAR(whole.activations, 16 * tokens * 32 * h, 1);
  run.recompute = Recompute::Full;
  const TrainingMemory inputs = training_memory(run, stack);
  EXPECT_NEAR(inputs.activations, 16 * tokens * 2 * h, 1);
  EXPECT_NEAR(inputs.working, tokens * 32 * h, 1);
  run.recompute = Recompute::Operators;
  const TrainingMemory some = training_memory(run, stack);
  EXPECT_LT(some.activations, whole.activations);
  EXPECT_GT(some.activations, inputs.activations);
}

TEST(Training, ShardedStatesTakeSixteenBytesOverTheReplicas) {
  TrainingRun run = run_of(1, 1, 64);
  run.zero = 3;
  const double many = training_memory(run, Stack{}).weights;
  run.data = 8;
  run.global_batch = 8;
  const double few = training_memory(run, Stack{}).weights;
  const double parameters = run.model.layer_parameters() * 16 + double(run.model.vocab) * 2048;
  EXPECT_NEAR(few - many, parameters * 16 * (1.0 / 8 - 1.0 / 64), 1e-3 * few);
}

TEST(Training, ARunThatDoesNotTellFitsWithAsMuchRecomputationAsItNeeds) {
  const System s = read_system("h100");
  TrainingRun run = run_of(1, 1, 8);
  run.micro_batch = 8;
  run.sequence = 8192;
  EXPECT_FALSE(predict_training(s, run).fits);
  const double seconds_of = seconds(s, run);
  run.recompute_open = true;
  EXPECT_TRUE(predict_training(s, run).fits);
  EXPECT_EQ(seconds(s, run), seconds_of);
}

TEST(Training, OperatorsRecomputeLessThanWholeLayers) {
  TrainingRun run = run_of(1, 1, 8);
  run.recompute = Recompute::Full;
  const double full = part_s(run, &TrainingTime::recompute_s);
  run.recompute = Recompute::Operators;
  EXPECT_LT(part_s(run, &TrainingTime::recompute_s), 0.8 * full);
  EXPECT_GT(part_s(run, &TrainingTime::recompute_s), 0.4 * full);
}

}  // namespace
}  // namespace lento::predict
