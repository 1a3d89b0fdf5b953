// Made-up files of training programs, benchmarks and schedulers, whose right answer is drawn before they are
// written: a planted fault, its healthy twin, and what no file of the kind can decide.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "base/rng.h"
#include "desk/test_files.h"

namespace lento::desk {
namespace {

using finding::Outcome;

using test::format;
using test::judge;

// One step line of a program, from a step and its time in seconds.
struct Program {
  const char* name;
  std::function<std::string(int, double)> line;
};

const std::vector<Program> kPrograms{
    {"Megatron",
     [](int step, double s) {
       return format(
           " [2026-03-01 %02d:%02d:%02d] iteration %8d/   90000 | consumed samples: 1 | elapsed time per "
           "iteration (ms): %.1f | throughput per GPU (TFLOP/s/GPU): %.1f | global batch size:   256 |\n",
           step / 3600,
           step / 60 % 60,
           step % 60,
           step,
           s * 1000,
           1600 / s);
     }},
    {"torchtitan",
     [](int step, double s) {
       return format(
           "[rank0]:[titan] 2026-03-01 00:%02d:%02d,250 - root - INFO - step: %2d  loss:  3.1  memory: "
           "40.0GiB(50.0%%)  tps: %d  mfu: %.2f%%\n",
           step / 60 % 60,
           step % 60,
           step,
           int(20000 / s),
           150 / s);
     }},
    {"NeMo",
     [](int step, double s) {
       return format(
           "Training epoch 0, iteration %d/9999 | lr: 1e-05 | global_batch_size: 64 | global_step: %d | "
           "reduced_train_loss: 3.1 | train_step_timing in s: %.4g\n",
           step,
           step,
           s);
     }},
    {"DeepSpeed",
     [](int step, double s) {
       return format(
           "[2026-03-01 00:%02d:%02d,646] [INFO] [timer.py:260:stop] epoch=0/micro_step=%d/global_step=%d, "
           "RunningAvgSamplesPerSec=50.1, CurrSamplesPerSec=%.6f, MemAllocated=6.01GB\n",
           step / 60 % 60,
           step % 60,
           step,
           step,
           200 / s);
     }},
    {"MaxText",
     [](int step, double s) {
       return format(
           "completed step: %d, seconds: %.3f, TFLOP/s/device: %.3f, Tokens/s/device: %.3f, loss: 3.1\n",
           step,
           s,
           900 / s,
           18000 / s);
     }},
    {"MLPerf",
     [](int step, double s) {
       return format(
           "0: :::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"POINT_IN_TIME\", \"key\": "
           "\"tracked_stats\", \"value\": {\"throughput\": %.4f}, \"metadata\": {\"step\": %d}}\n",
           1700000000000LL + step,
           64 / s,
           step * 64);
     }},
};

TEST(JobFiles, TheOnsetOfASlowJobOfEachProgramAndItsHealthyTwin) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    for (const Program& program : kPrograms) {
      base::Rng rng(seed);
      const int onset = 60 + int(rng.below(90));
      const double base_s = 1 + double(rng.below(5));
      const double factor = 1.12 + 0.1 * double(rng.below(6));
      for (const bool is_slow : {true, false}) {
        std::string text;
        for (int step = 1; step <= 200; ++step) {
          double s = base_s * (1 + 0.01 * rng.normal());
          if (step % 25 == 0)
            s *= 4;  // a checkpoint
          if (is_slow && step >= onset)
            s *= factor;
          text += program.line(step, s);
        }
        const finding::Diagnosis found = judge({text});
        ASSERT_EQ(found.outcome, is_slow ? Outcome::Findings : Outcome::Healthy)
            << program.name << seed << found.verdict << found.reason;
        if (!is_slow)
          continue;
        EXPECT_EQ(found.findings[0].subject, "the job") << program.name;
        EXPECT_FALSE(found.findings[0].where) << program.name;
        EXPECT_NEAR(*found.findings[0].factor, factor, 0.05) << program.name;
        EXPECT_FALSE(found.remedy.empty());
      }
    }
  }
}

