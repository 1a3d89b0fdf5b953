// The study on small jobs: lines read back, the same whatever the threads, an unfinished campaign is told.
#include "lab/fleet/synthetic.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lento::fleet {
namespace {

SyntheticOptions small() {
  SyntheticOptions o;
  o.preset = "paper";
  o.faults = o.hours = 2;
  o.training_hours = 2;
  o.max_machines = 12;
  o.threads = 1;
  return o;
}

TEST(Synthetic, RunsAreRepeatableAndLinesReadBack) {
  const SyntheticStudy study(small(), {});
  ASSERT_EQ(study.runs(), 6u);
  std::vector<std::string> lines;
  size_t faulty = 0;
  size_t training = 0;
  for (uint64_t i = 0; i < study.runs(); ++i) {
    lines.push_back(study.run(i));
    const JudgedJob job = from_line(lines.back());
    EXPECT_EQ(to_line(job), lines.back());
    EXPECT_GE(job.machines, 4u);
    EXPECT_LE(job.machines, 12u);
    faulty += job.faulty;
    training += job.training;
  }
  EXPECT_EQ(study.run(3), lines[3]);
  EXPECT_EQ(faulty, 2u);
  EXPECT_EQ(training, 2u);
  const auto whole = study.conclude(lines);
  EXPECT_EQ(whole.facts[0].second, "2 of 2");
  lines[0].clear();
  const auto part = study.conclude(lines);
  EXPECT_NE(part.facts[0].second + part.facts[1].second, "2 of 22 of 2");
}

TEST(Synthetic, ALineOfAnotherKindIsRefused) {
  EXPECT_THROW(from_line("V 64 ECC_error R RRR"), base::Error);
  EXPECT_THROW(from_line(""), base::Error);
}

Candidates one_list(const std::vector<Candidate>& windows) {
  Candidates c(64);
  c[0] = windows;
  return c;
}

TEST(Methods, ContinuityNeedsTheSameMachineInEveryWindow) {
  const Method method{"m", {0}, 3};
  const size_t low = 0;  // threshold 0.5
  EXPECT_EQ(verdict_of(one_list({{7, 2}, {7, 2}, {7, 2}}), method, low, 100), 7);
  EXPECT_EQ(verdict_of(one_list({{7, 2}, {8, 2}, {7, 2}, {7, 2}}), method, low, 100), -1);
  EXPECT_EQ(verdict_of(one_list({{7, 2}, {7, 0.1f}, {7, 2}, {7, 2}}), method, low, 100), -1);
  EXPECT_EQ(verdict_of(one_list({{7, 2}, {7, 2}, {7, 2}}), method, kThresholds - 1, 100), -1);
}

TEST(Methods, AThresholdAboveWhatSmallFleetsCanScoreStillFires) {
  const Method method{"m", {0}, 1};
  EXPECT_EQ(
      verdict_of(one_list({{2, 1.4f}}), method, kThresholds - 1, 4),
      2);  // a score of four machines: at most 1.5
  EXPECT_EQ(verdict_of(one_list({{2, 1.1f}}), method, kThresholds - 1, 4), -1);
}

}  // namespace
}  // namespace lento::fleet
