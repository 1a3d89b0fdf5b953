#include <gtest/gtest.h>

#include <set>
#include <string>

#include "predict/hardware/system.h"

namespace lento::predict {
namespace {

std::vector<Precision> all() {
  std::vector<Precision> out;
  for (size_t i = 0; i < kPrecisions; ++i)
    out.push_back(Precision(i));
  return out;
}

TEST(Precision, EveryNameReadsBackAndDiffers) {
  std::set<std::string_view> names;
  for (const Precision p : all()) {
    EXPECT_EQ(parse_precision(name(p)), p) << name(p);
    EXPECT_TRUE(names.insert(name(p)).second) << name(p);
  }
  EXPECT_EQ(parse_precision("fp128"), std::nullopt);
  EXPECT_EQ(parse_precision(""), std::nullopt);
  EXPECT_EQ(parse_precision("bfloat16"), Precision::Bf16);
  EXPECT_EQ(parse_precision("half"), Precision::Fp16);
}

TEST(Precision, WhatTheUnitsDoIsArithmetic) {
  for (const Precision p : all()) {
    const Precision a = arithmetic_of(p);
    EXPECT_LT(size_t(a), kArithmetics);
    EXPECT_EQ(arithmetic_of(a), a);
    EXPECT_EQ(a == p, size_t(p) < kArithmetics) << name(p);
    EXPECT_EQ(bytes_of(a), bytes_of(p)) << "of what is computed with";
  }
}

TEST(Precision, BitsOverEight) {
  EXPECT_EQ(bytes_of(Precision::Fp32), 32 / 8);
  EXPECT_EQ(bytes_of(Precision::Bf16), 16 / 8);
  EXPECT_EQ(bytes_of(Precision::Fp8), 8 / 8);
  EXPECT_EQ(bytes_of(Precision::Fp4), 4 / 8.0);
}

TEST(OperandBytes, ScalesOfBlocksAreIncluded) {
  // Sixteen 4-bit values and a scale of 8 bits.
  EXPECT_DOUBLE_EQ(operand_bytes(Precision::Fp4).weights * 16, 16 * 0.5 + 1);
  // 128 values of 8 bits and a scale of 32.
  EXPECT_DOUBLE_EQ(operand_bytes(Precision::Fp8Block).activations * 128, 128 + 4);
  // 128 weights of 4 bits and a scale of 16.
  EXPECT_DOUBLE_EQ(operand_bytes(Precision::Int4Weights).weights * 128, 128 * 0.5 + 2);
  EXPECT_EQ(operand_bytes(Precision::Int8Weights).weights, 1);
  for (const Precision p : {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16}) {
    const OperandBytes b = operand_bytes(p);
    EXPECT_EQ(b.activations, bytes_of(p));
    EXPECT_EQ(b.weights, bytes_of(p));
    EXPECT_EQ(b.results, bytes_of(p));
  }
}

TEST(Chip, PeakIsUnitsTimesClockTimesRate) {
  Chip chip;
  chip.units = 100;
  chip.clock_hz = 2e9;
  chip.flops_per_cycle[size_t(Precision::Bf16)] = 1024;
  EXPECT_EQ(chip.peak(Precision::Bf16), 100 * 2e9 * 1024);
  EXPECT_EQ(chip.peak(Precision::Int4Weights), chip.peak(Precision::Bf16));
  EXPECT_EQ(chip.peak(Precision::Fp8), 0);
}

TEST(Chip, PowerLeftForWorkLimitsTheRate) {
  Chip chip;
  chip.units = 100;
  chip.clock_hz = 1e9;
  chip.flops_per_cycle[size_t(Precision::Fp16)] = 1000;  // 1e14 a second
  chip.power_w = 500;
  chip.idle_share = 0.2;
  EXPECT_EQ(chip.power_limit(Precision::Fp16), 1) << "energy not known";
  chip.flop_energy_j[size_t(Precision::Fp16)] = 1e-12;  // 100 W
  EXPECT_EQ(chip.power_limit(Precision::Fp16), 1);
  chip.flop_energy_j[size_t(Precision::Fp16)] = 8e-12;  // 800 W of 400
  EXPECT_DOUBLE_EQ(chip.power_limit(Precision::Fp16), 0.5);
}

// Operations per joule carry over between chips of one kind, up to the share that chips usually reach.
TEST(Chip, WhatARelativeSustainsFollowsThePowerBudget) {
  Chip relative;
  relative.units = 100;
  relative.clock_hz = 1e9;
  relative.flops_per_cycle[size_t(Precision::Fp16)] = 1024;
  relative.power_w = 300;
  Chip chip = relative;
  Calibration c;
  c.compute = 0.4;
  const auto compute = [&] {
    return lent(c, relative, chip, Precision::Fp16).compute;
  };
  EXPECT_DOUBLE_EQ(compute(), 0.4);
  chip.power_w = 450;
  EXPECT_NEAR(compute(), 0.6, 1e-12);
  chip.units = 150;  // as much power for each operation
  EXPECT_NEAR(compute(), 0.4, 1e-12);
  chip.power_w = 4500;
  EXPECT_NEAR(compute(), Calibration{}.compute, 1e-12) << "as much as chips usually sustain";
  chip.flop_energy_j[size_t(Precision::Fp16)] = 1e-12;
  EXPECT_EQ(compute(), 0.4) << "its sheet states the energy";
  chip.flop_energy_j = {};
  chip.power_w = 30;
  c.compute = 0.95;
  EXPECT_EQ(compute(), 0.95) << "a relative that power does not limit says nothing about power";
}

TEST(Chip, ConstantsAreThoseOfTheNearestPrecision) {
  Chip chip;
  const double generic = chip.constants(Precision::Bf16).compute;
  EXPECT_NE(chip.constants(Precision::Fp32).compute, generic) << "vector units have their own";
  Calibration c;
  c.compute = 0.5;
  chip.calibration[size_t(Precision::Fp16)] = c;
  EXPECT_EQ(chip.constants(Precision::Fp16).compute, 0.5);
  EXPECT_EQ(chip.constants(Precision::Bf16).compute, 0.5);
  EXPECT_NE(chip.constants(Precision::Fp32).compute, 0.5);
  c.compute = 0.7;
  chip.calibration[size_t(Precision::Bf16)] = c;
  EXPECT_EQ(chip.constants(Precision::Int8Weights).compute, 0.7) << "that of its arithmetic";
  EXPECT_EQ(chip.constants(Precision::Fp16).compute, 0.5);
}

}  // namespace
}  // namespace lento::predict
