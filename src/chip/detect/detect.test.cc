// The whole detector on a chip without queues, where the truth is exact.
#include "chip/detect/detect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

// Half as long again as the chip should take, and every transfer as fast as it should be: no all-clear.
TEST_F(DetectTest, ARunThatTookTooLongIsNotHealthy) {
  EXPECT_EQ(found({}).unjudged, "");
  test::QuietChip longer;
  longer.bins = 24;
  const Sketch run = longer.run({}, 1);
  const Detection d = detect(run, quiet_.file(), options_);
  EXPECT_TRUE(d.reported.empty());
  EXPECT_EQ(d.unjudged, "the run took 1.5 times as long as this chip should, and no slow part explains that");
  // A healthy run that took as long says that it may.
  const Sketch healthy = longer.run({}, 2);
  options_.healthy = &healthy;
  EXPECT_EQ(detect(run, quiet_.file(), options_).unjudged, "");
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
  quiet_.flows.push_back({chip::ProbeKind::Message, 2, 0, 4096});
  quiet_.flows.push_back({chip::ProbeKind::Message, 8, 12, 4096});
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
  EXPECT_LE(d.ranked.size(), 10u);
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

// What simulations were asked for: how many parts were slow in them, and which draw.
class ReplaysTest : public DetectTest {
 protected:
  std::vector<std::pair<size_t, uint32_t>> asked_;
  bool blind_ = false;  // they show a healthy chip whatever they are given

  ReplaysTest() {
    options_.replay = [this, replay = quiet_.replay()](const std::vector<Fault>& faults, uint32_t draw) {
      asked_.emplace_back(faults.size(), draw);
      return replay(blind_ ? std::vector<Fault>{} : faults, draw);
    };
  }
  size_t times(size_t faults, uint32_t draw) const {
    return size_t(std::ranges::count(asked_, std::pair(faults, draw)));
  }
  std::vector<Fault> links(double second, uint64_t end, uint64_t begin = 3) const {
    return {
        quiet_.fault({Part::Link, 0, 1}, 10, 3, 12),
        quiet_.fault({Part::Link, 14, 15}, second, begin, end)};
  }
};

// Before a further component is looked for, the chip with those found is drawn three times.
TEST_F(ReplaysTest, EachFindingSettlesTheChipAnew) {
  std::vector<Fault> faults = links(10, 12);
  faults.push_back(quiet_.fault({Part::Link, 8, 12}, 10, 3, 12));
  EXPECT_EQ(found(faults).reported.size(), 3u);
  EXPECT_EQ(times(0, 2), 1u);
  for (const size_t held : {1, 2}) {
    EXPECT_EQ(times(held, 1), 1u) << held;
    EXPECT_EQ(times(held, 2), 1u) << held;
  }
  EXPECT_EQ(times(3, 1), 0u);  // three are all that is asked for
}

TEST_F(ReplaysTest, EachComponentHasItsOwnReplays) {
  options_.most_replays = 2;
  EXPECT_EQ(found(links(10, 12)).reported.size(), 2u);
  // Two, the settled one, and the first as it is and moved in six ways, before a second is believed.
  EXPECT_EQ(times(1, 0), 10u);
  EXPECT_EQ(times(2, 0), 2u);
}

// Whatever can be afforded: the second is named, or it is said that nobody looked.
TEST_F(ReplaysTest, ASecondIsNamedOrNobodyLooked) {
  const auto records = double(quiet_.run({}, 1).records());
  bool once = false;
  for (double runs = 10; runs < 40; runs += 2) {
    options_.most_records = runs * records;
    const Detection d = found(links(10, 12));
    EXPECT_EQ(d.reported.size() + d.notes.size(), 2u) << runs;
    once = once || d.reported.size() == 1;
  }
  EXPECT_TRUE(once);
}

TEST_F(ReplaysTest, HypothesesAreForAllComponentsTogether) {
  options_.most_hypotheses = 3;
  EXPECT_EQ(found(links(10, 12)).reported.size(), 1u);
}

// Runs so long that hardly any can be simulated: what is found by then is told, and no all-clear is given.
TEST_F(ReplaysTest, WhereSimulationsAreTooLongTheVerdictSaysSo) {
  const auto records = double(quiet_.run({}, 1).records());
  const auto with_runs = [&](double runs, double second) {
    options_.most_records = runs * records;
    return found(links(second, 12));
  };
  const Detection none = with_runs(0.5, 10);
  EXPECT_EQ(names(none), "");
  EXPECT_EQ(none.unjudged, "parts may be slow, and simulations of this run are too long to try each");
  EXPECT_EQ(none.would_help, "record fewer inferences, of which more can be simulated");
  const Detection first = with_runs(8, 10);
  ASSERT_EQ(first.reported.size(), 1u);
  EXPECT_EQ(first.unjudged, "");
  ASSERT_EQ(first.notes.size(), 1u);
  EXPECT_EQ(first.notes[0], "whether more is slow was not looked into: simulations of this run are too long");
  EXPECT_EQ(with_runs(100, 10).reported.size(), 2u);
  options_.most_records = 0;
  EXPECT_EQ(found({}).unjudged, "");
}

// No simulation makes the link as slow as it was. What that leaves over lies on its own transfers, which its
// neighbour shares: a neighbour that explains less than that is not accused, one elsewhere is.
TEST_F(ReplaysTest, WhatAFoundLinkLeavesOverAccusesNoNeighbour) {
  options_.replay = [replay = quiet_.replay()](std::vector<Fault> faults, uint32_t draw) {
    for (Fault& f : faults)
      f.factor = std::min(f.factor, 6.0);
    return replay(faults, draw);
  };
  const Fault slow = quiet_.fault({Part::Link, 1, 2}, 10, 0, 16);
  EXPECT_EQ(names(found({slow, quiet_.fault({Part::Link, 2, 3}, 2, 4, 8)})), "link1-2");
  EXPECT_EQ(found({slow, quiet_.fault({Part::Link, 14, 15}, 2, 4, 8)}).reported.size(), 2u);
}

// Where the best simulation explains little of what is slow and several parts may be, it is said where to
// look and nothing is accused.
TEST_F(ReplaysTest, WhatSimulationsExplainLittleOfIsNotAccused) {
  double most = 20;
  quiet_.flows.clear();
  for (const int to : {1, 2, 6, 10, 14, 3, 7})  // all pass link0-1, and all but one link1-2
    quiet_.flows.push_back({chip::ProbeKind::Message, 0, to, 4096});
  options_.replay = [&most, replay = quiet_.replay()](std::vector<Fault> faults, uint32_t draw) {
    for (Fault& f : faults)
      f.factor = std::min(f.factor, most);
    return replay(faults, draw);
  };
  const std::vector<Fault> slow{quiet_.fault({Part::Link, 0, 1}, 10, 0, 16)};
  EXPECT_EQ(found(slow).reported.size(), 1u);
  most = 3;
  const Detection d = found(slow);
  EXPECT_EQ(names(d), "");
  EXPECT_NE(d.unjudged.find("something is slow about "), std::string::npos) << d.unjudged;
  EXPECT_NE(d.would_help, "");
}

// One that is slower for a while is weaker than one that is a little slow all the time; it is heard beside it
// although only the strongest is asked for.
TEST_F(ReplaysTest, WhoseFastestTransfersAreSlowestIsHeardAsWell) {
  options_.most_together = 1;
  const Component strong{Part::Link, 5, 6};
  const Component slowest{Part::Link, 0, 1};
  std::vector<Component> alone;
  options_.replay = [&alone, replay = quiet_.replay()](const std::vector<Fault>& faults, uint32_t draw) {
    if (faults.size() == 1)
      alone.push_back(component_of(faults[0]));
    return replay(faults, draw);
  };
  const Detection d = found({quiet_.fault(strong, 3, 0, 16), quiet_.fault(slowest, 10, 6, 11)});
  EXPECT_EQ(d.reported.size(), 2u);
  EXPECT_EQ(std::ranges::count(alone, strong) > 0, true);
  EXPECT_EQ(std::ranges::count(alone, slowest) > 0, true);
  ASSERT_EQ(d.ranked[0].component, strong);
  options_.most_hypotheses = 1;  // no room for a second
  alone.clear();
  found({quiet_.fault(strong, 3, 0, 16), quiet_.fault(slowest, 10, 6, 11)});
  EXPECT_EQ(std::ranges::count(alone, slowest), 0);
}

// A simulation that cannot follow: what stands out and has no second that is nearly as strong is named as
// without one, and looked at as closely.
TEST_F(ReplaysTest, WhatNoSimulationShowsMustStandOut) {
  blind_ = true;
  const Detection one = found({quiet_.fault({Part::Link, 5, 6}, 10, 3, 12)});
  ASSERT_EQ(names(one), "link5-6");
  EXPECT_NEAR(one.reported[0].factor, 10, 0.5);
  EXPECT_EQ(one.reported[0].evidence.size(), 3u);
  EXPECT_EQ(one.reported[0].seen, 9u * 20);  // ten flows pass it, two records each in a bin
  EXPECT_EQ(names(found(links(10, 12))), "");
  EXPECT_EQ(names(found(links(10, 7))), "link0-1");
  EXPECT_EQ(names(found({quiet_.fault({Part::Link, 5, 6}, 1.5, 6, 7)})), "");
}

// Of whole bins a simulation that contradicts is the last word; a part of a bin it may not resolve.
TEST_F(ReplaysTest, WhatSimulationsRefuteIsNotNamedByTheClosedForm) {
  options_.replay = [replay = quiet_.replay()](std::vector<Fault> faults, uint32_t draw) {
    for (Fault& f : faults)
      f.factor = 0.2;
    return replay(faults, draw);
  };
  EXPECT_EQ(names(found({quiet_.fault({Part::Link, 5, 6}, 10, 3, 12)})), "");
}

// Slow by 1.27 all the while is a strong case, and still less than parts of one class may differ by: it is
// not reported without a simulation either, nor is what shares its transfers instead of it.
TEST_F(ReplaysTest, WhatIsOnlyMildlySlowIsNotNamedUnreplayed) {
  const std::vector<Fault> mild{quiet_.fault({Part::Link, 5, 6}, 1.27, 0, 16)};
  blind_ = true;
  const Detection blind = found(mild);
  ASSERT_FALSE(blind.ranked.empty());
  EXPECT_EQ(names(blind), "");
  options_.replay = {};
  quiet_.noise = 0.005;
  EXPECT_EQ(names(found(mild)), "");
  const std::vector<Fault> both{mild[0], quiet_.fault({Part::Link, 8, 12}, 10, 3, 12)};
  EXPECT_EQ(names(found(both)), "link8-12");
}

TEST_F(DetectTest, NobodyIsRankedTwice) {
  options_.replay = [replay = quiet_.replay()](const std::vector<Fault>&, uint32_t draw) {
    return replay({}, draw);
  };
  const std::vector<Fault> twice{
      quiet_.fault({Part::Link, 5, 6}, 5, 2, 5),
      quiet_.fault({Part::Link, 5, 6}, 5, 10, 14)};
  for (const DetectOptions& options :
       {options_, DetectOptions{.replay = quiet_.replay(), .healthy_draws = 3}}) {
    const Detection d = detect(quiet_.run(twice, 1), quiet_.file(), options);
    ASSERT_EQ(names(d), "link5-6");
    EXPECT_EQ(std::ranges::count(d.ranked, d.reported[0].component, &Suspect::component), 1);
  }
}

// Without simulations much more is needed: two bins of a link slow by 3 are too few, three are enough.
TEST_F(DetectTest, WithoutReplaysALongerCaseIsNeeded) {
  options_.replay = {};
  for (const uint64_t end : {5, 6}) {
    const Detection d = found({quiet_.fault({Part::Link, 5, 6}, 3, 3, end)});
    ASSERT_FALSE(d.ranked.empty());
    EXPECT_EQ(d.ranked[0].strength >= kUnreplayed, end == 6);
    EXPECT_EQ(names(d), end == 5 ? "" : "link5-6");
  }
}

// Where three healthy draws show nothing, about 12 are needed at a budget of 0.005 and about 60 components:
// what is weaker is not named, what is stronger is. With a smaller budget it is not.
TEST_F(DetectTest, WhatIsNeededFollowsFromHealthyDrawsAndTheBudget) {
  int named = 0;
  int unnamed = 0;
  for (const double factor : {1.27, 1.29, 1.31, 1.32, 1.33, 1.34}) {
    const std::vector<Fault> mild{quiet_.fault({Part::Link, 5, 6}, factor, 6, 7)};
    options_.false_alarms = DetectOptions{}.false_alarms;
    const Detection d = found(mild);
    ASSERT_FALSE(d.ranked.empty());
    const double strength = d.ranked[0].strength;
    if (strength < 11.5) {
      EXPECT_EQ(names(d), "") << factor << " " << strength;
      ++unnamed;
    } else if (strength > 14.5 && strength < kSimulatedAnyway) {
      EXPECT_EQ(names(d), "link5-6") << factor << " " << strength;
      options_.false_alarms = 1e-6;
      EXPECT_EQ(names(found(mild)), "") << factor << " " << strength;
      ++named;
    }
  }
  EXPECT_GT(named, 0);
  EXPECT_GT(unnamed, 0);
}

// A second one is asked for what the chip with the first shows by chance, beside a slow core too.
TEST_F(DetectTest, ALaterComponentIsMeasuredByTheChipWithTheFirst) {
  const auto beside = [&](const Fault& first, const Fault& second) {
    return names(found({first, second}));
  };
  const Fault link = quiet_.fault({Part::Link, 0, 1}, 5, 3, 13);
  EXPECT_EQ(beside(link, quiet_.fault({Part::Link, 14, 15}, 1.25, 6, 7)), "link0-1");
  EXPECT_EQ(beside(link, quiet_.fault({Part::Link, 14, 15}, 1.8, 6, 7)), "link0-1 link14-15");
  const Fault core = quiet_.fault({Part::Core, 12}, 3, 3, 13);
  EXPECT_EQ(beside(core, quiet_.fault({Part::Link, 2, 3}, 1.25, 6, 7)), "core12");
  EXPECT_EQ(beside(core, quiet_.fault({Part::Link, 2, 3}, 1.6, 6, 9)), "core12 link2-3");
}

TEST_F(DetectTest, WhatIsNotReportedIsWorthHalf) {
  options_.most_hypotheses = 0;
  const Detection d = found({quiet_.fault({Part::Router, 5}, 10, 3, 20)});
  EXPECT_TRUE(d.reported.empty());
  ASSERT_GT(d.ranked.size(), 4u);
  EXPECT_EQ(d.ranked[0].component, (Component{Part::Router, 5}));
  for (size_t i = 0; i < d.ranked.size(); ++i) {
    const Suspect& s = d.ranked[i];
    EXPECT_NEAR(s.score, (1 - std::exp(-s.strength / 100)) / 2, 1e-9);
    EXPECT_LE(s.end, d.run_cycles);
    EXPECT_LE(s.strength, d.ranked[i > 0 ? i - 1 : 0].strength);
  }
}

TEST_F(DetectTest, TheListEndsAfterTen) {
  options_.most_hypotheses = 0;
  std::vector<Fault> faults;
  for (int core = 0; core < 15; ++core)
    if (core % 4 != 3)
      faults.push_back(quiet_.fault({Part::Link, core, core + 1}, 6, 3, 12));
  EXPECT_EQ(found(faults).ranked.size(), 10u);
}

}  // namespace
}  // namespace lento::chip
