// Collectives in closed form, on a machine made of round numbers, and packings of rings on random graphs.
#include "predict/time/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "base/test_error.h"

namespace lento::predict {
namespace {

using testing::HasSubstr;

// Nodes of eight behind a switch.
System round_system() {
  System s;
  s.name = "round";
  s.chip.memory_Bps = 1e12;
  s.network.node_devices = 8;
  NodeLinks& n = s.network.node;
  n.lane_Bps = 1e11;
  n.efficiency = 1;
  n.latency_s = 1e-6;
  n.start_s = 1e-5;
  n.setup_s = 5e-5;
  s.network.between_Bps = 1e10;
  s.network.between_efficiency = 0.5;
  s.network.between_latency_s = 4e-6;
  return s;
}

constexpr double kCopies = 3;  // passes over the memory that a transport behind a switch takes

TEST(Collective, LargeMessagesBehindASwitchTakeTheirShareOfThePort) {
  const System s = round_system();
  constexpr double kBytes = 1e9;
  const auto seconds = [&](CollectiveOp op, int n) {
    return predict_collective(s, {op, n, kBytes}).seconds;
  };
  for (const int n : {2, 3, 8}) {
    const double part = double(n - 1) / n;
    const double copy = kCopies * kBytes / 1e12;
    EXPECT_NEAR(
        seconds(CollectiveOp::AllReduce, n),
        1e-5 + 2 * (n - 1) * 1e-6 + 5e-5 + 2 * part * kBytes / 1e11 + copy,
        1e-12)
        << n;
    EXPECT_NEAR(
        seconds(CollectiveOp::AllGather, n),
        1e-5 + (n - 1) * 1e-6 + 5e-5 + part * kBytes / 1e11 + copy,
        1e-12)
        << n;
    EXPECT_EQ(seconds(CollectiveOp::AllGather, n), seconds(CollectiveOp::ReduceScatter, n));
    EXPECT_NEAR(seconds(CollectiveOp::AllToAll, n), 1e-5 + 1e-6 + 5e-5 + part * kBytes / 1e11 + copy, 1e-12);
  }
}

TEST(Collective, SmallMessagesTakeTheProtocolThatNeedsNoSetUp) {
  const System s = round_system();
  const auto at = [&](double bytes) {
    return predict_collective(s, {CollectiveOp::AllGather, 2, bytes});
  };
  // A fifth of the bandwidth, no set-up: cheaper while 5 x < x + set-up.
  const double pace = 0.5 / 1e11 + kCopies / 1e12;
  const double crossing = 5e-5 / 4 / pace;
  EXPECT_NEAR(at(0.9 * crossing).bandwidth_s, 5 * 0.9 * crossing * pace, 1e-12);
  EXPECT_NEAR(at(0.9 * crossing).latency_s, 1.1e-5, 1e-12);
  EXPECT_NEAR(at(1.1 * crossing).bandwidth_s, 1.1 * crossing * pace, 1e-12);
  EXPECT_NEAR(at(1.1 * crossing).latency_s, 6.1e-5, 1e-12);
  EXPECT_NEAR(at(crossing * 0.999).seconds, at(crossing * 1.001).seconds, 1e-6);
}

TEST(Collective, ASwitchThatReducesTakesEachByteOnceAndOnlyForWholeNodes) {
  System s = round_system();
  s.network.node.in_switch = 0.8;
  const CollectiveTime whole = predict_collective(s, {CollectiveOp::AllReduce, 8, 1e9});
  EXPECT_EQ(whole.algorithm, "reduced in the switch");
  EXPECT_NEAR(whole.bandwidth_s, 1e9 / 0.8e11, 1e-12);
  EXPECT_NE(predict_collective(s, {CollectiveOp::AllReduce, 7, 1e9}).algorithm, whole.algorithm);
  EXPECT_NE(predict_collective(s, {CollectiveOp::AllGather, 8, 1e9}).algorithm, whole.algorithm);
  s.network.node.in_switch = 0.1;  // slower than the ring
  EXPECT_EQ(predict_collective(s, {CollectiveOp::AllReduce, 8, 1e9}).algorithm, "ring behind a switch");
}

TEST(Collective, BetweenNodesTheOutsideLinksDecide) {
  const System s = round_system();
  const CollectiveTime t = predict_collective(s, {CollectiveOp::AllReduce, 4, 1e9, 8});
  EXPECT_EQ(t.algorithm, "ring between nodes");
  EXPECT_NEAR(t.bandwidth_s, 1e9 * 1.5 / 5e9, 1e-12);
  EXPECT_NEAR(t.latency_s, 1e-5 + 6 * 4e-6, 1e-12);
}

TEST(Collective, AHierarchyIsTheSumOfItsParts) {
  const System s = round_system();
  const CollectiveTime whole = predict_collective(s, {CollectiveOp::AllReduce, 16, 1e9});
  const double parts = predict_collective(s, {CollectiveOp::ReduceScatter, 8, 1e9}).seconds +
                       predict_collective(s, {CollectiveOp::AllReduce, 2, 1e9 / 8, 8}).seconds +
                       predict_collective(s, {CollectiveOp::AllGather, 8, 1e9}).seconds;
  EXPECT_EQ(whole.algorithm, "hierarchical");
  EXPECT_NEAR(whole.seconds, parts, 1e-12);
  EXPECT_NEAR(whole.seconds, whole.latency_s + whole.bandwidth_s, 1e-12);
}

// Twelve devices on nodes of eight stand on two nodes, whatever the second one holds.
TEST(Collective, APartlyFilledNodeIsANodeToo) {
  const System s = round_system();
  for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::AllToAll}) {
    const double twelve = predict_collective(s, {op, 12, 1e9}).seconds;
    EXPECT_NEAR(twelve, predict_collective(s, {op, 16, 1e9}).seconds, 1e-12) << name(op);
    EXPECT_GT(twelve, predict_collective(s, {op, 8, 1e9}).seconds) << name(op);
  }
}

