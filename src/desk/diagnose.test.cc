#include "desk/diagnose.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  finding::Diagnosis diagnose() const {
    return desk::diagnose({{path_.string()}, {}});
  }

 private:
  fs::path path_;
};

std::string watchdog(int rank, int seq, int enqueued, bool timed_out) {
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
          ", last enqueued NCCL work: " + std::to_string(enqueued) + ", last completed NCCL work: 511.\n";
  return text;
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

TEST(Desk, NobodyIsLateWhenAllHaveEnqueued) {
  const Folder folder;
  for (int rank = 0; rank < 6; ++rank)
    folder.write("worker-" + std::to_string(rank) + ".err", watchdog(rank, 512, 513, true));
  const finding::Diagnosis found = folder.diagnose();
  EXPECT_EQ(found.outcome, finding::Outcome::CannotJudge) << found.verdict;
  EXPECT_FALSE(found.remedy.empty());
}

}  // namespace
}  // namespace lento::desk
