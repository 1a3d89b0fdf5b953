// Recurrent layers: a chain of steps, each of a product and an element-wise kernel.
#include "predict/time/lstm.h"

#include <gtest/gtest.h>

namespace lento::predict {
namespace {

using Pass = LstmLayer::Pass;

LstmLayer layer(int64_t steps, Pass pass = Pass::Forward) {
  LstmLayer l;
  l.hidden = 1024;
  l.batch = 32;
  l.steps = steps;
  l.pass = pass;
  return l;
}

TEST(Lstm, StepsFollowOneAnother) {
  const System v100 = read_system("v100");
  const double one = predict_lstm(v100, layer(1)).seconds;
  for (const int64_t steps : {2, 50, 1500})
    EXPECT_NEAR(predict_lstm(v100, layer(steps)).seconds, double(steps) * one, 1e-9 * double(steps));
  EXPECT_EQ(predict_lstm(v100, layer(7)).input_s, 0);
}

TEST(Lstm, TrainingIsItsThreePasses) {
  const System v100 = read_system("v100");
  const double parts = predict_lstm(v100, layer(25)).seconds +
                       predict_lstm(v100, layer(25, Pass::BackwardInputs)).seconds +
                       predict_lstm(v100, layer(25, Pass::BackwardWeights)).seconds;
  const LayerTime training = predict_lstm(v100, layer(25, Pass::Training));
  EXPECT_NEAR(training.seconds, parts, 1e-12);
  EXPECT_NEAR(training.seconds, training.recurrent_s + training.input_s, 1e-15);
}

TEST(Lstm, GradientsOfWeightsAreOneProductOverAllSteps) {
  const System v100 = read_system("v100");
  const LayerTime t = predict_lstm(v100, layer(100, Pass::BackwardWeights));
  EXPECT_EQ(t.recurrent_s, 0);
  EXPECT_DOUBLE_EQ(t.seconds, predict_gemm(v100, {1, 1024, 4096, 3200, Precision::Fp32}).seconds);
}

TEST(Lstm, MoreGatesAndWiderStatesAreNeverQuicker) {
  const System v100 = read_system("v100");
  double before = 0;
  for (const int gates : {1, 3, 4}) {
    LstmLayer l = layer(10);
    l.gates = gates;
    const double seconds = predict_lstm(v100, l).seconds;
    EXPECT_GT(seconds, before) << gates;
    before = seconds;
  }
  LstmLayer wide = layer(10);
  wide.hidden *= 2;
  EXPECT_GT(predict_lstm(v100, wide).seconds, before);
}

TEST(Lstm, ShortStepsAreBoundByTheirLaunches) {
  System v100 = read_system("v100");
  LstmLayer l = layer(10);
  l.hidden = 64;
  l.batch = 1;
  EXPECT_EQ(predict_lstm(v100, l).bound, Bound::Launch);
  v100.stack.launch_s = 0;
  EXPECT_NE(predict_lstm(v100, l).bound, Bound::Launch);
}

}  // namespace
}  // namespace lento::predict
