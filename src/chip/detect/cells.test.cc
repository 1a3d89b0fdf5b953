#include "chip/detect/cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

constexpr uint64_t kWidth = 1 << 16;

// Messages of core 0 to core 1, one a bin of kWidth, from 1000 cycles on by 100 a bin.
Sketch run_of(uint64_t bins) {
  SketchShape shape;
  shape.hashes = shape.buckets = 0;
  shape.bins = 16;
  Sketch sketch(std::vector<SketchShape>(16, shape), SketchOptions{});
  for (uint64_t b = 0; b < bins; ++b) {
    ProbeRecord r;
    r.kind = chip::ProbeKind::Message;
    r.begin = b * kWidth;
    r.end = r.begin + 1000 + 100 * b;
    r.work = 1000;
    r.peer = 1;
    sketch.record(r);
  }
  return sketch;
}

TEST(Cells, ALongerRunIsLaidOnTheGridOfAShorterOne) {
  const Grid grid{spec::Chip{}};
  const Cells recorded = cells_of(run_of(16), grid);
  ASSERT_EQ(recorded.bin_cycles, kWidth);
  const Sketch longer = run_of(20);  // its bins are twice as wide
  ASSERT_EQ(longer.cores()[0].bin_cycles(), 2 * kWidth);
  const Cells reference = cells_of(longer, grid, recorded.bin_cycles);
  EXPECT_EQ(reference.bin_cycles, kWidth);
  ASSERT_EQ(reference.rows.size(), 1u);
  for (size_t b = 0; b < recorded.bins; ++b)
    EXPECT_NEAR(reference.rows[0].cells[b].level, recorded.rows[0].cells[b].level, 0.1) << b;
}

TEST(Cells, AnIntervalTouchesTheBinsItCoversInPart) {
  Cells cells;
  cells.bin_cycles = 100;
  cells.bins = 10;
  const auto touched = [&](uint64_t begin, uint64_t end) {
    const Bins bins = bins_of(cells, begin, end);
    return std::pair(bins.begin, bins.end);
  };
  EXPECT_EQ(touched(0, 20), std::pair(size_t{0}, size_t{1}));
  EXPECT_EQ(touched(220, 280), std::pair(size_t{2}, size_t{3}));
  EXPECT_EQ(touched(220, 301), std::pair(size_t{2}, size_t{4}));
  EXPECT_EQ(touched(200, 200), std::pair(size_t{2}, size_t{3}));
  EXPECT_EQ(touched(5000, 6000), std::pair(size_t{9}, size_t{10}));
}

TEST(Unlikely, IsStudentsTWithThreeDegrees) {
  EXPECT_EQ(unlikely(0), 0);
  EXPECT_NEAR(unlikely(1), 2 * std::log(4.0 / 3), 1e-12);
  EXPECT_EQ(unlikely(-2), unlikely(2));
  EXPECT_LT(unlikely(1000), 30);  // no one value decides alone
}

// Rows of one core to its right neighbour, by hand.
Cells table_of(const std::vector<std::vector<float>>& levels, int count) {
  Cells cells{kWidth, levels[0].size(), {}};
  for (const std::vector<float>& row : levels) {
    Row one{1, {chip::ProbeKind::Message, uint8_t(cells.rows.size()), 0}, 4096, 0, {}};
    for (const float level : row)
      one.cells.push_back({level, level, count});
    cells.rows.push_back(one);
  }
  return cells;
}

class Baselines : public testing::Test {
 protected:
  const spec::Chip chip_;
  const Grid grid_{chip_};
};

TEST_F(Baselines, FromAnotherRunFollowItsLevels) {
  const Cells reference = table_of({std::vector<float>(8, 5.0F)}, 10);
  const Cells judged = table_of({std::vector<float>(8, 7.0F)}, 10);
  const auto out = baselines_from(judged, reference, paths_of(judged, chip_, grid_));
  for (const float level : out[0].level)
    EXPECT_FLOAT_EQ(level, 5);
  EXPECT_FLOAT_EQ(out[0].lowest, 5);
  EXPECT_FLOAT_EQ(out[0].common, 0.08F);
}

