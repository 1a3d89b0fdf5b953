// Self-tests and error logs of disks.
#include <gtest/gtest.h>

#include "desk/test_files.h"

namespace lento::desk {
namespace {

using test::judge;

TEST(NvmeSelfTest, TheNewestResultCounts) {
  const std::string head = "Device Self Test Log for NVME device:nvme1\nCurrent operation  : 0\n";
  const finding::Diagnosis failed = judge(
      {head + "Self Test Result[0]:\n  Operation Result             : 0x7\n"
              "Self Test Result[1]:\n  Operation Result             : 0\n"});
  ASSERT_EQ(failed.findings.size(), 1u);
  EXPECT_NE(failed.findings[0].subject.find("nvme1"), std::string::npos);
  const finding::Diagnosis mended = judge(
      {head + "Self Test Result[0]:\n  Operation Result             : 0x0\n"
              "Self Test Result[1]:\n  Operation Result             : 0x7\n"
              "Self Test Result[2]:\n  Operation Result             : 0xf\n"});
  EXPECT_EQ(mended.outcome, finding::Outcome::Healthy);
}

TEST(NvmeErrorLog, AnErrorOfTheMediumIsAFaultAndAWrongFieldIsNot) {
  const auto log = [](const std::string& status) {
    return "Error Log Entries for device:nvme0 entries:4\n.................\n Entry[ 0]   "
           "\n.................\n"
           "error_count\t: 1\nstatus_field\t: " +
           status + "\n";
  };
  EXPECT_EQ(
      judge({log("0x281(Unrecovered Read Error: The read data could not be recovered)")}).findings.size(),
      1u);
  EXPECT_TRUE(judge({log("0x2002(Invalid Field in Command: A reserved value)")}).findings.empty());
}

}  // namespace
}  // namespace lento::desk
