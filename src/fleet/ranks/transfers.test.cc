// Transfers of known size: which channels are slow, and which part of the machine explains them.
#include "fleet/ranks/transfers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/rng.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

using Kind = Component::Kind;

struct Mesh {
  std::vector<RankTrace> traces;
  Job job;
  TransferVerdict verdict;
};

struct Pair {
  int left = 0;
  int right = 0;
};

// By the hosts of a pair and the step.
using Factor = std::function<double(int a, int b, int step)>;

// Ranks, two a host, of which pairs exchange 10 ms a step each.
Mesh job_of(int hosts, const std::vector<Pair>& pairs, const Factor& factor, int steps, double lasting) {
  Mesh m;
  m.traces.resize(size_t(hosts) * 2);
  base::Rng rng(2, "mesh");
  for (int r = 0; r < 2 * hosts; ++r) {
    RankTrace& t = m.traces[size_t(r)];
    t.rank = r;
    t.world = 2 * hosts;
    t.host = "host" + std::to_string(r / 2);
    t.device = r % 2;
  }
  std::vector<double> now(size_t(hosts) * 2, 0);
  for (const auto& [left, right] : pairs) {
    const std::string key = std::to_string(left) + "-" + std::to_string(right);
    const double own = std::exp(rng.normal(0, lasting));
    for (int s = 0; s < steps; ++s) {
      const double ns = 10e6 * own * factor(left / 2, right / 2, s) * std::exp(rng.normal(0, 0.02));
      for (const int r : {left, right}) {
        RankTrace& t = m.traces[size_t(r)];
        if (s == 0)
          t.communicators.push_back({key, "PAIR", 2, 2, r == left ? 0 : 1, {left, right}});
        CollectiveRecord record;
        record.begin_ns = int64_t(now[size_t(left)] + s * 1e9);
        record.end_ns = record.begin_ns + int64_t(ns);
        record.bytes = 1 << 20;
        record.sequence = s;
        record.step = s;
        record.op = CollectiveOp::AllReduce;
        record.communicator = int32_t(t.communicators.size()) - 1;
        t.records.push_back(record);
      }
    }
    now[size_t(left)] += 20e6;
    now[size_t(right)] += 20e6;
  }
  for (RankTrace& t : m.traces)
    std::ranges::stable_sort(t.records, {}, &fleet::ranks::CollectiveRecord::begin_ns);
  m.job = make_job(m.traces);
  m.verdict = slow_channels(m.job, transfer_times(m.job));
  return m;
}

// Every pair of hosts has two communicators of one rank each side.
Mesh mesh(int hosts, const Factor& factor, int steps = 60, double lasting = 0.01) {
  std::vector<Pair> pairs;
  for (int a = 0; a < hosts; ++a) {
    for (int b = a + 1; b < hosts; ++b) {
      for (int rail = 0; rail < 2; ++rail)
        pairs.push_back({2 * a + rail, 2 * b + rail});
    }
  }
  return job_of(hosts, pairs, factor, steps, lasting);
}

// The two ranks of each host.
Mesh inside_hosts(int hosts, const Factor& factor) {
  std::vector<Pair> pairs;
  for (int a = 0; a < hosts; ++a)
    pairs.push_back({2 * a, 2 * a + 1});
  return job_of(hosts, pairs, factor, 60, 0.01);
}

double healthy(int, int, int) {
  return 1;
}

size_t slow_count(const Mesh& m) {
  return size_t(std::ranges::count_if(m.verdict.channels, [](const ChannelTime& c) {
    return c.slow;
  }));
}

TEST(Transfers, AreTheShortestOfTheirMembers) {
  std::vector<RankTrace> t(2);
  for (int r = 0; r < 2; ++r) {
    t[size_t(r)].rank = r;
    t[size_t(r)].host = "host" + std::to_string(r);
    t[size_t(r)].communicators.push_back({"w", "W", 2, 2, r, {0, 1}});
    CollectiveRecord record;
    record.begin_ns = r == 0 ? 100 : 400;
    record.end_ns = 1000;
    record.bytes = 64;
    record.sequence = 1;
    record.step = 0;
    record.op = CollectiveOp::AllReduce;
    t[size_t(r)].records.push_back(record);
  }
  const Job job = make_job(t);
  ASSERT_EQ(job.instances.size(), 1u);
  EXPECT_DOUBLE_EQ(transfer_times(job)[0], 600);
  t.pop_back();
  const Job half = make_job(t);
  for (const double ns : transfer_times(half))
    EXPECT_TRUE(std::isnan(ns));
}

TEST(Transfers, HealthyChannelsAreQuick) {
  const Mesh m = mesh(5, healthy);
  EXPECT_EQ(m.job.channels.size(), 20u);
  EXPECT_EQ(slow_count(m), 0u);
  EXPECT_TRUE(explain_channels(m.job, m.verdict, {}).empty());
  for (const ChannelTime& c : m.verdict.channels)
    EXPECT_NEAR(c.median_ns, 10e6, 0.5e6);
}

TEST(Transfers, AShapeKnowsHowManySetsOfRanksItHas) {
  const Mesh m = mesh(5, healthy);
  ASSERT_EQ(m.verdict.shapes.size(), 1u);
  EXPECT_EQ(m.verdict.shapes[0].channels, 20);
  EXPECT_EQ(m.verdict.shapes[0].groups, 20);
}

