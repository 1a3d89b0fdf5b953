// Reports in which ranks, ports or nodes stand side by side: for each kind a planted fault and its healthy
// twin, drawn by seed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/rng.h"
#include "base/units.h"
#include "desk/diagnose.h"

namespace lento::desk {
namespace {

namespace fs = std::filesystem;
using base::Rng;

finding::Diagnosis judge(const std::string& text) {
  const fs::path path = fs::temp_directory_path() / ("lento-reports-" + std::to_string(::getpid()) + ".log");
  std::ofstream(path, std::ios::binary) << text;
  finding::Diagnosis d = desk::diagnose({{path.string()}, {}});
  fs::remove(path);
  return d;
}

std::string number(double value) {
  return base::format_number(value, 6);
}

bool names(const finding::Diagnosis& d, const std::string& part) {
  return !d.findings.empty() && d.findings[0].summary.find(part) != std::string::npos;
}

std::string sniff(uint64_t seed, size_t slow) {
  Rng rng(seed, "sniff");
  std::string text = "> GPU sniff test (iteration 40), 256 MiB\n";
  for (size_t rank = 0; rank < 24; ++rank)
    text += "  rank " + std::to_string(rank) + " node n" + std::to_string(rank / 8) +
            " GEMM 4096x4096x8192: " + number(rng.uniform(610, 640) * (rank == slow ? 0.85 : 1)) +
            " TFLOP/s\n";
  return text;
}

std::string composer(uint64_t seed, size_t slow) {
  Rng rng(seed, "composer");
  std::string text;
  for (int batch = 0; batch < 60; ++batch) {
    const bool is_slow = slow < 64 && batch >= 30;
    const size_t lowest = is_slow ? slow : rng.below(64);
    text += "[batch=" + std::to_string(batch) + "/900]:\n\t Train time/batch: " + std::to_string(batch) +
            "\n\t Train MinThroughput/Rank: " + number(rng.uniform(87, 88) * (is_slow ? 0.8 : 1)) + "TF/" +
            std::to_string(lowest) + "\n\t Train MinClock/Rank: " + (is_slow ? "1410/" : "1755/") +
            std::to_string(is_slow ? slow : rng.below(64)) + "\n";
  }
  return text;
}

std::string ports(uint64_t seed, size_t bad) {
  Rng rng(seed, "ports");
  std::string text;
  for (size_t port = 0; port < 12; ++port) {
    const uint64_t before = port % 3 ? 0 : rng.below(50);
    for (const char* time : {"10:00", "10:15"}) {
      const bool later = time[4] == '5';
      text += "# host" + std::to_string(port / 2) + " mlx5_" + std::to_string(port % 2) + " at " + time +
              "\nSymbolErrorCounter:.............." +
              std::to_string(before + (later && port == bad ? 4000 + rng.below(9000) : 0)) +
              "\nPortXmitWait:...................." + std::to_string(rng.below(1'000'000)) + "\n";
    }
  }
  return text;
}

std::string timers(uint64_t seed, double most_factor, double least_factor) {
  Rng rng(seed, "timers");
  std::string text;
  for (int step = 10; step <= 400; step += 10) {
    const bool late = step > 200;
    const double least = rng.uniform(1300, 1320) * (late ? least_factor : 1);
    const double most = rng.uniform(1350, 1370) * (late ? most_factor : 1);
    text += " [2026-03-01 10:" + std::to_string(10 + step / 10) + ":00] iteration " + std::to_string(step) +
            "/ 5000 | consumed samples: 1 | elapsed time per iteration (ms): " +
            number(5000 + (late ? most_factor - 1 : 0) * 1350 + rng.uniform(0, 20)) +
            " |\n(min, max) time across ranks (ms):\n    forward-compute ......: (" + number(least) + ", " +
            number(most) + ")\n";
  }
  return text;
}

std::string completion(const std::string& host, const std::string& peer) {
  return host + ":4000:4300 [5] transport/net_ib.cc:2312 NCCL WARN NET/IB : Got completion from peer " +
         peer +
         "<40231> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fd00::1 remoteGids fd00::9 "
         "hca "
         "mlx5_2\n";
}

TEST(RankReports, SniffTestsNameTheSlowRankAndNobodyElse) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const size_t slow = seed * 7 % 24;
    const auto d = judge(sniff(seed, slow));
    ASSERT_EQ(d.findings.size(), 1u) << seed;
    EXPECT_TRUE(names(d, "rank " + std::to_string(slow) + " ")) << d.verdict;
    EXPECT_EQ(judge(sniff(seed, 99)).outcome, finding::Outcome::Healthy) << seed;
  }
}

