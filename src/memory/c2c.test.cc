// Published reports of perf c2c whose cause is known, cut to the tables: top line, words and source as perf
// states them, and the cause that the authors found.
#include "memory/c2c.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "memory/diagnose.h"

namespace lento::memory {
namespace {

using finding::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kTitle = "      Shared Cache Line Distribution Pareto      \n#\n# .....  .......\n#\n";
constexpr const char* kRule = "  -----------------------------------------\n";

std::string totals(int records, int loads, int local, int remote, int unparsed = 0) {
  const auto line = [](const std::string& name, int value) {
    return "  " + name + "     :     " + std::to_string(value) + "\n";
  };
  return "            Trace Event Information\n" + line("Total records", records) +
         line("Load Operations", loads) + line("Load Local HITM", local) + line("Load Remote HITM", remote) +
         line("Unable to parse data source", unparsed) + "\n";
}

std::string table(const std::string& head, const std::string& rows) {
  return kRule + head + "\n" + kRule + rows + "\n";
}

class C2c : public ::testing::Test {
 protected:
  void TearDown() override {
    std::filesystem::remove(path_);
  }
  finding::Diagnosis diagnose(const std::string& text) const {
    base::write_file(path_, text);
    MemoryDiagnosisOptions o;  // by its content, as any trace
    o.traces.paths = {path_};
    return diagnose_memory(o).diagnosis;
  }
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("lento_c2c_" + std::to_string(getpid()) + ".txt")).string();
};

// Linux mailing list, 2022-04-27, "perf c2c: Support display for Arm64": a false-sharing test program; one
// thread writes at 0, others read at 0x20. Six columns of shares.
const std::string kFalseSharing =
    totals(6958, 4464, 381, 0) + kTitle +
    table(
        "      0        0      252        0     2024      470        0      0x55c8971f0080",
        "    0.00%   12.30%    0.00%    0.00%    0.00%    0.00%   0x0   0   1   0x55c8971ed3e9   0   1313   "
        "863   "
        "0   1222   3  [.] 0x00000000000013e9  false_sharing.exe  false_sharing.exe[13e9]   0\n"
        "    0.00%    0.79%    0.00%   90.51%    0.00%    0.00%   0x0   0   1   0x55c8971ed3e2   0   1800   "
        "878   "
        "0   3029   3  [.] 0x00000000000013e2  false_sharing.exe  false_sharing.exe[13e2]   0\n"
        "    0.00%    0.00%    0.00%    9.49%  100.00%    0.00%   0x0   0   1   0x55c8971ed3f4   0      0    "
        " 0   "
        "0    662   3  [.] 0x00000000000013f4  false_sharing.exe  false_sharing.exe[13f4]   0\n"
        "    0.00%   86.90%    0.00%    0.00%    0.00%    0.00%  0x20   0   1   0x55c8971ed447   0    141   "
        "103   "
        "0   1131   2  [.] 0x0000000000001447  false_sharing.exe  false_sharing.exe[1447]   0\n") +
    table(
        "      1        0      129        0        0        0        0      0x55c8971f00c0",
        "    0.00%  100.00%    0.00%    0.00%    0.00%    0.00%  0x20   0   1   0x55c8971ed455   0     88    "
        "94   "
        "0    914   2  [.] 0x0000000000001455  false_sharing.exe  false_sharing.exe[1455]   0\n");

TEST_F(C2c, FalseSharingIsNamedWithItsLineWordAndSource) {
  const finding::Diagnosis d = diagnose(kFalseSharing);
  ASSERT_EQ(d.outcome, Outcome::Findings) << d.verdict;
  ASSERT_EQ(d.findings.size(), 2u);
  EXPECT_EQ(d.findings[0].subject, "line 0x55c8971f0080");
  EXPECT_EQ(d.findings[0].category, "false sharing");
  EXPECT_NEAR(d.findings[0].score, 252.0 / 381, 1e-9);
  EXPECT_THAT(d.findings[0].summary, HasSubstr("66.1 %"));  // perf: 66.14%
  const auto& evidence = d.findings[0].evidence;
  ASSERT_GE(evidence.size(), 5u);
  EXPECT_DOUBLE_EQ(*evidence[0].value, 252);
  EXPECT_NEAR(*evidence[1].value, 0.1309, 1e-4);  // 12.30 + 0.79 of 100 are of the word that is stored to
  EXPECT_NEAR(*evidence[2].value, 252 * (0.123 * 1313 + 0.0079 * 1800 + 0.869 * 141), 1e-6);
  EXPECT_THAT(
      evidence[3].text,
      AllOf(
          HasSubstr("+32 in 0x0000000000001447"),
          HasSubstr("false_sharing.exe[1447]"),
          HasSubstr("2 CPUs")));
  EXPECT_EQ(d.findings[1].category, "shared line");
  EXPECT_THAT(d.findings[1].next_step, HasSubstr("stores"));
}

// Linux mailing list, 2023-06-28, "fs/address_space: add alignment padding for i_map and i_mmap_rwsem": only
// the second table was published, four columns of shares, names of several nodes.
const std::string kKernelLock =
    "      Shared Cache Line Distribution Pareto\n" +
    table(
        "      0    13642    19392     9012       63  0xff1ddd3f0c8a3b00",
        "    9.22%    7.37%    0.00%    0.00%    0x0     0       1  0xffffffffab344052       518       334   "
        "    "
        "354     5490       160  [k] vma_interval_tree_remove    [kernel.kallsyms]  "
        "vma_interval_tree_remove+18      0  1\n"
        "    0.56%    0.47%   26.39%    6.35%    0x8     0       1  0xffffffffab9a5ec      1327      1037    "
        "   "
        "587     8537       160  [k] down_write                  [kernel.kallsyms]  down_write+28   0  1\n"
        "   44.74%   49.78%    0.00%    0.00%   0x10     0       1  0xffffffffab170995       609       344   "
        "    "
        "430    26841       160  [k] rwsem_spin_on_owner         [kernel.kallsyms]  rwsem_spin_on_owner+53  "
        "0  1\n");

TEST_F(C2c, AKernelLockIsToldByWhoTakesIt) {
  const finding::Diagnosis d = diagnose(kKernelLock);
  ASSERT_EQ(d.outcome, Outcome::Findings) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "line 0xff1ddd3f0c8a3b00");
  EXPECT_EQ(d.findings[0].category, "lock");
  EXPECT_DOUBLE_EQ(*d.findings[0].evidence[0].value, 13642 + 19392);
  EXPECT_THAT(d.findings[0].evidence[0].text, HasSubstr("13642 of them on another node"));
  EXPECT_THAT(
      d.findings[0].evidence[3].text,
      AllOf(HasSubstr("rwsem_spin_on_owner+53 of [kernel.kallsyms]"), HasSubstr("160 CPUs")));
}

