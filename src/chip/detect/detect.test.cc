// The whole detector on a chip without queues, where the truth is exact.
#include "chip/detect/detect.h"

#include <gtest/gtest.h>

#include "chip/detect/test_chip.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

class DetectTest : public testing::Test {
 protected:
  test::QuietChip quiet_;
  DetectOptions options_;

  DetectTest() {
    quiet_.bins = 16;
    options_.replay = quiet_.replay();
    options_.healthy_draws = 3;
  }
  Detection found(const std::vector<Fault>& faults, uint64_t seed = 1) const {
    return detect(quiet_.run(faults, seed), quiet_.file(), options_);
  }
  // Each report with what it may be instead.
  std::string names(const Detection& d) const {
    std::string out;
    for (const Suspect& s : d.reported)
      out += (out.empty() ? "" : " ") + name_of(s.component, quiet_.grid());
    return out;
  }
};

// Eight healthy runs at a budget of one report in 200: more than one would be chance of one in a thousand.
TEST_F(DetectTest, HealthyRunsKeepTheBudgetOfFalseAlarms) {
  int alarms = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed)
    alarms += !found({}, seed).reported.empty();
  EXPECT_LE(alarms, 1);
}

TEST_F(DetectTest, EachKindIsNamedWithFactorAndTime) {
  for (const Component& c :
       {Component{Part::Core, 5},
        Component{Part::Link, 5, 6},
        Component{Part::Link, 1, 5},
        Component{Part::Router, 10}}) {
    const Detection d = found({quiet_.fault(c, 4, 5, 11)});
    ASSERT_EQ(names(d), name_of(c, quiet_.grid()));
    const Suspect& s = d.reported[0];
    EXPECT_NEAR(s.factor, 4, 0.6) << names(d);
    EXPECT_NEAR(double(s.begin), 5.0 * test::QuietChip::kBin, test::QuietChip::kBin) << names(d);
    EXPECT_NEAR(double(s.end), 11.0 * test::QuietChip::kBin, test::QuietChip::kBin) << names(d);
    EXPECT_GT(s.lost_cycles, 0);
    EXPECT_GT(s.score, 0.1);
    EXPECT_FALSE(s.evidence.empty());
    EXPECT_EQ(d.ranked[0].component, s.component);
  }
}

TEST_F(DetectTest, TwoLinksAtOnceAreBothNamed) {
  const Detection d =
      found({quiet_.fault({Part::Link, 0, 1}, 5, 3, 13), quiet_.fault({Part::Link, 14, 15}, 5, 3, 13)});
  ASSERT_EQ(d.reported.size(), 2u) << names(d);
  std::string both = names(d);
  EXPECT_TRUE(both == "link0-1 link14-15" || both == "link14-15 link0-1") << both;
}

TEST_F(DetectTest, ACoreAndALinkAreBothNamed) {
  const Detection d =
      found({quiet_.fault({Part::Core, 12}, 3, 3, 13), quiet_.fault({Part::Link, 2, 3}, 6, 3, 13)});
  EXPECT_EQ(names(d), "core12 link2-3");
}

TEST_F(DetectTest, ReportsNoMoreThanAsked) {
  options_.most_suspects = 1;
  const Detection links =
      found({quiet_.fault({Part::Link, 0, 1}, 5, 3, 13), quiet_.fault({Part::Link, 14, 15}, 5, 3, 13)});
  EXPECT_EQ(links.reported.size(), 1u);
  const Detection cores =
      found({quiet_.fault({Part::Core, 1}, 5, 3, 13), quiet_.fault({Part::Core, 9}, 5, 3, 13)});
  EXPECT_EQ(cores.reported.size(), 1u);
}

TEST_F(DetectTest, WhatTheSameTransfersPassIsOneFinding) {
  quiet_.flows.clear();
  quiet_.flows.push_back({trace::ProbeKind::Message, 2, 0, 4096});
  quiet_.flows.push_back({trace::ProbeKind::Message, 8, 12, 4096});
  const Detection d = found({quiet_.fault({Part::Link, 1, 2}, 5, 3, 13)});
  ASSERT_EQ(d.reported.size(), 1u) << names(d);
  EXPECT_EQ(d.reported[0].alike.size(), 5u);
}

// Without simulations much is asked: a clear fault is named, a mild one is not, and a healthy run neither.
TEST_F(DetectTest, WithoutReplaysOnlyWhatStandsOutIsNamed) {
  options_.replay = {};
  EXPECT_EQ(names(found({})), "");
  const Detection d = found({quiet_.fault({Part::Link, 5, 6}, 10, 3, 12)});
  ASSERT_FALSE(d.reported.empty());
  EXPECT_EQ(name_of(d.reported[0].component, quiet_.grid()), "link5-6");
  EXPECT_GE(d.reported[0].strength, kUnreplayed);
}

// A fault that the simulations never show: it is still named when nothing comes near.
TEST_F(DetectTest, SimulationsThatCannotFollowAreNotTheLastWord) {
  options_.replay = [healthy = quiet_.replay()](const std::vector<Fault>&, uint32_t draw) {
    return healthy({}, draw);
  };
  const Detection d = found({quiet_.fault({Part::Link, 5, 6}, 10, 3, 12)});
  for (const Suspect& s : d.reported)
    EXPECT_GE(s.strength, kUnreplayed);
  EXPECT_LE(d.reported.size(), 1u);
}

TEST_F(DetectTest, MildSlownessIsNotReported) {
  EXPECT_EQ(names(found({quiet_.fault({Part::Link, 5, 6}, 1.1, 0, 16)})), "");
  EXPECT_EQ(names(found({quiet_.fault({Part::Core, 5}, 1.05, 0, 16)})), "");
}

TEST_F(DetectTest, TheRankedListGoesOnWithoutRepeating) {
  const Detection d = found({quiet_.fault({Part::Link, 5, 6}, 6, 3, 12)});
  EXPECT_LE(d.ranked.size(), kMostRanked);
  for (size_t i = 0; i < d.ranked.size(); ++i)
    for (size_t j = i + 1; j < d.ranked.size(); ++j)
      EXPECT_NE(d.ranked[i].component, d.ranked[j].component);
  for (const Suspect& s : d.ranked)
    EXPECT_LE(s.end, d.run_cycles + test::QuietChip::kBin);
}

TEST_F(DetectTest, NoHypothesesNoReports) {
  options_.most_hypotheses = 0;
  EXPECT_EQ(names(found({quiet_.fault({Part::Link, 5, 6}, 6, 3, 12)})), "");
}

TEST_F(DetectTest, SameRunSameBytes) {
  const std::vector<Fault> faults{quiet_.fault({Part::Link, 5, 6}, 3, 3, 12)};
  const Detection a = found(faults);
  const Detection b = found(faults);
  ASSERT_EQ(a.reported.size(), b.reported.size());
  for (size_t i = 0; i < a.reported.size(); ++i) {
    EXPECT_EQ(a.reported[i].strength, b.reported[i].strength);
    EXPECT_EQ(a.reported[i].factor, b.reported[i].factor);
  }
}

TEST_F(DetectTest, AnEmptySketchShowsNothing) {
  const Sketch empty(std::vector<SketchShape>(16), SketchOptions{});
  options_.replay = [empty](const std::vector<Fault>&, uint32_t) {
    return empty;
  };
  EXPECT_TRUE(detect(empty, quiet_.file(), options_).reported.empty());
}

}  // namespace
}  // namespace lento::chip