TEST(Explain, WhatCrossesOneHostIsItsNic) {
  const Mesh m = mesh(5, [](int a, int b, int) {
    return a == 2 || b == 2 ? 1.5 : 1.0;
  });
  EXPECT_EQ(slow_count(m), 8u);
  const std::vector<SlowPart> parts = explain_channels(m.job, m.verdict, {});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].part.kind, Kind::Nic);
  EXPECT_EQ(m.job.hosts[parts[0].part.a].name, "host2");
  EXPECT_NEAR(parts[0].factor, 1.5, 0.05);
  EXPECT_EQ(parts[0].part.hits.size(), 8u);
  EXPECT_TRUE(parts[0].part.misses.empty());
}

TEST(Explain, WhatLiesBetweenTwoHostsIsTheirPath) {
  const Mesh m = mesh(5, [](int a, int b, int) {
    return a == 1 && b == 3 ? 2.0 : 1.0;
  });
  const std::vector<SlowPart> parts = explain_channels(m.job, m.verdict, {});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].part.kind, Kind::HostPair);
  EXPECT_EQ(m.job.hosts[parts[0].part.a].name, "host1");
  EXPECT_EQ(m.job.hosts[parts[0].part.b].name, "host3");
}

TEST(Explain, TwoSlowHostsAreTwoParts) {
  const Mesh m = mesh(6, [](int a, int b, int) {
    return (a == 0 || b == 0 ? 1.6 : 1.0) * (a == 5 || b == 5 ? 2.5 : 1.0);
  });
  const std::vector<SlowPart> parts = explain_channels(m.job, m.verdict, {});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].part.kind, Kind::Nic);
  EXPECT_EQ(parts[1].part.kind, Kind::Nic);
}

TEST(Explain, ItsBeginIsTold) {
  const Mesh m = mesh(5, [](int a, int b, int step) {
    return (a == 2 || b == 2) && step >= 25 ? 1.5 : 1.0;
  });
  const std::vector<SlowPart> parts = explain_channels(m.job, m.verdict, {});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_NEAR(parts[0].stretch.begin, 25, 1);
  EXPECT_EQ(parts[0].stretch.end, 60);
}

TEST(Explain, LastingDifferencesOfHealthyChannelsAccuseNoPart) {
  int accused = 0;
  for (int lasting = 1; lasting <= 3; ++lasting) {
    const Mesh m = mesh(6, healthy, 60, 0.01 * lasting);
    accused += !explain_channels(m.job, m.verdict, {}).empty();
  }
  EXPECT_EQ(accused, 0);
}

TEST(Explain, FewChannelsThatScatterMuchMustDifferByMuch) {
  for (const double slow : {1.4, 4.0}) {
    base::Rng rng(5, "scatter");
    const Mesh m = mesh(
        3,
        [&](int a, int b, int) {
          return std::exp(rng.normal(0, 0.6)) * (a == 0 && b == 1 ? slow : 1.0);
        },
        600);
    EXPECT_EQ(explain_channels(m.job, m.verdict, {}).size(), slow > 2 ? 1u : 0u) << slow;
  }
}

TEST(Explain, WhatAllHostsShowAtOnceIsNoneOfThem) {
  const auto busy = [](int a, int, int step) {
    return step < 20 ? 1.0 : a == 1 ? 3.1 : 3.0;
  };
  const Mesh all = inside_hosts(4, busy);
  EXPECT_GE(slow_count(all), 3u);
  EXPECT_TRUE(explain_channels(all.job, all.verdict, {}).empty());
  const Mesh one = inside_hosts(4, [](int a, int, int step) {
    return a == 1 && step >= 20 ? 3.0 : 1.0;
  });
  const std::vector<SlowPart> parts = explain_channels(one.job, one.verdict, {});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(text(one.job, parts[0].part, {}), "links inside host1");
}

TEST(Explain, UnderTheLeastShareNothingIsNamed) {
  const double under = 1 + 0.5 * tuning::kLeastTransferShare;
  const Mesh m = mesh(5, [&](int a, int b, int) {
    return a == 2 || b == 2 ? under : 1.0;
  });
  EXPECT_TRUE(explain_channels(m.job, m.verdict, {}).empty());
}

TEST(Explain, PartsHaveNamesThatAnOperatorKnows) {
  const Mesh m = mesh(3, healthy);
  const std::vector<std::string> switches{"leaf4"};
  const auto part = [](Kind kind, int a, int b = -1) {
    Component c;
    c.kind = kind;
    c.a = a;
    c.b = b;
    return c;
  };
  EXPECT_EQ(text(m.job, part(Kind::Nic, 1), switches), "NIC of host1");
  EXPECT_EQ(text(m.job, part(Kind::NicOut, 1), switches), "NIC of host1, sending");
  EXPECT_EQ(text(m.job, part(Kind::NicIn, 1), switches), "NIC of host1, receiving");
  EXPECT_EQ(text(m.job, part(Kind::HostPair, 0, 2), switches), "path between host0 and host2");
  EXPECT_EQ(text(m.job, part(Kind::Switch, 0), switches), "switch leaf4");
  EXPECT_EQ(text(m.job, part(Kind::Network, -1), switches), "network between hosts");
  EXPECT_EQ(text(m.job, part(Kind::HostFabric, 2), switches), "links inside host2");
}

}  // namespace
}  // namespace lento::fleet::ranks
