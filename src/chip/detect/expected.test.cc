#include "chip/detect/expected.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chip/detect/scan.h"
#include "chip/detect/test_chip.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

const Component kLink{Part::Link, 5, 6};

// A recorded run of the quiet chip, and what is expected of it.
class ExpectedTest : public testing::Test {
 protected:
  test::QuietChip quiet_;
  DetectOptions options_;
  Sketch recorded_;
  Cells cells_;
  std::vector<Path> paths_;

  static SketchShape shape() {
    SketchShape out;
    out.hashes = out.buckets = 0;
    out.bins = 64;
    return out;
  }
  static SketchOptions sketch_options() {
    SketchOptions out;
    out.threshold = 1;
    out.bin_cycles = test::QuietChip::kBin;
    return out;
  }

  Expected make(const std::vector<Fault>& faults = {}, bool replay = true) {
    recorded_ = quiet_.run(faults, 1);
    cells_ = cells_of(recorded_, quiet_.grid());
    paths_ = paths_of(cells_, quiet_.file(), quiet_.grid());
    options_.healthy_draws = 3;
    if (replay)
      options_.replay = quiet_.replay();
    return Expected({cells_, paths_, quiet_.file(), quiet_.grid(), options_, recorded_.records()});
  }
  Suspect suspect(double factor, uint64_t first, uint64_t last) const {
    Suspect s;
    s.component = kLink;
    s.factor = factor;
    s.begin = first * test::QuietChip::kBin;
    s.end = last * test::QuietChip::kBin;
    return s;
  }
  std::vector<size_t> all_rows() const {
    std::vector<size_t> out(cells_.rows.size());
    for (size_t r = 0; r < out.size(); ++r)
      out[r] = r;
    return out;
  }
};

TEST_F(ExpectedTest, HealthyLevelsAreThoseOfUnloadedPaths) {
  const Expected expected = make();
  ASSERT_EQ(expected.healthy().size(), cells_.rows.size());
  for (size_t r = 0; r < cells_.rows.size(); ++r) {
    const Row& row = cells_.rows[r];
    const double unloaded = std::log2(paths_[r].cycles(row.bytes) / row.bytes) + 7;  // offset of transfers
    for (const float level : expected.healthy()[r].level)
      EXPECT_NEAR(level, unloaded, 0.05);
  }
}

TEST_F(ExpectedTest, ReplaysAreCountedByComponent) {
  options_.most_replays = 2;
  Expected expected = make();
  EXPECT_EQ(expected.left(), 2);
  expected.with({});  // the healthy chip is known already
  EXPECT_EQ(expected.left(), 2);
  expected.with({suspect(3, 5, 15)});
  EXPECT_EQ(expected.left(), 1);
  expected.settled({suspect(3, 5, 15)});  // no hypothesis
  EXPECT_EQ(expected.left(), 1);
  expected.next_component();
  EXPECT_EQ(expected.left(), 2);
}

// Long runs are few: all that is simulated of hypotheses counts, of any component and by how much of the run
// it is.
TEST_F(ExpectedTest, WhatIsSimulatedHasAnEnd) {
  options_.most_records = 4.5 * double(quiet_.run({}, 1).records());
  Expected expected = make();
  EXPECT_NEAR(expected.affordable(), 4.5, 1e-9);
  EXPECT_EQ(expected.left(), 4);
  expected.with({suspect(3, 5, 15)});
  expected.with({suspect(3, 5, 15)}, cells_.bins / 4 * test::QuietChip::kBin);
  EXPECT_NEAR(expected.affordable(), 3.25, 0.02);
  expected.settled({suspect(3, 5, 15)});
  expected.next_component();
  EXPECT_NEAR(expected.affordable(), 0.25, 0.02);
  EXPECT_EQ(expected.left(), 0);
}

// A run that was simulated in part is expected to go on as it began.
TEST_F(ExpectedTest, WhatComesLaterFollowsFromTheFirstPart) {
  Expected expected = make();
  const std::vector<Baseline> whole = expected.with({suspect(4, 8, 16)});
  const std::vector<Baseline> part = expected.with({suspect(4, 8, 16)}, 12 * test::QuietChip::kBin);
  for (size_t r = 0; r < cells_.rows.size(); ++r)
    for (size_t b = 0; b < 16; ++b)
      EXPECT_NEAR(part[r].level[b], whole[r].level[b], b < 12 ? 1e-6 : 0.05) << r << " " << b;
}

TEST_F(ExpectedTest, WithoutAReplayThereIsNoneAndTheRunJudgesItself) {
  const Expected expected = make({}, false);
  EXPECT_EQ(expected.left(), 0);
  EXPECT_TRUE(expected.left_out().empty());
  for (const Baseline& base : expected.healthy())
    EXPECT_FLOAT_EQ(base.common, 0.3F);
}

