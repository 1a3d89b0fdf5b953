// Collectives beside metrics: one finding, one alert, and blindness that is told.
#include "fleet/watch/ranks.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/http/http.h"
#include "fleet/test_growing.h"
#include "fleet/watch/watch.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::Finding;
using finding::Outcome;

struct TestClock : Clock {
  int64_t now = 1'000'000;
  int64_t steady_ms() const override {
    return now;
  }
  int64_t wall_ms() const override {
    return 1'790'000'000'000 + now;
  }
};

struct NoMetrics : Feed {
  std::string name() const override {
    return "none";
  }
  MetricSeries read(int64_t, int64_t, int64_t, base::ReadReport&) override {
    ADD_FAILURE() << "a watch of collectives alone has nothing to pull";
    return {};
  }
  std::optional<std::vector<Target>> targets() override {
    return std::nullopt;
  }
  std::optional<int64_t> now_ms() override {
    return std::nullopt;
  }
};

struct Taken : AlertSink {
  std::vector<Alert> all;
  bool send(const std::vector<Alert>& alerts) override {
    all.insert(all.end(), alerts.begin(), alerts.end());
    return true;
  }
};

struct NoHooks : HookRunner {
  bool start(const HookCall&) override {
    ADD_FAILURE() << "collectives alone run no hook";
    return false;
  }
  std::vector<std::pair<std::string, int>> ended() override {
    return {};
  }
};

std::string label(const Alert& alert, const std::string& name) {
  for (const auto& [key, value] : alert.labels) {
    if (key == name)
      return value;
  }
  return "";
}

// A watch of nothing but a folder of logs.
struct World {
  TestClock clock;
  NoMetrics feed;
  Taken taken;
  NoHooks hooks;
  RanksWatch ranks;
  FleetWatch watch;

  explicit World(const std::string& folder)
      : ranks({{folder}, 5, 120}, {}),
        watch({clock, feed, taken, hooks, &ranks}, {}, options()) {
  }
  static WatchOptions options() {
    WatchOptions o;
    o.metrics = false;
    o.job = "seven";
    return o;
  }
  void pass(int64_t seconds) {
    for (int64_t i = 0; i < seconds; i += 5) {
      clock.now += 5000;
      watch.step();
    }
  }
};

TEST(FleetWatchRanks, AlertNamesRankHostAndGpuOnceAndIsResent) {
  Growing growing("watch", job_with_slow_rank());
  World world(growing.target);
  for (int i = 0; i < 10; ++i) {
    growing.grow(i / 10.0, (i + 1) / 10.0, false);
    world.pass(20);
    if (i < 5) {
      EXPECT_TRUE(world.taken.all.empty());
    }
  }
  ASSERT_FALSE(world.taken.all.empty());
  const Alert first = world.taken.all.front();
  EXPECT_EQ(label(first, "alertname"), "LentoSlowRank");
  EXPECT_EQ(label(first, "task"), "seven");
  EXPECT_EQ(label(first, "kind"), "slow GPU");
  EXPECT_EQ(label(first, "rank"), "3");
  EXPECT_EQ(label(first, "machine"), "host1");
  EXPECT_FALSE(label(first, "gpu").empty());
  EXPECT_GT(world.taken.all.size(), 1u) << "it stands, so it is told again each minute";
  for (const Alert& alert : world.taken.all) {
    EXPECT_EQ(alert.labels, first.labels);
    EXPECT_GT(alert.ends_ms, alert.starts_ms);
  }
  EXPECT_EQ(world.watch.diagnosis().outcome, Outcome::Findings);
  EXPECT_FALSE(world.watch.blind());
}

TEST(FleetWatchRanks, LogsThatStopGrowingAreBlindness) {
  RankJob job;
  job.dp = 4;
  Growing growing("stops", job);
  growing.grow(0, 1, false);
  World world(growing.target);
  world.pass(95);
  EXPECT_TRUE(world.taken.all.empty());
  world.pass(25);
  ASSERT_EQ(world.taken.all.size(), 1u);
  EXPECT_EQ(label(world.taken.all.front(), "alertname"), "LentoBlind");
  EXPECT_NE(world.taken.all.front().annotations.front().second.find("no new record"), std::string::npos);
}

TEST(FleetWatchRanks, EmptyFolderIsBlindness) {
  const std::string folder = testing::TempDir() + "/watch_ranks_empty";
  std::filesystem::create_directories(folder);
  World world(folder);
  world.pass(120);
  ASSERT_EQ(world.taken.all.size(), 1u);
  EXPECT_EQ(label(world.taken.all.front(), "alertname"), "LentoBlind");
}

TEST(FleetWatchRanks, QueryNeedsAStore) {
  EXPECT_THROW(RanksWatch({{"nccl_collective_exec_time_microseconds{}"}, 5, 120}, {}), base::Error);
}

