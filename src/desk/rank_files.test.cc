// Made-up files that hold numbers of each rank, each port, each GPU or each node, with values drawn by seed:
// a planted fault, its healthy twin, and what cannot name a part.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "base/rng.h"
#include "desk/test_files.h"

namespace lento::desk {
namespace {

using finding::Diagnosis;
using finding::Outcome;

using test::format;
using test::judge;

void expect_only(const Diagnosis& found, const std::string& subject, const std::string& text = "") {
  ASSERT_EQ(found.outcome, Outcome::Findings) << found.verdict << found.reason;
  ASSERT_EQ(found.findings.size(), 1u) << found.findings[1].subject << ": " << found.findings[1].summary;
  EXPECT_EQ(found.findings[0].subject, subject) << found.verdict;
  EXPECT_NE(found.verdict.find(text), std::string::npos) << found.verdict;
}
void expect_healthy(const Diagnosis& found) {
  EXPECT_EQ(found.outcome, Outcome::Healthy) << found.verdict << found.reason;
}
void expect_open(const Diagnosis& found, const std::string& text) {
  EXPECT_EQ(found.outcome, Outcome::CannotJudge) << found.verdict;
  EXPECT_NE(found.reason.find(text), std::string::npos) << found.reason;
}

constexpr uint64_t kSeeds = 6;

// A rank that is slow in one of two, and none in the other.
struct Planted {
  explicit Planted(uint64_t seed, int ranks)
      : rng(seed),
        rank(int(rng.below(uint64_t(ranks)))) {
  }
  double noise(double share) {
    return 1 + share * rng.normal();
  }
  base::Rng rng;
  int rank;
};

std::string scores(Planted& p, int ranks, int onset, bool is_slow) {
  std::string text;
  for (int report = 0; report < 5; ++report) {
    for (const char* kind : {"relative", "individual"}) {
      text += format(
          "2026-04-02 07:%02d:11 - my.StragglerDetection - INFO - GPU %s performance:\n",
          report * 7,
          kind);
      for (int rank = 0; rank < ranks; ++rank) {
        const bool is_it = is_slow && rank == p.rank && report >= onset;
        text += format(
            "  Rank=%d Node=box%d Score=%.2f\n",
            rank,
            rank / 4,
            (is_it ? 0.82 : 0.985) + 0.006 * p.rng.normal());
      }
    }
  }
  return text;
}

TEST(RankFiles, ScoresOfAllRanksNameTheOneThatFellAndSinceWhen) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 12);
    expect_only(
        judge({scores(p, 12, 2, true)}),
        format("box%d rank %d", p.rank / 4, p.rank),
        "from step 3 (2026-04-02 07:14:11) on");
    expect_healthy(judge({scores(p, 12, 2, false)}));
  }
}

std::string sniff(Planted& p, bool is_slow) {
  std::string text = "> GPU sniff test (iteration 400), 1 MiB\n";
  for (int rank = 0; rank < 16; ++rank)
    text += format(
        "  rank %3d node r%02d GEMM 4096x4096x16384: %.1f TFLOP/s\n",
        rank,
        rank / 8,
        (is_slow && rank == p.rank ? 500 : 610) * p.noise(0.006));
  for (int rank = 0; rank < 16; ++rank)
    text += format("  rank %3d node r%02d p2p stride 4: %.1f GB/s\n", rank, rank / 8, 47 * p.noise(0.008));
  return text;
}

TEST(RankFiles, ASniffTestNamesTheSlowGpuByItsNumbersOrByItsOutliers) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 16);
    expect_only(judge({sniff(p, true)}), format("r%02d rank %d", p.rank / 8, p.rank), "GEMM 4096x4096x16384");
    expect_healthy(judge({sniff(p, false)}));
  }
  const std::string head =
      "  GEMM throughput (8192x8192x8192, bf16) [TFLOP/s/GPU]: median=690.11, mean=685.90, min=520.00, "
      "max=702.41\n";
  expect_only(judge({head + "    OUTLIER rank 5 (n1): 520.00 (-24.7%)\n"}), "n1 rank 5", "520.00");
  EXPECT_TRUE(judge({head + "    OUTLIER rank 5 (n1): 820.00 (+18.7%)\n"}).findings.empty());
}

std::string extremes(Planted& p, int onset) {
  std::string text;
  for (int batch = 900; batch < 960; ++batch) {
    const bool is_slow = batch >= onset;
    const int other = int(p.rng.below(64));
    text += format("[batch=%d/9000]:\n\t Train time/batch: %d\n", batch, batch);
    text += format(
        "\t Train MinThroughput/Rank: %.2fTF/%d\n\t Train MaxThroughput/Rank: %.2fTF/%d\n",
        (is_slow ? 88 : 104) * p.noise(0.002),
        is_slow ? p.rank : other,
        106 * p.noise(0.002),
        int(p.rng.below(64)));
    text += format("\t Train MinClock/Rank: %d.00MHz/%d\n", is_slow ? 1410 : 1755, is_slow ? p.rank : other);
  }
  return text;
}