// A fault moves what passes it in its time by the closed form, and nothing else by a bit.
TEST_F(ExpectedTest, AFaultMovesWhatItReachesAlone) {
  Expected expected = make();
  const std::vector<Baseline> slow = expected.with({suspect(4, 8, 16)});
  int moved = 0;
  for (size_t r = 0; r < cells_.rows.size(); ++r) {
    const Row& row = cells_.rows[r];
    const double step = std::log2(paths_[r].cycles(row.bytes, kLink, 4) / paths_[r].cycles(row.bytes));
    for (size_t b = 0; b < cells_.bins; ++b) {
      const bool within = b >= 8 && b < 16 && paths_[r].crosses(kLink);
      const double change = slow[r].level[b] - expected.healthy()[r].level[b];
      if (within) {
        EXPECT_NEAR(change, step, 0.05) << r << " " << b;
      } else {
        EXPECT_NEAR(change, 0, 1e-5) << r << " " << b;
      }
      moved += within;
    }
  }
  EXPECT_GT(moved, 0);
}

TEST_F(ExpectedTest, TheRightHypothesisFitsBest) {
  Expected expected = make({quiet_.fault(kLink, 4, 8, 16)});
  const auto off = [&](const std::vector<Baseline>& baselines) {
    return expected.misfit(baselines, all_rows(), 8 * test::QuietChip::kBin, 16 * test::QuietChip::kBin);
  };
  const double healthy = off(expected.healthy());
  const double right = off(expected.with({suspect(4, 8, 16)}));
  EXPECT_GT(healthy - right, 20);
  EXPECT_LT(right, off(expected.with({suspect(2, 8, 16)})));
  EXPECT_LT(right, off(expected.with({suspect(8, 8, 16)})));
  EXPECT_LT(right, off(expected.with({suspect(4, 8, 12)})));
  EXPECT_EQ(expected.misfit(expected.healthy(), {}, 0, 1), 0);
}

// One row with one group of bins: half of its groups, half of all, which are the same here.
TEST_F(ExpectedTest, MisfitIsMinusTheLogLikelihoodOfStudentsT) {
  const Expected expected = make();
  std::vector<Baseline> base = expected.healthy();
  const Row& row = cells_.rows[0];
  int count = 0;
  double mean = 0;
  for (size_t b = 0; b < 4; ++b) {
    base[0].level[b] = row.cells[b].level - 0.5F;
    count += row.cells[b].count;
    mean += 0.5 * row.cells[b].count;
  }
  mean /= count;
  base[0].correlation_bins = 1;
  const double z = mean / std::sqrt(base[0].variance(count));
  const uint64_t end = 4 * test::QuietChip::kBin;
  EXPECT_NEAR(expected.misfit(base, {0}, 0, end), 2 * std::log(1 + z * z / 3), 1e-4);
  // Rows that wait for long say less when they are slow, and as much when they are not.
  base[0].correlation_bins = 12;
  EXPECT_NEAR(expected.misfit(base, {0}, 0, end), 2 * std::log(1 + z * z / 3) / 3, 1e-4);
  for (size_t b = 0; b < 4; ++b)
    base[0].level[b] = row.cells[b].level + 0.5F;
  EXPECT_NEAR(expected.misfit(base, {0}, 0, end), 2 * std::log(1 + z * z / 3), 1e-4);
}

TEST_F(ExpectedTest, EachHealthyDrawIsExpectedByTheOthers) {
  const Expected expected = make();
  const std::vector<LeftOut> left = expected.left_out();
  ASSERT_EQ(left.size(), 3u);
  for (const LeftOut& one : left) {
    ASSERT_EQ(one.baselines.size(), one.cells->rows.size());
    for (size_t r = 0; r < one.baselines.size(); ++r)
      EXPECT_NEAR(one.baselines[r].level[3], one.cells->rows[r].cells[3].level, 0.1);
  }
}

TEST_F(ExpectedTest, OneDrawTellsNothingOfOthers) {
  options_.healthy_draws = 1;
  recorded_ = quiet_.run({}, 1);
  cells_ = cells_of(recorded_, quiet_.grid());
  paths_ = paths_of(cells_, quiet_.file(), quiet_.grid());
  options_.replay = quiet_.replay();
  const Expected expected({cells_, paths_, quiet_.file(), quiet_.grid(), options_});
  EXPECT_TRUE(expected.left_out().empty());
  EXPECT_EQ(expected.chance(all_rows(), 0, 16 * test::QuietChip::kBin).scatter, 0);
}

