// Many machines that change at once: nobody is accused, and nobody is told that all is well.
#include <gtest/gtest.h>

#include "fleet/detect/test_job.h"

namespace lento::fleet {
namespace {

// A job of 24 of which the first `slow` lose a fifth for `rows` rows, after half an hour.
finding::Diagnosis diagnosed(size_t slow, size_t rows, Together* together) {
  test::Job job(24, {});
  job.healthy(1800);
  job.run(rows, [&](size_t, size_t m) {
    return m < slow ? 80.0 : 100.0;
  });
  *together = job.detector.together();
  EXPECT_EQ(job.detector.together_now(), together->machines.size());
  job.healthy(600);
  EXPECT_EQ(job.detector.together_now(), 0u);
  return conclude(job.detector, {});
}

TEST(Together, ManyAtOnceAreNotedAndNotBlamed) {
  Together together;
  const finding::Diagnosis d = diagnosed(8, 900, &together);
  EXPECT_TRUE(d.findings.empty());
  EXPECT_EQ(d.verdict, "No single machine stands out, but 8 left their peers together.");
  EXPECT_EQ(together.machines, (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_GE(together.end_ms - together.begin_ms, 140'000);
  ASSERT_FALSE(d.notes.empty());
  EXPECT_NE(d.notes[0].find("8 machines deviated from their peers in power at once"), std::string::npos);
  EXPECT_NE(d.notes[0].find("n0, n1, n2"), std::string::npos);
}

TEST(Together, AMomentIsNotNoted) {
  Together together;
  const finding::Diagnosis d = diagnosed(8, 60, &together);
  EXPECT_TRUE(together.machines.empty());
  EXPECT_EQ(d.verdict, "No machine stands out from its peers.");
}

TEST(Together, AFewAreFaultsOfTheirOwn) {
  Together together;
  EXPECT_EQ(diagnosed(3, 900, &together).findings.size(), 3u);
  EXPECT_TRUE(together.machines.empty());
}

}  // namespace
}  // namespace lento::fleet
