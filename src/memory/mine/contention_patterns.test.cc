// Patterns of windows made by hand: which sets come, what they are charged with, and in which order.
#include "memory/mine/contention_patterns.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/rng.h"
#include "memory/mine/itemset/itemset.h"

namespace lento::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Windows in which functions meet, each function in a page of code of its own.
class Meetings {
 public:
  uint32_t item(uint32_t function) {
    return scan.items.of(Items::Kind::Function, 0, function);
  }
  WindowFacts& window(const std::vector<uint32_t>& functions, uint64_t excess = 10) {
    return add(scan.windows, functions, excess);
  }
  WindowFacts& control(const std::vector<uint32_t>& functions) {
    return add(scan.controls, functions, 0);
  }
  std::vector<Pattern> patterns(const ContentionOptions& options = {}, size_t most = 20) {
    trace.events = 1;
    trace.first_cycle = 0;
    trace.last_cycle = 1'000'000;
    return find_patterns(scan, trace, options, most, support);
  }
  // The pattern of exactly these functions; one without support when there is none.
  Pattern of(const std::vector<uint32_t>& functions, const ContentionOptions& options = {}) {
    std::vector<uint32_t> items;
    for (const uint32_t f : functions)
      items.push_back(item(f));
    std::ranges::sort(items);
    for (const Pattern& p : patterns(options, SIZE_MAX)) {
      if (p.items == items)
        return p;
    }
    return {};
  }

  WindowScan scan;
  Scan trace;
  double support = 0;

 private:
  WindowFacts& add(std::vector<WindowFacts>& to, const std::vector<uint32_t>& functions, uint64_t excess) {
    WindowFacts& w = to.emplace_back();
    for (const uint32_t f : functions) {
      w.items.push_back(item(f));
      w.ranges.push_back({f, 0x1000u * f + 4, 0x1000u * f + 8});
    }
    std::ranges::sort(w.items);
    w.excess = excess;
    w.cpus.add(0);
    w.cpus.add(1);
    w.seed = 100 * to.size();
    return w;
  }
};

TEST(Patterns, AreTheClosedSetsOfFunctions) {
  Meetings m;
  for (int i = 0; i < 10; ++i) {
    m.window({1, 2}, 10);
    m.window({1}, 3);
  }
  const auto all = m.patterns();
  ASSERT_EQ(all.size(), 2u);  // {2} alone is in the same windows as {1, 2}
  const Pattern both = m.of({1, 2});
  EXPECT_EQ(both.support, 10u);
  EXPECT_EQ(both.share, 0.5);
  EXPECT_EQ(both.excess, 100u);
  const Pattern one = m.of({1});
  EXPECT_EQ(one.support, 20u);
  EXPECT_EQ(one.excess, 130u);
  EXPECT_EQ(m.support, 0.05);
}

TEST(Patterns, BelowTheLeastSupportThereAreNone) {
  ContentionOptions options;
  options.support = 0.3;
  for (const auto& [times, found] : {std::pair{3, true}, std::pair{2, false}}) {
    Meetings m;
    for (int i = 0; i < 10; ++i)
      m.window(i < times ? std::vector<uint32_t>{1, 2} : std::vector<uint32_t>{3});
    EXPECT_EQ(m.of({1, 2}, options).support > 0, found) << times;
  }
}

TEST(Patterns, NameAFunction) {
  Meetings m;
  for (int i = 0; i < 10; ++i) {
    m.scan.windows.emplace_back();
    m.scan.windows.back().items = {m.scan.items.of(Items::Kind::Latency, 0, 7)};
  }
  EXPECT_THAT(m.patterns(), IsEmpty());
}

