#include "fleet/detect/excursions.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(Excursions, EachWindowAsksForARestOfItsOwn) {
  EXPECT_TRUE(Excursions(1, 0, kWindow).passes(deviation(1, 0.76f)));
  EXPECT_FALSE(Excursions(1, 0, kWindow).passes(deviation(1, 0.74f)));
  EXPECT_TRUE(Excursions(1, 1, kWindow).passes(deviation(1, 0.77f)));
  EXPECT_FALSE(Excursions(1, 1, kWindow).passes(deviation(1, 0.75f)));
  for (const size_t rank : {2u, 9u}) {
    EXPECT_TRUE(Excursions(1, rank, kWindow).passes(deviation(1, 0.61f)));
    EXPECT_FALSE(Excursions(1, rank, kWindow).passes(deviation(1, 0.59f)));
  }
  EXPECT_FALSE(Excursions(1, 0, kWindow).passes(deviation(0.99f, 2)));  // a rest does not make up for a score
}

TEST(Excursions, OneOfSeveralMustGoFurtherAndNoneTooFar) {
  const Excursions e(1, 0, kWindow);
  EXPECT_TRUE(e.passes(deviation(1.2f), 1.15));
  EXPECT_FALSE(e.passes(deviation(1.1f), 1.15));
  EXPECT_TRUE(e.passes(deviation(1.5f), 10));
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

// As a live job counts time, from 1970: an excursion lasts from its first look on.
TEST(Excursions, LastFromTheirFirstLook) {
  constexpr int64_t kNow = 1'700'000'000'000;
  for (const auto& [windows, ended] : {std::pair{4, true}, std::pair{5, false}}) {
    Excursions e(1, 0, kWindow);
    for (int w = 0; w < windows; ++w)
      e.see(0, deviation(1.2f), kNow + w * kWindow);
    e.see(0, deviation(0.1f), kNow + windows * kWindow);
    EXPECT_EQ(e.largest() > 0, ended) << windows;
  }
}

// Between rest and threshold an excursion goes on; each machine has its own.
TEST(Excursions, EndBelowRestAndAreCountedByMachine) {
  Excursions e(2, 0, kWindow);
  e.see(0, deviation(1.2f, 0.5f), 1000);
  e.see(0, deviation(0.71f), 2000);
  e.see(1, deviation(0.1f), 3000);
  EXPECT_DOUBLE_EQ(e.largest(), 0);
  e.see(0, deviation(0.69f), 4000);
  EXPECT_NEAR(e.largest(), 1.2 * 0.5 / 0.75, 1e-6);  // the largest extent on its way, not the largest score
}

TEST(Excursions, AreTakenUpOnlyWhereTheyCanBe) {
  Excursions e(1, 0, kWindow);
  e.restore(0.9);
  EXPECT_DOUBLE_EQ(e.largest(), 0.9);
  EXPECT_DOUBLE_EQ(e.needed(), 1);  // never less
  e.restore(0.95);
  EXPECT_NEAR(e.needed(), 1.045, 1e-12);
  for (const double bad : {-0.1, 100.0, 1e300, double(NAN)})
    e.restore(bad);
  EXPECT_DOUBLE_EQ(e.largest(), 0.95);
  e.restore(99);
  EXPECT_DOUBLE_EQ(e.needed(), 1.5);  // never more
}

// One that has ended is over: the next begins anew.
TEST(Excursions, TheSecondCountsFromItsOwnBegin) {
  Excursions e(1, 0, kWindow);
  e.see(0, deviation(0.8f), 1000);
  e.see(0, deviation(0.1f), 1000 + kWindow);
  e.see(0, deviation(1.3f), 1000 + 20 * kWindow);
  e.see(0, deviation(0.1f), 1000 + 21 * kWindow);
  EXPECT_NEAR(e.largest(), 1.3, 1e-6);
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