TEST(RankFiles, TheRankOfTheExtremeIsNamedFromWhereItStays) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 64);
    expect_only(judge({extremes(p, 931)}), format("rank %d", p.rank), "from step 931 on");
    expect_healthy(judge({extremes(p, 9999)}));
  }
}

std::string iteration(int step, double seconds) {
  return format(
      " [2026-03-01 08:%02d:00] iteration %8d/   90000 | consumed samples: 1 | elapsed time per iteration "
      "(ms): %.1f | global batch size:   256 |\n",
      step / 10,
      step,
      seconds * 1000);
}

// Longest and shortest time of each timer; `of_all` slows every rank.
std::string timers(Planted& p, int onset, bool of_all) {
  std::string text;
  for (int step = 10; step <= 400; step += 10) {
    const double slow = step >= onset ? 1.15 : 1;
    const double fastest = of_all ? slow : 1;
    text += iteration(step, 2.6 * slow * p.noise(0.004)) + "(min, max) time across ranks (ms):\n";
    const auto row = [&](const char* name, double least, double most) {
      text += format(
          "    %s ................: (%.2f, %.2f)\n",
          name,
          least * p.noise(0.004),
          most * p.noise(0.004));
    };
    row("forward-compute", 700 * fastest, 730 * slow);
    row("backward-compute", 1400 * fastest, 1440 * slow);
    row("all-grads-sync", 30, slow > 1 && !of_all ? 350 : 40);
    row("optimizer", 40, 42);
  }
  return text;
}

TEST(RankFiles, LongestAndShortestTimesTellOneSlowRankFromAll) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 8);
    const Diagnosis one = judge({timers(p, 250, false)});
    expect_only(one, "the job", "the fastest is as before; all-grads-sync rises");
    EXPECT_NE(one.reason.find("which machine or rank"), std::string::npos) << one.reason;
    EXPECT_NE(one.remedy.find("--log-straggler"), std::string::npos) << one.remedy;
    expect_only(judge({timers(p, 250, true)}), "the job", "all ranks are slower");
    expect_healthy(judge({timers(p, 9999, false)}));
  }
}

// Times of each rank; the last four are a stage with more work.
std::string rank_timers(Planted& p, int onset) {
  std::string text;
  for (int step = 10; step <= 300; step += 10) {
    text += iteration(step, 2.6 * (step >= onset ? 1.15 : 1)) + "times across ranks (ms):\n";
    for (const char* name : {"forward-compute", "backward-compute", "all-grads-sync"}) {
      text += format("  %s:\n", name);
      const bool is_wait = name[0] == 'a';
      for (int rank = 0; rank < 16; ++rank) {
        const bool is_slow = rank == p.rank && step >= onset;
        const double work = (rank >= 12 ? 760 : 700) * (is_slow ? 1.2 : 1);
        const double wait = step >= onset && !is_slow ? 180 : 40;
        text += format("     rank %2d: %.2f\n", rank, (is_wait ? wait : work) * p.noise(0.004));
      }
    }
  }
  return text;
}

TEST(RankFiles, TimersOfEachRankNameTheOneThatBecameSlowAndNoStage) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 16);
    expect_only(judge({rank_timers(p, 170)}), format("rank %d", p.rank), "it waits least (all-grads-sync");
    expect_healthy(judge({rank_timers(p, 9999)}));
  }
}

std::string
completion(const char* host, const char* local, const char* peer, const char* remote, int status) {
  return format(
      "%s:91:97 [2] transport/net_ib.cc:1 NCCL WARN NET/IB: Got completion from peer %s<4011> with "
      "status=IBV_WC_ERR(%d) opcode=0 vendor_err=129 localGid %s remoteGids%s hca mlx5_3\n",
      host,
      peer,
      status,
      local,
      remote);
}

TEST(RankFiles, TheEndThatFailedOperationsShareIsAtFault) {
  const std::string a = completion("w1", "fe80::1", "10.9.0.4", "fe80::4", 12);
  const std::string b = completion("w2", "fe80::2", "10.9.0.4", "fe80::4", 12);
  expect_only(judge({a + b}), "10.9.0.4", "2 hosts");
  expect_only(judge({a + b + completion("w4", "fe80::4", "10.9.0.1", "fe80::1", 12)}), "w4");
  expect_open(judge({a}), "which end");
  expect_open(judge({completion("w1", "fe80::1", "10.9.0.4", "fe80::4", 5)}), "flushed");
  expect_only(judge({completion("w1", "fe80::1", "10.9.0.4", "fe80::4", 4)}), "w1/gpu2", "status 4");
}

