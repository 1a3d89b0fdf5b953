#include "chip/detect/contest.h"

#include <gtest/gtest.h>

#include "chip/detect/test_chip.h"
#include "chip/detect/tuning.h"

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

  Hypothesis best(const std::vector<Fault>& faults, const std::vector<Suspect>& close) {
    const Sketch recorded = quiet_.run(faults, 1);
    const Cells cells = cells_of(recorded, quiet_.grid());
    const std::vector<Path> paths = paths_of(cells, quiet_.file(), quiet_.grid());
    Expected expected({cells, paths, quiet_.file(), quiet_.grid(), options_});
    const std::vector<Baseline> healthy = expected.healthy();
    replays_ = 0;
    const std::vector<Suspect> none;
    return Contest({cells, paths, healthy}, none, expected).best_of(close);
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

TEST_F(ContestTest, OrderDoesNotMatterWhenOneIsRight) {
  const std::vector<Fault> slow{quiet_.fault(kRight, 4, 4, 12)};
  const Hypothesis a = best(slow, {suspect(kLeft, 4, 4, 12), suspect(kRight, 4, 4, 12)});
  const Hypothesis b = best(slow, {suspect(kRight, 4, 4, 12), suspect(kLeft, 4, 4, 12)});
  EXPECT_EQ(a.suspect.component, b.suspect.component);
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

// Closed form and envelope are right already: one replay tells, and nothing needs to be sharpened.
TEST_F(ContestTest, AWinnerThatStandsOutCostsItsReplaysOnly) {
  best({quiet_.fault(kRight, 4, 4, 12)}, {suspect(kRight, 4, 4, 12)});
  EXPECT_LE(replays_, 1 + kCorrections * 2);
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

// On a healthy chip no hypothesis is better than none.
TEST_F(ContestTest, NothingIsGainedOnAHealthyChip) {
  const Hypothesis h = best({}, {suspect(kRight, 3, 4, 12), suspect(kLeft, 3, 4, 12)});
  EXPECT_LT(h.gain, kSameGain);
}

// A fault of a fraction of a bin looks like a mild one of the whole bin.
TEST_F(ContestTest, AShortFaultIsSlowerThanItsBin) {
  Fault brief = quiet_.fault(kRight, 20, 8, 9);
  brief.end = brief.begin + kBin / 2;
  const Hypothesis h = best({brief}, {suspect(kRight, 2.5, 8, 9)});
  EXPECT_EQ(h.suspect.component, kRight);
  EXPECT_GT(h.suspect.factor, 3);
}

}  // namespace
}  // namespace lento::chip
