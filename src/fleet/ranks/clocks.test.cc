// Hosts whose clocks are off and drift by known amounts, joined by collectives and by sends.
#include "fleet/ranks/clocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "fleet/ranks/transfers.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

constexpr int64_t kBegin = 1'700'000'000'000'000'000;

struct Host {
  double offset_ms = 0;
  double drift_ppm = 0;
};

class Clockwork {
 public:
  explicit Clockwork(std::vector<Host> hosts)
      : traces(hosts.size()),
        hosts_(std::move(hosts)),
        rng_(6, "clocks") {
    for (size_t r = 0; r < traces.size(); ++r) {
      traces[r].rank = int(r);
      traces[r].world = int(traces.size());
      traces[r].host = "host" + std::to_string(r);
    }
  }

  int64_t local(size_t host, double ns) const {
    const Host& h = hosts_[host];
    return kBegin + int64_t(ns + h.offset_ms * 1e6 + h.drift_ppm * 1e-6 * ns);
  }

  // An all-reduce of these hosts every second, whose ends lie up to `skew_us` apart.
  void join(const std::vector<int32_t>& ranks, int steps, double skew_us) {
    std::string key;
    for (const int32_t r : ranks)
      key += std::to_string(r) + ",";
    for (size_t i = 0; i < ranks.size(); ++i)
      traces[size_t(ranks[i])].communicators.push_back(
          {key, "G", int(ranks.size()), int(ranks.size()), int(i), ranks});
    for (int s = 0; s < steps; ++s) {
      for (const int32_t r : ranks) {
        RankTrace& t = traces[size_t(r)];
        CollectiveRecord c;
        c.begin_ns = local(size_t(r), s * 1e9 + 4e8);
        c.end_ns = local(size_t(r), s * 1e9 + 4e8 + 1e6 + rng_.uniform(0, skew_us * 1e3));
        c.bytes = 1 << 20;
        c.sequence = s;
        c.step = s;
        c.op = CollectiveOp::AllReduce;
        c.communicator = int32_t(t.communicators.size()) - 1;
        t.records.push_back(c);
      }
    }
  }

  Clocks align() {
    for (RankTrace& t : traces)
      std::ranges::stable_sort(t.records, {}, &fleet::ranks::CollectiveRecord::begin_ns);
    job = make_job(traces);
    return align_clocks(job, transfer_times(job));
  }

  // The worst error of corrected times against the first host's, over the record.
  double worst_ms(const Clocks& c, int steps) const {
    double worst = 0;
    for (int s = 0; s < steps; ++s) {
      for (size_t h = 0; h < hosts_.size(); ++h) {
        const double ns = s * 1e9;
        worst = std::max(worst, std::abs(double(c.corrected(int(h), local(h, ns)) - local(0, ns))) / 1e6);
      }
    }
    return worst;
  }

  std::vector<RankTrace> traces;
  Job job;

 private:
  std::vector<Host> hosts_;
  base::Rng rng_;
};

TEST(Clocks, OffsetsAndDriftsOfHostsThatShareACollectiveAreFound) {
  Clockwork w({{0, 0}, {25, 40}, {-300, -15}, {7, 0}});
  w.join({0, 1, 2, 3}, 200, 50);
  const Clocks c = w.align();
  ASSERT_TRUE(c.aligned());
  EXPECT_LT(w.worst_ms(c, 200), 0.1);
  EXPECT_NEAR(c.hosts[1].drift * 1e6, 40, 0.5);
  EXPECT_LE(c.hosts[2].drift95.low, -15e-6);
  EXPECT_GE(c.hosts[2].drift95.high, -15e-6);
  EXPECT_EQ(c.rejected, 0u);
  EXPECT_EQ(c.hosts[0].offset_ns, 0);
  EXPECT_EQ(c.hosts[0].drift, 0);
}

TEST(Clocks, AChainOfCollectivesCarriesThem) {
  Clockwork w({{0, 0}, {25, 40}, {-300, -15}, {80, 60}});
  w.join({0, 1}, 200, 50);
  w.join({1, 2}, 200, 50);
  w.join({2, 3}, 200, 50);
  const Clocks c = w.align();
  ASSERT_TRUE(c.aligned());
  EXPECT_LT(w.worst_ms(c, 200), 0.3);
}

TEST(Clocks, HostsWithoutAChainAreNotAligned) {
  Clockwork w({{0, 0}, {25, 0}, {50, 0}, {75, 0}});
  w.join({0, 1}, 50, 20);
  w.join({2, 3}, 50, 20);
  const Clocks c = w.align();
  EXPECT_FALSE(c.aligned());
  EXPECT_EQ(c.groups, 2);
  EXPECT_TRUE(c.hosts[1].aligned);
  EXPECT_FALSE(c.hosts[2].aligned);
  EXPECT_EQ(c.hosts[2].offset_ns, 0);
}

TEST(Clocks, ADriftThatNoQuartzHasIsAWrongMatch) {
  Clockwork w({{0, 0}, {0, 3 * tuning::kMostDrift * 1e6}});
  w.join({0, 1}, 200, 5);
  const Clocks c = w.align();
  EXPECT_EQ(c.rejected, 1u);
  EXPECT_FALSE(c.aligned());
}

TEST(Clocks, ALinkThatDisagreesWithItsCyclesCountsLess) {
  Clockwork w({{0, 0}, {5, 0}, {9, 0}, {14, 0}});
  for (const auto& pair : std::vector<std::vector<int32_t>>{{0, 1}, {1, 2}, {2, 3}, {0, 2}, {1, 3}})
    w.join(pair, 120, 20);
  // A path whose ends seem 30 ms apart.
  w.join({0, 3}, 120, 20);
  for (CollectiveRecord& r : w.traces[3].records) {
    if (r.communicator + 1 == int32_t(w.traces[3].communicators.size()))
      r.end_ns += 30'000'000;
  }
  const Clocks c = w.align();
  ASSERT_TRUE(c.aligned());
  EXPECT_LT(w.worst_ms(c, 120), 3);
}

TEST(Clocks, OneHostNeedsNoOther) {
  Clockwork w({{0, 0}});
  w.join({0}, 10, 1);
  const Clocks c = w.align();
  EXPECT_TRUE(c.aligned());
  EXPECT_EQ(c.corrected(0, 12345), 12345);
}

}  // namespace
}  // namespace lento::fleet::ranks