// Three draws, of which one is slow for a while without any fault: within that time they lie far apart.
TEST_F(ExpectedTest, ADrawInAnotherRhythmScattersItsTime) {
  options_.replay = [&, replay = quiet_.replay()](std::vector<Fault> faults, uint32_t draw) {
    if (draw == 2)
      faults.push_back(quiet_.fault(kLink, 1.5, 8, 16));
    return replay(faults, draw);
  };
  const Expected expected = make({}, false);
  const auto scatter = [&](uint64_t first, uint64_t last) {
    return expected.chance(all_rows(), first * test::QuietChip::kBin, last * test::QuietChip::kBin).scatter;
  };
  EXPECT_GT(scatter(8, 16), 10);
  EXPECT_GT(scatter(8, 16), 5 * scatter(24, 32));
  EXPECT_GT(scatter(24, 32), 0);
  EXPECT_EQ(expected.chance({}, 0, 32 * test::QuietChip::kBin).scatter, 0);
  // Two of three are alike.
  const Chance there = expected.chance(all_rows(), 8 * test::QuietChip::kBin, 16 * test::QuietChip::kBin);
  EXPECT_LT(there.median, there.scatter);
  EXPECT_GT(there.median, 0);
}

// Once something was found, the draws are of the chip with it, each a little beside the other.
TEST_F(ExpectedTest, SettledDrawsHoldWhatWasFound) {
  Expected expected = make({quiet_.fault(kLink, 4, 8, 16)});
  const std::vector<Baseline> about = expected.settled({suspect(4, 8, 16)});
  const std::vector<LeftOut> left = expected.left_out();
  ASSERT_EQ(left.size(), 3u);
  size_t row = 0;
  while (!paths_[row].crosses(kLink))
    ++row;
  const double bytes = cells_.rows[row].bytes;
  const double step = std::log2(paths_[row].cycles(bytes, kLink, 4) / paths_[row].cycles(bytes));
  EXPECT_NEAR(about[row].level[12] - expected.healthy()[row].level[12], step, 0.1);
  const double plain = left[0].cells->rows[row].cells[12].level;
  EXPECT_GT(left[1].cells->rows[row].cells[12].level, plain);  // slower, and later
  EXPECT_LT(left[2].cells->rows[row].cells[12].level, plain);
}

TEST_F(ExpectedTest, AGivenHealthyRunIsTheBaseline) {
  test::QuietChip slower;
  Twin real{slower.file(), {}};
  real.chip.network.link_bytes_per_cycle /= 2;
  const Sketch healthy = slower.run(real, {}, 9);
  options_.healthy = &healthy;
  const Expected expected = make();
  const Cells given = cells_of(healthy, quiet_.grid(), cells_.bin_cycles);
  ASSERT_EQ(given.rows.size(), cells_.rows.size());
  for (size_t r = 0; r < given.rows.size(); ++r)
    EXPECT_NEAR(expected.healthy()[r].level[5], given.rows[r].cells[5].level, 0.1);
}

// The first draw takes what was found as it is, the second begins it half a bin later and makes it a tenth
// slower, the third the other way round; stretches of a core are made slower alike.
TEST_F(ExpectedTest, SettledDrawsAreAStepBesideOneAnother) {
  Expected expected = make();
  std::vector<std::vector<Fault>> shown;
  options_.replay = [&, replay = quiet_.replay()](const std::vector<Fault>& faults, uint32_t draw) {
    EXPECT_EQ(draw, shown.size());
    shown.push_back(faults);
    return replay(faults, draw);
  };
  Suspect core;
  core.component = {Part::Core, 3};
  core.slow_intervals = {{1000, 2000, 2}, {5000, 7000, 4}};
  core.begin = 1000;
  core.end = 7000;
  expected.settled({suspect(4, 8, 16), core});
  ASSERT_EQ(shown.size(), 3u);
  const double factors[] = {1, 1.1, 1 / 1.1};
  const double begins[] = {8, 8.5, 7.5};
  for (size_t draw = 0; draw < 3; ++draw) {
    ASSERT_EQ(shown[draw].size(), 3u);
    EXPECT_NEAR(shown[draw][0].factor, 4 * factors[draw], 1e-9);
    EXPECT_EQ(double(shown[draw][0].begin) / test::QuietChip::kBin, begins[draw]);
    EXPECT_EQ(shown[draw][0].end, 16 * test::QuietChip::kBin);
    EXPECT_NEAR(shown[draw][1].factor, 2 * factors[draw], 1e-9);
    EXPECT_NEAR(shown[draw][2].factor, 4 * factors[draw], 1e-9);
    EXPECT_EQ(shown[draw][1].begin, 1000u);
    EXPECT_EQ(shown[draw][2].end, 7000u);
    EXPECT_EQ(shown[draw][1].part, Part::Core);
  }
}

