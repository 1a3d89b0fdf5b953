#include "memory/mine/extent.h"

#include <gtest/gtest.h>

namespace lento::memory {
namespace {

// `count` times from `from` on, `step` apart.
void add(Extent& extent, uint64_t from, uint64_t count, uint64_t step) {
  for (uint64_t i = 0; i < count; ++i)
    extent.add(from + i * step);
}

void expect(const Extent::Times& t, uint64_t first, uint64_t last, uint64_t count) {
  EXPECT_EQ(t.first, first);
  EXPECT_EQ(t.last, last);
  EXPECT_EQ(t.count, count);
}

TEST(Extent, TimesThatFitAreAllKept) {
  Extent extent;
  add(extent, 5000, 100'000, 3);
  expect(extent.kept(0.05), 5000, 304'997, 100'000);
}

TEST(Extent, FarTimesOnBothSidesAreLeftOut) {
  for (const uint64_t far : {uint64_t{1'000'000'000}, uint64_t{1} << 50, UINT64_MAX}) {
    Extent extent;
    extent.add(7);
    add(extent, 100'000'000, 100, 9);
    extent.add(far);
    add(extent, 100'000'900, 9900, 9);
    expect(extent.kept(0.05), 100'000'000, 100'089'991, 10'000);
  }
}

// A silence shorter than the rest is a pause of the program.
TEST(Extent, APauseIsNoDamage) {
  Extent extent;
  add(extent, 0, 1001, 10);
  extent.add(20'000);
  expect(extent.kept(0.05), 0, 20'000, 1002);
  Extent longer;
  add(longer, 0, 1001, 10);
  longer.add(20'001);
  expect(longer.kept(0.05), 0, 10'000, 1001);
}

// Six in a hundred are no accident.
TEST(Extent, ManyFarTimesStay) {
  Extent extent;
  add(extent, 0, 94, 10);
  add(extent, 1'000'000, 6, 10);
  expect(extent.kept(0.05), 0, 1'000'050, 100);
  expect(extent.kept(0.06), 0, 930, 94);
}

TEST(Extent, HoldsAnyTimesInBoundedMemory) {
  Extent extent;
  for (uint64_t i = 0; i < 200'000; ++i)
    extent.add(i * 0x9e3779b97f4a7c15ULL);
  EXPECT_EQ(extent.kept(0.05).count, 200'000U);
  size_t intervals = 0;
  Extent::visit(extent, [&](uint64_t, const Extent::Times&, const auto& closed) {
    intervals = closed.size();
  });
  EXPECT_LE(intervals, 1024U);
}

TEST(Extent, NothingIsNothing) {
  EXPECT_EQ(Extent().kept(0.05).count, 0U);
}

}  // namespace
}  // namespace lento::memory
