// Counting over drawn results, against sums of each result on its own.
#include "lab/chip/tally.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"

namespace lento::chip {
namespace {

RunResult drawn(base::Rng& rng) {
  const char* names[] = {"core1", "core2", "link0-1", "link4-5", "router3"};
  RunResult r;
  r.workload = rng.below(2) ? "a" : "b";
  r.method = rng.below(2) ? "x" : "y";
  r.training = rng.below(4) == 0;
  r.applicable = rng.below(8) != 0;
  r.hits = rng.below(3) == 0 ? rng.below(12) : 100;
  std::set<std::string> truth;
  for (uint64_t i = rng.below(3); i > 0; --i)
    truth.insert(names[rng.below(5)]);
  r.truth.assign(truth.begin(), truth.end());
  std::set<std::string> reported;
  for (uint64_t i = rng.below(3); i > 0; --i)
    reported.insert(names[rng.below(5)]);
  r.reported.assign(reported.begin(), reported.end());
  r.ranked = r.reported;
  r.overlap = rng.uniform();
  return r;
}

TEST(Tally, EveryResultIsCountedInOnePlace) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    base::Rng rng(seed, "tally");
    Tally t;
    const int count = 200;
    for (int i = 0; i < count; ++i)
      t.add(drawn(rng));
    EXPECT_EQ(t.elsewhere + t.clean + t.untouched + t.few + t.cases, uint64_t(count));
    EXPECT_EQ(t.cores + t.links + t.others, t.cases);
    EXPECT_EQ(t.cores_right + t.links_right + t.others_right, t.right);
    EXPECT_LE(t.right, t.cases);
    EXPECT_LE(t.first, t.first_three);
    EXPECT_EQ(t.reports, t.named + t.spurious);
    EXPECT_LE(t.alarms, t.clean);
    EXPECT_EQ(t.paper.true_negative, t.clean);
    EXPECT_LE(t.cores_in_time, t.in_time);
  }
}

TEST(Tally, RatesByTheirDefinitions) {
  Tally t;
  t.reports = 10;
  t.spurious = 2;
  t.named = 8;
  t.missed = 8;
  EXPECT_DOUBLE_EQ(t.precision(), 0.8);
  EXPECT_DOUBLE_EQ(t.recall(), 0.5);
  EXPECT_DOUBLE_EQ(t.f1(), 2 / (1 / 0.8 + 1 / 0.5));
  const Tally none;
  EXPECT_EQ(none.precision(), 0);
  EXPECT_EQ(none.recall(), 0);
  EXPECT_EQ(none.f1(), 0);
}

TEST(Tallies, RowsAddUpToThePooledOnes) {
  base::Rng rng(3, "rows");
  std::vector<RunResult> results(300);
  for (RunResult& r : results)
    r = drawn(rng);
  for (const bool training : {false, true}) {
    std::map<std::string, uint64_t> by_variant;
    for (const auto& [row, t] : tally(results, training))
      by_variant[row.second] += t.cases;
    const Tallies pooled = tally(results, training, true);
    EXPECT_EQ(pooled.size(), by_variant.size());
    for (const auto& [row, t] : pooled) {
      EXPECT_EQ(row.first, "all");
      EXPECT_EQ(t.cases, by_variant.at(row.second));
    }
  }
}

TEST(Counts, OnlyWhatTouchesEnoughOfTheSplitThatIsMeant) {
  RunResult r;
  r.truth = {"core1"};
  r.hits = kFewHits;
  EXPECT_TRUE(counts(r, false));
  EXPECT_FALSE(counts(r, true));
  r.hits = kFewHits - 1;
  EXPECT_FALSE(counts(r, false));
  r.hits = kFewHits;
  r.applicable = false;
  EXPECT_FALSE(counts(r, false));
  r.applicable = true;
  r.truth.clear();
  EXPECT_FALSE(counts(r, false));
}

TEST(OnlyTraining, LooksAtFaultyResultsAlone) {
  RunResult clean;
  RunResult trained;
  trained.truth = {"core1"};
  trained.training = true;
  RunResult judged = trained;
  judged.training = false;
  EXPECT_FALSE(only_training({}));
  EXPECT_FALSE(only_training({clean}));
  EXPECT_TRUE(only_training({clean, trained}));
  EXPECT_FALSE(only_training({trained, judged}));
}

TEST(NamedFirst, TheFirstTrueComponentStandsFirst) {
  RunResult r;
  EXPECT_FALSE(named_first(r));
  r.truth = {"core1", "core2"};
  r.ranked = {"core1"};
  EXPECT_TRUE(named_first(r));
  r.ranked = {"core2", "core1"};
  EXPECT_FALSE(named_first(r));
}

}  // namespace
}  // namespace lento::chip