// A page fault of an earlier program and a node that answered Slurm again are no cause of a later slow-down.
TEST(JobFiles, WhatWasOverBeforeTheJobBeganIsNoCause) {
  std::string log;
  for (int step = 0; step < 200; ++step)
    log += kPrograms[0].line(step, step < 120 ? 2.3 : 3.0);
  const std::string kernel =
      "[Fri Feb 27 16:20:44 2026] NVRM: Xid (PCI:0000:52:00): 31, pid=80121, name=python3, MMU Fault\n";
  const std::string slurm =
      "[2026-02-28T23:02:17.004] error: Nodes n2 not responding\n"
      "[2026-02-28T23:03:01.551] Node n2 now responding\n";
  const finding::Diagnosis found = judge({kernel, slurm, log});
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "the job");
  const finding::Diagnosis healthy = judge({kernel, slurm, log.substr(0, log.size() / 2)});
  EXPECT_EQ(healthy.outcome, Outcome::Healthy) << healthy.verdict;
}

std::string log_of_job(int slow_from) {
  std::string log;
  for (int step = 0; step < 200; ++step)
    log += kPrograms[0].line(step, step < slow_from ? 2.3 : 3.0);
  return log;
}

// A node that was taken out before the job began is not of the job. Times without a year compare too.
TEST(JobFiles, ANodeThatWasTakenOutBeforeIsNotOfTheJob) {
  const std::string nodes =
      "REASON               USER        TIMESTAMP           NODELIST\n"
      "Kill task failed     root      2026-02-26T03:31:09 n4\n";
  const finding::Diagnosis found = judge({nodes, log_of_job(120)});
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "the job");
  EXPECT_EQ(judge({nodes, log_of_job(900)}).outcome, Outcome::Healthy);
}

// The loss of a link that came back alone is no fault. Seconds before the job became slower it is the cause.
TEST(JobFiles, AnEventAtTheOnsetNamesItsPart) {
  const auto flap = [](int second) {
    std::string text;
    for (const char* state : {"Down", "Up, 100000 Mbps full duplex"})
      text += format(
          "Mar  1 00:%02d:%02d n7 kernel: bnxt_en 0000:17:00.0 ens1f0np0: NIC Link is %s\n",
          second / 60,
          second % 60,
          state);
    return text;
  };
  const finding::Diagnosis near = judge({flap(118), log_of_job(120)});
  ASSERT_FALSE(near.findings.empty());
  EXPECT_EQ(near.findings[0].subject, "n7/0000:17:00.0");
  EXPECT_NE(near.verdict.find("the job followed"), std::string::npos) << near.verdict;
  const finding::Diagnosis far = judge({flap(60), log_of_job(120)});
  ASSERT_FALSE(far.findings.empty());
  EXPECT_EQ(far.findings[0].subject, "the job") << far.verdict;
}

// Seconds after boot do not say whether a program that failed was the job, which shows no effect.
TEST(JobFiles, AFaultOfSomeProgramBesideASteadyJobIsANote) {
  const std::string kernel =
      "[88122.000000] NVRM: Xid (PCI:0000:41:00): 13, pid=11822, name=python, Graphics Exception\n";
  EXPECT_EQ(judge({kernel}).outcome, Outcome::Findings);
  EXPECT_EQ(judge({kernel, log_of_job(900)}).outcome, Outcome::Healthy);
  const std::string log = log_of_job(900);
  const std::string cancelled = "slurmstepd: error: *** JOB 88 ON n1 CANCELLED AT 2026-03-01T00:01:00 ***\n";
  const size_t middle = log.find('\n', log.size() / 2) + 1;
  EXPECT_EQ(judge({log.substr(0, middle) + cancelled + log.substr(middle)}).outcome, Outcome::Healthy);
  EXPECT_EQ(judge({log + cancelled}).outcome, Outcome::CannotJudge);
}

TEST(JobFiles, RanksThatSlowDownTogetherAreTheJob) {
  std::string text;
  base::Rng rng(5);
  for (int step = 1; step <= 120; ++step)
    for (int rank = 0; rank < 8; ++rank)
      text += format(
          "[rank%d]:step: %d  loss:  3.1  memory: 40.0GiB(50.0%%)  tps: %d  mfu: 40.1%%\n",
          rank,
          step,
          int((step < 70 ? 8000 : 6000) * (1 + 0.004 * rng.normal())));
  const finding::Diagnosis found = judge({text});
  ASSERT_EQ(found.outcome, Outcome::Findings) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "the job");
  EXPECT_NE(found.verdict.find("step 70 "), std::string::npos) << found.verdict;
}

