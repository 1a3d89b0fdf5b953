#include "desk/houses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "desk/diagnose.h"
#include "desk/test_files.h"

namespace lento::desk {
namespace {

namespace fs = std::filesystem;

// A folder with files of several houses.
class Mixed : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("lento-houses-" + std::to_string(::getpid()) + "-" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::remove_all(folder_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  // A row a machine and time. `slow` loses a third of its clock after a third of the time.
  std::string metrics(const std::string& slow) const {
    std::string text = "machine,time,power_w,sm_clock_mhz,temp_c\n";
    uint32_t noise = 12345;
    for (int step = 0; step < 120; ++step) {
      for (int machine = 0; machine < 8; ++machine) {
        const std::string name = test::format("node%02d", machine);
        const auto draw = [&noise] {
          noise = noise * 1664525 + 1013904223;
          return 1 + 0.016 * (double(noise >> 8) / double(1 << 24) - 0.5);
        };
        const double loss = name == slow && step >= 40 ? 0.67 : 1;
        text +=
            name +
            test::format(",%d,%.2f,%.2f,%.2f\n", step * 10, 520 * draw(), 1755 * loss * draw(), 64 * draw());
      }
    }
    return write("metrics.csv", text);
  }

  fs::path folder_;
};

TEST_F(Mixed, ATableOfMetricsBesideALogIsJudgedByItsHouse) {
  const std::string table = metrics("node05");
  const FleetVerdicts beside = verdicts_beside({recognise(table)});
  ASSERT_EQ(beside.verdicts.size(), 1u);
  EXPECT_TRUE(beside.failures.empty());
  EXPECT_EQ(beside.used, std::vector<std::string>{table});
  ASSERT_EQ(beside.verdicts[0].findings.size(), 1u);
  EXPECT_EQ(beside.verdicts[0].findings[0].subject, "node05");
}

TEST_F(Mixed, TheVerdictOfTheTableAndTheLogBecomeOne) {
  DeskOptions options;
  options.judge.beside = verdicts_beside({recognise(metrics("node05"))}).verdicts;
  options.paths = {write(
      "kern.log",
      "Nov 20 09:11:01 node02 kernel: NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.\n")};
  const finding::Diagnosis out = diagnose(options);
  const auto names = [&](std::string_view subject) {
    return std::ranges::any_of(out.findings, [&](const finding::Finding& finding) {
      return finding.subject.starts_with(subject);
    });
  };
  EXPECT_EQ(out.findings.size(), 2u);
  EXPECT_TRUE(names("node05"));
  EXPECT_TRUE(names("node02/"));
}

TEST_F(Mixed, AHealthyTableAddsItsCoverageAndNoFinding) {
  DeskOptions options;
  options.judge.beside = verdicts_beside({recognise(metrics(""))}).verdicts;
  ASSERT_EQ(options.judge.beside.size(), 1u);
  options.paths = {
      write("kern.log", "Nov 20 09:11:01 node02 kernel: nvme nvme0: 32/0/0 default/read/poll queues\n")};
  const finding::Diagnosis out = diagnose(options);
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.outcome, finding::Outcome::Healthy);
  EXPECT_NE(out.covered.find(options.judge.beside[0].covered), std::string::npos);
}

TEST_F(Mixed, ADumpThatCannotBeReadIsAFailureAndNoVerdict) {
  RecognisedFile broken = recognise(metrics(""));
  write("metrics.csv", "machine,time\n");  // it lost its columns since
  const FleetVerdicts beside = verdicts_beside({broken});
  EXPECT_TRUE(beside.verdicts.empty());
  ASSERT_EQ(beside.failures.size(), 1u);
  EXPECT_EQ(beside.failures[0].find('\n'), std::string::npos) << "one line";
}

TEST_F(Mixed, FilesOfOtherHousesAreLeftOut) {
  const std::string questions = write("gemm.csv", "device,m,n,k,dtype\nH100,64,64,64,bf16\n");
  const FleetVerdicts beside = verdicts_beside({recognise(questions)});
  EXPECT_TRUE(beside.verdicts.empty());
  EXPECT_TRUE(beside.used.empty());
}

}  // namespace
}  // namespace lento::desk
