// How a method's candidates become a verdict.
#include "lab/fleet/methods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/rng.h"

namespace lento::fleet {
namespace {

constexpr size_t kMachines = 100;

Method rule(std::vector<size_t> lists, size_t in_a_row) {
  return {"rule", std::move(lists), in_a_row, false};
}

// The first machine that is named `in_a_row` times, list by list, found the slow way.
int slowly(const Candidates& c, const Method& m, double limit) {
  int machine = -1;
  size_t first = SIZE_MAX;
  for (const size_t list : m.lists) {
    for (size_t w = m.in_a_row - 1; w < c[list].size(); ++w) {
      bool all = w < first;
      for (size_t back = 0; all && back < m.in_a_row; ++back) {
        const Candidate& at = c[list][w - back];
        all = at.z > limit && at.machine == c[list][w].machine;
      }
      if (!all)
        continue;
      first = w;
      machine = int(c[list][w].machine);
      break;
    }
  }
  return machine;
}

TEST(Methods, ThresholdsRise) {
  for (const Method& m : methods()) {
    for (size_t i = 1; i < kThresholds; ++i)
      EXPECT_GT(threshold_at(m, i), threshold_at(m, i - 1)) << m.name;
    EXPECT_GT(threshold_at(m, kThresholds - 1), 30) << m.name;
  }
}

TEST(Methods, NamesDifferAndListsAreThere) {
  std::set<std::string> names;
  for (const Method& m : methods()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_FALSE(m.lists.empty());
    EXPECT_GE(m.in_a_row, 1U);
  }
  EXPECT_EQ(paper_metrics().size(), 7U);
  EXPECT_EQ(more_metrics().size(), 3U);
}

TEST(Verdict, IsTheFirstThatIsNamedOftenEnough) {
  const auto run = [](std::vector<uint32_t> machines) {
    std::vector<Candidate> out;
    for (const uint32_t m : machines)
      out.push_back({m, m == 99 ? 0.0F : 50.0F});
    return out;
  };
  const Candidates c{run({1, 1, 2, 2, 2, 1}), run({3, 3, 3, 1, 1, 1}), run({4, 99, 4, 4, 4, 5})};
  EXPECT_EQ(verdict_of(c, rule({0}, 3), 0, kMachines), 2);
  EXPECT_EQ(verdict_of(c, rule({0, 1}, 3), 0, kMachines), 3);  // two windows earlier
  EXPECT_EQ(verdict_of(c, rule({0}, 2), 0, kMachines), 1);
  EXPECT_EQ(verdict_of(c, rule({2}, 3), 0, kMachines), 4);  // what lies under the threshold ends a run
  // Both in one window: the first list's.
  EXPECT_EQ(verdict_of(c, rule({2, 0}, 3), 0, kMachines), 4);
  EXPECT_EQ(verdict_of(c, rule({0, 2}, 3), 0, kMachines), 2);
  EXPECT_EQ(verdict_of(c, rule({0}, 4), 0, kMachines), -1);
  EXPECT_EQ(verdict_of(c, rule({0}, 2), kThresholds - 1, kMachines), -1);
}

TEST(Verdict, IsWhatASlowSearchFinds) {
  int named = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed, "verdicts");
    Candidates c(3);
    for (auto& list : c) {
      for (int w = 0; w < 40; ++w)
        list.push_back({uint32_t(rng.below(3)), float(rng.uniform(0, 4))});
    }
    const Method m = rule({2, 0, 1}, 1 + rng.below(4));
    for (const size_t i : {0, 2, 5}) {
      const int verdict = verdict_of(c, m, i, kMachines);
      EXPECT_EQ(verdict, slowly(c, m, threshold_at(m, i))) << seed;
      named += verdict >= 0;
    }
  }
  EXPECT_GT(named, 100);
  EXPECT_LT(named, 900);
}

// A score of n machines cannot exceed (n - 1) / sqrt(n): a threshold above it would silence small fleets.
TEST(Verdict, ACappedThresholdCanBeReached) {
  Method m = rule({0}, 1);
  m.capped = true;
  const double cap = 3 / std::sqrt(4.0);
  const Candidates c{{{2, float(0.9 * cap)}}};
  EXPECT_EQ(verdict_of(c, m, kThresholds - 1, 4), 2);
  EXPECT_EQ(verdict_of({{{2, float(0.7 * cap)}}}, m, kThresholds - 1, 4), -1);
}

}  // namespace
}  // namespace lento::fleet
