// Files of one incident together: whose time zone holds, which nodes are of the job, measurements between two
// hosts, runs that were cut, and a change of the work that is no fault.
#include <gtest/gtest.h>

#include <map>

#include "desk/test_files.h"

namespace lento::desk {
namespace {

using finding::Diagnosis;
using finding::Outcome;
using test::format;
using test::judge;

std::string subject_of(const Diagnosis& found) {
  return found.findings.empty() ? "" : found.findings[0].subject;
}

// A log of Megatron-LM of 200 steps of `seconds`, from 10:00 on, with a batch for each step.
std::string log(
    double seconds,
    int (*batch)(int) = [](int) {
      return 256;
    }) {
  std::string text;
  double at = 36000;
  for (int step = 1; step <= 200; ++step) {
    const double length = seconds * batch(step) / 256 * (1 + 0.002 * (step % 3));
    at += length;
    text += format(
        " [2026-11-20 %02d:%02d:%02d] iteration %8d/   90000 | consumed samples: 1 | elapsed time per "
        "iteration "
        "(ms): %.1f | global batch size: %5d | lm loss: 2.1E+00 |\n",
        int(at) / 3600,
        int(at) / 60 % 60,
        int(at) % 60,
        step,
        length * 1000,
        batch(step));
  }
  return text;
}

Diagnosis judge_named(const std::vector<std::pair<std::string, std::string>>& files) {
  static const LogReader reader(all_formats());
  Records records;
  std::map<int32_t, Subject> names;
  for (const auto& [name, text] : files) {
    names[int32_t(names.size())] = {name, "", ""};
    reader.read_text(text, name, records);
  }
  records.name_by_files(names);
  return judge_incident(records);
}

TEST(WholeIncident, StepsOfABatchThatGrowsAreComparedAtOneBatch) {
  const auto grows = [](int step) {
    return step <= 60 ? 256 : step <= 120 ? 512 : 1024;
  };
  const Diagnosis ramp = judge({log(2, grows)});
  EXPECT_EQ(ramp.outcome, Outcome::Healthy) << ramp.verdict;
  EXPECT_EQ(ramp.notes.size(), 2u);
  // A loss at the last batch is one.
  std::string slower = log(2, grows);
  for (size_t at = slower.find("(ms): 8", slower.find("     170/")); at != slower.npos;
       at = slower.find("(ms): 8", at))
    slower.replace(at, 7, "(ms): 12");
  EXPECT_EQ(subject_of(judge({slower})), "the job");
}

// Sequences of 2,048 and 8,192 tokens take turns by chance, and from step 150 on all are long.
TEST(WholeIncident, StepsAreAsLongAsTheirWorkWasBefore) {
  const auto job = [](double slower) {
    std::string text;
    uint32_t random = 7;
    for (int step = 1; step <= 300; ++step) {
      random = random * 1664525 + 1013904223;
      const int tokens = step > 150 || random >> 31 ? 8192 : 2048;
      const double ms = 0.39 * tokens * (1 + 0.01 * (step % 3)) * (step > 150 ? slower : 1);
      text += format("INFO step %d | seq_len %d | loss 2.0 | step time %.0f ms\n", step, tokens, ms);
    }
    return judge({text});
  };
  EXPECT_EQ(job(1).outcome, Outcome::Healthy) << job(1).verdict;
  EXPECT_EQ(subject_of(job(1.5)), "the job");
}

// The cause is that of all GPUs and of no single one.
TEST(WholeIncident, ALimitThatFallsOnAllGpusExplainsTheJob) {
  std::string text =
      "timestamp, index, name, power.limit [W], clocks.current.sm [MHz], utilization.gpu [%]\n";
  for (int at = 0; at < 400; at += 5)
    for (int gpu = 0; gpu < 4; ++gpu)
      text += format(
          "2026/11/20 10:%02d:%02d.000, %d, NVIDIA H100, %s W, %d MHz, 99 %%\n",
          at / 60,
          at % 60,
          gpu,
          at < 200 ? "700.00" : "500.00",
          at < 200 ? 1755 : 1410);
  std::string steps = log(2);
  const size_t from = steps.find("10:03:2");
  for (size_t at = steps.find("(ms): 2", from); at != steps.npos; at = steps.find("(ms): 2", at))
    steps.replace(at, 7, "(ms): 3");
  const Diagnosis found = judge({text, steps});
  EXPECT_EQ(subject_of(found), "4 GPUs") << found.verdict;
}

TEST(WholeIncident, TimesWithoutAZoneAreInTheOneThatOthersState) {
  const std::string kernel =
      "2026-11-20T10:03:00.1+01:00 n3 kernel: Out of memory: Killed process 402 (python3) total-vm:1kB\n";
  const std::string end =
      "Root Cause (first observed failure):\n[0]:\n  time      : 2026-11-20_10:03:02\n  host      : n3\n  "
      "rank      : "
      "18 (local_rank: 2)\n  exitcode  : -9 (pid: 402)\n";
  const Diagnosis found = judge({kernel, log(1) + end});
  EXPECT_EQ(subject_of(found), "n3");
  EXPECT_NE(found.verdict.find("want of memory, 2026-11-20 09:03:00"), std::string::npos) << found.verdict;
  EXPECT_NE(found.verdict.find("rank 18"), std::string::npos) << found.verdict;
}

TEST(WholeIncident, ANodeOfWhichOnlyTheSchedulerSpeaksNeedNotBeOfTheJob) {
  const std::string list =
      "REASON               USER      TIMESTAMP           NODELIST\n"
      "Not responding       slurm     2026-11-20T10:03:00 gpu22\n"
      "reserved             root      2026-11-01T08:00:00 gpu[01-02]\n";
  const std::string kernel =
      "2026-11-20T09:00:00 gpu07 kernel: Linux version 6.1.0\n"
      "2026-11-20T09:01:00 gpu07 kernel: EDAC MC0: 1 CE memory read error on DIMM0\n";
  const Diagnosis steady = judge({log(2), list, kernel});
  EXPECT_EQ(steady.outcome, Outcome::Healthy) << steady.verdict;
  EXPECT_EQ(subject_of(judge({list})), "gpu22");
}

std::string iperf(double rate) {
  return format(
      "Connecting to host 172.18.4.9, port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  "
      "Cwnd\n"
      "[  5]   0.00-1.00   sec  1.41 GBytes  %.1f Gbits/sec    0   3.02 MBytes\n"
      "[  5]   0.00-10.00  sec  14.1 GBytes  %.1f Gbits/sec    7             sender\n"
      "[  5]   0.00-10.00  sec  14.1 GBytes  %.1f Gbits/sec                  receiver\n",
      rate,
      rate,
      rate);
}

TEST(WholeIncident, AHostIsCommonToItsSlowPairs) {
  EXPECT_EQ(judge({iperf(12)}).outcome, Outcome::CannotJudge);
  std::vector<std::pair<std::string, std::string>> files;
  const std::string hosts = "abcd";
  for (size_t i = 0; i < hosts.size(); ++i)
    for (size_t j = i + 1; j < hosts.size(); ++j)
      files.emplace_back(
          std::string("n-") + hosts[i] + " and n-" + hosts[j],
          iperf(j == 2 || i == 2 ? 48.1 : 97 + 0.1 * double(i + j)));
  EXPECT_EQ(subject_of(judge_named(files)), "n-c");
  for (auto& [name, text] : files)
    text = iperf(name == "n-a and n-c" ? 48.1 : 97.2);
  EXPECT_EQ(subject_of(judge_named(files)), "n-a and n-c");
}

std::string collective(const std::string& a, const std::string& b, double small, double large) {
  std::string text = "# Using devices\n";
  text += format("#  Rank  0 Group  0 Pid 1 on %s device  0 [0x1b] NVIDIA H200\n", a.c_str());
  text += format("#  Rank  1 Group  0 Pid 2 on %s device  0 [0x1b] NVIDIA H200\n", b.c_str());
  text +=
      format("   536870912     134217728     float     sum      -1   2128.5  252.23  %.2f      0\n", small);
  if (large > 0)
    text +=
        format("  2147483648     536870912     float     sum      -1   8455.9  253.96  %.2f      0\n", large);
  return text + "# Avg bus bandwidth    : 144.7 \n";
}

TEST(WholeIncident, ARunThatWasCutIsComparedAtItsSize) {
  const auto runs = [](double cut) {
    return judge(
        {collective("h0", "h1", 473, 477),
         collective("h0", "h2", 474, 479),
         collective("h0", "h3", 475, 478),
         collective("h1", "h2", 473, 476),
         collective("h1", "h3", cut, 0),
         collective("h2", "h3", 474, 477)});
  };
  EXPECT_EQ(runs(472).outcome, Outcome::Healthy) << runs(472).verdict;
  EXPECT_EQ(subject_of(runs(236)), "h1, h3");
}

// So few peers do not show whether one is slow or the others are fast.
TEST(WholeIncident, OneSlowReplicaOfTwoLeavesAQuestion) {
  const auto log = [](int rate) {
    std::string text;
    for (int i = 0; i < 60; ++i)
      text += format(
          "[2025-12-17 05:%02d:47] Decode batch. #running-req: 40, #token: 64, token usage: 0.00, gen "
          "throughput "
          "(token/s): %d.39, #queue-req: 0\n",
          i,
          rate + i % 7);
    return text;
  };
  const Diagnosis found = judge_named({{"inf-07", log(2130)}, {"inf-08", log(1700)}});
  EXPECT_EQ(found.outcome, Outcome::CannotJudge) << found.verdict;
  EXPECT_NE(found.reason.find("inf-08 has tokens per second"), std::string::npos) << found.reason;
  EXPECT_EQ(judge_named({{"inf-07", log(2130)}, {"inf-08", log(2128)}}).outcome, Outcome::Healthy);
}

TEST(WholeIncident, HardwareThatFailedBeforeIsTheCauseOfAnEndElsewhere) {
  const Diagnosis found = judge(
      {"2026-11-20T10:01:13 n5 kernel: NVRM: Xid (PCI:0000:bb:00): 48, pid=12, name=python3, DBE\n",
       log(0.5) +
           "Root Cause (first observed failure):\n[0]:\n  time      : 2026-11-20_10:11:20\n  host      : n1\n"
           "  rank      : 0 (local_rank: 0)\n  exitcode  : -6 (pid: 402)\n"});
  EXPECT_EQ(subject_of(found), "n5/0000:bb:00.0") << found.verdict;
  EXPECT_EQ(found.findings.size(), 1u);
}

TEST(WholeIncident, AnErrorOfPrometheusIsNoFault) {
  const Diagnosis found =
      judge({R"({"status": "error", "errorType": "execution", "error": "too many samples"})"});
  EXPECT_EQ(found.outcome, Outcome::CannotJudge) << found.verdict;
  EXPECT_NE(found.reason.find("too many samples"), std::string::npos) << found.reason;
}

TEST(WholeIncident, OneRankThatFailsInEachAttemptLeavesAQuestion) {
  std::string text = log(2);
  for (int i = 0; i < 3; ++i)
    text +=
        "[rank45]: Traceback (most recent call last):\n[rank45]:   File \"/opt/buffer.py\", line 126, in "
        "check\n"
        "[rank45]:     assert not norm.isnan(), (\n"
        "[rank45]: AssertionError: Rank 45: found NaN in local grad norm. Device: 5, node: dgx-12\n" +
        log(2);
  const Diagnosis found = judge({text});
  EXPECT_EQ(found.outcome, Outcome::CannotJudge) << found.verdict;
  EXPECT_NE(found.reason.find("rank 45 failed in each of 3"), std::string::npos) << found.reason;
  // The log of one rank shows no other.
  for (size_t at = text.find("ank 45"); at != text.npos; at = text.find("ank 45"))
    text.erase(at, 6);
  for (size_t at = text.find("[rank45]: "); at != text.npos; at = text.find("[rank45]: "))
    text.erase(at, 10);
  static const LogReader reader(all_formats());
  Records records;
  reader.read_text(text, "rank45.log", records);
  records.name_by_files({{0, {"", "", "45"}}});
  EXPECT_EQ(judge_incident(records).reason.find("in each of"), std::string::npos);
}

TEST(WholeIncident, ChecksOfWhichNoneFailedAreNoFault) {
  const std::string passed =
      "Finished      1 tests with the following results:\n              1 tests completed and passed "
      "residual checks,\n"
      "              0 tests completed and failed residual checks,\n";
  EXPECT_NE(judge({passed}).outcome, Outcome::Findings);
}

// A line of vLLM, ten seconds after the one before.
std::string server_line(int i, double prompts, double tokens) {
  return format(
      "INFO 11-27 14:%02d:%02d [loggers.py:248] Engine 000: Avg prompt throughput: %.1f tokens/s, Avg "
      "generation throughput: %.1f tokens/s, Running: 64 reqs, Waiting: 0 reqs, GPU KV cache usage: 44.1%%\n",
      i / 6,
      i % 6 * 10,
      prompts,
      tokens);
}

// Four servers at one load, of which n2 makes fewer tokens, and so reads fewer prompts, from a moment on.
Diagnosis judge_servers(int slow_from) {
  std::vector<std::pair<std::string, std::string>> files;
  for (int server = 0; server < 4; ++server) {
    std::string text;
    for (int i = 0; i < 240; ++i) {
      const bool is_slow = server == 2 && i >= slow_from;
      const double speed = is_slow ? 0.62 : 1;
      text += server_line(
          i,
          (3000 + 13 * ((i * 7 + server) % 31)) * speed,
          (2400 + 5 * ((i * 11 + 3 * server) % 23)) * speed);
    }
    files.emplace_back("n" + std::to_string(server), text);
  }
  return judge_named(files);
}

TEST(WholeIncident, OneOfFourServersThatBecomesSlowerIsNamed) {
  const Diagnosis found = judge_servers(180);
  EXPECT_EQ(subject_of(found), "n2") << found.verdict;
  EXPECT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(judge_servers(240).outcome, Outcome::Healthy);
}

TEST(WholeIncident, FewerPromptsDoNotExplainASlowerServer) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += server_line(i, (i < 120 ? 3000.0 : 1900.0) + i % 7, (i < 120 ? 2400.0 : 1500.0) + i % 11);
  EXPECT_EQ(subject_of(judge({text})), "the job");
}

}  // namespace
}  // namespace lento::desk