TEST(RankFiles, ReasonsOfSlurmTellHardwareFromPrograms) {
  const Diagnosis found =
      judge({"REASON               USER      TIMESTAMP           NODELIST\n"
             "gres/gpu count repor slurm     2026-05-25T03:12:40 a1\n"
             "Kill task failed     root      2026-05-25T09:40:02 a2\n"
             "maintenance window   root      2026-05-25T09:40:02 a3\n"});
  ASSERT_EQ(found.findings.size(), 2u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "a1");
  EXPECT_EQ(found.findings[0].category, "faulty hardware");
  EXPECT_EQ(found.findings[1].subject, "a2");
  EXPECT_EQ(found.findings[1].category, "fault of a program");
  expect_only(
      judge(
          {"NodeName=a7 Arch=x86_64 CoresPerSocket=56\n   State=IDLE+DRAIN ThreadsPerCore=2 TmpDisk=0\n"
           "   BootTime=2026-05-25T03:08:11 SlurmdStartTime=2026-05-25T03:12:31\n"
           "   Reason=gres/gpu count reported lower than configured (6 < 8) [slurm@2026-05-25T03:12:40]\n"}),
      "a7",
      "2 of its 8 GPUs are gone");
}

TEST(RankFiles, AProcessWithoutAnAnswerComesBeforeThoseThatWaitForIt) {
  const std::string counts =
      "#0-0 (1bdb83b038775869) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
      "  14 ranks have launched up to operation 64\n"
      "  Rank 3 has launched up to operation 63 -- GPU 3 managed by process 16503 on node node0\n";
  const std::string missing =
      "INCOMPLETE\n  Missing communicator data from 1 job process\n"
      "  Process 37489 on node node1 managing GPU 2\n\n#0-0 (1bdb83b038775869) INCOMPLETE\n"
      "  Missing communicator data from 1 rank\n  Rank 10 -- GPU 2 managed by process 37489 on node "
      "node1\n\n";
  const std::string dead =
      "DEAD\n  1 job process is considered dead (unreachable via the RAS network)\n"
      "  Process 37489 on node node1 managing GPU 2\n";
  expect_only(judge({missing + counts}), "node1 rank 10", "node0 rank 3 is behind");
  expect_only(judge({counts}), "node0 rank 3", "AllReduce 64");
  expect_only(judge({dead}), "node1/gpu2", "dead");
  const std::string summary =
      "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
      "    #  in group  per comm  per node  per comm  in group\n"
      "    0         1         4         8        32        32   RUNNING  ";
  expect_healthy(judge({summary + "OK\n\nErrors\n======\n"}));
  expect_open(judge({summary + "INCOMPLETE\n"}), "INCOMPLETE");
}

std::string counters(Planted& p, bool is_bad) {
  std::string text;
  for (int port = 0; port < 12; ++port)
    for (int reading = 0; reading < 2; ++reading) {
      const bool is_it = is_bad && port == p.rank;
      text += format("# c%02d mlx5_%d at 14:%02d\n", port / 2, port % 2, reading * 30);
      text += format("PortXmitData:....................%d\n", int(p.rng.below(2'000'000'000)));
      text += format("SymbolErrorCounter:..............%d\n", is_it ? (reading ? 65535 : 40) : 21);
      text += format("LinkErrorRecoveryCounter:........%d\n", is_it && reading ? 41 : 0);
      text += "LinkDownedCounter:...............0\n";
    }
  return text;
}

TEST(RankFiles, PortCountersOfTwoReadingsCountByTheirRise) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 12);
    const std::string port = format("c%02d/mlx5_%d", p.rank / 2, p.rank % 2);
    const Diagnosis found = judge({counters(p, true)});
    expect_only(found, port, "(40 -> 65535) (the counter is full");
    EXPECT_NE(found.verdict.find("retrained"), std::string::npos) << found.verdict;
    expect_healthy(judge({counters(p, false)}));
  }
}

std::string amd(Planted& p, bool is_hot, bool has_root) {
  std::string text;
  for (int gpu = 0; gpu < 8; ++gpu) {
    const bool is_it = is_hot && gpu == p.rank;
    text += format(
        "%s{\"gpu\": %d, \"usage\": {\"gfx_activity\": {\"value\": 98, \"unit\": \"%%\"}}, \"power\": "
        "{\"socket_power\": {\"value\": %d, \"unit\": \"W\"}, \"throttle_status\": \"%s\"}, \"clock\": "
        "{\"gfx_0\": {\"clk\": {\"value\": %d, \"unit\": \"MHz\"}}}, \"temperature\": {\"hotspot\": "
        "{\"value\": "
        "%d, \"unit\": \"C\"}}}",
        gpu ? ", " : "",
        gpu,
        is_it ? 450 : 735 + int(p.rng.below(9)),
        is_it ? "THROTTLED" : "UNTHROTTLED",
        is_it ? 1300 : 2080 + int(p.rng.below(6)),
        is_it ? 104 : 74 + int(p.rng.below(6)));
  }
  return has_root ? "{\"gpu_data\": [" + text + "]}" : "[" + text + "]";
}

