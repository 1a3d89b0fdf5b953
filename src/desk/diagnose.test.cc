#include "desk/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "desk/file_names.h"

namespace lento::desk {
namespace {

namespace fs = std::filesystem;

// A folder of made-up files that goes with the test.
class Folder {
 public:
  Folder() {
    path_ = fs::temp_directory_path() / ("lento-desk-" + std::to_string(::getpid()) + "-" +
                                         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(path_);
  }
  ~Folder() {
    fs::remove_all(path_);
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  finding::Diagnosis diagnose() const {
    return desk::diagnose({{path_.string()}, {}});
  }

 private:
  fs::path path_;
};

std::string watchdog(int rank, int seq, int enqueued, bool timed_out, int completed = 511) {
  const std::string place =
      "[rank" + std::to_string(rank) + "]:[E0412 03:11:09.127 ProcessGroupNCCL.cpp:629] ";
  std::string text;
  if (timed_out)
    text += place + "[Rank " + std::to_string(rank) +
            "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + std::to_string(seq) +
            ", OpType=_ALLGATHER_BASE, NumelIn=4096, NumelOut=65536, Timeout(ms)=300000) ran for 300011 "
            "milliseconds "
            "before timing out.\n";
  text += place + "[PG ID 0 PG GUID 0(default_pg) Rank " + std::to_string(rank) +
          "] Exception (either an error or timeout) detected by watchdog at work: " + std::to_string(seq) +
          ", last enqueued NCCL work: " + std::to_string(enqueued) +
          ", last completed NCCL work: " + std::to_string(completed) + ".\n";
  return text;
}

TEST(Desk, AnArchiveWithoutFilesIsAnError) {
  const Folder folder;
  std::string only_a_folder("PK\3\4", 4);
  only_a_folder += std::string(22, '\0') + std::string("\2\0\0\0a/", 6);
  folder.write("job.zip", only_a_folder);
  EXPECT_THROW(folder.diagnose(), base::Error);
}

TEST(Desk, TheRankThatHasNotArrivedIsNamed) {
  const Folder folder;
  for (int rank = 0; rank < 6; ++rank)
    folder.write(
        "worker-" + std::to_string(rank) + ".err",
        watchdog(rank, 512, rank == 4 ? 511 : 513, rank != 4));
  const finding::Diagnosis found = folder.diagnose();
  ASSERT_EQ(found.outcome, finding::Outcome::Findings);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_NE(found.findings[0].subject.find("rank 4"), std::string::npos) << found.findings[0].subject;
  EXPECT_NE(found.verdict.find("operation 512"), std::string::npos) << found.verdict;
}

TEST(Desk, TheRankThatIsStuckWhereAllOthersCompletedIsNamed) {
  const Folder folder;
  for (int rank = 0; rank < 6; ++rank)
    folder.write(
        "hgx-0" + std::to_string(rank / 2) + "_rank" + std::to_string(rank) + ".err",
        rank == 4 ? watchdog(4, 512, 512, true) : watchdog(rank, 513, 513, true, 512));
  const finding::Diagnosis found = folder.diagnose();
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_NE(found.verdict.find("hgx-02 rank 4 is stuck in operation 512"), std::string::npos)
      << found.verdict;
}

TEST(Desk, NobodyIsLateWhenAllHaveEnqueued) {
  const Folder folder;
  for (int rank = 0; rank < 6; ++rank)
    folder.write("worker-" + std::to_string(rank) + ".err", watchdog(rank, 512, 513, true));
  const finding::Diagnosis found = folder.diagnose();
  EXPECT_EQ(found.outcome, finding::Outcome::CannotJudge) << found.verdict;
  EXPECT_FALSE(found.remedy.empty());
}

TEST(Desk, AKernelLogWithoutFaultsIsHealthy) {
  const Folder folder;
  folder.write("n1.log", "[12.000001] usb 1-1: new device\n[13.000001] eth0: link up\n");
  const finding::Diagnosis found = folder.diagnose();
  EXPECT_EQ(found.outcome, finding::Outcome::Healthy);
  EXPECT_NE(found.covered.find("hardware errors"), std::string::npos) << found.covered;
}

TEST(Desk, WhatIsNotKnownIsAnErrorInTwoLines) {
  const Folder folder;
  folder.write("notes.txt", "milk, bread\nand eggs\n");
  try {
    folder.diagnose();
    FAIL();
  } catch (const base::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  }
}

TEST(Desk, TheEarliestEventOfADeviceIsWhereItBegan) {
  const Folder folder;
  folder.write(
      "node4.log",
      "Mar  3 10:00:01 node4 kernel: NVRM: Xid (PCI:0000:3b:00): 48, pid=7, name=python, DBE at partition 3\n"
      "Mar  3 10:00:02 node4 kernel: NVRM: Xid (PCI:0000:3b:00): 45, pid=7, name=python, Ch 00000010\n"
      "Mar  3 10:00:09 node4 kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n");
  const finding::Diagnosis found = folder.diagnose();
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "node4/0000:3b:00.0");
  EXPECT_NE(found.verdict.find("memory error"), std::string::npos) << found.verdict;
  EXPECT_FALSE(found.findings[0].next_step.empty());
}

TEST(Desk, TheNumberOfAJobInAFileNameIsNoHost) {
  const std::string xid = "[12.5] NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.\n";
  for (const std::string name : {"slurm-4711.out", "job_12.log", "slurm-4711_3.out"}) {
    const Folder folder;
    folder.write(name, xid);
    const finding::Diagnosis found = folder.diagnose();
    ASSERT_EQ(found.findings.size(), 1u) << name;
    EXPECT_EQ(found.findings[0].subject.find("47"), std::string::npos) << found.findings[0].subject;
    EXPECT_EQ(found.findings[0].subject.find("12"), std::string::npos) << found.findings[0].subject;
  }
}

TEST(Desk, InterleavedRanksColoursAndLineEndsChangeNothing) {
  std::string text;
  for (int rank = 0; rank < 6; ++rank)
    text += watchdog(rank, 512, rank == 4 ? 511 : 513, rank != 4);
  std::string spoilt;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    spoilt += "2026-04-12T03:11:09.123456789Z stdout F \x1b[31m" + text.substr(at, end - at) + "\x1b[0m\r\n";
    at = end + 1;
  }
  const Folder folder;
  folder.write("pod.log", spoilt);
  const finding::Diagnosis found = folder.diagnose();
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "rank 4");
}

TEST(Desk, ABrokenFileDoesNotHideTheOthers) {
  const Folder folder;
  folder.write("node4.log", "[9.000001] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n");
  folder.write("node5.log.gz", "\x1f\x8b\x08 damaged");
  const finding::Diagnosis found = folder.diagnose();
  EXPECT_EQ(found.outcome, finding::Outcome::Findings);
  EXPECT_TRUE(std::ranges::any_of(found.notes, [](const std::string& note) {
    return note.find("node5.log.gz") != note.npos;
  }));
}

TEST(Desk, SecretsInQuotedLinesAreMasked) {
  const Folder folder;
  folder.write("node4.log", "[9.000001] NVRM: Xid (PCI:0000:3b:00): 79, name=x --api-key abcdef123, gone\n");
  const finding::Diagnosis found = folder.diagnose();
  ASSERT_FALSE(found.findings.empty());
  for (const finding::Evidence& evidence : found.findings[0].evidence)
    EXPECT_EQ(evidence.text.find("abcdef123"), std::string::npos) << evidence.text;
}

// The names of hosts have hyphens, and "_" or "." stand between the name of a tool and that of a host.
TEST(FileNames, TheToolInFrontOfAHostIsRemoved) {
  const auto hosts_of = [](const std::vector<std::string>& paths) {
    Records records;
    for (const std::string& path : paths)
      records.files.push_back({path, {"counters"}});
    std::vector<std::string> hosts;
    records.subject_id({"w16-mi300", "", ""});
    records.subject_id({"w17-mi300.local", "", ""});
    for (const auto& [file, subject] : names_of(records))
      hosts.push_back(subject.host);
    return hosts;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      hosts_of({"perfquery.compute-east-node-118.txt", "perfquery.compute-east-node-90.txt"}),
      (Names{"compute-east-node-118", "compute-east-node-90"}));
  EXPECT_EQ(
      hosts_of({"amd-smi_frost-x1-b0.log", "amd-smi_frost-x1-b1.log", "amd-smi_frost-x2-b0.log"}),
      (Names{"frost-x1-b0", "frost-x1-b1", "frost-x2-b0"}));
  EXPECT_EQ(hosts_of({"dmesg-n17.txt", "dmesg-n18.txt"}), (Names{"n17", "n18"}));
  EXPECT_EQ(hosts_of({"lspci_dgx-a07.txt"}), Names{"dgx-a07"});
  EXPECT_EQ(
      hosts_of({"ethtool-S_enp9s0.tr-gpu000", "ethtool-S_enp9s0.tr-gpu001"}),
      (Names{"tr-gpu000", "tr-gpu001"}));
  EXPECT_EQ(hosts_of({"dmesg.node12"}), Names{"node12"});
  EXPECT_EQ(
      hosts_of({"tr-gpu002.ethtool-S.txt", "tr-gpu003.ethtool-S.txt"}),
      (Names{"tr-gpu002", "tr-gpu003"}));
  EXPECT_EQ(hosts_of({"alpha/smi.txt", "bravo/smi.txt", "golf/smi.txt"}), (Names{"alpha", "bravo", "golf"}));
  EXPECT_EQ(hosts_of({"before/smi.txt", "after/smi.txt"}), (Names{"", ""}));
  // Both ends of a measurement.
  EXPECT_EQ(
      hosts_of({"ibw_n-a_n-b.txt", "ibw_n-a_n-c.txt", "ibw_n-b_n-c.txt"}),
      (Names{"n-a and n-b", "n-a and n-c", "n-b and n-c"}));
  EXPECT_EQ(
      hosts_of({"bw_ibn-01_ibn-02.log", "bw_ibn-03_ibn-04.log", "bw_ibn-05_ibn-06.log"}),
      (Names{"ibn-01 and ibn-02", "ibn-03 and ibn-04", "ibn-05 and ibn-06"}));
  EXPECT_EQ(
      hosts_of({"osu_latency.c1n1-c1n2.txt", "osu_latency.c1n2-c1n3.txt", "osu_latency.c1n3-c1n4.txt"}),
      (Names{"c1n1 and c1n2", "c1n2 and c1n3", "c1n3 and c1n4"}));
  EXPECT_EQ(
      hosts_of({"n1_to_n2.txt", "n2_to_n3.txt", "n3_to_n4.txt"}),
      (Names{"n1 and n2", "n2 and n3", "n3 and n4"}));
  EXPECT_EQ(hosts_of({"n1.hpc.corp/a.log", "n2.hpc.corp/a.log"}), (Names{"n1", "n2"}));
  EXPECT_EQ(hosts_of({"n1_gpu0.txt", "n1_gpu1.txt", "n2_gpu0.txt", "n2_gpu1.txt"}).size(), 4u);
  EXPECT_EQ(hosts_of({"gpu-box-17.txt"}), Names{"gpu-box-17"});
  EXPECT_EQ(hosts_of({"w16-mi300.dmesg", "w17-mi300.dmesg"}), (Names{"w16-mi300", "w17-mi300"}));
}

TEST(FileNames, AHostWithAndWithoutItsDomainIsOne) {
  Records records;
  records.files.push_back({"a", {"x"}});
  for (const char* host : {"w17-mi300.hpc.local", "w17-mi300", "n1.a", "n1.b", "n1", "10.8.0.5", "w9.hpc"}) {
    Event event;
    event.subject.host = host;
    event.kind = host;
    records.add(event);
  }
  records.name_by_files({});
  std::vector<std::string> hosts;
  for (const Event& event : records.events())
    hosts.push_back(event.subject.host);
  EXPECT_EQ(
      hosts,
      (std::vector<std::string>{"w17-mi300", "w17-mi300", "n1.a", "n1.b", "n1", "10.8.0.5", "w9.hpc"}));
}

// Pages of one host at several times, in a folder for each host or in files "n2-TIME.prom".
TEST(Desk, PagesNamedAfterTheirTimeAreOfOneHost) {
  for (const bool has_folders : {true, false}) {
    const Folder folder;
    for (int host = 1; host <= 6; ++host)
      for (int page = 0; page < 4; ++page) {
        const std::string name = "n" + std::to_string(host);
        const std::string time = std::to_string(1795860000 + 60 * page);
        folder.write(
            has_folders ? name + "/" + time + ".prom" : name + "-" + time + ".prom",
            "# TYPE node_load1 gauge\nnode_load1 " + std::to_string(19 + host % 2) +
                "\n# TYPE node_network_receive_errs_total counter\n"
                "node_network_receive_errs_total{device=\"eth0\"} " +
                std::to_string(host == 2 ? 50000 + 2400 * page : 0) + "\nnode_boot_time_seconds 1.79e9\n");
      }
    const finding::Diagnosis found = folder.diagnose();
    ASSERT_FALSE(found.findings.empty()) << found.verdict;
    EXPECT_EQ(found.findings[0].subject, "n2/eth0");
    EXPECT_NE(found.verdict.find("7200"), std::string::npos) << found.verdict;
  }
}

}  // namespace
}  // namespace lento::desk
