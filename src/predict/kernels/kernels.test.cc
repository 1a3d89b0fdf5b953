#include "predict/kernels/kernels.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::predict {
namespace {

// 100 units, 100 TFLOP/s, 1 TB/s, 10 MB of cache.
System machine() {
  System s;
  s.name = "test chip";
  s.chip.units = 100;
  s.chip.clock_hz = 1e9;
  s.chip.flops_per_cycle[size_t(Precision::Bf16)] = 1000;
  s.chip.memory_Bps = 1e12;
  s.chip.cache_bytes = 10e6;
  return s;
}

KernelScalars perfect(FusedKind kind) {
  KernelScalars x = start_of(kind);
  x[0] = 1;  // launch
  x[1] = 1;  // compute
  x[2] = 1;  // memory
  return x;
}

AttentionKernel decode() {
  AttentionKernel k;
  k.kind = FusedKind::Decode;
  k.batch = 64;
  k.context = 8192;
  k.heads = 32;
  k.kv_heads = 8;
  k.format = *attention_format("bfloat16", "bfloat16");
  return k;
}

TEST(Kernels, DecodeReadsEachKeyAndValueOnce) {
  const PreparedKernel p = prepare(machine().chip, decode());
  const double cache = 64.0 * 8192 * 8 * 128 * 2 * 2;
  const double outer = 2.0 * 64 * 32 * 128 * 2;
  EXPECT_DOUBLE_EQ(kernel_bytes(p), cache + outer);
  EXPECT_DOUBLE_EQ(kernel_flops(p), 4.0 * 64 * 32 * 8192 * 128);
}

TEST(Kernels, DecodeOfALargeCacheTakesTheTimeOfItsBytes) {
  KernelScalars x = perfect(FusedKind::Decode);
  x[4] = 1e-6;  // items and tokens cost nothing
  x[5] = 1e-6;
  const PreparedKernel p = prepare(machine().chip, decode());
  EXPECT_NEAR(time_kernel(p, x).seconds, kernel_bytes(p) / 1e12, 0.02 * kernel_bytes(p) / 1e12);
}

TEST(Kernels, ACacheThatStaysNearComesFaster) {
  AttentionKernel small = decode();
  small.batch = 1;
  small.context = 512;
  KernelScalars x = perfect(FusedKind::Decode);
  x[4] = x[5] = 1e-6;
  x[3] = 4;
  const PreparedKernel p = prepare(machine().chip, small);
  EXPECT_NEAR(time_kernel(p, x).memory_s, kernel_bytes(p) / 4e12, 1e-12);
}

TEST(Kernels, OneItemWalksAloneUnlessItsKeysAreSharedOut) {
  AttentionKernel one = decode();
  one.batch = 1;
  one.kv_heads = 1;
  one.heads = 1;
  KernelScalars x = perfect(FusedKind::Decode);
  x[4] = 1e-6;
  x[5] = 10;  // ns a token
  x[6] = 1;
  const double alone = time_kernel(prepare(machine().chip, one), x).compute_s;
  EXPECT_NEAR(alone, 8192 * 10e-9, 1e-9);
  x[6] = 16;
  EXPECT_NEAR(time_kernel(prepare(machine().chip, one), x).compute_s, alone / 16, 1e-9);
}

TEST(Kernels, ItemsWaitForWholeRounds) {
  AttentionKernel many = decode();
  many.kv_heads = 1;
  many.heads = 1;
  const auto units = int64_t(machine().chip.units);
  KernelScalars x = perfect(FusedKind::Decode);
  x[4] = 1e-6;
  x[5] = 10;  // ns a token
  x[6] = 1;
  many.batch = units;
  const double full = time_kernel(prepare(machine().chip, many), x).compute_s;
  many.batch = units + 1;
  EXPECT_NEAR(time_kernel(prepare(machine().chip, many), x).compute_s, 2 * full, full * 1e-6);
}

TEST(Kernels, SharesOfKeysAreJoinedInAPassOfTheirOwn) {
  AttentionKernel one = decode();
  one.batch = 1;
  one.kv_heads = 1;
  one.heads = 1;
  KernelScalars x = perfect(FusedKind::Decode);
  x[6] = 16;
  x[8] = 1;
  const double joined = time_kernel(prepare(machine().chip, one), x).launch_s;
  x[6] = 1;
  EXPECT_NEAR(joined - time_kernel(prepare(machine().chip, one), x).launch_s, 1e-6, 1e-12);
}

TEST(Kernels, AWindowBoundsWhatDecodingSees) {
  AttentionKernel k = decode();
  k.window = 128;
  AttentionKernel near = decode();
  near.context = 128;
  const KernelScalars x = start_of(FusedKind::Decode);
  EXPECT_DOUBLE_EQ(
      time_kernel(prepare(machine().chip, k), x).seconds,
      time_kernel(prepare(machine().chip, near), x).seconds);
}

AttentionKernel prefill(int64_t tokens) {
  AttentionKernel k = decode();
  k.kind = FusedKind::Prefill;
  k.batch = 4;
  k.tokens = k.context = tokens;
  return k;
}

// n (n + 1) / 2 without a window; with one of w, the first w queries see 1 to w keys, the others w.
TEST(Kernels, PairsOfAPrompt) {
  const PreparedKernel all = prepare(machine().chip, prefill(1000));
  EXPECT_DOUBLE_EQ(all.seen, 1000.0 * 1001 / 2);
  AttentionKernel windowed = prefill(1000);
  windowed.window = 100;
  const PreparedKernel near = prepare(machine().chip, windowed);
  EXPECT_DOUBLE_EQ(near.seen, 100.0 * 101 / 2 + 900 * 100.0);
  EXPECT_DOUBLE_EQ(near.all, all.seen);
}

TEST(Kernels, PairsOfAChunkSeeWhatCameBefore) {
  AttentionKernel chunk = prefill(10);
  chunk.context = 100;
  EXPECT_DOUBLE_EQ(prepare(machine().chip, chunk).seen, 10 * 90.0 + 55);
}

TEST(Kernels, ALongPromptTakesTheTimeOfItsArithmetic) {
  KernelScalars x = perfect(FusedKind::Prefill);
  x[3] = 1e-6;  // extra keys
  x[4] = 1e-6;  // items
  x[7] = 1;     // narrow
  const PreparedKernel p = prepare(machine().chip, prefill(65536));
  EXPECT_NEAR(time_kernel(p, x).seconds, kernel_flops(p) / 100e12, 0.01 * kernel_flops(p) / 100e12);
}

TEST(Kernels, LatentAttentionReadsOneVectorForAllHeads) {
  AttentionKernel k = decode();
  k.kind = FusedKind::LatentDecode;
  k.heads = 128;
  k.kv_heads = 1;
  const PreparedKernel p = prepare(machine().chip, k);
  EXPECT_DOUBLE_EQ(kernel_bytes(p), 64.0 * (8192 * 576 * 2 + 128.0 * (576 + 512) * 2));
  EXPECT_DOUBLE_EQ(kernel_flops(p), 2.0 * 64 * 128 * 8192 * (576 + 512));
}

ExpertLayer layer() {
  ExpertLayer l;
  l.tokens = 8192;
  l.hidden = 4096;
  l.inner = 1536;
  l.experts = 128;
  l.chosen = 8;
  l.format = *expert_format("bfloat16");
  return l;
}

double rows_of(const PreparedKernel& p) {
  double rows = 0;
  for (const PreparedKernel::Bucket& b : p.load)
    rows += b.experts * b.rows;
  return rows;
}

TEST(Kernels, EveryTokenMeetsItsExperts) {
  ExpertLayer l = layer();
  EXPECT_DOUBLE_EQ(rows_of(prepare(machine().chip, l)), 8192.0 * 8);
  l.expert = 16;
  EXPECT_DOUBLE_EQ(rows_of(prepare(machine().chip, l)), 8192.0 * 8 / 16);
  l.expert = 1;
  l.skew = 1.2;
  EXPECT_NEAR(rows_of(prepare(machine().chip, l)), 8192.0 * 8, 0.1 * 8192 * 8);
}

TEST(Kernels, TheBusiestDeviceHasMoreThanItsShare) {
  ExpertLayer l = layer();
  l.expert = 16;
  l.skew = 1.01;
  EXPECT_GT(rows_of(prepare(machine().chip, l)), 1.2 * 8192 * 8 / 16);
}

TEST(Kernels, AFewTokensReadOnlyTheirExperts) {
  ExpertLayer l = layer();
  l.tokens = 1;
  const PreparedKernel p = prepare(machine().chip, l);
  const double weights = 8.0 * 4096 * 1536 * 3 * 2;
  EXPECT_NEAR(kernel_bytes(p), weights, 0.01 * weights);
}

// Of n experts, one that each token takes with probability c/n stays idle with (1 - c/n)^tokens.
TEST(Kernels, TokensThatChooseByChanceLeaveExpertsIdle) {
  ExpertLayer l = layer();
  l.tokens = 16;
  l.random = true;
  const PreparedKernel p = prepare(machine().chip, l);
  EXPECT_NEAR(p.load[0].experts, 128 * (1 - std::pow(1 - 8.0 / 128, 16)), 1e-9);
  EXPECT_DOUBLE_EQ(rows_of(p), 128);
}

TEST(Kernels, UngatedExpertsHaveTwoProducts) {
  ExpertLayer l = layer();
  const double gated = kernel_flops(prepare(machine().chip, l));
  l.gated = false;
  EXPECT_DOUBLE_EQ(kernel_flops(prepare(machine().chip, l)), gated * 2 / 3);
}

TEST(Kernels, TokensOfOtherDevicesCostLessThanOwn) {
  ExpertLayer l = layer();
  const KernelScalars x = start_of(FusedKind::Experts);
  const double all = time_kernel(prepare(machine().chip, l), x).seconds;
  l.expert = 4;
  const double quarter = time_kernel(prepare(machine().chip, l), x).seconds;
  EXPECT_LT(quarter, 0.6 * all);
  EXPECT_GT(quarter, all / 4);
}

TEST(Kernels, FormatsSayWhatIsStored) {
  EXPECT_DOUBLE_EQ(expert_format("fp8")->stored_bytes, 1);
  EXPECT_DOUBLE_EQ(expert_format("nvfp4")->stored_bytes, 0.5625);
  EXPECT_EQ(expert_format("w4a16_mxfp4")->arithmetic, Precision::Bf16);
  EXPECT_FALSE(expert_format("float7"));
  EXPECT_DOUBLE_EQ(attention_format("bfloat16", "fp8")->stored_bytes, 1);
  EXPECT_FALSE(attention_format("bfloat16", "nothing"));
}

TEST(Kernels, ShippedScalarsLieInTheirRanges) {
  ASSERT_GT(shipped_kernel_constants().size(), 100u);
  for (const KernelConstants& c : shipped_kernel_constants()) {
    const std::span<const KernelScalar> scalars = scalars_of(c.kind);
    for (size_t i = 0; i < scalars.size(); ++i) {
      EXPECT_GE(c.scalars[i], scalars[i].low * 0.999) << name(c.kind) << " " << c.chip << " " << c.kernel;
      EXPECT_LE(c.scalars[i], scalars[i].high * 1.001) << name(c.kind) << " " << c.chip << " " << c.kernel;
    }
  }
}

TEST(Kernels, ConstantsFallBackFromTheChipToTheKind) {
  System h100;
  h100.name = "h100";
  const KernelFormat format = *attention_format("bfloat16", "bfloat16");
  const auto match = [&](const System& s, const char* framework, const char* kernel) {
    return find_constants(FusedKind::Decode, s, framework, format, kernel).match;
  };
  EXPECT_EQ(match(h100, "SGLang", "fa3"), KernelMatch::Exact);
  EXPECT_EQ(match(h100, "SGLang", ""), KernelMatch::Software);
  EXPECT_EQ(match(machine(), "SGLang", "fa3"), KernelMatch::Kernel);
  EXPECT_EQ(match(machine(), "SGLang", ""), KernelMatch::Kind);
}

TEST(Kernels, RooflineIsTheLargerOfTwoTimes) {
  const PreparedKernel p = prepare(machine().chip, prefill(65536));
  EXPECT_NEAR(roofline_s(p, 0.5, 1, 1e-5), 2 * kernel_flops(p) / 100e12 + 1e-5, 1e-9);
}

}  // namespace
}  // namespace lento::predict