// What a store answers: means of eight GPUs of which one waits for nobody.
std::string answer(double share) {
  std::string series;
  for (int g = 0; g < 8; ++g) {
    for (const char* op : {"AllReduce", "AllGather"}) {
      const double us = 10'000 * (g == 5 ? share : 1 + 0.002 * g);
      series += std::string(series.empty() ? "" : ",") + R"({"metric":{"node":"n)" + std::to_string(g / 4) +
                R"(","gpu":"GPU)" + std::to_string(g % 4) + R"(","nranks":"8","collective":")" + op +
                R"("},"value":[1790000000,")" + std::to_string(us) + R"("]})";
    }
  }
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + series + "]}}";
}

TEST(RanksWatch, MeansOfAStoreMakeASuspectAndAStoreThatIsOutChangesNothing) {
  double share = 0.7;
  bool out = false;
  std::string asked;
  base::HttpServer store("127.0.0.1", 0, [&](const base::HttpQuestion& question) {
    asked = question.path;
    return out ? base::HttpReply{503, "", "text/plain"}
               : base::HttpReply{200, answer(share), "application/json"};
  });
  PrometheusOptions at;
  at.url = "http://127.0.0.1:" + std::to_string(store.port());
  RanksWatch watch({{R"(nccl_collective_exec_time_microseconds{slurm_job_id="7"})"}, 5, 120}, at);
  int64_t now = 0;
  const auto pass = [&](int polls) {
    for (int i = 0; i < polls; ++i)
      watch.step(now += 60'000);
  };
  pass(1);
  EXPECT_EQ(asked, "/api/v1/query");
  EXPECT_TRUE(watch.standing().empty());
  pass(1);
  ASSERT_EQ(watch.standing().size(), 1u);
  EXPECT_EQ(watch.standing()[0].where->host, "n1");
  EXPECT_EQ(watch.standing()[0].where->gpu, "1");
  EXPECT_EQ(watch.why_blind(now), "");
  out = true;
  pass(2);
  EXPECT_EQ(watch.standing().size(), 1u);
  EXPECT_NE(watch.why_blind(now).find("no new record"), std::string::npos);
  out = false;
  share = 1;
  pass(2);
  EXPECT_TRUE(watch.standing().empty());
  EXPECT_EQ(watch.why_blind(now), "");
}

Finding finding_of(const std::string& subject, double score, std::optional<finding::Place> where) {
  Finding f;
  f.subject = subject;
  f.category = "slow";
  f.summary = subject + " is slow";
  f.score = score;
  f.where = std::move(where);
  f.evidence.push_back({"evidence of " + subject, 1.0, "", ""});
  return f;
}

Diagnosis judged(std::vector<Finding> findings, const std::string& covered) {
  Diagnosis d;
  d.findings = std::move(findings);
  d.verdict = d.findings.empty() ? "All is well." : d.findings.front().summary + ".";
  finding::judged(d, covered);
  return d;
}

Diagnosis unjudged(const std::string& reason) {
  Diagnosis d;
  finding::cannot_judge(d, reason, "look");
  return d;
}

TEST(JoinRanks, OneMachineIsOneFindingWithBothKindsOfEvidence) {
  const Diagnosis metrics =
      judged({finding_of("host1", 0.9, {}), finding_of("host2", 0.8, {})}, "4 machines");
  const Diagnosis ranks = judged({finding_of("rank3", 0.5, finding::Place{"host1", "3", "1"})}, "8 ranks");
  const Diagnosis both = join_ranks(metrics, ranks);
  ASSERT_EQ(both.findings.size(), 2u);
  EXPECT_EQ(both.findings[0].subject, "rank3");
  EXPECT_EQ(both.findings[0].score, 0.9);
  EXPECT_EQ(both.findings[0].evidence.size(), 2u);
  EXPECT_EQ(both.findings[1].subject, "host2");
  EXPECT_EQ(both.covered, "4 machines; 8 ranks");
  EXPECT_EQ(both.outcome, Outcome::Findings);
}

TEST(JoinRanks, LinkWithoutAHostStandsAlone) {
  const Diagnosis metrics = judged({finding_of("host1", 0.9, {})}, "4 machines");
  const Diagnosis both = join_ranks(metrics, judged({finding_of("network", 0.5, {})}, "8 ranks"));
  EXPECT_EQ(both.findings.size(), 2u);
}

TEST(JoinRanks, HealthIsOnlySaidOfWhatWasJudged) {
  const Diagnosis well = judged({}, "8 ranks");
  const Diagnosis by_ranks = join_ranks(unjudged("no sample was seen"), well);
  EXPECT_EQ(by_ranks.outcome, Outcome::Healthy);
  EXPECT_EQ(by_ranks.covered, "8 ranks");
  ASSERT_FALSE(by_ranks.notes.empty());
  EXPECT_NE(by_ranks.notes.back().find("no sample was seen"), std::string::npos);
  EXPECT_TRUE(by_ranks.reason.empty());

  const Diagnosis by_metrics = join_ranks(judged({}, "4 machines"), unjudged("no record"));
  EXPECT_EQ(by_metrics.outcome, Outcome::Healthy);
  EXPECT_EQ(by_metrics.covered, "4 machines");
  EXPECT_NE(by_metrics.notes.back().find("no record"), std::string::npos);

  EXPECT_EQ(join_ranks(unjudged("a"), unjudged("b")).outcome, Outcome::CannotJudge);
}

}  // namespace
}  // namespace lento::fleet