std::string straggler_log(uint64_t seed, int slow_rank) {
  base::Rng rng(seed);
  std::string text;
  for (int step = 5; step <= 300; step += 5) {
    const bool is_slow = slow_rank >= 0 && step > 200;
    text += format(
        "iteration %8d/   90000 | elapsed time per iteration (ms): %.1f | global batch size:   256 |\n",
        step,
        (is_slow ? 2900 : 2000) * (1 + 0.01 * rng.normal()));
    if (step % 10 != 0)
      continue;
    const int rank = is_slow ? slow_rank : int(rng.below(128));
    text += format(
        "MnRtt/Rnk: 0.60s/%d | MxRtt/Rnk: %.2fs/%d | MnPwr/Rnk: 600.00W/%d | MxTmp/Rnk: %.2fC/%d | "
        "MnClk/Rnk: "
        "1965.00MHz/%d\n",
        int(rng.below(128)),
        (is_slow ? 1.1 : 0.7) * (1 + 0.01 * rng.normal()),
        rank,
        int(rng.below(128)),
        64 + double(rng.below(3)),
        int(rng.below(128)),
        int(rng.below(128)));
  }
  return text;
}

TEST(JobFiles, TheRankThatHoldsTheLongestTimeAndRanksThatTakeTurns) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const int rank = int(seed) * 17;
    const finding::Diagnosis found = judge({straggler_log(seed, rank)});
    ASSERT_EQ(found.outcome, Outcome::Findings);
    EXPECT_EQ(found.findings[0].subject, "rank " + std::to_string(rank));
    EXPECT_NE(found.verdict.find("the job followed: from step 205"), std::string::npos) << found.verdict;
    const finding::Diagnosis healthy = judge({straggler_log(seed, -1)});
    EXPECT_EQ(healthy.outcome, Outcome::Healthy) << healthy.verdict;
  }
}

std::string pair_run(const std::string& a, const std::string& b, double speed) {
  std::string text =
      "# Collective test starting: all_gather_perf\n# nThread 1 nGpus 1 minBytes 1 maxBytes 2\n";
  int rank = 0;
  for (const std::string& host : {a, b})
    for (int gpu = 0; gpu < 2; ++gpu, ++rank)
      text += format(
          "#  Rank %2d Group  0 Pid %d on %10s device  %d [0x1%d] NVIDIA B200\n",
          rank,
          4000 + rank,
          host.c_str(),
          gpu,
          gpu);
  for (const double size : {0.25, 1.0})
    text += format(
        "  %.0f   1000   half    none      -1   %.1f   10.0   %.2f    N/A   %.1f   10.0   %.2f    N/A\n",
        size * 4294967296.0,
        1e5 * size,
        speed * (0.8 + 0.2 * size),
        1e5 * size,
        speed);
  return text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1.0\n";
}

TEST(JobFiles, TheHostOfTheSlowPairsAndHealthyPairs) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    for (const bool is_faulty : {true, false}) {
      base::Rng rng(seed);
      const int slow = int(rng.below(5));
      std::vector<std::string> files;
      for (int a = 0; a < 5; ++a)
        for (int b = a + 1; b < 5; ++b)
          files.push_back(pair_run(
              format("dgx-%02d", a),
              format("dgx-%02d", b),
              (is_faulty && (a == slow || b == slow) ? 210 : 340) * (1 + 0.01 * rng.normal())));
      const finding::Diagnosis found = judge(files);
      ASSERT_EQ(found.outcome, is_faulty ? Outcome::Findings : Outcome::Healthy) << found.verdict;
      if (is_faulty) {
        EXPECT_EQ(found.findings[0].subject, format("dgx-%02d", slow));
      }
    }
  }
  EXPECT_EQ(judge({pair_run("n1", "n2", 100)}).outcome, Outcome::CannotJudge);
}

