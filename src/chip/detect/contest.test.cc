#include "chip/detect/contest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "chip/detect/test_chip.h"

namespace lento::chip {
namespace {

class ContestTest : public testing::Test {
 protected:
  static constexpr uint64_t kBin = test::QuietChip::kBin;

  ContestTest() {
    quiet_.bins = 16;
    options_.healthy_draws = 2;
    options_.replay = [this, replay = quiet_.replay()](const std::vector<Fault>& faults, uint32_t draw) {
      ++replays_;
      return replay(faults, draw);
    };
  }

  Hypothesis
  best(const std::vector<Fault>& faults, const std::vector<Suspect>& close, double* gain_of_given = nullptr) {
    const Sketch recorded = quiet_.run(faults, 1);
    const Cells cells = cells_of(recorded, quiet_.grid());
    const std::vector<Path> paths = paths_of(cells, quiet_.file(), quiet_.grid());
    Expected expected({cells, paths, quiet_.file(), quiet_.grid(), options_, recorded.records()});
    const std::vector<Baseline> before = given_.empty() ? expected.healthy() : expected.with(given_);
    replays_ = 0;
    const ScanInput input{cells, paths, before};
    Contest contest(input, given_, expected, in_any_case_);
    Hypothesis out = contest.best_of(close);
    if (gain_of_given != nullptr)
      *gain_of_given = contest.gain_of_given();
    return out;
  }
  static Suspect suspect(const Component& component, double factor, uint64_t first, uint64_t last) {
    Suspect s;
    s.component = component;
    s.factor = factor;
    s.begin = first * kBin;
    s.end = last * kBin;
    s.strength = 50;
    return s;
  }

