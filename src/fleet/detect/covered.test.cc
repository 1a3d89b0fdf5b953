// What a verdict rests on, word by word.
#include "fleet/scan/covered.h"

#include <gtest/gtest.h>

#include "fleet/detect/test_job.h"

namespace lento::fleet {
namespace {

TEST(Covered, CountsPeriodMachinesMetricsAndSamples) {
  auto s = test::job(4, 90, {"power"});
  EXPECT_EQ(
      covered_text(s),
      "90 s in steps of 1 s, 4 machines, 1 metric (power), 100 % of the samples there");
  for (size_t t = 0; t < 9; ++t)
    s.row(0, t)[1] = test::kNone;
  s.step_ms = 2000;
  EXPECT_EQ(
      covered_text(s),
      "180 s in steps of 2 s, 4 machines, 1 metric (power), 97.5 % of the samples there");
}

TEST(Covered, NamesThreeMetrics) {
  EXPECT_NE(covered_text(test::job(4, 9, {"a", "b", "c"})).find("3 metrics (a, b, c),"), std::string::npos);
  EXPECT_NE(
      covered_text(test::job(4, 9, {"a", "b", "c", "d"})).find("4 metrics (a, b, c, ...),"),
      std::string::npos);
}

TEST(Covered, OfARunningJobIsWhatItSaw) {
  test::Job job(4, {});
  EXPECT_NE(covered_text(job.detector).find("0 % of the samples there"), std::string::npos);
  job.run(60, [](size_t, size_t m) {
    return m == 0 ? double(test::kNone) : 1.0;
  });
  EXPECT_EQ(
      covered_text(job.detector),
      "60 s in steps of 1 s, 4 machines, 1 metric (power), 75 % of the samples there");
}

}  // namespace
}  // namespace lento::fleet
