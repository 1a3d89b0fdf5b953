// Two answers, and verdicts on what was measured.
#include "predict/expect/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units.h"
#include "predict/expect/verdict.h"
#include "predict/time/rows/known_models.h"

namespace lento::predict {
namespace {

using testing::HasSubstr;

Question training(const char* stack = "") {
  TrainingRun run;
  run.model = *known_model("llama-2-7b");
  run.sequence = 4096;
  run.data = 32;
  run.zero = 3;
  run.global_batch = 64;
  run.micro_batch = 2;
  return {run, {}, stack};
}

Question serving(const char* stack = "", Precision p = Precision::Bf16) {
  InferenceRun run;
  run.model = *known_model("llama-3.1-8b");
  run.batch = 16;
  run.prompt = 128;
  run.output = 128;
  run.precision = p;
  return {run, {}, stack};
}

const System& system_of(const char* name) {
  return *find_shipped(name);
}

TEST(Expectation, TheLimitIsFasterThanTheFastestOfNineInTen) {
  for (const char* chip :
       {"a100-sxm-40", "a100", "h100", "h200", "b200", "gb200", "mi300x", "l40s", "tpu-v5p"}) {
    for (const Question& q : {training(), serving()}) {
      const auto e = expect_run(system_of(chip), q);
      ASSERT_TRUE(e) << chip;
      EXPECT_LE(e->limit_s, e->fast_s) << chip;
      EXPECT_LE(e->fast_s, e->seconds) << chip;
      EXPECT_LT(e->seconds, e->slow_s) << chip;
      EXPECT_GT(e->limit_s, 0) << chip;
    }
  }
}

TEST(Expectation, UnnamedSoftwareIsLessSure) {
  const auto known = expect_run(system_of("a100"), serving("vllm"));
  const auto any = expect_run(system_of("a100"), serving());
  EXPECT_TRUE(known->known_stack);
  EXPECT_FALSE(any->known_stack);
  EXPECT_GT(any->slow_s / any->seconds, known->slow_s / known->seconds);
}

TEST(Expectation, WhatNoSeenRunSharesIsSaid) {
  EXPECT_THAT(
      expect_run(system_of("tpu-v7"), training())->unmeasured,
      testing::ElementsAre("no training run on this chip was seen"));
  EXPECT_THAT(
      expect_run(system_of("h100"), serving("vllm", Precision::Int8))->unmeasured,
      testing::ElementsAre("no serving run of int8 on this chip was seen"));
  EXPECT_THAT(expect_run(system_of("a100"), serving("vllm"))->unmeasured, testing::IsEmpty());
}

TEST(Expectation, ASheetOffByAThousandKeepsNoIntervalAndJudgesNothing) {
  System wrong = system_of("h100");
  wrong.network.node.lane_Bps /= 1000;
  for (const Question& q : {training("fsdp"), serving("vllm")}) {
    const auto e = expect_run(wrong, q);
    EXPECT_THAT(headline(wrong, *e), HasSubstr("How near is not known: "));
    EXPECT_THAT(headline(wrong, *e), HasSubstr("Check lane_bandwidth 450 MB/s"));
    EXPECT_THAT(headline(wrong, *e), testing::Not(HasSubstr("nine of ten")));
    finding::Diagnosis d;
    state_expectation(d, wrong, *e, MeasuredFigure{MeasuredFigure::Kind::Time, e->seconds / 100});
    EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  }
  System sparse = system_of("h100");
  sparse.chip.flops_per_cycle[size_t(Precision::Bf16)] *= 2;
  EXPECT_THAT(
      expect_run(sparse, training("fsdp"))->unmeasured,
      testing::ElementsAre("no training run on this chip was seen"));
}

TEST(Expectation, OnlyRunsHaveOne) {
  EXPECT_FALSE(expect_run(system_of("a100"), {Gemm{1, 64, 64, 64, Precision::Bf16}, {}, {}}));
  EXPECT_THROW(expect_run(system_of("a100"), serving("torchtitan")), base::Error);
}

TEST(Expectation, TheHeadlineHasBothAnswers) {
  const auto e = expect_run(system_of("h100"), training("fsdp"));
  const std::string text = headline(system_of("h100"), *e);
  EXPECT_THAT(text, HasSubstr(" tokens/s per GPU ("));
  EXPECT_THAT(text, HasSubstr("in nine of ten such runs; the hardware allows "));
  EXPECT_THAT(text, HasSubstr("of peak, fits in "));
  EXPECT_THAT(text, HasSubstr(" of 79.6 GiB."));
}

TEST(Expectation, AnIntervalThatSaysNothingIsCalledSo) {
  const System& h100 = system_of("h100");
  Expectation e = *expect_run(h100, serving());
  EXPECT_THAT(headline(h100, e), testing::Not(HasSubstr("No speed can be expected")));
  e.slow_s = 100 * e.fast_s;
  EXPECT_THAT(headline(h100, e), HasSubstr("No speed can be expected of software that is not named"));
  EXPECT_THAT(headline(h100, e), HasSubstr("the hardware allows "));
}

// A count whose error decides whether the run fits is neither refused nor promised.
TEST(Expectation, ACountNearTheSizeOfTheMemoryIsAtTheEdge) {
  const System& h100 = system_of("h100");
  Expectation e = *expect_run(h100, training());
  const double device = h100.chip.memory_bytes;
  EXPECT_GT(e.memory_error, 0.05);
  for (const double share : {0.99, 1.01}) {
    e.memory_bytes = share * device;
    e.fits = share < 1;
    EXPECT_THAT(headline(h100, e), HasSubstr("of peak, at the edge of memory: ")) << share;
    EXPECT_THAT(headline(h100, e), HasSubstr(" in nine of ten runs.")) << share;
  }
  e.memory_bytes = device * (1 + 2 * e.memory_error);
  EXPECT_THAT(headline(h100, e), testing::StartsWith("Does not fit: "));
  e.fits = true;
  e.memory_bytes = device / (1 + 2 * e.memory_error);
  EXPECT_THAT(headline(h100, e), HasSubstr("fits in "));
}

TEST(Verdict, EveryUnitOfOneSpeedIsTheSameTime) {
  const System& h100 = system_of("h100");
  const auto e = expect_run(h100, training("fsdp"));
  const auto seconds = [&](double value, const char* unit) {
    return seconds_of(h100, *e, *parse_measured_figure(base::format_number(value, 9) + unit));
  };
  const double expected = e->seconds;
  EXPECT_NEAR(seconds(e->per_device(expected), " tokens/s") / expected, 1, 1e-6);
  EXPECT_NEAR(seconds(e->tokens / expected, " tokens/s total") / expected, 1, 1e-6);
  EXPECT_NEAR(seconds(e->sequences / expected, " samples/s") / expected, 1, 1e-6);
  EXPECT_NEAR(seconds(1 / expected, " it/s") / expected, 1, 1e-6);
  EXPECT_NEAR(seconds(e->peak_share, " MFU") / expected, 1, 1e-6);
  EXPECT_THROW(seconds(20, " ms/token"), base::Error);
}

struct Figure {
  const char* text;
  MeasuredFigure::Kind kind;
  double value;
};

TEST(Verdict, FiguresAreReadWithTheirUnits) {
  using Kind = MeasuredFigure::Kind;
  constexpr Figure kFigures[] = {
      {"13.2 s", Kind::Time, 13.2},
      {"250ms", Kind::Time, 0.25},
      {"6200 tokens/s", Kind::Tokens, 6200},
      {"900 tok/s/GPU", Kind::Tokens, 900},
      {"410 TFLOP/s", Kind::Flops, 410e12},
      {"410 TFLOPS", Kind::Flops, 410e12},
      {"59,520 tokens/s total", Kind::Tokens, 59520},
      {"6.2 ktokens per second (per GPU)", Kind::Tokens, 6200},
      {"20 requests/s", Kind::Sequences, 20},
      {"3 samples/sec", Kind::Sequences, 3},
      {"25 ms/token", Kind::TokenTime, 0.025},
      {"17.5 s/it", Kind::StepTime, 17.5},
      {"17.5 seconds per iteration", Kind::StepTime, 17.5},
      {"0.5 it/s", Kind::StepTime, 2},
      {"400 TFLOPs/s/GPU", Kind::Flops, 400e12},
      {"3.2 PFLOP/s in all", Kind::Flops, 3.2e15},
      {"41 % MFU", Kind::Share, 0.41},
      {"0.41 MFU", Kind::Share, 0.41},
      {"41 %", Kind::Share, 0.41}};
  for (const Figure& f : kFigures) {
    const auto read = parse_measured_figure(f.text);
    ASSERT_TRUE(read) << f.text;
    EXPECT_EQ(read->kind, f.kind) << f.text;
    EXPECT_DOUBLE_EQ(read->value, f.value) << f.text;
    const std::string_view text = f.text;
    EXPECT_EQ(read->total, text.ends_with("total") || text.ends_with("all") || f.kind == Kind::Sequences)
        << f.text;
  }
  for (const char* file : {"run.json", "./trace.json", "2026-11/run.json", "7.json", ""})
    EXPECT_FALSE(parse_measured_figure(file)) << file;
  for (const char* unknown : {"12 parsecs", "0.41", " 6200 ", "41 % HFU", "3 tokens"})
    EXPECT_THROW(parse_measured_figure(unknown), base::Error) << unknown;
  EXPECT_THROW(parse_measured_figure("0 s"), base::Error);
}

SpeedVerdict judged(const char* chip, const Question& q, double seconds) {
  return judge_speed(system_of(chip), *expect_run(system_of(chip), q), {MeasuredFigure::Kind::Time, seconds});
}

TEST(Verdict, EachFigureFallsWhereTheTwoAnswersPutIt) {
  for (const char* chip : {"a100", "h100", "b200"}) {
    for (const Question& q : {training("fsdp"), serving("sglang")}) {
      const auto e = expect_run(system_of(chip), q);
      EXPECT_EQ(judged(chip, q, e->seconds).speed, Speed::AsExpected);
      EXPECT_EQ(judged(chip, q, e->slow_s * 1.01).speed, Speed::Slow);
      EXPECT_EQ(judged(chip, q, e->slow_s * 0.99).speed, Speed::AsExpected);
      EXPECT_EQ(judged(chip, q, e->limit_s * 0.99).speed, Speed::Impossible);
      if (e->fast_s > 1.05 * e->limit_s) {
        EXPECT_EQ(judged(chip, q, (e->fast_s + e->limit_s) / 2).speed, Speed::Fast);
      }
      EXPECT_NEAR(judged(chip, q, 2 * e->seconds).factor, 2, 1e-9);
    }
  }
}

// The reporter of Megatron-LM 1565 divided by the peak with sparsity, that of nanoGPT 464 by another chip's.
TEST(Verdict, AWrongPeakIsNamed) {
  const Question q = training("fsdp");
  const System& h100 = system_of("h100");
  const auto e = expect_run(h100, q);
  const auto of_share = [&](double share) {
    return judge_speed(h100, *e, {MeasuredFigure::Kind::Share, share});
  };
  const SpeedVerdict halved = of_share(e->peak_share / 2);
  EXPECT_NE(halved.speed, Speed::Impossible);
  EXPECT_THAT(halved.text, HasSubstr("the peak with sparsity"));
  const double other = h100.chip.peak(Precision::Bf16) / system_of("a100").chip.peak(Precision::Bf16);
  const SpeedVerdict over = of_share(e->peak_share * other);
  EXPECT_EQ(over.speed, Speed::Impossible);
  EXPECT_THAT(over.text, HasSubstr("A100"));
  EXPECT_EQ(of_share(e->peak_share).mistake, "");
}

// Twenty reports: the right share names no peak, half of it names the one with sparsity.
TEST(Verdict, SparsityIsNamedOnEveryChipAndNowhereElse) {
  for (const char* chip : {"a100", "a100-sxm-40", "h100", "h200", "b200"}) {
    for (const char* stack : {"fsdp", "nemo"}) {
      const System& system = system_of(chip);
      const auto e = expect_run(system, training(stack));
      const auto of_share = [&](double share) {
        return judge_speed(system, *e, {MeasuredFigure::Kind::Share, share}).mistake;
      };
      EXPECT_EQ(of_share(1.05 * e->peak_share), "") << chip << " " << stack;
      EXPECT_THAT(of_share(0.52 * e->peak_share), HasSubstr("sparsity")) << chip << " " << stack;
    }
  }
}

// A claim of FlagPerf's (pull 480) for fp32 on an A100 is above its 19.5 TFLOP/s and below tf32's 156.
TEST(Verdict, AnImpossibleTimeNamesTheFormatThatWouldAllowIt) {
  Question q = training();
  std::get<TrainingRun>(q.what).precision = Precision::Fp32;
  const auto e = expect_run(system_of("a100"), q);
  const SpeedVerdict v = judge_speed(system_of("a100"), *e, {MeasuredFigure::Kind::Time, e->limit_s / 2});
  EXPECT_EQ(v.speed, Speed::Impossible);
  EXPECT_THAT(v.text, HasSubstr("possible if the products ran in tf32, not in fp32"));
  const SpeedVerdict no = judge_speed(system_of("a100"), *e, {MeasuredFigure::Kind::Time, e->limit_s / 100});
  EXPECT_THAT(no.text, testing::Not(HasSubstr("possible if")));
}

TEST(Verdict, AMeasuredRunThatCountsAsTooLargeRanInAnotherWay) {
  Question q = training();
  std::get<TrainingRun>(q.what).micro_batch = 1 << 10;
  std::get<TrainingRun>(q.what).global_batch = 1 << 15;
  const auto e = expect_run(system_of("a100"), q);
  ASSERT_FALSE(e->fits);
  finding::Diagnosis d;
  state_expectation(d, system_of("a100"), *e, MeasuredFigure{MeasuredFigure::Kind::Time, e->seconds});
  EXPECT_THAT(d.verdict, HasSubstr("ran with less than asked"));
  EXPECT_THAT(d.verdict, testing::Not(HasSubstr("Does not fit")));
}

TEST(Verdict, AShareOfThePeakIsNoFigureOfServing) {
  const auto e = expect_run(system_of("a100"), serving());
  EXPECT_THROW(judge_speed(system_of("a100"), *e, {MeasuredFigure::Kind::Share, 0.4}), base::Error);
}

TEST(Verdict, ASlowRunIsAFindingWithTheCheapestChecks) {
  finding::Diagnosis d;
  const System& a100 = system_of("a100");
  const auto e = expect_run(a100, training("fsdp"));
  state_expectation(d, a100, *e, MeasuredFigure{MeasuredFigure::Kind::Time, 3 * e->slow_s});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_THAT(d.findings[0].next_step, HasSubstr("synthetic data"));
  EXPECT_THAT(d.verdict, HasSubstr("slower than nine of ten such runs"));
  EXPECT_EQ(d.facts.at(0).first, "expected");
  finding::Diagnosis plain;
  state_expectation(plain, a100, *e);
  EXPECT_TRUE(plain.findings.empty());
}

}  // namespace
}  // namespace lento::predict