// A beginning is never moved behind the end, nor before the run.
TEST_F(ExpectedTest, StepsStayWithinTheRun) {
  Expected expected = make();
  std::vector<Fault> shown;
  options_.replay = [&, replay = quiet_.replay()](const std::vector<Fault>& faults, uint32_t draw) {
    shown.push_back(faults.at(0));
    return replay(faults, draw);
  };
  Suspect s = suspect(4, 0, 1);
  s.end = 100;
  expected.settled({s});
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[1].begin, 100u);
  EXPECT_EQ(shown[2].begin, 0u);
}

// Four groups of four bins at one deviation each, and all of them at once: half of the sum of both.
TEST_F(ExpectedTest, MisfitIsThatOfGroupsAndOfAllTogether) {
  const Expected expected = make();
  std::vector<Baseline> base = expected.healthy();
  const Row& row = cells_.rows[0];
  base[0].correlation_bins = 1;
  const int records = row.cells[0].count;
  for (size_t b = 0; b < 16; ++b) {
    ASSERT_EQ(row.cells[b].count, records);
    base[0].level[b] = row.cells[b].level + (b < 8 ? 0.5F : -0.5F);
  }
  const uint64_t end = 16 * test::QuietChip::kBin;
  const double z = 0.5 / std::sqrt(base[0].variance(4 * records));
  const double one = 2 * std::log(1 + z * z / 3);
  EXPECT_NEAR(expected.misfit(base, {0}, 0, end), 4 * one / 2, 1e-4);  // together they lie off by nothing
  for (size_t b = 0; b < 16; ++b)
    base[0].level[b] = row.cells[b].level + 0.5F;
  const double all = 0.5 / std::sqrt(base[0].variance(16 * records));
  EXPECT_NEAR(expected.misfit(base, {0}, 0, end), (4 * one + 4 * 2 * std::log(1 + all * all / 3)) / 2, 1e-3);
  EXPECT_NEAR(expected.misfit(base, {0, 0}, 0, end), 2 * expected.misfit(base, {0}, 0, end), 1e-6);
  EXPECT_EQ(expected.misfit(base, {}, 0, end), 0);
}

// A simulation without records in some bins of a fault: they change as its other bins do.
TEST_F(ExpectedTest, BinsThatTheSimulationSkippedChangeAsTheOthers) {
  Expected expected = make();
  test::QuietChip shorter = quiet_;
  shorter.bins = 12;
  options_.replay = shorter.replay();
  const std::vector<Baseline> slow = expected.with({suspect(4, 8, 16)});
  size_t row = 0;
  while (!paths_[row].crosses(kLink))
    ++row;
  const double bytes = cells_.rows[row].bytes;
  const double step = std::log2(paths_[row].cycles(bytes, kLink, 4) / paths_[row].cycles(bytes));
  for (size_t b = 0; b < 20; ++b) {
    const double change = slow[row].level[b] - expected.healthy()[row].level[b];
    EXPECT_NEAR(change, b >= 8 && b < 16 ? step : 0, 0.05) << b;
  }
}

// Draws that lie apart in turn, bin by bin, tell nothing of their neighbours; draws apart for the whole run
// say once what their bins say again and again.
TEST_F(ExpectedTest, BinsThatLieOffTogetherAreCorrelated) {
  const auto correlated = [&](uint64_t turn) {
    const auto sum = [&](uint32_t draw) {
      Sketch sketch(std::vector<SketchShape>(16, shape()), sketch_options());
      for (uint64_t b = 0; b < 32; ++b) {
        const bool slow = (b / turn + draw) % 2 == 1;
        ProbeRecord r;
        r.kind = chip::ProbeKind::Message;
        r.core = 6;
        r.peer = 5;
        r.work = 4096;
        r.begin = b * test::QuietChip::kBin;
        r.end = r.begin + (slow ? 2000 : 1000);
        sketch.record(r);
      }
      return sketch;
    };
    recorded_ = sum(0);
    cells_ = cells_of(recorded_, quiet_.grid());
    paths_ = paths_of(cells_, quiet_.file(), quiet_.grid());
    options_.healthy_draws = 2;
    options_.replay = [&](const std::vector<Fault>&, uint32_t draw) {
      return sum(draw);
    };
    return Expected({cells_, paths_, quiet_.file(), quiet_.grid(), options_})
        .healthy()
        .at(0)
        .correlation_bins;
  };
  EXPECT_EQ(correlated(1), 1);
  EXPECT_NEAR(correlated(1000), 2 * 32 - 1, 0.01);  // of 32 bins r is at most 31 / 32
  // Eight turns of four bins: of 31 neighbours 24 agree, so r is 17 / 32 * 32 / 31.
  const double r = 17.0 / 31;
  EXPECT_NEAR(correlated(4), (1 + r) / (1 - r), 0.02);
}

}  // namespace
}  // namespace lento::chip
