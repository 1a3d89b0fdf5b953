#include "fleet/detect/excursions.h"

#include <gtest/gtest.h>

namespace lento::fleet {
namespace {

Judged deviation(float score, float rest = 1) {
  Judged j;
  j.score = score;
  j.rest = rest;
  j.steady = true;
  return j;
}

constexpr int64_t kWindow = 140'000;

TEST(Excursions, LongerWindowsAskForLess) {
  EXPECT_TRUE(Excursions(1, 0, kWindow).passes(deviation(1, 0.81f)));
  EXPECT_FALSE(Excursions(1, 0, kWindow).passes(deviation(1, 0.79f)));
  EXPECT_GT(Excursions(1, 0, kWindow).needed(), Excursions(1, 1, kWindow).needed());
  EXPECT_GT(Excursions(1, 1, kWindow).needed(), Excursions(1, 2, kWindow).needed());
  EXPECT_EQ(Excursions(1, 2, kWindow).needed(), Excursions(1, 9, kWindow).needed());
}

TEST(Excursions, WhatEndedByItselfIsNoiseAndRaisesTheNeed) {
  Excursions e(2, 0, kWindow);
  e.see(0, deviation(1.0f), 1000);
  EXPECT_DOUBLE_EQ(e.largest(), 0);  // it has not ended
  e.see(0, deviation(0.1f), 100'000);
  EXPECT_NEAR(e.largest(), 1.0, 1e-6);
  EXPECT_FALSE(e.passes(deviation(1.05f)));
  EXPECT_TRUE(e.passes(deviation(1.3f)));
}

TEST(Excursions, AFaultThatLastsTeachesNothing) {
  Excursions e(1, 0, kWindow);
  e.see(0, deviation(1.5f), 1000);
  e.see(0, deviation(1.5f), 10 * kWindow);
  e.see(0, deviation(0.1f), 11 * kWindow);
  EXPECT_DOUBLE_EQ(e.largest(), 0);
}

TEST(Excursions, ABurstThatDoesNotHoldIsNone) {
  Excursions e(1, 0, kWindow);
  Judged burst = deviation(5);
  burst.steady = false;
  e.see(0, burst, 1000);
  e.see(0, deviation(0.1f), 50'000);
  EXPECT_DOUBLE_EQ(e.largest(), 0);
}

TEST(Excursions, TheMemoryFadesAndNeverAsksForTooMuch) {
  Excursions e(1, 0, kWindow);
  e.see(0, deviation(9), 1000);
  e.see(0, deviation(0.1f), 2000);
  EXPECT_TRUE(e.passes(deviation(1.6f)));  // a fault of the size of the largest noise is still found
  const double before = e.largest();
  e.see(0, deviation(0.1f), 2000 + 30 * 86'400'000LL);
  EXPECT_NEAR(e.largest() / before, 0.5, 1e-6);
  e.restore(-1);
  EXPECT_NEAR(e.largest() / before, 0.5, 1e-6);
}

}  // namespace
}  // namespace lento::fleet
