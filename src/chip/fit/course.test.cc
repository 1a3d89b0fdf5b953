#include "chip/fit/course.h"

#include <gtest/gtest.h>

#include "chip/detect/test_chip.h"
#include "chip/fit/tuning.h"

namespace lento::chip {
namespace {

class CourseMisfit : public testing::Test {
 protected:
  double of(const Sketch& recorded, const std::vector<Fault>& simulated = {}) const {
    std::vector<Sketch> draws;
    for (uint32_t draw = 0; draw < kFitDraws; ++draw)
      draws.push_back(quiet_.replay()(simulated, draw));
    return course_misfit(cells_of(recorded, quiet_.grid()), draws, quiet_.file(), quiet_.grid());
  }
  std::vector<Fault> slow(double factor, uint64_t begin, uint64_t end) const {
    return {quiet_.fault({Part::Router, 5}, factor, begin, end)};
  }
  test::QuietChip quiet_;
};

// A wait of a quarter of the run moves neither the fastest transfer nor the median one, but it shows here,
// and is explained by simulations that wait at the same time and no others.
TEST_F(CourseMisfit, SeesWhenTransfersWait) {
  const double healthy = of(quiet_.run({}, 1));
  const Sketch waits = quiet_.run(slow(3, 8, 14), 1);
  EXPECT_GT(of(waits), healthy + 0.05);
  EXPECT_LT(of(waits, slow(3, 8, 14)), of(waits) - 0.05);
  EXPECT_GT(of(waits, slow(3, 14, 20)), of(waits));
}

// A fault of any size counts by its logarithm: ten times as slow, hardly more.
TEST_F(CourseMisfit, AFaultDoesNotDecideAlone) {
  const double healthy = of(quiet_.run({}, 1));
  const double mild = of(quiet_.run(slow(3, 8, 14), 1)) - healthy;
  const double heavy = of(quiet_.run(slow(30, 8, 14), 1)) - healthy;
  EXPECT_GT(heavy, mild);
  EXPECT_LT(heavy, 3 * mild);
}

TEST_F(CourseMisfit, OfNothingIsNone) {
  Cells nothing;
  nothing.bins = 1;
  const Replay replay = quiet_.replay();
  EXPECT_EQ(course_misfit(nothing, {replay({}, 0), replay({}, 1)}, quiet_.file(), quiet_.grid()), 0);
}

}  // namespace
}  // namespace lento::chip