// A report of AMD IBS, which attributed no store: two counters of one struct, by two threads.
TEST_F(C2c, WithoutStoresTheKindOfSharingIsOpen) {
  const finding::Diagnosis d = diagnose(
      totals(9007, 3266, 2092, 4, 5700) + kTitle +
      table(
          "      0        4     2092        0        0        0      0x20ea08034080",
          "   75.00%   49.62%    0.00%    0.00%    0.00%   0x30   0   1   0x53dc88   410   75   0   1552   "
          "12  [.] "
          "a/b.go  perfgo.test.linux.amd64  go.go:0   0\n"
          "   25.00%   50.38%    0.00%    0.00%    0.00%   0x38   0   1   0x53dbc8     0   75   0   1600   "
          "10  [.] "
          "a/b.go  perfgo.test.linux.amd64  go.go:0   0\n"));
  ASSERT_EQ(d.outcome, Outcome::Findings);
  EXPECT_EQ(d.findings[0].category, "shared line");
  EXPECT_THAT(d.notes, ::testing::Contains(HasSubstr("5700 samples")));
}

TEST_F(C2c, WordsThatAreLoadedAndStoredAreTrulyShared) {
  const finding::Diagnosis d = diagnose(
      totals(2000, 1500, 900, 0) + kTitle +
      table(
          "      0        0      900      500        0        0      0x4000",
          "    0.00%   90.00%  100.00%    0.00%    0.00%   0x8   0   1   0x401000   0   80   5   1400   8  "
          "[.] add  "
          "prog  add.c:3   0\n"
          "    0.00%   10.00%    0.00%    0.00%    0.00%  0x10   0   1   0x401008   0   80   5    100   8  "
          "[.] get  "
          "prog  get.c:9   0\n"
          "             |\n             ---0x401020\n                main\n"));
  ASSERT_EQ(d.outcome, Outcome::Findings);
  EXPECT_EQ(d.findings[0].category, "true sharing");
  EXPECT_THAT(
      d.findings[0].evidence[4].text,
      HasSubstr("get.c:9 of prog, 100 samples on 8 CPUs < 0x401020 < main"));
}

