// Recorded against simulated runs of a chip without queues: what differs is known in octaves.
#include "chip/fit/differences.h"

#include <gtest/gtest.h>

#include "chip/detect/test_chip.h"
#include "chip/fit/tuning.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

class DifferencesTest : public testing::Test {
 protected:
  Differences of(const Sketch& recorded, uint32_t draws = 3) const {
    std::vector<Sketch> simulated;
    for (uint32_t i = 0; i < draws; ++i)
      simulated.push_back(quiet_.replay()({}, i));
    return differences_of(recorded, cells_of(recorded, quiet_.grid()), simulated, quiet_.grid());
  }
  Twin file() const {
    return {quiet_.file(), {}};
  }
  test::QuietChip quiet_;
};

TEST_F(DifferencesTest, OfAChipLikeItsFileAreItsNoise) {
  const Differences d = of(quiet_.run({}, 1));
  ASSERT_GT(d.transfers.size(), 100u);
  std::vector<double> standardized;
  for (const Difference& t : d.transfers) {
    EXPECT_GT(t.deviation, kResolution);
    standardized.push_back(t.octaves / t.deviation);
  }
  EXPECT_NEAR(evidence::mean(standardized), 0, 0.3);
  EXPECT_LT(std::sqrt(evidence::variance(standardized)), 2);
  EXPECT_GT(std::sqrt(evidence::variance(standardized)), 0.4);
  ASSERT_EQ(d.cores.size(), 16u);
  for (const CoreDifference& c : d.cores) {
    EXPECT_NEAR(c.octaves, 0, 0.02) << c.core;
    EXPECT_GT(c.cycles, 0);
  }
}

// Everything twice as slow is one octave, of each pattern and of each core.
TEST_F(DifferencesTest, OfAChipHalfAsFastAreAnOctave) {
  Twin slow = file();
  slow.chip.network.link_bytes_per_cycle /= 2;
  slow.chip.dram.port_bytes_per_cycle /= 2;
  slow.chip.memory_unit.bytes_per_cycle /= 2;
  slow.chip.core.ops_per_cycle /= 2;
  const Differences d = of(quiet_.run(slow, {}, 1));
  std::vector<double> octaves;
  for (const Difference& t : d.transfers)
    octaves.push_back(t.octaves);
  EXPECT_NEAR(evidence::median(octaves), 1, 0.05);
  for (const CoreDifference& c : d.cores)
    EXPECT_NEAR(c.octaves, 1, 0.02) << c.core;
}

TEST_F(DifferencesTest, ASlowCoreIsItsOwn) {
  Twin one = file();
  one.own.cores.assign(16, 1);
  one.own.cores[6] = 1.5;
  for (const CoreDifference& c : of(quiet_.run(one, {}, 1)).cores)
    EXPECT_NEAR(c.octaves, c.core == 6 ? std::log2(1.5) : 0, 0.02) << c.core;
}

// Of each pattern its fastest transfer and its median one: a fault of a quarter of the run moves neither.
TEST_F(DifferencesTest, AShortFaultMovesNoMedian) {
  const Fault f = quiet_.fault({Part::Link, 5, 6}, 4, 0, quiet_.bins / 4);
  const Differences d = of(quiet_.run({f}, 1));
  for (const Difference& t : d.transfers)
    EXPECT_LT(std::abs(t.octaves), 0.15) << t.row;
  const Fault all = quiet_.fault({Part::Link, 5, 6}, 4, 0, quiet_.bins);
  const Differences lasting = of(quiet_.run({all}, 1));
  const auto moved = std::ranges::count_if(lasting.transfers, [](const Difference& t) {
    return t.octaves > 1;
  });
  EXPECT_GT(moved, 4);
}

TEST_F(DifferencesTest, PatternsOfFewRecordsSayNothing) {
  test::QuietChip brief;
  brief.records = 1;
  brief.bins = kLeastRecords - 1;
  std::vector<Sketch> draws;
  for (uint32_t i = 0; i < 3; ++i)
    draws.push_back(brief.replay()({}, i));
  const Sketch few = brief.run({}, 1);
  const Cells cells = cells_of(few, brief.grid());
  bool all_few = true;
  for (const Row& row : cells.rows)
    all_few = all_few && row.count < kLeastRecords;
  const Differences d = differences_of(few, cells, draws, brief.grid());
  if (all_few) {
    EXPECT_TRUE(d.transfers.empty());
  }
  for (const Difference& t : d.transfers)
    EXPECT_GE(cells.rows[size_t(t.row)].count, kLeastRecords);
}

// A pattern that one draw lacks is left out: its median would be that of other runs.
TEST_F(DifferencesTest, PatternsMustBeInEveryDraw) {
  const Sketch recorded = quiet_.run({}, 1);
  const Cells cells = cells_of(recorded, quiet_.grid());
  test::QuietChip fewer;
  std::erase_if(fewer.flows, [](const test::Flow& flow) {
    return flow.kind == chip::ProbeKind::Read;
  });
  const std::vector<Sketch> same = {quiet_.replay()({}, 0), quiet_.replay()({}, 1)};
  const std::vector<Sketch> mixed = {quiet_.replay()({}, 0), fewer.replay()({}, 1)};
  const auto kinds = [&](const Differences& d) {
    size_t reads = 0;
    for (const Difference& t : d.transfers)
      reads += cells.rows[size_t(t.row)].pattern.kind == chip::ProbeKind::Read;
    return reads;
  };
  EXPECT_GT(kinds(differences_of(recorded, cells, same, quiet_.grid())), 0u);
  EXPECT_EQ(kinds(differences_of(recorded, cells, mixed, quiet_.grid())), 0u);
}

// More draws make the mean of the draws sharper: 1 + 1/n of the variance of one.
TEST_F(DifferencesTest, MoreDrawsNarrowTheDeviation) {
  const Sketch recorded = quiet_.run({}, 1);
  const auto typical = [&](uint32_t draws) {
    std::vector<double> deviations;
    for (const Difference& t : of(recorded, draws).transfers)
      deviations.push_back(t.deviation);
    return evidence::median(deviations);
  };
  EXPECT_NEAR(typical(8) / typical(2), std::sqrt((1 + 1.0 / 8) / (1 + 1.0 / 2)), 0.12);
}

// Each draw stands in the place of the recorded run once, beside the others: they lie around one another, as
// far as they say.
TEST_F(DifferencesTest, DrawsAmongThemselvesAreWhatChanceMakes) {
  Twin slow = file();
  slow.chip.network.link_bytes_per_cycle /= 2;
  const Differences d = of(quiet_.run(slow, {}, 1));
  ASSERT_EQ(d.by_chance.size(), 3u);
  std::vector<double> sum(d.transfers.size());
  for (const std::vector<Difference>& draw : d.by_chance) {
    ASSERT_EQ(draw.size(), d.transfers.size());
    std::vector<double> standardized;
    for (size_t i = 0; i < draw.size(); ++i) {
      EXPECT_EQ(draw[i].row, d.transfers[i].row);
      sum[i] += draw[i].octaves;
      standardized.push_back(draw[i].octaves / draw[i].deviation);
    }
    EXPECT_NEAR(evidence::mean(standardized), 0, 0.3);
    EXPECT_NEAR(std::sqrt(evidence::variance(standardized)), 1, 0.5);
  }
  for (const double all : sum)
    EXPECT_NEAR(all, 0, 1e-9);
  EXPECT_TRUE(of(quiet_.run({}, 1), 2).by_chance.empty());
}

}  // namespace
}  // namespace lento::chip
