#include "chip/fabric/places.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

TEST(Places, FirstComeFirstServed) {
  Places places;
  const size_t link = places.add(2);
  EXPECT_EQ(places.enter(link, 7, 100), 100);
  EXPECT_EQ(places.enter(link, 3, 101), 101);
  EXPECT_EQ(places.enter(link, 5, 102), Places::kLater);
  EXPECT_EQ(places.enter(link, 1, 103), Places::kLater);
  EXPECT_EQ(places.leave(link, 110), 5U);
  EXPECT_EQ(places.leave(link, 120), 1U);
  EXPECT_EQ(places.leave(link, 130), Places::kNobody);
}

TEST(Places, GivenBackForATimeToCome) {
  Places places;
  const size_t link = places.add(1);
  places.enter(link, 0, 0);
  places.leave(link, 50);
  EXPECT_EQ(places.enter(link, 1, 20), 50);
  EXPECT_EQ(places.enter(link, 2, 30), Places::kLater);
}

TEST(Places, ForcedInByTurnsWithoutAPlace) {
  Places places;
  places.add(1);
  const size_t link = places.add(1);
  places.enter(link, 0, 0);
  places.enter(link, 1, 1);
  places.enter(link, 2, 2);
  EXPECT_EQ(places.force(), 1U);
  EXPECT_EQ(places.force(), 2U);
  EXPECT_EQ(places.force(), Places::kNobody);
  // Three leave one place: it is free once.
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(places.leave(link, 10), Places::kNobody);
  EXPECT_EQ(places.enter(link, 3, 20), 20);
  EXPECT_EQ(places.enter(link, 4, 20), Places::kLater);
}

}  // namespace
}  // namespace lento::chip