TEST(Patterns, HoldTheCpusAndTheRangesOfTheirWindows) {
  Meetings m;
  for (uint32_t i = 0; i < 10; ++i) {
    WindowFacts& w = m.window(i % 2 == 0 ? std::vector<uint32_t>{1, 2} : std::vector<uint32_t>{1});
    w.ranges[0].low = 0x1100 - i;
    w.ranges[0].high = 0x1200 + i;
    w.cpus.add(10 + i);
  }
  const Pattern both = m.of({1, 2});
  EXPECT_EQ(both.cpus.text(), "0-1,10,12,14,16,18");
  ASSERT_EQ(both.ranges.size(), 2u);
  EXPECT_EQ(both.ranges[0].function, 1u);
  EXPECT_EQ(both.ranges[0].low, 0x1100u - 8);
  EXPECT_EQ(both.ranges[0].high, 0x1200u + 8);
  const Pattern one = m.of({1});
  ASSERT_EQ(one.ranges.size(), 1u);
  EXPECT_EQ(one.ranges[0].high, 0x1200u + 9);
}

// Cycles that a function of the pattern cost another of it; a third one's are not its.
TEST(Patterns, ExplainWhatTheirFunctionsCostOneAnother) {
  Meetings m;
  for (int i = 0; i < 10; ++i) {
    WindowFacts& w = m.window({1, 2});
    w.blame = {{1, 2, 30}, {2, 2, 5}, {1, 3, 100}, {3, 2, 100}};
  }
  EXPECT_EQ(m.of({1, 2}).explained, 350u);
}

TEST(Patterns, CostliestPairsAreJudgedHoweverRare) {
  Meetings m;
  for (int i = 0; i < 100; ++i)
    m.window(i == 50 ? std::vector<uint32_t>{1, 2, 3} : std::vector<uint32_t>{1, 3});
  EXPECT_EQ(m.of({1, 2, 3}).support, 0u);
  m.trace.function_blame[{2, 1}] = {5000, 1};
  EXPECT_EQ(m.of({1, 2, 3}).support, 1u);  // all that the windows with both functions share
  ContentionOptions paper;
  paper.paper = true;
  EXPECT_EQ(m.of({1, 2, 3}, paper).support, 0u);
}

TEST(Patterns, OfAPairThatNeverMetDoNotExist) {
  Meetings m;
  for (int i = 0; i < 40; ++i)
    m.window(i % 2 == 0 ? std::vector<uint32_t>{1} : std::vector<uint32_t>{2});
  m.trace.function_blame[{1, 2}] = {5000, 1};
  EXPECT_EQ(m.patterns().size(), 2u);
}

TEST(Patterns, WhatTheWindowsOfAPairShareIsTheirIntersection) {
  Meetings m;
  for (int i = 0; i < 100; ++i)
    m.window({9});
  m.window({1, 2, 3, 4});
  m.window({1, 2, 4, 5});
  m.trace.function_blame[{1, 2}] = {5000, 1};
  EXPECT_EQ(m.of({1, 2, 4}).support, 2u);
  EXPECT_EQ(m.patterns().size(), 2u);
}

// Rank: the costliest pair of the blame matrix, then what is explained, then the larger set.
TEST(Patterns, AreRankedByWhatTheyExplain) {
  Meetings m;
  m.trace.culprits_known = true;
  for (int i = 0; i < 10; ++i) {
    m.window({1, 2}).blame = {{1, 2, 10}};
    m.window({3, 4}, 1).blame = {{3, 4, 40}};
    m.window({5, 6}).blame = {{5, 6, 20}};
  }
  m.trace.function_blame[{1, 2}] = {900, 1};
  m.trace.function_blame[{3, 4}] = {800, 1};
  m.trace.function_blame[{5, 6}] = {800, 1};
  const auto p = m.patterns();
  ASSERT_EQ(p.size(), 3u);
  EXPECT_THAT(p[0].items, ElementsAre(m.item(1), m.item(2)));
  EXPECT_THAT(p[1].items, ElementsAre(m.item(3), m.item(4)));  // as costly a pair, and more explained
  EXPECT_THAT(p[2].items, ElementsAre(m.item(5), m.item(6)));
  // A trace without culprits ranks by what was lost in the windows.
  m.trace.culprits_known = false;
  m.trace.function_blame.clear();
  EXPECT_THAT(m.patterns()[2].items, ElementsAre(m.item(3), m.item(4)));
}

