// Made-up logs of jobs that hang or end: the one process that is elsewhere, a step behind or the first with
// an error of its own is named, and none where all are alike.
#include <gtest/gtest.h>

#include "desk/test_files.h"

namespace lento::desk {
namespace {

using finding::Outcome;

using test::format;
using test::judge;

// Stacks of eight processes, one of which is elsewhere.
std::string stacks(int odd, const char* inner) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += format(
        "Process %d: python3 train.py\nThread %d (idle): \"MainThread\"\n    %s\n    <module> "
        "(train.py:12)\n",
        100 + i,
        100 + i,
        i == odd ? inner : "all_reduce (torch/distributed/distributed_c10d.py:2501)");
  return text;
}

TEST(Stacks, TheOneThatIsElsewhereIsNamedAndNoneWhereAllWait) {
  const auto odd = judge({stacks(5, "__next__ (torch/utils/data/dataloader.py:701)")});
  ASSERT_EQ(odd.findings.size(), 1u) << odd.verdict;
  EXPECT_EQ(odd.findings[0].subject, "process 105");
  EXPECT_EQ(judge({stacks(-1, "")}).outcome, Outcome::CannotJudge);
}

TEST(Stacks, GdbShowsWhereAProgramWaits) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += format(
        "Thread 1 (Thread 0x7f11 (LWP %d) \"train\"):\n#0  0x0000 in poll () from /lib/libc.so.6\n#1  0x0001 "
        "in %s\n"
        "#2  0x0002 in main (argc=1) at main.cc:30\n",
        4700 + i,
        i == 2 ? "read_shard (path=0x7f) at loader.cc:88" : "ncclGroupEnd () from /usr/lib/libnccl.so.2");
  const auto odd = judge({text});
  ASSERT_EQ(odd.findings.size(), 1u) << odd.verdict << odd.reason;
  EXPECT_EQ(odd.findings[0].subject, "process 4702");
  EXPECT_NE(odd.verdict.find("read_shard"), std::string::npos);
}

// Ranks that write "begin step", one of which ends `behind` steps before the others.
std::string steps(int odd, int behind, const char* end) {
  std::string text;
  for (int rank = 0; rank < 6; ++rank)
    for (int step = 0; step < 40 - (rank == odd ? behind : 0); ++step)
      text += format("[rank%d]: begin step %d\n", rank, step);
  return text + end;
}

TEST(Progress, TheRankThatEndsAStepEarlierIsNamed) {
  const auto late = judge({steps(4, 1, "")});
  ASSERT_EQ(late.findings.size(), 1u) << late.verdict;
  EXPECT_EQ(late.findings[0].subject, "rank 4");
  EXPECT_TRUE(judge({steps(-1, 0, "")}).findings.empty());
  EXPECT_TRUE(judge({steps(4, 1, "[rank4]: beg")}).findings.empty());  // what follows was not written
}

std::string tracebacks(int own, const char* error, const char* others) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank)
    text += format(
        "[rank%d]: Traceback (most recent call last):\n[rank%d]:   File \"a.py\", line 4, in f\n[rank%d]: "
        "%s\n",
        rank,
        rank,
        rank,
        rank == own ? error : others);
  return text;
}

TEST(Errors, OneOfItsOwnNamesTheProcessAndOneOfAllNamesNone) {
  const auto own = judge({tracebacks(
      2,
      "OSError: [Errno 5] Input/output error",
      "torch.distributed.DistBackendError: NCCL error")});
  ASSERT_EQ(own.findings.size(), 1u) << own.verdict;
  EXPECT_EQ(own.findings[0].subject, "rank 2");
  EXPECT_TRUE(judge({tracebacks(-1, "", "KeyError: 'a'")}).findings.empty());
  EXPECT_TRUE(judge({tracebacks(-1, "", "torch.distributed.DistBackendError: timed out")}).findings.empty());
  EXPECT_EQ(judge({"Traceback (most recent call last):\nKeyError: 'a'\n"}).outcome, Outcome::CannotJudge);
}

// The report of torchrun names the rank, and the traceback of that rank the reason.
TEST(Errors, TheTracebackOfTheRankThatEndedFirstIsTheCause) {
  const auto job = [](const char* error) {
    return judge(
        {std::string("[rank5]: Traceback (most recent call last):\n[rank5]:   File \"train.py\", line 2\n") +
         "[rank5]: " + error +
         "\nRoot Cause (first observed failure):\n[0]:\n  host      : node2\n  rank      : 5 (local_rank: "
         "1)\n  exitcode  : 1 (pid: 4121)\n"});
  };
  const auto memory = job("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.");
  ASSERT_EQ(memory.findings.size(), 1u);
  EXPECT_EQ(memory.findings[0].subject, "node2 rank 5");
  EXPECT_EQ(memory.findings[0].category, "fault of a program");
  EXPECT_NE(memory.findings[0].summary.find("CUDA out of memory"), std::string::npos);
  EXPECT_NE(memory.findings[0].next_step.find("memory_summary"), std::string::npos);
  EXPECT_EQ(job("KeyError: 'tokens'").findings[0].category, "fault of a program");
  const auto broken = job("RuntimeError: CUDA error: uncorrectable ECC error encountered");
  EXPECT_EQ(broken.findings[0].category, "faulty hardware");
  const auto unclear = job("RuntimeError: CUDA error: unspecified launch failure");
  EXPECT_EQ(unclear.findings[0].category, "fault of hardware or a program");
}

TEST(Errors, AStatusOfALauncherIsNoAllClear) {
  std::string text;
  for (int step = 0; step < 40; ++step)
    text += format("2026-11-20 09:%02d:11,100 step=%d, time 1.0%d s\n", step, step, step % 7);
  EXPECT_EQ(judge({text}).outcome, Outcome::Healthy);
  EXPECT_EQ(
      judge({text + "[launch.py:341] ['python3'] exits with return code = -9\n"}).outcome,
      Outcome::CannotJudge);
}

// Timeouts that do not state their group, and progress that does, of four ranks. The last enqueued work of
// rank 2 is `enqueued`, and it has no timeout where that is before the operation.
std::string unstated(int enqueued) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank) {
    if (rank != 2 || enqueued >= 80)
      text += format(
          "[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=80, OpType=ALLREDUCE, "
          "NumelIn=4, Timeout(ms)=600000) ran for 600004 milliseconds before timing out.\n",
          rank);
    text += format(
        "[PG 1 Rank %d] Exception detected by watchdog at work: 80, last enqueued NCCL work: %d, last "
        "completed NCCL work: 79.\n",
        rank,
        rank == 2 ? enqueued : 82);
  }
  return text;
}

TEST(Watchdog, TimeoutsWithoutTheirGroupBelongToTheOneThatFits) {
  const auto late = judge({unstated(79)});
  ASSERT_EQ(late.findings.size(), 1u) << late.verdict << late.reason;
  EXPECT_EQ(late.findings[0].subject, "rank 2");
  EXPECT_EQ(judge({unstated(82)}).outcome, Outcome::CannotJudge);
}

TEST(Watchdog, AStuckOneIsNoAllClear) {
  const auto stuck =
      judge({"[PG ID 0 PG GUID 0(default_pg) Rank 7] ProcessGroupNCCL's watchdog got stuck for 480 seconds "
             "without\n"});
  EXPECT_EQ(stuck.outcome, Outcome::CannotJudge);
  EXPECT_NE(stuck.reason.find("rank 7"), std::string::npos) << stuck.reason;
}

}  // namespace
}  // namespace lento::desk
