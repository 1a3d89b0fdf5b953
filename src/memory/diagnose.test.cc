// The verdicts of memory diagnosis as a program asks for them: what is a mistake, what cannot be judged, what
// is found.
#include "memory/diagnose.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/test_error.h"
#include "base/test_folder.h"
#include "memory/itemsets.h"
#include "memory/replay.h"

namespace lento::memory {
namespace {

using finding::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;

class MemoryDiagnosisJob : public base::test::FolderTest {
 protected:
  MemoryDiagnosisOptions options(const std::string& trace) const {
    MemoryDiagnosisOptions o;
    o.traces.paths = {trace};
    o.mine.support = 0.05;
    return o;
  }
  finding::Diagnosis diagnose(const std::string& trace) const {
    return diagnose_memory(options(trace)).diagnosis;
  }
};

const std::string kHeader =
    "# lento.access/1\ncpu cycle pc type address latency size flags culprit culprit_pc blamed cause\n";

// CPUs from `first` on that take turns on words of one line, or on lines of their own; three of four accesses
// hit.
std::string words(int first, int cpus, int distance) {
  std::ostringstream text;
  text << kHeader;
  for (int i = 0; i < 1000 * cpus; ++i) {
    const int cpu = first + i % cpus;
    const bool hot = i / cpus % 4 == 0;
    text << cpu << " " << 10 * i << " 0x1000 " << (i / cpus % 8 == 0 ? "store " : "load ");
    if (hot) {
      text << 0x4000 + distance * (cpu - first) << (distance < 64 ? " 80 4 k - - - -\n" : " 4 4 k - - - -\n");
    } else {
      text << 0x100000 * (1 + cpu) + 64 * (i % 50) << " 1 4 lk - - - -\n";
    }
  }
  return text.str();
}

TEST_F(MemoryDiagnosisJob, CpusBeyondSixtyThreeAreSeen) {
  for (const int first : {0, 64, 200}) {
    const finding::Diagnosis d = diagnose(file("t.txt", words(first, 8, 4)));
    ASSERT_EQ(d.outcome, Outcome::Findings) << first << ": " << d.verdict;
    EXPECT_EQ(d.findings[0].category, "false sharing");
    EXPECT_THAT(d.findings[0].subject, HasSubstr("0x4000"));
    EXPECT_THAT(d.covered, HasSubstr("8 CPUs (" + std::to_string(first) + "-" + std::to_string(first + 7)));
  }
}

TEST_F(MemoryDiagnosisJob, LinesApartAreHealthyAndSayWhatWasCovered) {
  const finding::Diagnosis d = diagnose(file("t.txt", words(0, 8, 128)));
  EXPECT_EQ(d.outcome, Outcome::Healthy) << d.verdict;
  EXPECT_THAT(d.covered, AllOf(HasSubstr("8000 accesses of 8 CPUs"), HasSubstr("100 % with a latency")));
}

TEST_F(MemoryDiagnosisJob, OneCpuCannotBeJudged) {
  const finding::Diagnosis d = diagnose(file("t.txt", words(3, 1, 4)));
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("one CPU only"));
  EXPECT_THAT(d.remedy, HasSubstr("all CPUs"));
  EXPECT_THAT(d.covered, HasSubstr("1 CPUs (3)"));
}

TEST_F(MemoryDiagnosisJob, ABreakpointTraceHasNoLatency) {
  std::string lines;
  for (int i = 0; i < 300; ++i)
    lines += " mt 284" + std::to_string(i % 2) + " [00" + std::to_string(i % 2) + "]  4669." +
             std::to_string(255092730 + i) + ": mem:0x404080:rw: 404080 40115c w\n";
  const finding::Diagnosis d = diagnose(file("breakpoint.txt", lines));
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("no access carries a latency"));
  EXPECT_THAT(d.remedy, HasSubstr("replay"));
  EXPECT_THAT(d.covered, HasSubstr("2 CPUs (0-1)"));
}

TEST_F(MemoryDiagnosisJob, AFilterThatNothingPassesIsAMistake) {
  MemoryDiagnosisOptions o = options(file("t.txt", words(0, 4, 4)));
  o.mine.filter.cpus = parse_cpus("9-12", "--cpus");
  EXPECT_THAT(
      base::test::error_of([&] {
        diagnose_memory(o);
      }),
      AllOf(HasSubstr("none of the 4000 accesses passes"), HasSubstr("CPUs 0-3")));
}

TEST_F(MemoryDiagnosisJob, AnotherProgramIsAMistake) {
  MemoryDiagnosisOptions o = options(file("t.txt", words(0, 4, 4)));
  o.programs = {"/bin/true"};  // too small to hold the addresses of the trace
  EXPECT_THAT(
      base::test::error_of([&] {
        diagnose_memory(o);
      }),
      HasSubstr("names none of the first"));
}

TEST_F(MemoryDiagnosisJob, RandomBytesAreNoTrace) {
  std::string bytes;
  for (int i = 0; i < 4000; ++i)
    bytes += char(i * 2654435761u >> 13);
  const std::string path = file("random.bin", bytes);
  EXPECT_THAT(
      base::test::error_of([&] {
        diagnose(path);
      }),
      HasSubstr("random.bin"));
  for (const char* format : {"perf", "lackey", "paper"}) {
    MemoryDiagnosisOptions o = options(path);
    o.traces.format = format;
    EXPECT_THAT(
        base::test::error_of([&] {
          diagnose_memory(o);
        }),
        HasSubstr("no access could be read"))
        << format;
    MemoryReplayOptions replay;
    replay.traces = o.traces;
    replay.output = path + ".access";
    EXPECT_THAT(
        base::test::error_of([&] {
          replay_memory(replay);
        }),
        HasSubstr("no access could be read"));
    EXPECT_FALSE(std::filesystem::exists(replay.output));
  }
  MemoryItemsetsOptions itemsets;
  itemsets.path = path;
  itemsets.support = "5%";
  EXPECT_THAT(
      base::test::error_of([&] {
        mine_memory_itemsets(itemsets);
      }),
      HasSubstr("no transaction"));
}