// A step in the reference is followed within two bins of it.
TEST_F(Baselines, FollowAStepOfTheReference) {
  std::vector<float> levels(16, 5.0F);
  std::fill(levels.begin() + 8, levels.end(), 6.0F);
  const Cells reference = table_of({levels}, 10);
  const auto out = baselines_from(reference, reference, paths_of(reference, chip_, grid_));
  EXPECT_FLOAT_EQ(out[0].level[5], 5);
  EXPECT_FLOAT_EQ(out[0].level[10], 6);
  EXPECT_FLOAT_EQ(out[0].level[7], (5 + 5 + 5 * 2 + 6 + 6) / 6.0F);
}

// Few records lean on the mean of the run.
TEST_F(Baselines, FewRecordsNearABinLeanOnTheRun) {
  std::vector<float> levels(40, 5.0F);
  levels[20] = 8.0F;
  const Cells reference = table_of({levels}, 1);
  const auto out = baselines_from(reference, reference, paths_of(reference, chip_, grid_));
  EXPECT_NEAR(out[0].level[20], 6, 1e-5);  // six records are near: 2 of this bin, 4 beside
  Cells sparse = table_of({std::vector<float>(40, 5.0F)}, 1);
  for (size_t b = 1; b < 40; b += 2)
    sparse.rows[0].cells[b] = {8, 8, b == 1 ? 1 : 0};
  const auto leaning = baselines_from(sparse, sparse, paths_of(sparse, chip_, grid_));
  const double mean = (20 * 5.0 + 8) / 21;
  // Every other bin is empty: near the last even one lie 2 and 1 records.
  EXPECT_NEAR(leaning[0].level[38], (3 * 5.0 + 4 * mean) / (3 + 4), 1e-5);
}

TEST_F(Baselines, NoiseOfRecordsAndOfBinsAreToldApart) {
  std::vector<float> levels;
  for (int b = 0; b < 64; ++b)
    levels.push_back(b % 2 == 0 ? 5.0F : 5.6F);  // a deviation of 0.3 whatever the count
  const Cells many = table_of({levels}, 15);
  const auto of_many = baselines_from(many, many, paths_of(many, chip_, grid_));
  EXPECT_NEAR(of_many[0].single, chip_.network.transit_cv / std::log(2), 1e-6);  // what is declared
  EXPECT_NEAR(std::sqrt(of_many[0].variance(15)), 0.3, 0.01);
  EXPECT_GT(of_many[0].common, 0.08);
  const Cells quiet = table_of({std::vector<float>(64, 5.0F)}, 15);
  const auto of_quiet = baselines_from(quiet, quiet, paths_of(quiet, chip_, grid_));
  EXPECT_FLOAT_EQ(of_quiet[0].single, 0.08F);
}

// A row slow throughout cannot excuse itself: it is held down to what others show above their paths.
TEST_F(Baselines, WithinARunASlowRowIsHeldDown) {
  std::vector<std::vector<float>> levels(8);
  const double unloaded = std::log2((2.0 / 128 + 1.0 / 16)) + 7;
  for (size_t r = 0; r < levels.size(); ++r)
    levels[r].assign(16, float(unloaded + (r == 3 ? 4 : 0.1)));
  const Cells cells = table_of(levels, 10);
  const auto out = baselines_within(cells, paths_of(cells, chip_, grid_));
  const double hop = 1.0 / 4096;  // of a router
  EXPECT_NEAR(out[0].level[0], unloaded + 0.1, 0.05 + hop);
  EXPECT_NEAR(out[3].level[0], unloaded + 0.1 + 0.3, 0.05);
  EXPECT_FLOAT_EQ(out[3].common, 0.3F);
}

// How far draws lie apart is what is common to their bins.
TEST(Pooled, DrawsThatDifferWidenWhatIsExpected) {
  Baseline low;
  low.level.assign(8, 5.0F);
  low.lowest = 4;
  low.common = 0.1F;
  Baseline high = low;
  high.level.assign(8, 6.0F);
  high.lowest = 5;
  const auto same = pooled({{low}, {low}});
  EXPECT_FLOAT_EQ(same[0].level[3], 5);
  EXPECT_FLOAT_EQ(same[0].common, 0.1F);
  const auto apart = pooled({{low}, {high}});
  EXPECT_FLOAT_EQ(apart[0].level[3], 5.5);
  EXPECT_FLOAT_EQ(apart[0].lowest, 4.5);
  EXPECT_NEAR(apart[0].common, std::sqrt(0.01 + 2 * 0.5), 1e-5);
}

}  // namespace
}  // namespace lento::chip