TEST(Patterns, OfEqualWorthLargerSetsComeFirst) {
  Meetings m;
  for (int i = 0; i < 10; ++i) {
    m.window({1, 2}, 10);
    m.window({1}, 0);
  }
  const auto p = m.patterns();
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[0].items.size(), 2u);
  EXPECT_EQ(p[0].excess, p[1].excess);
}

TEST(Patterns, BySupportAsThePaperRanks) {
  Meetings m;
  for (int i = 0; i < 10; ++i) {
    m.window({1}, i < 7 ? 1 : 1000);
    m.window(i < 8 ? std::vector<uint32_t>{1, 2} : std::vector<uint32_t>{1, 3});
  }
  ContentionOptions options;
  options.paper = true;
  options.support = 0.05;
  for (WindowFacts& w : m.scan.windows)
    w.cpus = {};  // one CPU at most: single names suffice
  m.scan.windows[0].items.push_back(m.scan.items.of(Items::Kind::CpuFunction, 0, 1));
  const uint32_t prefixed = m.scan.windows[0].items.back();
  for (size_t i = 1; i < m.scan.windows.size(); ++i)
    m.scan.windows[i].items.push_back(prefixed);
  const auto p = m.patterns(options);
  ASSERT_GE(p.size(), 3u);
  EXPECT_EQ(p[0].support, 20u);
  EXPECT_EQ(p[1].support, 8u);
  EXPECT_EQ(p[2].support, 2u);
}

// A pattern of contention is one of several CPUs: two prefixes at least when the windows hold as many.
TEST(Patterns, OfThePaperNameTwoCpus) {
  Meetings m;
  const uint32_t function = m.item(1);
  const uint32_t first = m.scan.items.of(Items::Kind::CpuFunction, 3, 1);
  const uint32_t second = m.scan.items.of(Items::Kind::CpuFunction, 67, 1);
  for (int i = 0; i < 10; ++i) {
    WindowFacts& w = m.window({1});
    w.items = i < 8 ? std::vector<uint32_t>{function, first} : std::vector<uint32_t>{function, first, second};
  }
  ContentionOptions options;
  options.paper = true;
  options.support = 0.05;
  const auto one = m.patterns(options);
  // CPU 3 and CPU 67 are one bit of 64: a limit that is kept, not two CPUs.
  EXPECT_THAT(one, IsEmpty());
  const uint32_t other = m.scan.items.of(Items::Kind::CpuFunction, 4, 1);
  for (int i = 8; i < 10; ++i)
    m.scan.windows[size_t(i)].items = {function, first, other};
  const auto two = m.patterns(options);
  ASSERT_EQ(two.size(), 1u);
  EXPECT_EQ(two[0].support, 2u);
}

TEST(Patterns, AreTestedAgainstControlWindows) {
  Meetings m;
  for (int i = 0; i < 20; ++i) {
    m.window(i < 15 ? std::vector<uint32_t>{1, 2} : std::vector<uint32_t>{1});
    m.control(i < 5 ? std::vector<uint32_t>{1, 2} : std::vector<uint32_t>{1});
  }
  const Pattern both = m.of({1, 2});
  EXPECT_EQ(both.control, 5u);
  EXPECT_DOUBLE_EQ(both.lift, 3);
  EXPECT_DOUBLE_EQ(both.p, 2 * fisher_tail(15, 20, 5, 20));  // two patterns were judged
  const Pattern always = m.of({1});
  EXPECT_DOUBLE_EQ(always.lift, 1);
  EXPECT_DOUBLE_EQ(always.p, 1);
}

