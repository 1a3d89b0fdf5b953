// A job whose logs grow while they are watched.
#include "fleet/ranks_live.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fleet/diagnose_ranks.h"
#include "fleet/test_growing.h"

namespace lento::fleet {
namespace {

TEST(RanksLive, FaultIsToldOnceAfterItBegins) {
  Growing growing("fault", job_with_slow_rank());
  RanksLiveOptions o;
  o.paths = {growing.target};
  RanksLive live(o);
  int told = 0;
  for (int i = 0; i < 10; ++i) {
    growing.grow(i / 10.0, (i + 1) / 10.0, i % 3 == 1);
    for (const RanksChange& change : live.poll()) {
      EXPECT_TRUE(change.begins);
      EXPECT_EQ(change.finding.subject, "rank3");
      EXPECT_GE(i, 8);  // twelve seconds after its onset in the middle of 35 s
      EXPECT_LE(i, 9);
      ++told;
    }
  }
  EXPECT_EQ(told, 1);
  EXPECT_EQ(live.report().skipped, 0u);
}

TEST(RanksLive, WhatCostsMuchLessThanAnotherMustLastLonger) {
  const RanksLiveOptions o;
  finding::Finding f;
  f.lost_share = 0.1;
  f.when = {0, 20};
  EXPECT_TRUE(worth_a_call(f, 0.1, o));
  EXPECT_TRUE(worth_a_call(f, 0.2, o));
  EXPECT_FALSE(worth_a_call(f, 0.4, o));
  f.when = {0, 61};
  EXPECT_TRUE(worth_a_call(f, 0.4, o));
  f.lost_share = 0.01;
  EXPECT_FALSE(worth_a_call(f, 0.01, o));
  f.lost_share = 0.1;
  f.when = {0, 11};
  EXPECT_FALSE(worth_a_call(f, 0.1, o));
}

TEST(RanksLive, HealthyJobIsSilentAndAReplacedLogIsReadAnew) {
  RankJob job;
  job.dp = 4;
  Growing growing("healthy", job);
  RanksLiveOptions o;
  o.paths = {growing.target};
  o.window_s = 10;
  RanksLive live(o);
  for (int i = 0; i < 5; ++i) {
    growing.grow(i / 5.0, (i + 1) / 5.0, false);
    EXPECT_TRUE(live.poll().empty());
  }
  const uint64_t records = live.records();
  base::write_file(growing.target + "/host0-pid1000.log", growing.lines["host0-pid1000.log"][0] + "\n");
  live.poll();
  EXPECT_EQ(live.records(), records + 1);
}

// A page a GPU, as the Inspector writes it; the times of one are `share` of the others'.
void write_pages(const std::string& folder, double share) {
  for (int g = 0; g < 8; ++g) {
    const double us = 10'000 * (g == 5 ? share : 1 + 0.002 * g);
    std::string page;
    for (const char* op : {"AllReduce", "AllGather"})
      page += "nccl_collective_exec_time_microseconds{node=\"n" + std::to_string(g / 4) + "\",gpu=\"GPU" +
              std::to_string(g % 4) + "\",comm_name=\"dp\",n_nodes=\"2\",nranks=\"8\",collective=\"" + op +
              "\",message_size=\"1-2MB\",algo_proto=\"RING_LL\"} " + std::to_string(us) + "\n";
    base::write_file(folder + "/nccl_inspector_metrics_" + std::to_string(g) + ".prom", page);
  }
}

TEST(RanksLive, PagesForPrometheusMakeASuspectAndTakeItBack) {
  const std::string folder = testing::TempDir() + "/ranks_live_pages";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  RanksLiveOptions o;
  o.paths = {folder};
  RanksLive live(o);
  write_pages(folder, 1);
  EXPECT_TRUE(live.poll().empty());
  write_pages(folder, 0.7);
  EXPECT_TRUE(live.poll().empty());  // once may be chance
  const std::vector<RanksChange> told = live.poll();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].begins);
  EXPECT_EQ(told[0].finding.subject, "n1/GPU1");
  write_pages(folder, 1);
  EXPECT_TRUE(live.poll().empty());
  const std::vector<RanksChange> over = live.poll();
  ASSERT_EQ(over.size(), 1u);
  EXPECT_FALSE(over[0].begins);
}

TEST(RanksLive, APageThatWasNotWrittenForLongIsNoMeasurement) {
  const std::string folder = testing::TempDir() + "/ranks_live_stale";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  write_pages(folder, 0.7);
  const std::string slow = folder + "/nccl_inspector_metrics_5.prom";
  std::filesystem::last_write_time(slow, std::filesystem::last_write_time(slow) - std::chrono::minutes(5));
  RanksLiveOptions o;
  o.paths = {folder};
  RanksLive live(o);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(live.poll().empty());
}

TEST(FleetRanks, ProfilesOfNsightNameTheRankThatTheyWereMadeWith) {
  FleetRanksOptions o;
  o.paths = {"examples/nsight"};
  const finding::Diagnosis d = fleet_ranks(o);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "rank2");
  EXPECT_EQ(d.findings[0].category, "slow GPU");
  EXPECT_NEAR(*d.findings[0].factor, 1.3, 0.05);
}

}  // namespace
}  // namespace lento::fleet