TEST(RankFiles, TheGpuOfAmdSmiThatIsTooHotIsNamed) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 8);
    expect_only(judge({amd(p, true, seed % 2)}), format("gpu%d", p.rank), "too hot");
    expect_healthy(judge({amd(p, false, seed % 2)}));
  }
}

enum class Job {
  Runs,
  Pauses,
  Stands,
  StandsForOne
};

std::string power(Planted& p, Job job) {
  std::string text = "timestamp, hostname, index, utilization.gpu [%], power.draw [W]\n";
  for (int t = 0; t < 80; ++t)
    for (int gpu = 0; gpu < 16; ++gpu) {
      const bool is_low = job == Job::Pauses ? t % 25 > 19 : job != Job::Runs && t >= 60;
      const bool is_it = job == Job::StandsForOne && is_low && gpu == p.rank;
      text += format(
          "2026/04/09 11:%02d:%02d.000, k%d, %d, %d %%, %.2f W\n",
          t / 4,
          t % 4 * 15,
          gpu / 8,
          gpu % 8,
          is_it ? 0 : 100,
          (is_it    ? 90
           : is_low ? 140
                    : 540) *
              p.noise(0.02));
    }
  return text;
}

TEST(RankFiles, AJobThatStandsShowsInThePowerOfAllItsGpus) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 16);
    expect_only(
        judge({power(p, Job::StandsForOne)}),
        format("k%d/gpu%d", p.rank / 8, p.rank % 8),
        "from 2026-04-09 11:15:00 on");
    expect_open(judge({power(p, Job::Stands)}), "the whole job stands");
    expect_healthy(judge({power(p, Job::Runs)}));
    expect_healthy(judge({power(p, Job::Pauses)}));
  }
}

std::string table(Planted& p, int onset, bool is_json) {
  std::string text = is_json ? "" : "iteration;rank;iter_time_ms;fwd_bwd_ms;wait_ms;loss\n";
  for (int step = 0; step < 90; ++step)
    for (int rank = 0; rank < 12; ++rank) {
      const bool is_slow = step >= onset;
      const bool is_it = is_slow && rank == p.rank;
      const double work = (is_it ? 480 : 400) * p.noise(0.006);
      const double total = is_slow ? 530 : 450;
      text += format(
          is_json
              ? "{\"iteration\": %d, \"rank\": %d, \"host\": \"m0\", \"iter_time_ms\": %.1f, \"fwd_bwd_ms\": "
                "%.1f, \"wait_ms\": %.1f, \"loss\": %.2f}\n"
              : "%d;%d;%.1f;%.1f;%.1f;%.2f\n",
          step,
          rank,
          total,
          work,
          total - work,
          3 + p.rng.normal());
    }
  return text;
}

TEST(RankFiles, ATableOfRanksAndStepsNamesTheRankThatTheOthersWaitFor) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Planted p(seed, 12);
    const bool is_json = seed % 2;
    const std::string subject = format(is_json ? "m0 rank %d" : "rank %d", p.rank);
    const Diagnosis found = judge({table(p, 55, is_json)});
    expect_only(found, subject, "from step 55 on");
    EXPECT_NE(found.verdict.find("it waits least (wait_ms"), std::string::npos) << found.verdict;
    expect_healthy(judge({table(p, 9999, is_json)}));
  }
}

TEST(RankFiles, NumbersOfRanksThatWereNotReadAreNoAllClear) {
  Planted p(1, 8);
  std::string steps;
  std::string times;
  std::string losses;
  std::string read;
  for (int step = 1; step <= 40; ++step) {
    steps += iteration(step, 2 * p.noise(0.004));
    for (int rank = 0; rank < 8; ++rank) {
      times += format("step %d rank %d, speed was %.2f\n", step, rank, 12 * p.noise(0.1));
      read += format("step %d rank %d, forward time was %.2f\n", step, rank, 12 * p.noise(0.1));
      losses += format("step %d rank %d, loss was %.2f\n", step, rank, 12 * p.noise(0.1));
    }
  }
  expect_healthy(judge({steps}));
  expect_healthy(judge({steps + read}));
  expect_open(judge({steps + times}), "Lines with a number of each of 8 ranks were not read");
  const Diagnosis noted = judge({steps + losses});
  expect_healthy(noted);
  EXPECT_FALSE(noted.notes.empty());
}

}  // namespace
}  // namespace lento::desk
