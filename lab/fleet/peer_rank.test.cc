#include "lab/fleet/peer_rank.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace lento::fleet {
namespace {

// Twelve machines. All metrics but the last follow one load that each machine has of its own.
MetricSeries loads(size_t metrics, size_t steps) {
  base::Rng rng(5, "peer_rank");
  MetricSeries s;
  s.steps = steps;
  for (size_t m = 0; m < 12; ++m)
    s.machines.push_back("host" + std::to_string(m));
  for (size_t k = 0; k < metrics; ++k)
    s.metrics.push_back("metric" + std::to_string(k));
  s.values.resize(metrics * steps * 12);
  for (size_t m = 0; m < 12; ++m) {
    const double load = m == 3 ? 3 : rng.normal(0, 1);
    for (size_t t = 0; t < steps; ++t) {
      for (size_t k = 0; k < metrics; ++k)
        s.row(k, t)[m] = float(100 * std::exp(0.01 * (k + 1 < metrics ? load : 0) + rng.normal(0, 0.001)));
    }
  }
  return s;
}

TEST(PeerRank, MetricsThatMoveTogetherCountOnce) {
  MetricSeries s = loads(8, 40);
  EXPECT_EQ(rank_among_peers(s, 0, 40).front().machine, 3);
  for (size_t t = 0; t < s.steps; ++t)
    s.row(7, t)[6] *= 1.006F;  // six times the spread of a metric of its own
  EXPECT_EQ(rank_among_peers(s, 0, 40).front().machine, 6);
}

TEST(PeerRank, WhatAMachineAlwaysShowedIsNoDifference) {
  MetricSeries s = loads(3, 160);
  for (size_t t = 120; t < s.steps; ++t)
    s.row(0, t)[6] *= 1.02F;
  EXPECT_EQ(rank_among_peers(s, 0, 40).front().machine, 3);
  EXPECT_EQ(rank_among_peers(s, 120, 160).front().machine, 6);
}

TEST(PeerRank, MachinesWithoutSamplesDoNotDiffer) {
  MetricSeries s = loads(2, 40);
  for (float& v : s.values)
    v = NAN;
  for (const RankedMachine& r : rank_among_peers(s, 0, 40))
    EXPECT_EQ(r.score, 0);
}

}  // namespace
}  // namespace lento::fleet