  test::QuietChip quiet_;
  DetectOptions options_;
  std::vector<Component> in_any_case_;
  std::vector<Suspect> given_;
  int replays_ = 0;
};

const Component kLeft{Part::Link, 4, 5};
const Component kRight{Part::Link, 5, 6};

// Neighbours carry common flows; the one that was slow explains the recorded run.
TEST_F(ContestTest, TheSlowOneOfTwoNeighboursWins) {
  for (const Component& slow : {kLeft, kRight}) {
    const Hypothesis h =
        best({quiet_.fault(slow, 4, 4, 12)}, {suspect(kLeft, 4, 4, 12), suspect(kRight, 4, 4, 12)});
    EXPECT_EQ(h.suspect.component, slow);
    EXPECT_GT(h.gain, 20);
    EXPECT_NEAR(h.suspect.factor, 4, 0.4);
    EXPECT_FALSE(h.baselines.empty());
  }
}

// What the winner gained stands beside how far healthy draws lie apart where it was compared.
TEST_F(ContestTest, TheScatterIsThatOfItsPlaceAndTime) {
  options_.healthy_draws = 3;
  options_.replay = [&, replay = quiet_.replay()](std::vector<Fault> faults, uint32_t draw) {
    if (draw == 2)
      faults.push_back(quiet_.fault(kRight, 1.5, 4, 8));
    return replay(faults, draw);
  };
  const auto scatter = [&](const Component& link, uint64_t first, uint64_t last) {
    return best({quiet_.fault(link, 6, first, last)}, {suspect(link, 6, first, last)}).own_chance.scatter;
  };
  EXPECT_GT(scatter(kRight, 4, 8), 5);
  EXPECT_GT(scatter(kRight, 4, 8), 5 * scatter(kRight, 10, 14));
  EXPECT_GT(scatter(kRight, 4, 8), 5 * scatter({Part::Link, 8, 9}, 4, 8));
}

TEST_F(ContestTest, OrderDoesNotMatterWhenOneIsRight) {
  const std::vector<Fault> slow{quiet_.fault(kRight, 4, 4, 12)};
  const Hypothesis a = best(slow, {suspect(kLeft, 4, 4, 12), suspect(kRight, 4, 4, 12)});
  const Hypothesis b = best(slow, {suspect(kRight, 4, 4, 12), suspect(kLeft, 4, 4, 12)});
  EXPECT_EQ(a.suspect.component, b.suspect.component);
}

// Of links that gain nearly the same the better one: that the other came first says nothing.
TEST_F(ContestTest, OfTwoLinksThatGainNearlyTheSameTheBetterOneWins) {
  const std::vector<Fault> slow{quiet_.fault(kRight, 4, 4, 12)};
  const Hypothesis h = best(slow, {suspect(kRight, 4, 4, 11), suspect(kRight, 4, 4, 12)});
  EXPECT_EQ(h.suspect.end, 12 * kBin);
}

TEST_F(ContestTest, OfEqualsTheFirstWins) {
  const Hypothesis h = best(
      {quiet_.fault(kRight, 4, 4, 12)},
      {suspect(kRight, 4, 4, 12), suspect(kRight, 4, 4, 12), suspect(kLeft, 4, 4, 12)});
  EXPECT_EQ(h.suspect.component, kRight);
}

TEST_F(ContestTest, AWrongFactorIsCorrected) {
  for (const double guess : {2.0, 8.0}) {
    const Hypothesis h = best({quiet_.fault(kRight, 4, 4, 12)}, {suspect(kRight, guess, 4, 12)});
    EXPECT_NEAR(h.suspect.factor, 4, 0.5) << guess;
  }
}

// Queues that fill up at once: too slow shows far too much, a little less slow far too little. What was too
// much already bounds what is tried next.
TEST_F(ContestTest, ACorrectionStaysBelowWhatWasTooMuch) {
  options_.replay = [replay = quiet_.replay()](std::vector<Fault> faults, uint32_t draw) {
    for (Fault& f : faults)
      f.factor = f.factor > 4.5 ? 3 * f.factor : f.factor < 3.5 ? 1 + (f.factor - 1) / 4 : f.factor;
    return replay(faults, draw);
  };
  const Hypothesis h = best({quiet_.fault(kRight, 4, 4, 12)}, {suspect(kRight, 8, 4, 12)});
  EXPECT_NEAR(h.suspect.factor, 4, 0.5);
}

// A link that is stronger alone than its router is made as good as it can be before the router wins; one that
// is weaker is not worth it.
TEST_F(ContestTest, ARouterWinsOnlyBesideItsStrongerLinksAtTheirBest) {
  const Component router{Part::Router, 5};
  const auto replays_with = [&](double strength) {
    Suspect link = suspect(kRight, 4, 4, 12);
    link.strength = strength;
    const Hypothesis h = best({quiet_.fault(router, 4, 4, 12)}, {link, suspect(router, 4, 4, 12)});
    EXPECT_EQ(h.suspect.component, router);
    return replays_;
  };
  EXPECT_GT(replays_with(60), replays_with(40));
}

// Closed form and envelope are right already: one replay tells, and nothing needs to be sharpened.
TEST_F(ContestTest, AWinnerThatStandsOutCostsItsReplaysOnly) {
  best({quiet_.fault(kRight, 4, 4, 12)}, {suspect(kRight, 4, 4, 12)});
  EXPECT_LE(replays_, 1 + 2 * 2);
  EXPECT_GE(replays_, 1);
}

TEST_F(ContestTest, WithoutReplaysThereIsNoWinner) {
  options_.most_replays = 0;
  const Hypothesis h = best({quiet_.fault(kRight, 4, 4, 12)}, {suspect(kRight, 4, 4, 12)});
  EXPECT_TRUE(h.baselines.empty());
  EXPECT_EQ(replays_, 0);
}

TEST_F(ContestTest, NoMoreReplaysThanAllowed) {
  options_.most_replays = 5;
  best({quiet_.fault(kRight, 1.5, 4, 12)}, {suspect(kLeft, 4, 4, 12), suspect(kRight, 9, 2, 5)});
  EXPECT_LE(replays_, 5);
  EXPECT_GT(replays_, 2);
}

// How much of the run each simulation was asked for, in bins; 0: all.
class LongRunsTest : public ContestTest {
 protected:
  std::vector<uint64_t> asked_;
  std::vector<Fault> asked_about_;

