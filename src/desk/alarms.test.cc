// Messages of drivers, numbers of parts and states among hosts, through the readers and judges together.
#include <gtest/gtest.h>

#include <map>

#include "desk/test_files.h"

namespace lento::desk {
namespace {

using test::judge;

std::string kernel(const char* host, int second, const std::string& message) {
  return test::format("Nov 20 09:11:%02d %s kernel: ", second, host) + message + "\n";
}

TEST(Alarms, ADiskThatGoesAwayIsNamedOnce) {
  const auto out = judge(
      {kernel("n1", 1, "nvme nvme3: controller is down; will reset: CSTS=0xffffffff") +
       kernel("n1", 2, "blk_update_request: I/O error, dev nvme3n1, sector 812 op 0x1:(WRITE)") +
       kernel("n2", 3, "nvme nvme0: 32/0/0 default/read/poll queues")});
  ASSERT_EQ(out.findings.size(), 1u);
  EXPECT_EQ(out.findings[0].subject, "n1/nvme3");
}

TEST(Alarms, PhrasesOfOtherProgramsWithoutAPartAreNoAlarm) {
  EXPECT_TRUE(judge({"step 1\nHDF5: I/O error while reading\nstep 2\n"}).findings.empty());
}

TEST(Alarms, ALinkThatComesBackOnceIsNoFault) {
  const std::string down = "bnxt_en 0000:17:00.0 ens1f0np0: NIC Link is Down";
  const std::string up = "bnxt_en 0000:17:00.0 ens1f0np0: NIC Link is Up, 100000 Mbps full duplex";
  EXPECT_TRUE(judge({kernel("n1", 1, down) + kernel("n1", 2, up)}).findings.empty());
  const auto flaps =
      judge({kernel("n1", 1, down) + kernel("n1", 2, up) + kernel("n1", 3, down) + kernel("n1", 4, up)});
  ASSERT_EQ(flaps.findings.size(), 1u);
  EXPECT_EQ(flaps.findings[0].subject, "n1/0000:17:00.0");
  ASSERT_EQ(flaps.findings[0].evidence.size(), 1u);
  EXPECT_NE(flaps.findings[0].evidence[0].source.find(":1"), std::string::npos) << "since when: the first";
  EXPECT_EQ(judge({kernel("n1", 1, down)}).findings.size(), 1u);
}

TEST(Alarms, RecordsOfTheFirmwareStateTheirSeverity) {
  const auto record = [](const char* severity, const char* module) {
    return kernel("n1", 5, std::string("{7}[Hardware Error]: event severity: ") + severity) +
           kernel("n1", 5, std::string("{7}[Hardware Error]:  fru_text: ") + module) +
           kernel("n1", 5, "{7}[Hardware Error]:   section_type: memory error");
  };
  const auto out = judge({record("corrected", "C1") + record("recoverable", "B2")});
  ASSERT_EQ(out.findings.size(), 1u);
  EXPECT_EQ(out.findings[0].subject, "n1/B2");
}

// The verdict on the lists of GPUs of hosts n1, n2 and so on.
finding::Diagnosis listed(const std::vector<int>& counts) {
  const LogReader reader(all_formats());
  Records records;
  std::map<int32_t, Subject> names;
  for (size_t i = 0; i < counts.size(); ++i) {
    std::string text;
    for (int gpu = 0; gpu < counts[i]; ++gpu)
      text +=
          test::format("GPU %d: NVIDIA H200 (UUID: GPU-%08x-0000)\n", gpu, unsigned(i * 100) + unsigned(gpu));
    reader.read_text(text, "smi", records);
    names[int32_t(i)] = {"n" + std::to_string(i + 1), "", ""};
  }
  records.name_by_files(names);
  return judge_incident(records);
}

TEST(Census, AHostThatListsAPartLessIsNamed) {
  const auto out = listed({8, 8, 7, 8});
  ASSERT_EQ(out.findings.size(), 1u);
  EXPECT_EQ(out.findings[0].subject, "n3");
  EXPECT_TRUE(listed({8, 8, 8, 8}).findings.empty());
  EXPECT_TRUE(listed({8, 8, 4, 4}).findings.empty()) << "two models";
  EXPECT_TRUE(listed({8, 7}).findings.empty()) << "too few hosts";
}

// A log that lost its first lines has fewer GPUs than its peers and proves nothing. One that begins as its
// peers and lacks a GPU in the middle is named.
TEST(Census, AHostWhoseLinesMayBeMissingIsAQuestion) {
  const auto judged = [](int from, int without, bool is_torn) {
    const LogReader reader(all_formats());
    Records records;
    for (int host = 0; host < 5; ++host) {
      std::string text;
      for (int gpu = host == 2 ? from : 0; gpu < 8; ++gpu)
        if (host != 2 || gpu != without)
          text += test::format(
              "n%d:%d:%d [%d] NCCL INFO Channel 00/0 : %d[%d] -> 1[1] [send] via NET/IB/0/GDRDMA\n",
              host,
              4000 + gpu,
              5000 + gpu,
              gpu,
              host * 8 + gpu,
              gpu);
      if (host == 2 && is_torn)
        text.erase(text.size() - 9);
      reader.read_text(text, "n" + std::to_string(host) + ".log", records);
    }
    return judge_incident(records);
  };
  EXPECT_EQ(judged(1, -1, false).outcome, finding::Outcome::CannotJudge);
  EXPECT_EQ(judged(0, 7, true).outcome, finding::Outcome::CannotJudge);
  EXPECT_EQ(judged(0, -1, false).outcome, finding::Outcome::Healthy);
  const auto found = judged(0, 5, false);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "n2");
}

// nvidia-smi lists a GPU that does not answer, without values.
TEST(Census, APartThatDoesNotAnswerIsListed) {
  const auto box = [](int broken) {
    std::string text =
        "+---+\n| NVIDIA-SMI 550.90.07  Driver Version: 550.90.07 |\n| GPU  Name | Bus-Id  Disp.A | ECC |\n";
    for (int gpu = 0; gpu < 2; ++gpu)
      text += test::format("|   %d  NVIDIA H100  On  |   00000000:%d0:00.0 Off |    0 |\n", gpu, gpu + 1) +
              (gpu == broken ? "| N/A  ERR!   ERR!   ERR! /  ERR! |  ERR! /  81559MiB |   ERR!   Default |\n"
                             : "| N/A  50C  P0  650W / 700W |  71000MiB /  81559MiB |   100%   Default |\n");
    return text + "+---+\n";
  };
  const LogReader reader(all_formats());
  Records records;
  std::map<int32_t, Subject> names;
  for (int32_t i = 0; i < 4; ++i) {
    reader.read_text(box(i == 2 ? 1 : -1), "smi", records);
    names[i] = {"n" + std::to_string(i + 1), "", ""};
  }
  records.name_by_files(names);
  const auto out = judge_incident(records);
  ASSERT_EQ(out.findings.size(), 1u);
  EXPECT_EQ(out.findings[0].subject, "n3/gpu1");
  EXPECT_NE(out.covered.find("memory errors of GPUs (4 files)"), std::string::npos) << out.covered;
}

TEST(Alarms, AServerThatAnswersAgainIsANote) {
  const std::string lost =
      "Lustre: scr-OST0007-osc-ff: Connection to scr-OST0007 (at 10.4.0.17@o2ib) was lost; in";
  const std::string back =
      "Lustre: scr-OST0007-osc-ff: Connection restored to 10.4.0.18@o2ib (at 10.4.0.18@o2ib)";
  const std::string other =
      "Lustre: scr-OST0009-osc-ff: Connection restored to scr-OST0009 (at 10.4.0.17@o2ib)";
  EXPECT_TRUE(judge({kernel("n1", 1, lost) + kernel("n1", 9, back)}).findings.empty());
  EXPECT_EQ(judge({kernel("n1", 1, lost) + kernel("n1", 9, other)}).findings.size(), 1u);
  const std::string silent = "nfs: server filer1 not responding, still trying";
  EXPECT_TRUE(judge({kernel("n1", 1, silent) + kernel("n1", 9, "nfs: server filer1 OK")}).findings.empty());
  EXPECT_EQ(judge({kernel("n1", 1, silent) + kernel("n1", 9, "nfs: server filer2 OK")}).findings.size(), 1u);
}

TEST(Alarms, LinesThatWereReadAsNothing) {
  for (const char* line :
       {"Memory cgroup out of memory: Killed process 512 (python3) total-vm:9123kB, anon-rss:811kB",
        "pcieport 0000:17:01.0: AER: Uncorrected (Fatal) error received: 0000:18:00.0",
        "NVRM: GPU 0000:61:00.0: RmInitAdapter failed! (0x62:0xffff:2477)",
        "NVRM: installed in this system has fallen off the bus and is not responding to commands.",
        "mlx5_core 0000:5e:00.0: mlx5_health_try_recover:335:(pid 2312): handling bad device here",
        "EXT4-fs (nvme0n1p2): Remounting filesystem read-only",
        "XFS (nvme1n1): log I/O error -5",
        "LustreError: 11-0: scr-OST0007-osc-ff: operation ost_read to node 10.4.0.17@o2ib failed: rc = -107",
        "LustreError: 167-0: scr-OST0007-osc-ff: This client was evicted by scr-OST0007; in progress",
        "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:",
        "bond0: (slave eth2): link status definitely down, disabling slave",
        "md/raid1:md0: Disk failure on nvme0n1p2, disabling device."})
    EXPECT_EQ(judge({kernel("n1", 1, line)}).findings.size(), 1u) << line;
}

}  // namespace
}  // namespace lento::desk