TEST_F(C2c, NobodyIsAccusedForALineThatIsRarelyTaken) {
  const auto line = [](int taken) {
    return kTitle +
           table(
               "      0        0      " + std::to_string(taken) + "      5        0        0      0x4000",
               "    0.00%  100.00%  100.00%    0.00%    0.00%   0x8   0   1   0x401000   0   80   5   99   8 "
               " [.] add  prog  add.c:3   0\n");
  };
  EXPECT_EQ(diagnose(totals(2000, 1500, 50, 0) + line(50)).outcome, Outcome::Findings);
  EXPECT_EQ(diagnose(totals(2000, 1500, 49, 0) + line(49)).outcome, Outcome::Healthy);
  // 60 of 6,001 loads are less than one in a hundred.
  EXPECT_EQ(diagnose(totals(9000, 6000, 60, 0) + line(60)).outcome, Outcome::Findings);
  const finding::Diagnosis calm = diagnose(totals(9000, 6001, 60, 0) + line(60));
  EXPECT_EQ(calm.outcome, Outcome::Healthy);
  EXPECT_THAT(calm.covered, AllOf(HasSubstr("9000 samples"), HasSubstr("1 lines")));
  EXPECT_THAT(calm.notes, ::testing::Contains(HasSubstr("1 lines were taken in less than 50")));
}

TEST_F(C2c, FewOrUnreadSamplesCannotBeJudged) {
  EXPECT_THAT(diagnose(totals(14, 14, 0, 0) + kTitle).reason, HasSubstr("14 samples are too few"));
  EXPECT_EQ(diagnose(totals(100, 100, 0, 0) + kTitle).outcome, Outcome::Healthy);
  EXPECT_THAT(diagnose(totals(1000, 400, 0, 0, 501) + kTitle).reason, HasSubstr("501 of 1000"));
  EXPECT_EQ(diagnose(totals(1000, 400, 0, 0, 500) + kTitle).outcome, Outcome::Healthy);
}

TEST_F(C2c, TotalsWithoutLinesNameNoLineAndGiveNoAllClear) {
  const auto d = diagnose(totals(177504, 76801, 19805, 0));
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.verdict, AllOf(HasSubstr("25.8 % of the sampled loads"), HasSubstr("on which lines")));
  EXPECT_THAT(d.remedy, HasSubstr("without --stats"));
  EXPECT_EQ(diagnose(totals(177504, 76801, 300, 0)).outcome, Outcome::Healthy);
  // Half of the lines cut off leave the same doubt.
  EXPECT_EQ(diagnose(totals(9000, 4000, 900, 0) + kTitle).outcome, Outcome::CannotJudge);
}

TEST_F(C2c, BrokenRowsAreCountedAndSiblingFormatsRefused) {
  std::string text = kFalseSharing;
  text.replace(text.find("0x55c8971ed447"), 14, "nothing       ");
  const finding::Diagnosis d = diagnose(text);
  EXPECT_EQ(d.records_taken, 4u);
  EXPECT_EQ(d.records_skipped, 1u);
  C2cDiagnosisOptions o;
  o.report = path_;
  base::write_file(path_, "no table here\n");
  EXPECT_THAT(
      base::test::error_of([&] {
        diagnose_c2c_report(o);
      }),
      HasSubstr("perf c2c report --stdio"));
}

}  // namespace
}  // namespace lento::memory
