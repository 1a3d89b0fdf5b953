// Jobs in memory whose fault is known: what is accused, and that nothing else is.
#include "fleet/ranks/analyse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "fleet/ranks/ranks.h"

namespace lento::fleet::ranks {
namespace {

using trace::CollectiveOp;
using trace::RankTrace;

// Eight ranks on four hosts: pairs inside a host (tp), and four ranks across hosts (dp).
struct Small {
  int steps = 60;
  double noise = 0.02;
  int slow_rank = -1;
  int slow_host = -1;
  int slow_nic = -1;
  int from = 0;
  double factor = 1.3;
  bool sequences = true;
  bool swap_sizes = false;
  double offset_ms = 7;
  double drift_ppm = 30;
};

std::vector<RankTrace> build(const Small& s) {
  std::vector<RankTrace> out(8);
  std::vector<double> now(8, 0);
  base::Rng rng(4, "test");
  const auto local = [&](int r, double ns) {
    const int h = r / 2;
    return int64_t(1e15 + ns * (1 + h * s.drift_ppm * 1e-6) + h * s.offset_ms * 1e6);
  };
  for (int r = 0; r < 8; ++r) {
    RankTrace& t = out[r];
    t.layout = "kineto";
    t.rank = r;
    t.world = 8;
    t.host = "host" + std::to_string(r / 2);
    t.device = r % 2;
    const int pair = r / 2 * 2;
    t.communicators.push_back({"tp" + std::to_string(pair), "TP", 2, 1, r % 2, {pair, pair + 1}});
    const int first = r % 2;
    t.communicators.push_back(
        {"dp" + std::to_string(first), "DP", 4, 4, r / 2, {first, first + 2, first + 4, first + 6}});
    // Pairs of hosts in a second ring, so that one NIC can be told from another.
    const int half = r / 4;
    t.communicators.push_back(
        {"cp" + std::to_string(half) + std::to_string(first),
         "CP",
         2,
         2,
         (r / 2) % 2,
         {half * 4 + first, half * 4 + 2 + first}});
  }
  const auto collective =
      [&](const std::vector<int>& ranks, int communicator, double ns, int step, int64_t number) {
        double last = 0;
        bool crosses = false;
        for (const int r : ranks) {
          last = std::max(last, now[r]);
          crosses = crosses || r / 2 == s.slow_nic;
        }
        const bool slow = crosses && communicator > 0 && step >= s.from;
        const double end = last + ns * (slow ? s.factor : 1) * std::exp(rng.normal(0, s.noise));
        for (const int r : ranks) {
          const int64_t bytes = s.swap_sizes && r == 3 && step == 5 ? 4096 : 1 << 20;
          out[r].records.push_back(
              {local(r, now[r]),
               local(r, end),
               bytes,
               s.sequences ? number : -1,
               communicator,
               -1,
               step,
               CollectiveOp::AllReduce});
          now[r] = end;
        }
      };
  for (int step = 0; step < s.steps; ++step) {
    for (int part = 0; part < 4; ++part) {
      for (int r = 0; r < 8; ++r) {
        double own = 5e6 * std::exp(rng.normal(0, s.noise));
        const bool slow = (r == s.slow_rank || r / 2 == s.slow_host) && step >= s.from;
        now[r] += own * (slow ? s.factor : 1);
      }
      for (int h = 0; h < 4; ++h)
        collective({2 * h, 2 * h + 1}, 0, 1e6, step, step * 4 + part);
    }
    for (int half = 0; half < 2; ++half) {
      for (int first = 0; first < 2; ++first)
        collective({half * 4 + first, half * 4 + 2 + first}, 2, 3e6, step, step);
    }
    for (int first = 0; first < 2; ++first)
      collective({first, first + 2, first + 4, first + 6}, 1, 4e6, step, step);
  }
  return out;
}

TEST(Analyse, HealthyJobAccusesNobodyAndAlignsItsClocks) {
  const std::vector<RankTrace> traces = build({});
  const Analysis a = analyse(traces, {});
  EXPECT_TRUE(a.culprits.empty());
  EXPECT_EQ(a.job.steps, 60);
  EXPECT_EQ(a.job.matching.matched, a.job.matching.records);
  ASSERT_TRUE(a.clocks.aligned());
  for (int h = 0; h < 4; ++h) {
    const trace::CollectiveRecord& last = traces[2 * h].records.back();
    const double true_ns = (double(last.end_ns - 1000000000000000) - h * 7e6) / (1 + h * 30e-6);
    EXPECT_NEAR(double(a.clocks.corrected(h, last.end_ns) - 1000000000000000), true_ns, 0.05e6);
    EXPECT_LE(a.clocks.hosts[h].drift95.low, h * 30e-6);
    EXPECT_GE(a.clocks.hosts[h].drift95.high, h * 30e-6);
  }
  EXPECT_EQ(diagnose_ranks(traces, {}).outcome, finding::Outcome::Healthy);
}

TEST(Analyse, SlowRankIsNamedWithItsOnsetAndCost) {
  Small s;
  s.slow_rank = 5;
  s.from = 30;
  const std::vector<RankTrace> traces = build(s);
  const Analysis a = analyse(traces, {});
  ASSERT_EQ(a.culprits.size(), 1u);
  EXPECT_EQ(a.culprits[0].kind, FaultKind::SlowGpu);
  EXPECT_EQ(a.culprits[0].rank, 5);
  EXPECT_NEAR(a.culprits[0].stretch.begin, 30, 2);
  EXPECT_NEAR(a.culprits[0].excess_ns, 0.3 * 20e6, 0.6e6);
  // Every group waits for it in the end: the step is longer by about its excess.
  EXPECT_NEAR(a.culprits[0].lost_ns, 6e6, 1e6);
}

TEST(Analyse, WholeHostIsNamedInsteadOfItsRanks) {
  Small s;
  s.slow_host = 2;
  const Analysis a = analyse(build(s), {});
  ASSERT_EQ(a.culprits.size(), 1u);
  EXPECT_EQ(a.culprits[0].kind, FaultKind::SlowHost);
  EXPECT_EQ(a.culprits[0].host, 2);
  EXPECT_EQ(a.culprits[0].rank, -1);
}

TEST(Analyse, SlowNicIsToldFromItsHost) {
  Small s;
  s.slow_nic = 1;
  s.from = 20;
  s.factor = 2;
  const Analysis a = analyse(build(s), {});
  ASSERT_EQ(a.culprits.size(), 1u);
  EXPECT_EQ(a.culprits[0].kind, FaultKind::SlowLink);
  const SlowPart& part = a.parts[a.culprits[0].part];
  // Hosts 0 and 1 share all their channels between hosts: either NIC explains them.
  EXPECT_TRUE(part.part.a == 0 || part.part.a == 1);
  EXPECT_FALSE(part.alternatives.empty());
  EXPECT_NEAR(a.culprits[0].factor, 2, 0.2);
}

TEST(Analyse, WithoutNumbersPlacesInTheStepMatch) {
  Small s;
  s.sequences = false;
  s.slow_rank = 2;
  const Analysis a = analyse(build(s), {});
  ASSERT_EQ(a.culprits.size(), 1u);
  EXPECT_EQ(a.culprits[0].rank, 2);
}

TEST(Analyse, SizesThatDisagreeDoNotMatch) {
  Small s;
  s.swap_sizes = true;
  const Analysis a = analyse(build(s), {});
  EXPECT_EQ(a.job.matching.mismatched, 6u);
  EXPECT_FALSE(a.job.matching.complaints.empty());
}

TEST(Analyse, TooLittleIsNotJudged) {
  std::vector<RankTrace> traces = build({});
  traces.resize(1);
  finding::Diagnosis d = diagnose_ranks(traces, {});
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_FALSE(d.remedy.empty());
  traces[0].records.clear();
  traces[0].unlabelled = traces[0].communication = 20;
  d = diagnose_ranks(traces, {});
  EXPECT_NE(d.reason.find("carry no arguments"), std::string::npos);
}

TEST(Analyse, DurationsAloneMakeSuspects) {
  Small s;
  s.slow_rank = 5;
  std::vector<RankTrace> traces = build(s);
  for (RankTrace& t : traces) {
    t.timed = false;
    for (trace::CollectiveRecord& r : t.records) {
      r.end_ns -= r.begin_ns;
      r.begin_ns = 0;
    }
  }
  const finding::Diagnosis d = diagnose_ranks(traces, {});
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "rank5");
  EXPECT_EQ(d.findings[0].category, "suspect: slow GPU");
}

TEST(Stretch, BeginsWhereTheSeriesCrossesHalfOfTheFault) {
  std::vector<double> series(100, 0);
  for (int i = 40; i < 100; ++i)
    series[i] = 10;
  series[35] = 3;
  const Stretch s = best_stretch(series, 0.5);
  EXPECT_EQ(s.begin, 40);
  EXPECT_EQ(s.end, 100);
  EXPECT_DOUBLE_EQ(s.mean, 10);
}

}  // namespace
}  // namespace lento::fleet::ranks
