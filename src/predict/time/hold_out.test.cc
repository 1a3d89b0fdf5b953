// What an answer says of its own error.
#include "predict/time/hold_out.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace lento::predict {
namespace {

Answer ask(const System& system, const Gemm& g) { return answer(system, {g, "", ""}); }

constexpr Gemm kLong{1, 8192, 8192, 8192, Precision::Fp32}, kShort{1, 512, 512, 512, Precision::Fp32};
constexpr Gemm kHalf{1, 4096, 4096, 4096, Precision::Bf16};

// The statement is the measurement: where the measured tables are present, they give the shipped figures.
TEST(HoldOut, ShortProductsAreLessSureThanLongOnes) {
  const System h100 = read_system("h100");
  EXPECT_GT(ask(h100, kShort).error, 2 * ask(h100, kLong).error);
  EXPECT_TRUE(ask(h100, kLong).in_domain);
  EXPECT_FALSE(ask(h100, {1, 1, 64, 64, Precision::Fp32}).in_domain);  // no row so thin was measured
}

TEST(HoldOut, AChipThatWasNeverMeasuredIsLessSure) {
  const Answer known = ask(read_system("h200"), kHalf), unknown = ask(read_system("b200"), kHalf);
  EXPECT_TRUE(known.in_domain);
  EXPECT_FALSE(unknown.in_domain);
  System stripped = read_system("h200");
  stripped.chip.calibration.fill(std::nullopt);
  const Gemm small{1, 8, 512, 512, Precision::Bf16};
  EXPECT_GT(ask(stripped, small).error, ask(read_system("h200"), small).error);
}

TEST(HoldOut, AnOwnFitStatesItsOwnError) {
  System mine = read_system("h100");
  mine.name = mine.family = "mine";
  EXPECT_FALSE(ask(mine, kHalf).in_domain);
  mine.chip.calibration[static_cast<size_t>(Precision::Bf16)]->hold_out_error = 0.031;
  EXPECT_DOUBLE_EQ(ask(mine, kHalf).error, 0.031);
  EXPECT_TRUE(ask(mine, kHalf).in_domain);
}

TEST(HoldOut, WhatNobodyMeasuredIsToldSo) {
  const System h100 = read_system("h100");
  const Answer fp8 = ask(h100, {1, 4096, 4096, 4096, Precision::Fp8});
  EXPECT_FALSE(fp8.in_domain);
  EXPECT_GT(fp8.error, ask(h100, kHalf).error);
}

}  // namespace
}  // namespace lento::predict
