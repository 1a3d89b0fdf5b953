// Quantiles under the three rules, and sets of CPUs, by closed forms and against sorting.
#include "memory/mine/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "memory/mine/cpu_set.h"

namespace lento::memory {
namespace {

using enum QuantileRule;

LatencyHistogram histogram(const std::vector<uint32_t>& values) {
  LatencyHistogram h;
  for (const uint32_t v : values)
    h.add(v);
  return h;
}

TEST(LatencyHistogram, NearestRankIsTheSortedValue) {
  base::Rng rng(1, "latency.rank");
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> values(1 + rng.below(50));
    for (uint32_t& v : values)
      v = uint32_t(rng.below(rng.below(2) == 0 ? 20 : 10000));
    const LatencyHistogram h = histogram(values);
    std::ranges::sort(values);
    EXPECT_EQ(h.total(), values.size());
    EXPECT_EQ(h.minimum(), values.front());
    for (const double q : {0.01, 0.1, 0.5, 0.75, 0.9, 1.0}) {
      const auto rank = size_t(std::max(1.0, std::ceil(q * double(values.size()) - 1e-9)));
      EXPECT_EQ(h.quantile(q, NearestRank), values[rank - 1]) << q << " of " << values.size();
    }
  }
}

TEST(LatencyHistogram, LinearLiesBetweenNeighbours) {
  const LatencyHistogram h = histogram({10, 20, 40});
  EXPECT_DOUBLE_EQ(h.quantile(0, Linear), 10);
  EXPECT_DOUBLE_EQ(h.quantile(0.25, Linear), 15);
  EXPECT_DOUBLE_EQ(h.quantile(0.5, Linear), 20);
  EXPECT_DOUBLE_EQ(h.quantile(0.75, Linear), 30);
  EXPECT_DOUBLE_EQ(h.quantile(1, Linear), 40);
}

// Within a bin the values are taken to be spread evenly: 2 of 4 in [10, 20) are reached at its middle.
TEST(LatencyHistogram, GroupedIsLinearWithinItsBin) {
  const LatencyHistogram h = histogram({11, 12, 13, 19, 25, 26, 27, 28});
  EXPECT_DOUBLE_EQ(h.quantile(0.25, Grouped, 10), 15);
  EXPECT_DOUBLE_EQ(h.quantile(0.5, Grouped, 10), 20);
  EXPECT_DOUBLE_EQ(h.quantile(0.75, Grouped, 10), 25);
  EXPECT_DOUBLE_EQ(h.quantile(1, Grouped, 10), 30);
  EXPECT_DOUBLE_EQ(h.quantile(0.25, Grouped, 5), 13 + 1.0 / 3);  // two of three in [10, 15)
}

TEST(LatencyHistogram, CountsAtLeastAThreshold) {
  const LatencyHistogram h = histogram({1, 4095, 4096, 4097, 100000});
  EXPECT_EQ(h.at_least(0), 5u);
  EXPECT_EQ(h.at_least(4095), 4u);
  EXPECT_EQ(h.at_least(4095.5), 3u);
  EXPECT_EQ(h.at_least(100000), 1u);
  EXPECT_EQ(h.at_least(100001), 0u);
}

TEST(LatencyHistogram, ValuesRiseAndKeepTheirCounts) {
  LatencyHistogram h = histogram({7, 7, 100000});
  h.add(5000, 3);
  using Values = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(h.values(), (Values{{7, 2}, {5000, 3}, {100000, 1}}));
  EXPECT_EQ(h.total(), 6u);
}

TEST(LatencyHistogram, EmptyIsZero) {
  const LatencyHistogram h;
  for (const QuantileRule rule : {NearestRank, Linear, Grouped})
    EXPECT_EQ(h.quantile(0.75, rule), 0);
  EXPECT_EQ(h.minimum(), 0u);
  EXPECT_TRUE(h.values().empty());
}

TEST(CpuSet, HoldsAnyNumbers) {
  CpuSet set;
  EXPECT_TRUE(set.empty());
  for (const uint32_t cpu : {0u, 63u, 64u, 65u, 200u, 65534u})
    set.add(cpu);
  EXPECT_EQ(set.count(), 6);
  EXPECT_FALSE(set.empty());
  EXPECT_TRUE(set.contains(63));
  EXPECT_TRUE(set.contains(64));
  EXPECT_TRUE(set.contains(65534));
  EXPECT_FALSE(set.contains(1));
  EXPECT_FALSE(set.contains(128));
  EXPECT_FALSE(set.contains(1 << 20));
  EXPECT_EQ(set.list(), (std::vector<uint32_t>{0, 63, 64, 65, 200, 65534}));
  EXPECT_EQ(set.text(), "0,63-65,200,65534");
}

TEST(CpuSet, UnionsAndComparesWhateverTheirWidth) {
  CpuSet small;
  small.add(3);
  CpuSet large;
  large.add(300);
  CpuSet both = small;
  both |= large;
  EXPECT_EQ(both.text(), "3,300");
  large |= small;
  EXPECT_TRUE(both == large);
  EXPECT_FALSE(both == small);
}

}  // namespace
}  // namespace lento::memory
