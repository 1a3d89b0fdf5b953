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

std::string smartctl_page(const std::string& result, const std::string& pending, const std::string& when) {
  return "smartctl 7.2 2020-12-30 r5155 [x86_64-linux] (local build)\n\n"
         "=== START OF INFORMATION SECTION ===\nSerial Number:    S45P\n\n"
         "SMART overall-health self-assessment test result: " +
         result +
         "\n\nID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED "
         "RAW_VALUE\n"
         "194 Temperature_Celsius     0x0022   074   055   000    Old_age   Always       -       26 (Min/Max "
         "18/45)\n"
         "197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       " +
         pending + "\n198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      " +
         when + "       0\n";
}

TEST(Smartctl, ADiskThatFailsIsNamedAndTheColumnOfUpdatesIsNoState) {
  EXPECT_EQ(judge({smartctl_page("PASSED", "0", "-")}).outcome, finding::Outcome::Healthy);
  for (const std::string& page :
       {smartctl_page("FAILED!", "0", "-"),
        smartctl_page("PASSED", "16", "-"),
        smartctl_page("PASSED", "0", "FAILING_NOW")}) {
    const finding::Diagnosis found = judge({page});
    ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
    EXPECT_EQ(found.findings[0].subject, "disk S45P");
  }
}

}  // namespace
}  // namespace lento::desk