  // As many whole runs may be simulated.
  Hypothesis best_of_few(double runs, const std::vector<Fault>& faults, const std::vector<Suspect>& close) {
    options_.most_records = runs * double(quiet_.run(faults, 1).records());
    options_.replay =
        [this, replay = quiet_.replay()](const std::vector<Fault>& slow, uint32_t draw, uint64_t until) {
          if (!slow.empty()) {
            asked_.push_back(until == UINT64_MAX ? 0 : until / kBin);
            asked_about_.push_back(slow.back());
          }
          return replay(slow, draw, until);
        };
    asked_.clear();
    asked_about_.clear();
    return best(faults, close);
  }
};

// About the first four of sixteen bins are heard of each, and the rest of those that do nearly as well as the
// best.
TEST_F(LongRunsTest, AllAreHeardByTheirFirstPartAndTheBestByTheWhole) {
  const std::vector<Suspect> three{
      suspect(kLeft, 4, 0, 16),
      suspect(kRight, 2, 0, 16),
      suspect({Part::Link, 8, 9}, 4, 0, 16)};
  const std::vector<Fault> slow{quiet_.fault(kRight, 4, 0, 16)};
  const Hypothesis h = best_of_few(11, slow, three);
  EXPECT_EQ(h.suspect.component, kRight);
  EXPECT_NEAR(h.suspect.factor, 4, 0.4);
  const uint64_t part = asked_.front();
  EXPECT_LE(part, 5u);
  EXPECT_GE(std::ranges::count(asked_, part), 4);
  EXPECT_GE(std::ranges::count(asked_, 0u), 1);
  EXPECT_LE(std::ranges::count(asked_, 0u), 2);
  EXPECT_EQ(std::ranges::count(asked_, part) + std::ranges::count(asked_, 0u), std::ssize(asked_));
  EXPECT_EQ(asked_.back(), 0u);
  best_of_few(12, slow, three);
  EXPECT_EQ(std::ranges::count(asked_, 0u), std::ssize(asked_));
}

// A first part that contradicts all is enough.
TEST_F(LongRunsTest, WhereTheFirstPartContradictsTheRestIsNotSimulated) {
  const Hypothesis h = best_of_few(11, {}, std::vector<Suspect>(3, suspect(kRight, 3, 0, 16)));
  EXPECT_LT(h.gain, 0);
  EXPECT_EQ(asked_.size(), 3u);
  EXPECT_TRUE(std::ranges::all_of(asked_, [](uint64_t bins) {
    return bins > 0 && bins <= 5;
  }));
}

// First the one whose fastest transfers are slowest, then the others, as slow as the one that leads by then;
// where all can be simulated in whole the strongest first, each as slow as the scan says.
TEST_F(LongRunsTest, TheOthersBeginAsSlowAsTheLeadingOne) {
  std::vector<Suspect> two{suspect(kLeft, 60, 0, 16), suspect(kRight, 4, 0, 16)};
  two[0].strength = 60;
  const auto heard_with = [&](double runs) {
    best_of_few(runs, {quiet_.fault(kRight, 4, 0, 16), quiet_.fault(kLeft, 2, 0, 16)}, two);
    const auto left = std::ranges::find(asked_about_, kLeft, component_of);
    return std::pair(component_of(asked_about_.front()), left->factor);
  };
  const auto [first, as_the_scan_says] = heard_with(100);
  EXPECT_EQ(first, kLeft);
  EXPECT_GT(as_the_scan_says, 4.5);
  const auto [first_in_part, as_leading] = heard_with(7);
  EXPECT_EQ(first_in_part, kRight);
  EXPECT_LT(as_leading, 4.2);
}

// The lead can be one of chance: with its factor the strongest gains nothing, and is tried with less all the
// same. What is weaker is not.
TEST_F(LongRunsTest, TheStrongestIsCorrectedHoweverSlowTheLeadingOneIs) {
  const auto tried_with = [&](double strength) {
    std::vector<Suspect> two{suspect(kLeft, 12, 0, 16), suspect(kRight, 12, 0, 16)};
    two[1].strength = strength;
    best_of_few(7, {quiet_.fault(kLeft, 12, 0, 16), quiet_.fault(kRight, 1.6, 0, 16)}, two);
    std::vector<double> factors;
    for (const Fault& f : asked_about_)
      if (component_of(f) == kRight)
        factors.push_back(f.factor);
    return factors;
  };
  const std::vector<double> strongest = tried_with(60);
  ASSERT_GE(strongest.size(), 2u);
  EXPECT_LT(strongest[1], strongest[0] / 1.5);
  EXPECT_EQ(tried_with(40).size(), 1u);
}

// Of short intervals so much that a whole bin is among it.
TEST_F(LongRunsTest, TheFirstPartHoldsWholeBins) {
  best_of_few(3, {quiet_.fault(kRight, 4, 4, 12)}, {suspect(kRight, 4, 4, 12)});
  EXPECT_EQ(asked_.front(), 7u);
}

TEST_F(LongRunsTest, NoMoreIsSimulatedThanCanBeAfforded) {
  for (const double runs : {0.5, 1.4, 2.0, 5.0}) {
    best_of_few(
        runs,
        {quiet_.fault(kRight, 1.5, 4, 12)},
        {suspect(kLeft, 4, 4, 12), suspect(kRight, 9, 2, 5)});
    double simulated = 0;
    for (const uint64_t bins : asked_)
      simulated += bins == 0 ? 1 : double(bins) / 16;
    EXPECT_LE(simulated, runs);
  }
}

// On a healthy chip no hypothesis is better than none.
TEST_F(ContestTest, NothingIsGainedOnAHealthyChip) {
  const Hypothesis h = best({}, {suspect(kRight, 3, 4, 12), suspect(kLeft, 3, 4, 12)});
  EXPECT_LT(h.gain, 6);
}

// A fault of a fraction of a bin looks like a mild one of the whole bin.
TEST_F(ContestTest, AShortFaultIsSlowerThanItsBin) {
  Fault brief = quiet_.fault(kRight, 20, 8, 9);
  brief.end = brief.begin + kBin / 2;
  const Hypothesis h = best({brief}, {suspect(kRight, 2.5, 8, 9)});
  EXPECT_EQ(h.suspect.component, kRight);
  EXPECT_GT(h.suspect.factor, 3);
}

// What was simulated, and how the contest went on from there.
struct Trail {
  std::vector<Fault> tried;
  Hypothesis won;
};

class TrailTest : public ContestTest {
 protected:
  double power_ = 1;  // simulations show a factor raised to it
  double strength_ = 50;
  int64_t late_ = 0;  // and begin so many cycles later

