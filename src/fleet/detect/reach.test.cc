// What is said to be named is named, and what is far less is not.
#include <gtest/gtest.h>

#include <cmath>

#include "fleet/detect/test_job.h"

namespace lento::fleet {
namespace {

constexpr size_t kLearned = 1800;
constexpr size_t kFault = 900;

Reach reach_of(size_t machines, uint64_t seed) {
  test::Job job(machines, {}, {"power"}, 1000, seed);
  job.healthy(kLearned + kFault);
  EXPECT_TRUE(job.standing().empty());
  const std::vector<Reach> reach = job.detector.reach();
  EXPECT_EQ(reach.size(), 1u);
  return reach.empty() ? Reach{} : reach.front();
}

bool named(size_t machines, uint64_t seed, double loss) {
  test::Job job(machines, {}, {"power"}, 1000, seed);
  job.healthy(kLearned);
  job.slow(kFault, 1, 1 - loss);
  return job.standing() == std::vector<size_t>{1};
}

TEST(Reach, ALossThatItPromisesIsNamedAndAQuarterOfItIsNot) {
  for (const size_t machines : {4, 5, 6, 8, 11, 16, 23, 40, 64, 100}) {
    const double share = reach_of(machines, machines).share();
    EXPECT_GT(share, 0.001) << machines;
    EXPECT_LT(share, 0.4) << machines;
    EXPECT_TRUE(named(machines, machines, share)) << machines << " machines, " << share;
    EXPECT_FALSE(named(machines, machines, share / 4)) << machines << " machines, " << share;
  }
}

TEST(Reach, MoreMachinesShowLess) {
  EXPECT_LT(2 * reach_of(32, 3).share(), reach_of(4, 3).share());
}

TEST(Reach, NothingBeforeTheFirstWindowOrWithoutPeers) {
  test::Job young(8, {});
  young.healthy(60);
  EXPECT_TRUE(young.detector.reach().empty());
  EXPECT_EQ(reach_text(young.detector), "");
  test::Job few(3, {});
  few.healthy(900);
  EXPECT_TRUE(few.detector.reach().empty());
}

TEST(Reach, TheFinestMetricComesFirstAndALevelOfZeroHasNoShare) {
  test::Job job(8, {}, {"noisy", "power", "zero"});
  job.run(1800, [n = 0](size_t metric, size_t) mutable {
    ++n;
    const double wide = 100 + 30 * std::sin(n * 12.9898);
    return metric == 0 ? wide : metric == 1 ? 100.0 : 0.0;
  });
  const std::vector<Reach> reach = job.detector.reach();
  ASSERT_EQ(reach.size(), 3u);
  EXPECT_EQ(reach[0].metric, 1u);
  EXPECT_EQ(reach[1].metric, 0u);
  EXPECT_EQ(reach[2].metric, 2u);
  EXPECT_TRUE(std::isinf(reach[2].share()));
  EXPECT_EQ(reach_text(job.detector).find("power "), 0u);
}

TEST(Reach, AnAllClearOfFewMachinesSaysWhatMightBeMissed) {
  const auto note = [](size_t machines) {
    test::Job job(machines, {});
    job.healthy(1800);
    const finding::Diagnosis d = conclude(job.detector, {});
    return !d.notes.empty() && d.notes.front().find("might not be named") != std::string::npos;
  };
  EXPECT_TRUE(note(4));
  EXPECT_FALSE(note(32));
}

}  // namespace
}  // namespace lento::fleet