// What is not shown was judged too.
TEST(Patterns, ShowingFewDoesNotMakeThemLikelier) {
  Meetings m;
  for (int i = 0; i < 20; ++i) {
    m.window(i < 15 ? std::vector<uint32_t>{1, 2} : std::vector<uint32_t>{1, 3}, i < 15 ? 100 : 1);
    m.control({1});
  }
  const auto all = m.patterns();
  ASSERT_EQ(all.size(), 3u);
  const auto first = m.patterns({}, 1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].items, all[0].items);
  EXPECT_DOUBLE_EQ(first[0].p, all[0].p);
}

TEST(Patterns, TheSupportRisesUntilTheSetsCanBeJudged) {
  base::Rng rng(5, "patterns.many");
  Meetings m;
  Transactions data;
  for (int i = 0; i < 300; ++i) {
    std::vector<uint32_t> functions;
    for (uint32_t f = 0; f < 14; ++f) {
      if (rng.below(2) == 0)
        functions.push_back(f);
    }
    data.add(m.window(functions).items);
  }
  const auto closed_at = [&](double share) {
    MineOptions options;
    options.min_support = uint64_t(std::ceil(share * 300 - 1e-9));
    return uint64_t(mine_itemsets(data, options).count);
  };
  const auto p = m.patterns({}, SIZE_MAX);
  EXPECT_GT(m.support, 0.05);
  EXPECT_LE(p.size(), 500u);
  EXPECT_EQ(p.size(), closed_at(m.support));
  EXPECT_GT(closed_at(m.support - 0.05), 500u);
}

TEST(Patterns, DoNotDependOnTheOrderOfTheWindows) {
  base::Rng rng(8, "patterns.order");
  Meetings m;
  for (uint32_t i = 0; i < 60; ++i)
    m.window({uint32_t(rng.below(3)), 3 + uint32_t(rng.below(3))}, rng.below(50));
  const auto before = m.patterns();
  std::ranges::reverse(m.scan.windows);
  const auto after = m.patterns();
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].items, after[i].items);
    EXPECT_EQ(before[i].support, after[i].support);
    EXPECT_EQ(before[i].excess, after[i].excess);
  }
}

TEST(Fisher, EqualsTheClosedForm) {
  EXPECT_NEAR(fisher_tail(3, 3, 0, 3), 1.0 / 20, 1e-12);  // one of C(6,3) placements
  EXPECT_NEAR(fisher_tail(0, 10, 5, 10), 1, 1e-9);
  EXPECT_LT(fisher_tail(90, 100, 10, 100), 1e-20);
}

double choose(uint64_t n, uint64_t k) {
  double c = 1;
  for (uint64_t i = 0; i < k; ++i)
    c = c * double(n - i) / double(i + 1);
  return c;
}

TEST(Fisher, IsTheSumOfItsPlacements) {
  for (uint64_t n = 1; n <= 7; ++n) {
    for (uint64_t m = 0; m <= 7; ++m) {
      for (uint64_t hits = 0; hits <= n; ++hits) {
        for (uint64_t others = 0; others <= m; ++others) {
          double sum = 0;
          const uint64_t marks = hits + others;
          for (uint64_t k = hits; k <= std::min(n, marks); ++k)
            sum += marks - k > m ? 0 : choose(n, k) * choose(m, marks - k);
          EXPECT_NEAR(fisher_tail(hits, n, others, m), sum / choose(n + m, marks), 1e-9)
              << hits << " of " << n << ", " << others << " of " << m;
        }
      }
    }
  }
}

TEST(Fisher, TailsAddUpToOneAndFall) {
  double before = 1;
  for (uint64_t hits = 0; hits <= 10; ++hits) {
    const double tail = fisher_tail(hits, 10, 10 - hits, 30);
    EXPECT_LE(tail, before + 1e-12);
    before = tail;
  }
  EXPECT_NEAR(fisher_tail(0, 10, 10, 30), 1, 1e-9);
  // All ten marks on ten of forty: 1 / C(40, 10).
  EXPECT_NEAR(fisher_tail(10, 10, 0, 30) * 847660528.0, 1, 1e-6);
  EXPECT_EQ(fisher_tail(0, 0, 0, 0), 1);
}

}  // namespace
}  // namespace lento::memory