  Trail trail(const std::vector<Fault>& slow, std::vector<Suspect> close) {
    Trail out;
    options_.replay = [&, replay = quiet_.replay()](const std::vector<Fault>& faults, uint32_t draw) {
      std::vector<Fault> shown = faults;
      for (Fault& f : shown) {
        f.factor = std::pow(f.factor, power_);
        f.begin = uint64_t(int64_t(f.begin) + late_);
      }
      if (!faults.empty())
        out.tried.push_back(faults.back());
      return replay(shown, draw);
    };
    for (Suspect& s : close)
      s.strength = strength_;
    out.won = best(slow, close);
    return out;
  }

  static std::vector<double> begins(const Trail& t) {
    std::vector<double> out;
    for (const Fault& f : t.tried)
      out.push_back(std::round(double(f.begin) / kBin * 100) / 100);
    return out;
  }
  // Against the first.
  static std::vector<double> factors(const Trail& t) {
    std::vector<double> out;
    for (const Fault& f : t.tried)
      out.push_back(std::round(f.factor / t.tried[0].factor * 1000) / 1000);
    return out;
  }
  std::vector<Fault> right_slow(double factor = 4) const {
    return {quiet_.fault(kRight, factor, 4, 12)};
  }
};

using testing::ElementsAre;

// A simulation that shows nothing: the beginning is moved by half a bin each way and the factor by a tenth,
// each once, and nothing is gained.
TEST_F(TrailTest, EachWayToSharpenIsTriedOnceWhenNoneHelps) {
  power_ = 0;
  const Trail t = trail(right_slow(), {suspect(kRight, 4, 4, 12)});
  EXPECT_THAT(begins(t), ElementsAre(4, 4.5, 3.5, 4, 4));
  EXPECT_THAT(factors(t), ElementsAre(1, 1, 1, 0.909, 1.1));
  EXPECT_EQ(t.won.gain, 0);
  EXPECT_EQ(t.won.suspect.factor, t.tried[0].factor);
  EXPECT_NEAR(t.won.suspect.factor, 4, 0.1);
}

// Of two bins the fault may cover a part and be much slower there: half the way, in octaves,
// to the largest factor. Its begin is moved by quarters.
TEST_F(TrailTest, AFewBinsMayBeAPartThatIsMuchSlower) {
  power_ = 0;
  const std::vector<Fault> slow{quiet_.fault(kRight, 4, 8, 10)};
  const Trail two = trail(slow, {suspect(kRight, 2.5, 8, 10)});
  EXPECT_THAT(begins(two), ElementsAre(8, testing::Gt(8.3), 8.25, 7.75, 8, 8));
  EXPECT_THAT(factors(two), ElementsAre(1, testing::DoubleNear(std::sqrt(64 / 2.5), 0.01), 1, 1, 0.909, 1.1));
  const Trail one = trail({quiet_.fault(kRight, 4, 8, 9)}, {suspect(kRight, 2.5, 8, 9)});
  EXPECT_THAT(begins(one), ElementsAre(8, testing::Gt(8.3), 8.25, 7.75, 8, 8));
}

TEST_F(TrailTest, TheTwoBestAreSharpenedInTurn) {
  power_ = 0;
  const Trail t = trail(right_slow(), {suspect(kRight, 4, 4, 12), suspect(kLeft, 4, 4, 12)});
  ASSERT_EQ(t.tried.size(), 10u);
  for (size_t i = 2; i < 10; ++i)
    EXPECT_EQ(component_of(t.tried[i]), i % 2 == 0 ? kLeft : kRight) << i;
}

// The third as well while it gains half of what the best does; the fourth is heard only.
TEST_F(TrailTest, AThirdOfNearlyTheSameGainIsSharpenedToo) {
  strength_ = 1e6;
  const auto tries = [&](size_t suspects) {
    return trail(right_slow(), std::vector<Suspect>(suspects, suspect(kRight, 4, 4, 12))).tried.size();
  };
  const size_t two = tries(2);
  const size_t three = tries(3);
  EXPECT_EQ(2 * three, 3 * two);
  EXPECT_LT(tries(4) - three, three - two);
}

// A step that helped is taken again, until it helps no more.
TEST_F(TrailTest, WhatHelpedIsTriedAgain) {
  strength_ = 1e6;
  late_ = int64_t(kBin / 2);
  const Trail late = trail(right_slow(), {suspect(kRight, 4, 4, 12)});
  EXPECT_THAT(begins(late), ElementsAre(4, 4.5, 3.5, 3, 3.5, 3.5));
}

// The recorded excess over the simulated one is the power; the fastest transfers allow no more than 2.5
// times.
TEST_F(TrailTest, TheFactorFollowsWhatItsSimulationShows) {
  power_ = 0.9;
  const Trail t = trail(right_slow(), {suspect(kRight, 4, 4, 12)});
  ASSERT_EQ(t.tried.size(), 2u);
  EXPECT_NEAR(t.tried[1].factor, std::pow(4, 1 / 0.9), 0.1);
  power_ = 1 / 3.0;
  const Trail far = trail(right_slow(), {suspect(kRight, 4, 4, 12)});
  ASSERT_EQ(far.tried.size(), 2u);
  EXPECT_NEAR(far.tried[1].factor, 2.5 * 4, 0.4);
}

// A guess far above what the fastest transfers allow is not even simulated.
TEST_F(TrailTest, NothingBeyondTheFastestTransfersIsTried) {
  const Trail t = trail(right_slow(), {suspect(kRight, 60, 4, 12)});
  ASSERT_FALSE(t.tried.empty());
  EXPECT_NEAR(t.tried[0].factor, 2.5 * 4, 0.4);
  EXPECT_NEAR(t.won.suspect.factor, 4, 0.5);
}

// Less than a twentieth of difference is none: 4 to the power of 0.02 is 1.03, of 0.045 1.065.
TEST_F(TrailTest, AFactorThatIsNearlyRightIsLeft) {
  power_ = 0.98;
  EXPECT_EQ(trail(right_slow(), {suspect(kRight, 4, 4, 12)}).tried.size(), 1u);
  power_ = 0.955;
  EXPECT_EQ(trail(right_slow(), {suspect(kRight, 4, 4, 12)}).tried.size(), 2u);
}

// What goes too far is tried half the way; what helped is corrected again, for as long as that helps.
TEST_F(TrailTest, HalfTheWayIsTriedWhenAllOfItIsTooFar) {
  Fault brief = quiet_.fault(kRight, 20, 8, 9);
  brief.end = brief.begin + kBin / 2;
  const Trail t = trail({brief}, {suspect(kRight, 2.5, 8, 9)});
  ASSERT_GE(t.tried.size(), 5u);
  EXPECT_GT(t.tried[1].factor, 1.5 * t.tried[0].factor);
  EXPECT_NEAR(t.tried[2].factor, std::sqrt(t.tried[1].factor * t.tried[0].factor), 1e-6);
  EXPECT_NEAR(t.tried[4].factor, std::sqrt(t.tried[3].factor * t.tried[2].factor), 1e-6);
  EXPECT_GT(t.won.suspect.factor, t.tried[0].factor);
}

// What gains far less than another is corrected twice; heard first, for as long as that helps.
TEST_F(TrailTest, WhatGainsFarLessIsCorrectedLess) {
  const Component other{Part::Link, 8, 9};
  Fault brief = quiet_.fault(kRight, 20, 8, 9);
  brief.end = brief.begin + kBin / 2;
  const std::vector<Fault> slow{brief, quiet_.fault(other, 6, 0, 16)};
  const Suspect small = suspect(kRight, 2.5, 8, 9);
  const Suspect large = suspect(other, 6, 0, 16);
  const auto corrections = [&](const Trail& t) {
    EXPECT_EQ(t.won.suspect.component, other);
    return std::ranges::count(t.tried, kRight, component_of);
  };
  EXPECT_LT(corrections(trail(slow, {large, small})), corrections(trail(slow, {small, large})));
}

// A gain of three quarters of what was promised is enough, and a rival of three quarters of it is too much.
TEST_F(TrailTest, AWinnerStandsOutByItsPromiseAndItsRival) {
  const double gain = trail(right_slow(), {suspect(kRight, 4, 4, 12)}).won.gain;
  strength_ = gain / 0.77;
  EXPECT_EQ(trail(right_slow(), {suspect(kRight, 4, 4, 12)}).tried.size(), 1u);
  strength_ = gain / 0.73;
  EXPECT_GT(trail(right_slow(), {suspect(kRight, 4, 4, 12)}).tried.size(), 4u);
  strength_ = 50;
  // The same once more has the same gain; the first five of eight bins have about six tenths.
  EXPECT_EQ(trail(right_slow(), {suspect(kRight, 4, 4, 12), suspect(kRight, 4, 4, 12)}).tried.size(), 10u);
  const Trail part = trail(right_slow(), {suspect(kRight, 4, 4, 8), suspect(kRight, 4, 4, 12)});
  EXPECT_EQ(part.tried.size(), 2u);
  EXPECT_EQ(part.won.suspect.end, 12 * kBin);
}

// Three that the simulation contradicts are enough, and none is tried at another factor or time.
TEST_F(TrailTest, WhereTheStrongestAreContradictedTheOthersGoUnheard) {
  const std::vector<Suspect> five(5, suspect(kRight, 3, 4, 12));
  const Trail healthy = trail({}, five);
  EXPECT_EQ(healthy.tried.size(), 3u);
  EXPECT_LT(healthy.won.gain, 0);
  EXPECT_GE(trail(right_slow(3), five).tried.size(), 5u);
}

// For which part of its few bins a short one lasted is not known before it was tried.
TEST_F(TrailTest, AContradictedOneOfFewBinsIsSharpenedAllTheSame) {
  EXPECT_EQ(trail({}, {suspect(kRight, 3, 4, 12)}).tried.size(), 1u);
  const Trail brief = trail({}, {suspect(kRight, 3, 8, 9)});
  EXPECT_LT(brief.won.gain, 6);
  EXPECT_GE(brief.tried.size(), 5u);
}

// One that joined because its fastest transfers are slowest is heard all the same.
TEST_F(ContestTest, WhatIsHeardInAnyCaseIsHeardWhenAllThatIsStrongerIsContradicted) {
  std::vector<Suspect> close(4, suspect({Part::Link, 8, 9}, 4, 1, 14));
  close.push_back(suspect(kRight, 4, 4, 12));
  close.back().strength = 40;
  in_any_case_ = {};
  EXPECT_LT(best({quiet_.fault(kRight, 4, 4, 12)}, close).gain, 0);
  in_any_case_ = {kRight};
  EXPECT_EQ(best({quiet_.fault(kRight, 4, 4, 12)}, close).suspect.component, kRight);
}

// Transfers that pass elsewhere and are late by themselves say nothing of whether a link that was slow is.
TEST_F(ContestTest, TheWinnerIsJudgedByWhatPassesIt) {
  const Component elsewhere{Part::Link, 8, 9};
  const std::vector<Fault> slow{quiet_.fault(kRight, 4, 4, 12), quiet_.fault(elsewhere, 1.2, 4, 12)};
  const Hypothesis alone = best(slow, {suspect(kRight, 4, 4, 12)});
  const Hypothesis beside = best(slow, {suspect(kRight, 4, 4, 12), suspect(elsewhere, 1.2, 4, 12)});
  ASSERT_EQ(beside.suspect.component, kRight);
  EXPECT_NEAR(beside.own_misfit, alone.own_misfit, 1e-9);
  EXPECT_NEAR(beside.own_gain, alone.own_gain, 1e-9);
  // Once something was found, by all that was compared.
  given_ = {suspect({Part::Link, 12, 13}, 1.01, 4, 5)};
  const Hypothesis further = best(slow, {suspect(kRight, 4, 4, 12), suspect(elsewhere, 1.2, 4, 12)});
  EXPECT_GT(further.own_misfit, beside.own_misfit + 1);
}

// What healthy runs leave can be more than what a hypothesis explains.
// A link that was found to begin too late leaves slow transfers over that pass its neighbour as well; an
// earlier begin explains them. A neighbour that was slow too is more than that.
TEST_F(ContestTest, WhatWasFoundIsMovedBeforeAnotherIsBelieved) {
  given_ = {suspect(kLeft, 4, 6, 12)};
  double otherwise = 0;
  const Hypothesis late = best({quiet_.fault(kLeft, 4, 5, 12)}, {suspect(kRight, 4, 5, 6)}, &otherwise);
  EXPECT_GT(otherwise, late.gain + 5);
  const Hypothesis both = best(
      {quiet_.fault(kLeft, 4, 6, 12), quiet_.fault(kRight, 4, 6, 12)},
      {suspect(kRight, 4, 6, 12)},
      &otherwise);
  EXPECT_GT(both.gain, 20);
  EXPECT_LT(otherwise, both.gain / 2);
}

TEST(ExplainsTest, LittleIsLeftAndLessThanIsExplained) {
  Hypothesis h;
  h.own_chance.median = 142;
  h.own_misfit = 140;
  h.own_gain = 60;
  EXPECT_FALSE(explains(h));
  h.own_gain = 140;
  EXPECT_TRUE(explains(h));
  h.own_misfit = 143;
  h.own_gain = 200;
  EXPECT_FALSE(explains(h));
}

TEST_F(TrailTest, TheStrongestAreHeardFirst) {
  std::vector<Suspect> close(4, suspect({Part::Link, 8, 9}, 4, 1, 3));
  close.push_back(suspect(kRight, 4, 4, 12));
  std::vector<Fault> tried;
  options_.replay = [&, replay = quiet_.replay()](const std::vector<Fault>& faults, uint32_t draw) {
    if (!faults.empty())
      tried.push_back(faults.back());
    return replay(faults, draw);
  };
  close.back().strength = 60;
  EXPECT_EQ(best(right_slow(), close).suspect.component, kRight);
  ASSERT_FALSE(tried.empty());
  EXPECT_EQ(component_of(tried[0]), kRight);
}

// Hypotheses are compared on what passes any of them, in the time of any: one elsewhere gains nothing.
TEST_F(TrailTest, WhereNothingWasSlowNothingIsGained) {
  const Trail t = trail(right_slow(), {suspect({Part::Link, 8, 9}, 4, 1, 3), suspect(kRight, 4, 4, 12)});
  EXPECT_EQ(t.won.suspect.component, kRight);
  EXPECT_LT(trail(right_slow(), {suspect({Part::Link, 8, 9}, 4, 1, 3)}).won.gain, 3);
}

}  // namespace
}  // namespace lento::chip