TEST(RankReports, ComposerNamesTheRankThatStaysLowest) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const size_t slow = seed * 11;
    EXPECT_TRUE(names(judge(composer(seed, slow)), "rank " + std::to_string(slow) + " ")) << seed;
    EXPECT_TRUE(judge(composer(seed, 64)).findings.empty()) << seed;
  }
}

TEST(RankReports, CountersReadTwiceAreJudgedByTheirRise) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const size_t bad = seed * 5 % 12;
    const auto d = judge(ports(seed, bad));
    ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
    EXPECT_TRUE(names(d, " -> ")) << d.verdict;
    EXPECT_TRUE(names(d, "host" + std::to_string(bad / 2) + "/mlx5_" + std::to_string(bad % 2))) << d.verdict;
    EXPECT_TRUE(judge(ports(seed, 99)).findings.empty()) << seed;
  }
}

TEST(RankReports, TimersTellOneStragglerFromASlowJob) {
  const auto one = judge(timers(1, 1.3, 1));
  ASSERT_FALSE(one.findings.empty());
  EXPECT_EQ(one.findings[0].category, "one straggling rank") << one.verdict;
  EXPECT_TRUE(names(one, "step 210")) << one.verdict;
  for (const auto& d : {judge(timers(2, 1.3, 1.3)), judge(timers(3, 1, 1))})
    for (const auto& finding : d.findings)
      EXPECT_NE(finding.category, "one straggling rank") << d.verdict;
}

TEST(RankReports, ThePeerOfAllFailedTransfersIsNamed) {
  const auto d =
      judge(completion("n1", "10.0.0.9") + completion("n4", "10.0.0.9") + completion("n7", "10.0.0.9"));
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "10.0.0.9");
  const auto apart = judge(completion("n1", "10.0.0.9") + completion("n4", "10.0.0.8"));
  for (const auto& finding : apart.findings)
    EXPECT_NE(finding.subject.substr(0, 4), "10.0") << apart.verdict;
}

TEST(RankReports, ARankThatDoesNotAnswerComesBeforeThoseThatAreBehind) {
  const std::string head = "Errors\n======\n\nINCOMPLETE\n  Missing communicator data from 1 job process\n";
  const std::string process = "  Process 517 on node 10.2.0.4 managing GPU 3\n\n";
  const std::string missing =
      "#0-0 (ab12) INCOMPLETE\n  Missing communicator data from 1 rank\n  The missing rank: 35\n\n";
  const std::string behind =
      "#0-0 (ab12) MISMATCH\n  Communicator ranks have different collective operation counts\n"
      "  62 ranks have launched up to operation 80\n  1 rank has launched up to operation 79\n"
      "  Rank 34 -- GPU 2 managed by process 516 on node 10.2.0.4\n";
  const auto d = judge(head + process + missing + behind);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "10.2.0.4 rank 35");
  EXPECT_TRUE(names(judge(behind), "rank 34"));
}

TEST(RankReports, AmdSmiNamesTheHotGpu) {
  const auto page = [](int hot) {
    std::string text = "{\n \"gpu_data\": [";
    for (int gpu = 0; gpu < 8; ++gpu) {
      const bool is_hot = gpu == hot;
      text +=
          std::string(gpu ? "," : "") + "{\"gpu\": " + std::to_string(gpu) +
          ", \"usage\": {\"gfx_activity\": {\"value\": 98, \"unit\": \"%\"}}, \"power\": "
          "{\"throttle_status\": \"" +
          (is_hot ? "THROTTLED" : "UNTHROTTLED") +
          "\"}, \"clock\": {\"gfx_0\": {\"clk\": {\"value\": " + (is_hot ? "1300" : "2100") +
          ", \"unit\": \"MHz\"}}}, \"temperature\": {\"hotspot\": {\"value\": " + (is_hot ? "105" : "80") +
          ", \"unit\": \"C\"}}}";
    }
    return text + "]}\n";
  };
  const auto d = judge(page(6));
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_TRUE(names(d, "gpu6")) << d.verdict;
  EXPECT_TRUE(names(d, "105 C")) << d.verdict;
  EXPECT_TRUE(judge(page(-1)).findings.empty());
}

TEST(RankReports, NodesThatSlurmTookOutHaveTheirKindOfFault) {
  const auto d = judge(
      "REASON               USER      TIMESTAMP           NODELIST\n"
      "Kill task failed     root      2026-04-02T09:40:02 c[17-18]\n"
      "NHC: check_nv_ecc: G root      2026-04-02T11:02:55 c21\n");
  ASSERT_EQ(d.findings.size(), 3u);
  EXPECT_EQ(d.findings[0].subject, "c21");
  EXPECT_EQ(d.findings[0].category, "faulty hardware");
  EXPECT_EQ(d.findings[1].category, "fault of a program");
}

}  // namespace
}  // namespace lento::desk