// The same words at the same addresses of two processes are not the same memory.
TEST_F(MemoryDiagnosisJob, ProcessesAtEqualAddressesDoNotShare) {
  const auto trace = [](bool one_process) {
    std::ostringstream text;
    text << "# lento.access/2\n# line 64\ncpu cycle pc type address latency size flags culprit culprit_pc "
            "blamed "
            "cause thread process node service\n";
    for (int i = 0; i < 8000; ++i) {
      const int cpu = i % 2;
      const bool hot = i / 2 % 4 == 0;
      text << cpu << " " << 10 * i << " 0x1000 " << (i / 2 % 8 ? "load " : "store ")
           << (hot ? "0x4000 80 4 k - - - - " : "0x9000 1 4 lk - - - - ") << 100 + cpu << " "
           << (one_process ? 1 : 1 + cpu) << " - -\n";
    }
    return text.str();
  };
  const finding::Diagnosis one = diagnose(file("one.txt", trace(true)));
  ASSERT_EQ(one.outcome, Outcome::Findings);
  EXPECT_EQ(one.findings[0].category, "true sharing");
  EXPECT_EQ(diagnose(file("two.txt", trace(false))).outcome, Outcome::Healthy);
}

TEST_F(MemoryDiagnosisJob, FewSamplesCannotBeJudged) {
  std::string lines;
  for (int i = 0; i < 14; ++i)
    lines += " server 17/2" + std::to_string(i % 2) + " [00" + std::to_string(i % 2) + "]  13.19658" +
             std::to_string(1000 + i) +
             ": cpu/mem-loads/P: 55ffba5cda08 11868100242 |OP LOAD|LVL LFB hit|SNP None|TLB L1|LCK No|BLK  "
             "N/A 225 0 "
             "401000aa\n";
  const finding::Diagnosis d = diagnose(file("few.txt", lines));
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("14 samples"));
}

// The headline never says that time is lost where nothing was found.
TEST_F(MemoryDiagnosisJob, HeadlineAndEvidenceAgree) {
  std::ostringstream text;
  text << kHeader;
  for (int i = 0; i < 4000; ++i)
    text << i % 4 << " " << 100 * i << (i % 5 ? " 0x1000 load " : " 0x1000 store ")
         << 0x100000 * (1 + i % 4) + 64 * i << " " << (i % 3 == 0 ? 200 : 40) << " 4 s - - - -\n";
  const finding::Diagnosis d = diagnose(file("misses.txt", text.str()));
  EXPECT_EQ(d.outcome, Outcome::Healthy) << d.verdict;
  EXPECT_THAT(d.verdict, HasSubstr("No significant contention: no CPU uses what another one writes"));
}

// Real samples, where they are at hand: MemAxes' example of LULESH, and a PEBS file of a server.
class RealSamples : public MemoryDiagnosisJob {
 protected:
  static std::string sample(const std::string& name) {
    const char* folder = std::getenv("LENTO_SHARED");
    return std::string(folder ? folder : "../shared") + "/data/memory/traces/" + name;
  }
};

// MemAxes sums the latency of all samples: its first variable and its first line of source are these.
TEST_F(RealSamples, OfLuleshNameWhatMemAxesNames) {
  if (!std::filesystem::exists(sample("memaxes_lulesh_inorder.csv.gz")))
    GTEST_SKIP() << "no shared data";
  const finding::Diagnosis d = diagnose(sample("memaxes_lulesh_inorder.csv.gz"));
  using ::testing::Contains;
  using ::testing::Pair;
  EXPECT_THAT(
      d.facts,
      Contains(Pair("most sampled latency, code", HasSubstr("LULESH_OMP.cc:2035 (28.8 %, 3792 samples)"))));
  EXPECT_THAT(d.facts, Contains(Pair("most sampled latency, data", HasSubstr("m_x (40.3 %, 6291 samples)"))));
  // A sixth of its loads were answered beyond the last cache, and the processor did not say by whom.
  EXPECT_EQ(d.outcome, Outcome::CannotJudge) << d.verdict;
}

// `perf mem report` of the same file begins with this instruction and this address, of weight 249 in 1,725.
TEST_F(RealSamples, OfPebsNameWhatPerfNames) {
  const std::string path = sample("perfdata/pebs_weight_struct_112cpu.data.xz");
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no shared data";
  const finding::Diagnosis d = diagnose(path);
  using ::testing::Contains;
  using ::testing::Pair;
  EXPECT_THAT(
      d.facts,
      Contains(Pair("most sampled latency, code", "code at 0xffffffffa423a4fe (14.4 %, 1 samples)")));
  EXPECT_THAT(
      d.facts,
      Contains(Pair("most sampled latency, data", "0xffffc36ac0131180 (14.4 %, 1 samples)")));
  EXPECT_THAT(d.reason, HasSubstr("14 samples with a latency are too few"));
}

}  // namespace
}  // namespace lento::memory
