// What an answer says of its own error.
#include "predict/time/hold_out.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "predict/time/rows/known_models.h"

namespace lento::predict {
namespace {

Answer ask(const System& system, const Gemm& g) {
  return answer(system, {g, "", ""});
}

constexpr Gemm kLong{1, 8192, 8192, 8192, Precision::Fp32};
constexpr Gemm kShort{1, 512, 512, 512, Precision::Fp32};
constexpr Gemm kHalf{1, 4096, 4096, 4096, Precision::Bf16};

// The statement is the measurement: where the measured tables are present, they give the shipped figures.
TEST(HoldOut, ShortProductsAreLessSureThanLongOnes) {
  const System h100 = read_system("h100");
  EXPECT_GT(ask(h100, kShort).p90, ask(h100, kLong).p90);
  EXPECT_TRUE(ask(h100, kLong).in_domain);
  EXPECT_FALSE(ask(h100, {1, 1, 64, 64, Precision::Fp32}).in_domain);  // no row so thin was measured
}

// A sheet without constants borrows its relative's, and says so by a wider interval.
TEST(HoldOut, BorrowedConstantsAreLessSureThanOwn) {
  System relative = read_system("h200");
  relative.chip.calibration.fill(std::nullopt);
  inherit(relative);
  ASSERT_EQ(relative.chip.constants(Precision::Bf16).measured_on, "h100");
  const Answer own = ask(read_system("h200"), kHalf);
  const Answer other = ask(relative, kHalf);
  EXPECT_TRUE(own.in_domain);
  EXPECT_FALSE(other.in_domain);
  EXPECT_GT(other.p90, own.p90);
}

TEST(HoldOut, AChipThatWasNeverMeasuredIsLessSure) {
  const Answer known = ask(read_system("h200"), kHalf);
  const Answer unknown = ask(read_system("mi250"), kHalf);
  EXPECT_TRUE(known.in_domain);
  EXPECT_FALSE(unknown.in_domain);
  System stripped = read_system("h200");
  stripped.chip.calibration.fill(std::nullopt);
  const Gemm small{1, 8, 512, 512, Precision::Bf16};
  EXPECT_GT(ask(stripped, small).p50, ask(read_system("h200"), small).p50);
}

TEST(HoldOut, AnOwnFitStatesItsOwnError) {
  System mine = read_system("h100");
  mine.name = mine.family = "mine";
  EXPECT_FALSE(ask(mine, kHalf).in_domain);
  mine.chip.calibration[size_t(Precision::Bf16)]->hold_out_error = 0.031;
  EXPECT_DOUBLE_EQ(ask(mine, kHalf).p50, 0.7 * 0.031);
  EXPECT_DOUBLE_EQ(ask(mine, kHalf).p90, 2.2 * 0.031);
  EXPECT_TRUE(ask(mine, kHalf).in_domain);
}

TEST(HoldOut, WhatNobodyMeasuredIsToldSo) {
  const System h100 = read_system("h100");
  const Answer whole = ask(h100, {1, 4096, 4096, 4096, Precision::Int8});
  EXPECT_FALSE(whole.in_domain);
  EXPECT_GT(whole.p50, ask(h100, kHalf).p50);
}

TEST(HoldOut, RecurrentCellsOfFewerGatesAreOutsideWhatWasValidated) {
  LstmLayer cell;
  cell.hidden = 1536;
  cell.batch = 32;
  cell.steps = 50;
  cell.precision = Precision::Fp32;
  cell.gates = 4;
  const System v100 = read_system("v100");
  EXPECT_TRUE(answer(v100, {cell, "", ""}).in_domain);
  cell.gates = 1;
  EXPECT_FALSE(answer(v100, {cell, "", ""}).in_domain);
}

// Deployments that were measured serve latent attention; others are told apart.
TEST(HoldOut, ServedModelsThatNobodyMeasuredAreToldApart) {
  ServingRun run;
  run.traffic.requests = 4;
  run.decode.tensor = 8;
  run.precision = Precision::Fp8;
  const System h200 = read_system("h200");
  run.model = *known_model("DeepSeek-R1");
  EXPECT_TRUE(answer(h200, {run, "", "SGLang"}).in_domain);
  run.model = *known_model("Llama-3.1-70B");
  EXPECT_FALSE(answer(h200, {run, "", "SGLang"}).in_domain);
}

const HoldOutCell& cell_of(const std::string& kind, const std::string& chip) {
  for (const HoldOutCell& c : shipped_hold_out()) {
    if (c.kind == kind && c.chip == chip && c.regime.empty())
      return c;
  }
  throw std::out_of_range(kind);
}

// Requests were measured with one model on two chips: what they agree on tells little of a third chip, or of
// other software on the first.
TEST(HoldOut, AFewRowsOfTwoChipsMakeNoOtherChipSure) {
  InferenceRun run;
  run.model = *known_model("llama-3.1-8b");
  const Question q{run, "", ""};
  ASSERT_LT(cell_of("request", kGenericChip).rows, kFewestStrangers);
  const Sureness unknown = sureness(read_system("mi250"), q, 0.1, Constants::Generic, 0);
  EXPECT_GE(unknown.p90, cell_of("16-bit product", kGenericChip).p90);
  EXPECT_FALSE(unknown.measured);
  ASSERT_LT(cell_of("request", "a100").rows, kFewestRows);
  const Sureness known = sureness(read_system("a100"), q, 0.1, Constants::Own, 0);
  EXPECT_EQ(known.p90, cell_of("request", kFittedChip).p90);
  EXPECT_LT(known.p90, unknown.p90);
}

}  // namespace
}  // namespace lento::predict
