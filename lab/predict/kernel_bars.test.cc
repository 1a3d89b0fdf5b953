#include "lab/predict/kernel_bars.h"

#include <gtest/gtest.h>

#include "lab/predict/serving_fit.h"

namespace lento::predict {
namespace {

JudgedKernel judged(FusedKind kind, double predicted, double roofline) {
  JudgedKernel j;
  j.kind = kind;
  j.chip = "h100";
  j.measured_s = 1;
  j.predicted_s = predicted;
  j.roofline_s = roofline;
  return j;
}

TEST(KernelBars, BothLimitsMustHold) {
  std::vector<JudgedKernel> rows;
  for (const double error : {0.1, 0.1, -0.1, 0.1})
    rows.push_back(judged(FusedKind::Decode, 1 + error, 1.3));
  std::vector<KernelBar> bars = kernel_bars(rows);
  ASSERT_EQ(bars.size(), 2u);  // all chips, and the one
  EXPECT_NEAR(bars[0].median, 0.1, 1e-12);
  EXPECT_NEAR(bars[0].roofline_mean, 0.3, 1e-12);
  EXPECT_TRUE(bars[0].reached());
  for (JudgedKernel& j : rows)
    j.roofline_s = 1.15;
  EXPECT_FALSE(kernel_bars(rows)[0].reached());
}

TEST(KernelBars, BothKindsOfLatentAttentionCountTogether) {
  const std::vector<KernelBar> bars =
      kernel_bars({judged(FusedKind::LatentPrefill, 1.1, 2), judged(FusedKind::LatentDecode, 1.3, 2)});
  EXPECT_EQ(bars[0].what, "latent attention");
  EXPECT_EQ(bars[0].rows, 2u);
}

// Scalars that made the rows are found again, as far as the rows tell them apart: predictions agree.
TEST(KernelFit, FindsWhatMadeTheRows) {
  const System* h100 = find_shipped("h100");
  KernelScalars truth = start_of(FusedKind::Decode);
  truth[0] = 20;
  truth[2] = 0.5;
  std::vector<KernelRow> rows;
  for (const int64_t batch : {1, 8, 64, 256}) {
    for (const int64_t context : {64, 1024, 16384, 65536}) {
      AttentionKernel k;
      k.batch = batch;
      k.context = context;
      k.heads = 32;
      k.kv_heads = 8;
      k.format = *attention_format("bfloat16", "bfloat16");
      k.kernel = "made up";
      KernelRow row;
      row.kernel = prepare(h100->chip, k);
      row.chip = row.root = "h100";
      row.framework = "X";
      row.format = k.format.name;
      row.name = k.kernel;
      row.measured.seconds = time_kernel(row.kernel, truth).seconds;
      row.measured.index = rows.size();
      rows.push_back(row);
    }
  }
  const std::vector<KernelConstants> fit = fit_kernels(rows);
  ASSERT_FALSE(fit.empty());
  const KernelConstants& exact = fit.back();
  EXPECT_EQ(exact.kernel, "made up");
  for (const KernelRow& row : rows)
    EXPECT_NEAR(time_kernel(row.kernel, exact.scalars).seconds / row.measured.seconds, 1, 0.05);
}

TEST(ServingBars, PairsInTheWrongOrderAreCounted) {
  ServedPoint fast;
  ServedPoint slow;
  ServingRun run;
  fast.question.what = slow.question.what = run;
  fast.output_per_s = 200;
  slow.output_per_s = 100;
  ServingTime high;
  high.fits = true;
  high.output_tokens_per_s = 200;
  ServingTime low = high;
  low.output_tokens_per_s = 100;
  EXPECT_EQ(serving_bars({{&fast, high}, {&slow, low}}).back().median, 0);
  EXPECT_EQ(serving_bars({{&fast, low}, {&slow, high}}).back().median, 1);
  EXPECT_EQ(serving_bars({{&fast, high}, {&slow, low}}).back().rows, 1u);
}

}  // namespace
}  // namespace lento::predict