std::string burn(uint64_t seed, int slow, int faulty) {
  base::Rng rng(seed);
  std::string text;
  for (int gpu = 0; gpu < 8; ++gpu)
    text += format("GPU %d: NVIDIA B200 (UUID: GPU-0000000%d-ab)\n", gpu, gpu);
  for (int report = 1; report <= 8; ++report) {
    std::string rates;
    std::string errors;
    std::string temps;
    for (int gpu = 0; gpu < 8; ++gpu) {
      const char* between = gpu == 0 ? "" : " - ";
      rates += format(
          "%s%d (%d Gflop/s)",
          between,
          1000 * report,
          int((gpu == slow ? 41000 : 60000) * (1 + 0.004 * rng.normal())));
      errors += format("%s%s", gpu == 0 ? "" : "- ", gpu == faulty ? "17  (WARNING!)" : "0 ");
      temps += format("%s%d C", between, 60 + int(rng.below(4)));
    }
    text += format("%.1f%%  proc'd: ", 12.5 * report) + rates + "   errors: " + errors + "  temps: " + temps +
            " \n";
  }
  for (int gpu = 0; gpu < 8; ++gpu)
    text += format("\tGPU %d: %s\n", gpu, gpu == faulty ? "FAULTY" : "OK");
  return text;
}

TEST(JobFiles, TheGpuThatBurnsSlowlyAndTheOneThatCountsErrors) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const finding::Diagnosis slow = judge({burn(seed, int(seed), -1)});
    ASSERT_EQ(slow.findings.size(), 1u) << slow.verdict;
    EXPECT_EQ(slow.findings[0].subject, "gpu" + std::to_string(seed));
    EXPECT_NEAR(*slow.findings[0].factor, 60.0 / 41, 0.03);
    const finding::Diagnosis faulty = judge({burn(seed, -1, int(seed))});
    ASSERT_EQ(faulty.findings.size(), 1u) << faulty.verdict;
    EXPECT_EQ(faulty.findings[0].subject, "gpu" + std::to_string(seed));
    EXPECT_EQ(judge({burn(seed, -1, -1)}).outcome, Outcome::Healthy);
  }
  std::string all =
      "GPU 0: A (UUID: GPU-1)\nGPU 1: A (UUID: GPU-2)\n10.0%  proc'd: 9 (70 Gflop/s) - 9 (70 "
      "Gflop/s)   errors: -524288000  (WARNING!)- -524288000  (WARNING!)  temps: 51 C - 45 C \n";
  EXPECT_TRUE(judge({all}).findings.empty());
}

TEST(JobFiles, OneServingResultAsksForWhatItDoesNotState) {
  const finding::Diagnosis found = judge(
      {R"({"backend": "vllm", "model_id": "m/y", "completed": 500, "request_rate": 5.0, "duration": 180.0,
           "total_input_tokens": 256000, "total_output_tokens": 64000, "request_throughput": 2.8,
           "output_throughput": 355.0, "median_ttft_ms": 30000.0, "median_tpot_ms": 40.0})"});
  EXPECT_EQ(found.outcome, Outcome::CannotJudge);
  EXPECT_NE(found.reason.find("512 tokens in and 128 out"), std::string::npos) << found.reason;
  EXPECT_NE(found.reason.find("the GPU, the parallelism and the precision"), std::string::npos)
      << found.reason;
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("requests queued"), std::string::npos) << found.notes[0];
}

TEST(JobFiles, KernelsWithoutACollectiveAreNoAllClear) {
  const std::string header = "Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max (us),Name\n";
  EXPECT_EQ(judge({header + "100.0,500,5,100,100,90,110,gemm\n"}).outcome, Outcome::CannotJudge);
  EXPECT_EQ(
      judge({header + "100.0,500,5,100,100,90,110,ncclDevKernel_AllReduce\n"}).outcome,
      Outcome::Healthy);
  EXPECT_EQ(
      judge({header + "100.0,5000,5,1000,100,90,4000,ncclDevKernel_AllReduce\n"}).outcome,
      Outcome::CannotJudge);
}

std::string job_table(uint64_t seed, int bad_node, const char* state) {
  base::Rng rng(seed);
  std::string text = "JobID|JobName|NodeList|State|ExitCode|Elapsed\n";
  for (int job = 1; job <= 60; ++job) {
    const int first = int(rng.below(40));
    const bool hit = bad_node >= first && bad_node < first + 4;
    text += format(
        "%d|train|w[%03d-%03d]|%s|0:0|01:00:00\n%d.batch|batch|w%03d|COMPLETED|0:0|01:00:00\n",
        job,
        first,
        first + 3,
        hit ? state : "COMPLETED",
        job,
        first);
  }
  return text;
}

