// What the published methods see of a chip whose transfers and operations are known exactly.
#include "chip/paper/observations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chip/detect/test_chip.h"

namespace lento::chip {
namespace {

using test::QuietChip;

class Seen : public testing::Test {
 protected:
  const QuietChip chip_;
  const Sketch healthy_ = chip_.run(std::vector<Fault>{}, 1);

  Observations of(const std::vector<Fault>& faults, const Sketch* profile) const {
    return observe(chip_.run(faults, 7), chip_.file(), profile);
  }
  Component link(int from, int to) const {
    for (int id = 0; id < chip_.grid().link_count(); ++id) {
      const Grid::Link& l = chip_.grid().link(id);
      if (l.from == from && l.to == to)
        return link_component(chip_.grid(), id);
    }
    return {};
  }
};

double mean(const Samples& samples, size_t begin, size_t end) {
  double sum = 0;
  double count = 0;
  for (size_t b = begin; b < std::min(end, samples.size()); ++b) {
    sum += samples[b].octaves * samples[b].count;
    count += samples[b].count;
  }
  return count > 0 ? sum / count : 0;
}

TEST_F(Seen, AHealthyRunLiesOnItsProfile) {
  const Observations seen = of({}, &healthy_);
  ASSERT_EQ(seen.paths.size(), seen.cells.rows.size());
  ASSERT_EQ(seen.above.size(), seen.cells.rows.size());
  EXPECT_EQ(seen.cores, chip_.grid().core_count());
  for (int core = 0; core < seen.cores; core += 5)
    EXPECT_NEAR(mean(latency_at(seen, core), 0, seen.bins()), 0, 0.05) << core;
  EXPECT_FALSE(seen.computes.empty());
  for (const ComputeMean& c : seen.computes) {
    EXPECT_NEAR(c.octaves, 0, 0.3) << c.core;
    EXPECT_NEAR(c.work, double(chip_.work), 0.05 * double(chip_.work));
  }
}

TEST_F(Seen, ASlowLinkIsSeenThroughItAndAtItsEnds) {
  const Component slow = link(5, 6);
  const Observations seen = of({chip_.fault(slow, 8, 8, 16)}, &healthy_);
  const Samples through = latency_through(seen, slow);
  const double scale = double(QuietChip::kBin) / double(seen.cells.bin_cycles);
  const auto bin = [&](double b) {
    return size_t(b * scale);
  };
  EXPECT_GT(mean(through, bin(9), bin(15)), 0.8);
  EXPECT_NEAR(mean(through, 0, bin(7)), 0, 0.1);
  EXPECT_NEAR(mean(through, bin(18), bin(24)), 0, 0.1);
  // A link far from it knows nothing of it; a core beside it does.
  EXPECT_NEAR(mean(latency_through(seen, link(0, 1)), bin(9), bin(15)), 0, 0.1);
  EXPECT_GT(mean(latency_at(seen, 6), bin(9), bin(15)), mean(latency_at(seen, 15), bin(9), bin(15)) + 0.05);
  EXPECT_TRUE(seen.stretches.empty());
}

TEST_F(Seen, LatencyThroughIsTheMeanOfItsRows) {
  const Component c = link(5, 6);
  const Observations seen = of({}, nullptr);
  const Samples through = latency_through(seen, c);
  for (size_t b = 0; b < seen.bins(); ++b) {
    double sum = 0;
    double count = 0;
    for (size_t r = 0; r < seen.paths.size(); ++r) {
      if (!seen.paths[r].crosses(c))
        continue;
      sum += seen.above[r][b] * seen.cells.rows[r].cells[b].count;
      count += seen.cells.rows[r].cells[b].count;
    }
    EXPECT_EQ(through[b].count, count);
    if (count > 0) {
      EXPECT_NEAR(through[b].octaves, sum / count, 1e-9);
    }
  }
}

TEST_F(Seen, ASlowCoreHasItsStretchAndNoOther) {
  const Observations seen = of({chip_.fault({Part::Core, 9, -1}, 4, 8, 16)}, &healthy_);
  ASSERT_FALSE(seen.stretches.empty());
  for (const SlowStretch& s : seen.stretches) {
    EXPECT_EQ(s.core, 9);
    EXPECT_NEAR(s.octaves, 2, 0.35);
    EXPECT_GE(s.end, s.begin);
  }
  const Samples slow = slowness_of(seen, 9);
  const auto worst = std::ranges::max_element(slow, {}, &Sample::octaves);
  EXPECT_NEAR(worst->octaves, 2, 0.35);
  const auto at = size_t(worst - slow.begin()) * seen.cells.bin_cycles;
  EXPECT_GE(at + seen.cells.bin_cycles, 8 * QuietChip::kBin);
  EXPECT_LE(at, 16 * QuietChip::kBin);
  EXPECT_EQ(slow.front().octaves, 0);
  for (const Sample& s : slowness_of(seen, 2))
    EXPECT_EQ(s.octaves, 0);
}

TEST_F(Seen, ASuspectEndsWithTheRun) {
  Observations seen;
  seen.run_cycles = 950;
  seen.cells.bin_cycles = 100;
  seen.cells.bins = 10;
  const Component c{Part::Core, 3, -1};
  EXPECT_EQ(suspect_over(seen, c, 2, 5).begin, 200U);
  EXPECT_EQ(suspect_over(seen, c, 2, 5).end, 500U);
  EXPECT_EQ(suspect_over(seen, c, 2, 10).end, 950U);
  EXPECT_EQ(suspect_over(seen, c, 2, 5).component, c);
}

TEST_F(Seen, AProfileIsTheHealthyRunElseOneReplayElseNone) {
  DetectOptions o;
  EXPECT_EQ(Profile(o).sketch(), nullptr);
  int replays = 0;
  o.replay = [&](const std::vector<Fault>& faults, uint32_t draw) {
    ++replays;
    EXPECT_TRUE(faults.empty());
    EXPECT_EQ(draw, 0U);
    return chip_.run(faults, 3);
  };
  const Profile replayed(o);
  ASSERT_NE(replayed.sketch(), nullptr);
  EXPECT_EQ(replays, 1);
  o.healthy = &healthy_;
  EXPECT_EQ(Profile(o).sketch(), &healthy_);
  EXPECT_EQ(replays, 1);
}

}  // namespace
}  // namespace lento::chip
