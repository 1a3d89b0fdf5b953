// Closed forms of the time of a load, and limits below what any software reaches.
#include "predict/expect/run_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/time/rows/known_models.h"

namespace lento::predict {
namespace {

constexpr SoftwareScalars kNone = {1, 1, 0, 0, 0, 0, 0, 1};

InferenceRun llama(int64_t batch, int64_t prompt, int64_t output) {
  InferenceRun r;
  r.model.layers = 32;
  r.model.hidden = 4096;
  r.model.heads = 32;
  r.model.ffn = 11008;
  r.model.vocab = 32000;
  r.model.gated = true;
  r.model.tied = false;
  r.batch = batch;
  r.prompt = prompt;
  r.output = output;
  return r;
}

const System& a100() {
  return *find_shipped("a100");
}

TEST(ServedWork, OneRequestStreamsTheWeightsOnceAToken) {
  const InferenceRun run = llama(1, 1, 101);
  const ServedWork work(a100(), {run, "", false});
  // Embedding rows are looked up, all else is read; the cache of some 50 tokens is small beside it.
  const double weights = 2 * (run.model.parameters() - 32000.0 * 4096);
  const double per_token = (work.seconds(kNone) - work.first_token_s(kNone)) / 100;
  const double share = per_token * a100().chip.memory_Bps / weights;
  EXPECT_GT(share, 1.0);
  EXPECT_LT(share, 1.6);  // products of one row reach two thirds of the bandwidth
  EXPECT_GT(work.seconds(kNone), work.limit_s());
  EXPECT_LT(work.seconds(kNone), 1.4 * work.limit_s());
}

// A window on all but a layer in eight leaves little of a long cache to be read, by engines and at the limit.
TEST(ServedWork, LayersWithAWindowReadNoMoreThanIt) {
  InferenceRun run = llama(4, 32768, 101);
  const ServedWork full(a100(), {run, "", false});
  run.model.window = 1024;
  run.model.window_layers = 28;
  const ServedWork near(a100(), {run, "", false});
  EXPECT_LT(near.step_s(kNone), 0.7 * full.step_s(kNone));
  EXPECT_LT(near.limit_s(), 0.9 * full.limit_s());
  EXPECT_GT(near.seconds(kNone), near.limit_s());
  EXPECT_DOUBLE_EQ(run.model.cache_reads(32768) / run.model.cache_values(), (28 * 1024 + 4 * 32768) / 32.0);
  run.model.window = 1 << 20;
  EXPECT_NEAR(ServedWork(a100(), {run, "", false}).step_s(kNone), full.step_s(kNone), 1e-9);
}

// A V100 multiplies fp16 alone, also the rows that a router reads.
TEST(ServedWork, MixturesAreServedOnChipsWithoutBf16) {
  InferenceRun run = llama(1, 128, 128);
  run.model.experts = 8;
  run.model.active_experts = 2;
  run.precision = Precision::Fp16;
  const ServedWork work(*find_shipped("v100"), {run, "", false});
  EXPECT_GT(work.seconds(kNone), work.limit_s());
}

TEST(ServedWork, EachScalarOfTheHostAddsItsOwnShare) {
  const ServedWork work(a100(), {llama(8, 16, 101), "", false});
  const double bare = work.seconds(kNone);
  SoftwareScalars s = kNone;
  s[4] = 1e-3;  // a step: one of the prompts, a hundred of decoding
  EXPECT_NEAR(work.seconds(s) - bare, 0.101, 1e-9);
  s = kNone;
  s[5] = 1e-4;  // a request in a step
  EXPECT_NEAR(work.seconds(s) - bare, 0.08, 1e-9);
  s = kNone;
  s[3] = 1e-5;  // a layer of a step
  EXPECT_NEAR(work.seconds(s) - bare, 101 * 32 * 1e-5, 1e-9);
}

TEST(ServedWork, MoreRequestsThanTheCacheHoldsWait) {
  const InferenceRun few = llama(8, 1024, 1024);
  const InferenceRun many = llama(8000, 1024, 1024);
  const ServedWork all(a100(), {many, "", false});
  EXPECT_EQ(ServedWork(a100(), {few, "", false}).together(), 8);
  EXPECT_LT(all.together(), 100);
  EXPECT_LT(all.memory_bytes(), a100().chip.memory_bytes);
  // The rate of answers no longer grows with the queue.
  InferenceRun more = many;
  more.batch = 16000;
  const ServedWork twice(a100(), {more, "", false});
  EXPECT_NEAR(twice.tokens() / twice.seconds(kNone), all.tokens() / all.seconds(kNone), 1);
}

// The last prompt waits for all others, and for those rounds that leave no room.
TEST(ServedWork, TheFirstTokenFollowsTheLoad) {
  SoftwareScalars prompts = kNone;
  prompts[0] = 0;  // decoding takes no kernels
  const auto last = [&](int64_t batch) {
    return ServedWork(a100(), {llama(batch, 1024, 256), "", false}).last_first_token_s(prompts);
  };
  const ServedWork one(a100(), {llama(1, 1024, 256), "", false});
  EXPECT_DOUBLE_EQ(one.first_token_s(kNone), one.last_first_token_s(kNone));
  EXPECT_NEAR(last(64) / last(32), 2, 0.05);
  const ServedWork many(a100(), {llama(8000, 1024, 1024), "", false});
  EXPECT_GT(many.last_first_token_s(kNone), 0.9 * many.seconds(kNone));
  EXPECT_LT(many.first_token_s(kNone), 1e-3 * many.seconds(kNone));
}

TEST(ServedWork, WeightsStoredInFourBitsAreReadInFourBits) {
  InferenceRun run = llama(1, 16, 101);
  const ServedWork plain(a100(), {run, "", false});
  run.model.weight_bits = 4;
  const ServedWork four(a100(), {run, "", false});
  EXPECT_LT(four.memory_bytes(), 0.35 * plain.memory_bytes());
  EXPECT_LT(four.limit_s(), 0.4 * plain.limit_s());
  EXPECT_LT(four.step_s(kNone), 0.7 * plain.step_s(kNone));
  EXPECT_GT(four.seconds(kNone), four.limit_s());
}

TEST(ServedWork, ACacheOfEightBitsIsHalfAsLarge) {
  const System& chip = *find_shipped("h100");
  ServedLoad load{llama(64, 8192, 101), "vllm v1", false};
  load.run.precision = Precision::Fp8;
  const ServedWork wide(chip, load);
  load.cache_bits = 16;
  EXPECT_EQ(ServedWork(chip, load).seconds(kNone), wide.seconds(kNone));
  load.cache_bits = 8;
  const ServedWork narrow(chip, load);
  EXPECT_GT(narrow.together(), 1.5 * wide.together());
  EXPECT_LT(narrow.seconds(kNone), wide.seconds(kNone));
}

TEST(ServedWork, ABenchmarkThatLimitsWhatIsInFlightTakesRounds) {
  ServedLoad load{llama(100, 16, 101), "", false};
  load.at_once = 32;
  const ServedWork rounds(a100(), load);
  EXPECT_EQ(rounds.together(), 32);
  // Three full rounds and one of four requests, which is hardly faster.
  SoftwareScalars step = kNone;
  step[4] = 1e-3;
  EXPECT_NEAR(rounds.seconds(step) - rounds.seconds(kNone), 1e-3 * (4 * 100 + 1), 1e-9);
  load.at_once = 0;
  EXPECT_LT(ServedWork(a100(), load).seconds(kNone), 0.5 * rounds.seconds(kNone));
}

TEST(ServedWork, AServerTakesInEachRequest) {
  ServedLoad load{llama(8, 16, 101), "", false};
  SoftwareScalars s = kNone;
  s[6] = 1e-2;
  const ServedWork server(a100(), load);
  EXPECT_NEAR(server.seconds(s) - server.seconds(kNone), 0.08, 1e-9);
  load.server = false;
  const ServedWork program(a100(), load);
  EXPECT_EQ(program.seconds(s), program.seconds(kNone));
}

TEST(ServedWork, StepsThatAreScheduledAtOnceShareTheHost) {
  ServedLoad load{llama(8, 16, 101), "", false};
  SoftwareScalars s = kNone;
  s[4] = 1e-2;
  const ServedWork each(a100(), load);
  load.scheduled = 10;
  const ServedWork ten(a100(), load);
  EXPECT_NEAR(each.step_s(s) - each.step_s(kNone), 1e-2, 1e-9);
  EXPECT_NEAR(ten.step_s(s) - ten.step_s(kNone), 1e-3, 1e-9);
}

TEST(ServedWork, SoftwareScalesTheLatencyOfExchangesButNotTheirBytes) {
  InferenceRun run = llama(512, 2048, 2);
  run.tensor = 8;
  const ServedWork work(a100(), {run, "", false});
  SoftwareScalars once = kNone;
  once[2] = 1;
  SoftwareScalars twice = kNone;
  twice[2] = 2;
  const double latency = work.seconds(once) - work.seconds(kNone);
  EXPECT_NEAR(work.seconds(twice) - work.seconds(once), latency, 1e-9);
  // A prompt of eight thousand tokens moves bytes: latency is a small part of its exchanges.
  EXPECT_LT(latency, 0.05 * work.seconds(kNone));
  EXPECT_GT(latency, 0);
}

TEST(ServedWork, OnlyAMixtureWaitsForExperts) {
  SoftwareScalars s = kNone;
  s[7] = 2;
  InferenceRun run = llama(8, 16, 101);
  const ServedWork dense(a100(), {run, "", false});
  EXPECT_EQ(dense.seconds(s), dense.seconds(kNone));
  run.model.experts = 8;
  run.model.active_experts = 2;
  run.model.ffn = 2048;
  const ServedWork mixture(a100(), {run, "", false});
  EXPECT_GT(mixture.seconds(s), 1.2 * mixture.seconds(kNone));
}

TEST(ServedWork, AnswersOfVariedLengthsLeaveATail) {
  const InferenceRun run = llama(64, 128, 128);
  const double alike = ServedWork(a100(), {run, "", false}).seconds(kNone);
  const double varied = ServedWork(a100(), {run, "", true}).seconds(kNone);
  EXPECT_GT(varied, 2 * alike);  // the longest of 64 has ln 64 + 0.58 = 4.7 times the mean
  EXPECT_LT(varied, 5 * alike);
  const InferenceRun one = llama(1, 128, 128);
  EXPECT_EQ(
      ServedWork(a100(), {one, "", true}).seconds(kNone),
      ServedWork(a100(), {one, "", false}).seconds(kNone));
}

TEST(ServedWork, LayoutsThatDoNotDivideAreRefused) {
  InferenceRun run = llama(1, 1, 2);
  run.tensor = 3;
  EXPECT_THROW(ServedWork(a100(), {run, "", false}), base::Error);
  run = llama(1, 1, 2);
  run.model.layers = 320;
  EXPECT_FALSE(ServedWork(a100(), {run, "", false}).fits());
}

// Ten of sixty-two layers of Gemma 3 keep the whole sequence, the others 1024 tokens.
TEST(ServedWork, LayersWithAWindowKeepTheTokensInItAlone) {
  ServedLoad load{llama(32, 8192, 512), "vllm v1", false};
  load.run.model = *known_model("gemma-3-27b");
  load.run.tensor = 2;
  const System& h100 = *find_shipped("h100");
  const ServingMemory memory = serving_memory(h100.chip, load.run);
  EXPECT_DOUBLE_EQ(memory.request, 2.0 * 2 * 16 * 128 * (10 * 8704.0 + 52 * 1024.0) / 2);
  const ServedWork now(h100, load);
  load.stack = "vllm v0.6";
  const ServedWork before(h100, load);
  EXPECT_EQ(now.together(), 32);
  EXPECT_GT(before.memory_bytes(), now.memory_bytes());
}

// Each of two replicas of one device holds half of the experts, and their rows are exchanged.
TEST(ServedWork, ReplicasThatShareExpertsReadFewerAndExchangeRows) {
  InferenceRun run = llama(16, 1024, 256);
  run.model.experts = 8;
  run.model.active_experts = 2;
  run.model.ffn = 4096;
  run.data = 8;
  const System& h100 = *find_shipped("h100");
  const ServedWork own(h100, {run, "vllm v1", false});
  run.expert = 8;
  const ServedWork spread(h100, {run, "vllm v1", false});
  EXPECT_LT(spread.memory_bytes(), 0.5 * own.memory_bytes());
  EXPECT_LT(spread.step_s(kNone), own.step_s(kNone));
  SoftwareScalars exchanges = kNone;
  exchanges[2] = 1;
  EXPECT_EQ(own.seconds(exchanges), own.seconds(kNone));
  EXPECT_GT(spread.seconds(exchanges), spread.seconds(kNone));
}

// Frozen weights have no gradients: two products of three remain.
TEST(TrainedWork, TheLimitOfFrozenWeightsHasNoProductsOfTheirGradients) {
  TrainingRun run;
  run.model = llama(1, 1, 1).model;
  run.sequence = 128;
  run.global_batch = run.micro_batch = 8;
  const double whole = TrainedWork(*find_shipped("h100"), run).limit_s();
  run.frozen = true;
  EXPECT_NEAR(whole / TrainedWork(*find_shipped("h100"), run).limit_s(), 1.5, 0.02);
}

TEST(TrainedWork, AFasterFormatNeverLowersWhatTheHardwareAllows) {
  TrainingRun training;
  training.model = llama(1, 1, 1).model;
  training.global_batch = 8;
  InferenceRun serving = llama(64, 1024, 128);
  for (const System& system : shipped_systems()) {
    double step = INFINITY;
    double load = INFINITY;
    for (const Precision p : {Precision::Bf16, Precision::Fp8, Precision::Fp4}) {
      if (system.chip.rate(p) <= 0)
        continue;
      training.precision = serving.precision = p;
      const double step_now = TrainedWork(system, training).limit_s();
      const double load_now = ServedWork(system, {serving, "", false}).limit_s();
      EXPECT_LE(step_now, step * (1 + 1e-9)) << system.name << " " << name(p);
      EXPECT_LE(load_now, load * (1 + 1e-9)) << system.name << " " << name(p);
      step = step_now;
      load = load_now;
    }
  }
}

TEST(TrainedWork, TheLimitLiesBelowWhatAnySoftwareReaches) {
  TrainingRun run;
  run.model = llama(1, 1, 1).model;
  run.sequence = 4096;
  run.data = 8;
  run.zero = 3;
  run.global_batch = 16;
  for (const char* chip : {"a100", "h100", "b200", "mi300x"}) {
    const TrainedWork work(*find_shipped(chip), run);
    EXPECT_LT(work.limit_s(), work.seconds({1.15, 0.7, 1.3, 0.01, 1e-4, 1, 0.2, 0.3})) << chip;
    // Never idle: nine tenths of the peak bound the model's operations.
    const TrainingTime t = work.time(start_of(Work::Train));
    const double most = work.limit_s() * 8 * find_shipped(chip)->chip.peak(Precision::Bf16);
    EXPECT_GE(most, t.model_flops * (1 - 1e-9)) << chip;
  }
}

}  // namespace
}  // namespace lento::predict