TEST(JobFiles, TheNodeOfTheFailedJobs) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const int bad = 10 + int(seed) * 4;
    const std::string name = format("w%03d", bad);
    const finding::Diagnosis lost = judge({job_table(seed, bad, "NODE_FAIL")});
    ASSERT_EQ(lost.outcome, Outcome::Findings) << lost.reason;
    EXPECT_EQ(lost.findings[0].subject, name) << lost.verdict;
    const finding::Diagnosis own = judge({job_table(seed, bad, "FAILED")});
    ASSERT_EQ(own.outcome, Outcome::Findings) << own.reason;
    EXPECT_EQ(own.findings[0].subject, name) << own.verdict;
    EXPECT_EQ(judge({job_table(seed, -1, "")}).outcome, Outcome::Healthy);
  }
}

TEST(JobFiles, ProgramsThatFailAnywhereNameNoNode) {
  base::Rng rng(3);
  int named = 0;
  for (int draw = 0; draw < 20; ++draw) {
    std::string text = "JobID|JobName|NodeList|State|ExitCode\n";
    for (int job = 1; job <= 80; ++job)
      text += format(
          "%d|train|w%03d|%s|1:0\n",
          job,
          int(rng.below(16)),
          rng.below(4) == 0 ? "FAILED" : "COMPLETED");
    named += judge({text}).outcome == Outcome::Findings;
  }
  EXPECT_LE(named, 1);
  const std::string without_nodes = "JobID|JobName|State|ExitCode\n1|a|NODE_FAIL|0:0\n2|a|NODE_FAIL|0:0\n";
  const finding::Diagnosis found = judge({without_nodes});
  EXPECT_EQ(found.outcome, Outcome::CannotJudge);
  EXPECT_NE(found.remedy.find("NodeList"), std::string::npos) << found.remedy;
}

TEST(JobFiles, AHeartbeatThatIsLostNamesItsDevice) {
  const std::string line =
      "Cluster Exception Location[IP/ID]:[10.90.1.2/5], Arrival Time:[Fri Nov 20 09:37:34 2026], "
      "Discoverer:[10.90.1.2/0], ExceptionType:[Heartbeat Lost Occurred], Possible Reason:1. Process has "
      "exited\n";
  const finding::Diagnosis found = judge({line});
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "10.90.1.2/npu5");
}

TEST(JobFiles, AllGpusThatStartedAlsoConnected) {
  std::string text;
  for (int gpu = 0; gpu < 4; ++gpu)
    text += format(
        "n1:70%d:80%d [%d] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
        "n1:70%d:80%d [%d] NCCL INFO Connected all rings\n",
        gpu,
        gpu,
        gpu,
        gpu,
        gpu,
        gpu);
  EXPECT_EQ(judge({text}).outcome, Outcome::Healthy);
  text += "n1:704:804 [4] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n";
  EXPECT_EQ(judge({text}).outcome, Outcome::CannotJudge) << "one did not connect";
}

TEST(JobFiles, EventsOfAFabricsManagerNameTheHostOfAPort) {
  std::string text = "Severity,Date/Time,Event Name,Source,Source Type,Category,Description\n";
  for (int i = 0; i < 3; ++i)
    text += format(
        "Warning,2026-11-20 09:0%d:05,Link is down,dgx057 HCA-3 / 1,IBPort,Communication Error,Link went "
        "down\n"
        "Info,2026-11-20 09:0%d:11,Link is up,dgx057 HCA-3 / 1,IBPort,Communication Error,Link went up\n",
        i,
        i);
  const finding::Diagnosis found = judge({text});
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "dgx057");
}

TEST(JobFiles, ANodeThatIsDownExplainsItsJobsAndPods) {
  const std::string node =
      "NodeName=w014 Arch=x86_64 CoresPerSocket=56\n   State=DOWN* ThreadsPerCore=2 TmpDisk=0\n"
      "   Reason=Not responding [slurm@2026-05-01T12:00:00]\n";
  const finding::Diagnosis found = judge({job_table(1, 14, "NODE_FAIL"), node});
  ASSERT_EQ(found.outcome, Outcome::Findings);
  EXPECT_EQ(found.findings[0].subject, "w014") << found.verdict;
  const finding::Diagnosis quiet =
      judge({"LAST SEEN   TYPE     REASON      OBJECT        MESSAGE\n"
             "9m          Normal   Scheduled   pod/train-3   Successfully assigned ml/train-3 to n5\n"});
  EXPECT_EQ(quiet.outcome, Outcome::Healthy) << quiet.reason;
}

}  // namespace
}  // namespace lento::desk