TEST(Collective, PairsSendOverOneLinkOrBetweenNodes) {
  const System s = round_system();
  const CollectiveTime near = predict_collective(s, {CollectiveOp::SendReceive, 2, 1e9, 1});
  EXPECT_EQ(near.algorithm, "inside a node");
  EXPECT_NEAR(near.seconds, 1e-6 + 1e-2, 1e-12);
  const CollectiveTime far = predict_collective(s, {CollectiveOp::SendReceive, 2, 1e9, 8});
  EXPECT_EQ(far.algorithm, "between nodes");
  EXPECT_NEAR(far.seconds, 4e-6 + 0.2, 1e-12);
}

TEST(Collective, BusBandwidthIsTheUsualDefinition) {
  const System s = round_system();
  for (const int n : {2, 4, 8, 24}) {
    const CollectiveTime r = predict_collective(s, {CollectiveOp::AllReduce, n, 1e8});
    EXPECT_NEAR(r.bus_Bps * r.seconds, 1e8 * 2 * (n - 1) / n, 1);
    const CollectiveTime g = predict_collective(s, {CollectiveOp::AllGather, n, 1e8});
    EXPECT_NEAR(g.bus_Bps * g.seconds, 1e8 * (n - 1) / n, 1);
  }
}

TEST(Collective, NothingToMoveTakesNoTimeAndMoreBytesNeverLess) {
  const System s = round_system();
  EXPECT_EQ(predict_collective(s, {CollectiveOp::AllReduce, 1, 1e9}).seconds, 0);
  EXPECT_EQ(predict_collective(s, {CollectiveOp::AllReduce, 8, 0}).seconds, 0);
  for (const int n : {2, 8, 16, 40}) {
    double before = 0;
    for (double bytes = 1; bytes < 1e11; bytes *= 3) {
      const double seconds = predict_collective(s, {CollectiveOp::AllReduce, n, bytes}).seconds;
      EXPECT_GE(seconds, before) << n << " " << bytes;
      before = seconds;
    }
  }
}

TEST(Collective, ASheetWithoutLinksSaysWhatIsMissing) {
  System s = round_system();
  s.network.between_Bps = 0;
  EXPECT_GT(predict_collective(s, {CollectiveOp::AllReduce, 8, 1e6}).seconds, 0);
  EXPECT_THAT(
      base::test::error_of([&] {
        predict_collective(s, {CollectiveOp::AllReduce, 16, 1e6});
      }),
      HasSubstr("does not say how devices are linked"));
  s.network.node.lane_Bps = 0;
  EXPECT_THROW(predict_collective(s, {CollectiveOp::AllGather, 2, 1e6}), base::Error);
}

TEST(Collective, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (int i = 0; i <= int(CollectiveOp::SendReceive); ++i)
    names.insert(name(static_cast<CollectiveOp>(i)));
  EXPECT_EQ(names.size(), 6U);
}

// All devices linked to all, `lanes` each: a complete graph of an odd number of devices is a union of
// Hamiltonian cycles, of an even number all but a matching is (Walecki).
TEST(Rings, CompleteGraphsArePackedFully) {
  for (int n = 3; n <= 7; ++n) {
    NodeLinks links;
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b)
        links.links.push_back({a, b, 1});
    }
    EXPECT_EQ(disjoint_rings(links, n).size(), size_t(2 * ((n - 1) / 2))) << n;
  }
}

TEST(Rings, RandomGraphsGiveRingsThatVisitAllAndShareNoLane) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    base::Rng rng(seed, "rings");
    const int n = 3 + int(rng.below(4));
    NodeLinks links;
    std::vector<std::vector<int>> lanes(size_t(n), std::vector<int>(size_t(n), 0));
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        const int count = int(rng.below(3));
        if (count == 0)
          continue;
        links.links.push_back({a, b, count});
        lanes[size_t(a)][size_t(b)] = lanes[size_t(b)][size_t(a)] = count;
      }
    }
    const auto rings = disjoint_rings(links, n);
    found += int(rings.size());
    int bound = INT32_MAX;
    for (const auto& row : lanes) {
      int degree = 0;
      for (const int count : row)
        degree += count;
      bound = std::min(bound, degree / 2);
    }
    EXPECT_LE(int(rings.size()), 2 * bound) << seed;
    for (const std::vector<int>& ring : rings) {
      EXPECT_EQ(std::set<int>(ring.begin(), ring.end()).size(), size_t(n)) << seed;
      for (size_t i = 0; i < ring.size(); ++i) {
        int& left = lanes[size_t(ring[i])][size_t(ring[(i + 1) % ring.size()])];
        EXPECT_GE(--left, 0) << seed;
      }
    }
  }
  EXPECT_GT(found, 60);
}

TEST(Rings, TwoDevicesHaveARingALaneAndMoreThanEightNone) {
  NodeLinks links;
  links.links = {{0, 1, 3}, {1, 2, 1}};
  EXPECT_EQ(disjoint_rings(links, 2).size(), 3U);
  EXPECT_TRUE(disjoint_rings(links, 3).empty());
  EXPECT_TRUE(disjoint_rings(links, 1).empty());
  EXPECT_TRUE(disjoint_rings(links, 9).empty());
}

}  // namespace
}  // namespace lento::predict
