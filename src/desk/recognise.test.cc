#include "desk/recognise.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace lento::desk {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Recognise : public ::testing::Test {
 protected:
  Recognise()
      : folder_((fs::path(::testing::TempDir()) / ("recognise." + std::to_string(::getpid()))).string()) {
    fs::create_directories(folder_);
  }
  ~Recognise() override {
    fs::remove_all(folder_);
  }
  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    base::write_file(path, text);
    return path;
  }
  Role role(const std::string& name, const std::string& text) const {
    return recognise(file(name, text)).role;
  }
  std::string folder_;
};

TEST_F(Recognise, TablesByTheirColumns) {
  EXPECT_EQ(role("job.csv", "machine,time,power\na,0,1\n"), Role::Metrics);
  EXPECT_EQ(
      role(
          "a.log",
          "2026-11-27 08:00:01 INFO step 1 | loss 1.989 | step time 1620 ms\n"
          "2026-11-27 08:00:02 INFO step 2 | loss 2.009 | step time 802 ms\n"),
      Role::None);
  EXPECT_EQ(role("semi.csv", "node;time_ms;power\na;0;1\n"), Role::Metrics);
  EXPECT_EQ(role("gemm.csv", "device,m,n,k,dtype\nH100,64,64,64,bf16\n"), Role::Questions);
  EXPECT_EQ(role("moves.csv", "component,kind,peer,bytes,start,end\n"), Role::Transfers);
  EXPECT_EQ(role("people.csv", "name,surname\nA,B\n"), Role::None);
}

TEST_F(Recognise, TheTimeColumnSaysItsUnit) {
  const auto words = [&](const std::string& text) {
    return recognise(file("t.csv", text)).words;
  };
  EXPECT_THAT(
      words("node,time_ms,w\na,0,1\n"),
      ElementsAre("--machine-column", "node", "--time-column", "time_ms", "--time-unit", "ms"));
  EXPECT_THAT(
      words("time,w,v\n1715960308411,1,2\n"),
      ElementsAre("--time-column", "time", "--time-unit", "ms"));
  EXPECT_THAT(words("time,w,v\n1715960308,1,2\n"), Contains("s"));
  EXPECT_THAT(
      words("time,stage,w\n1715960308411000,1,2\n"),
      ElementsAre("--time-column", "time", "--time-unit", "us", "--label", "stage"));
}

TEST_F(Recognise, TablesAsDashboardsAndToolsExportThem) {
  const auto words = [&](const std::string& name, const std::string& text) {
    return recognise(file(name, text)).words;
  };
  EXPECT_THAT(
      words("long.csv", "ts;Hostname;GPU;Power (W)\n2026-11-20 08:00:00;a;0;640\n"),
      ElementsAre("--machine-column", "Hostname", "--device-column", "GPU", "--time-column", "ts"));
  EXPECT_THAT(
      words("power.csv", "\"Time\",\"n1\",\"n2\",\"n3\",\"n4\"\n\"2026-11-20 08:00:00\",640 W,1 W,2 W,3 W\n"),
      ElementsAre("--wide", "power", "--time-column", "Time"));
  EXPECT_THAT(
      words(
          "smi.csv",
          "timestamp, power.draw [W], clocks.sm [MHz]\n2026/11/20 08:00:00.837, 639.67 W, 1755 MHz\n"),
      ElementsAre("--time-column", "timestamp"));
  EXPECT_THAT(
      words("m.jsonl", "{\"ts\":1,\"host\":\"a\",\"w\":5}\n{\"ts\":2,\"host\":\"a\",\"w\":5}\n"),
      ElementsAre("--machine-column", "host", "--time-column", "ts", "--time-unit", "s"));
  EXPECT_EQ(role("words.csv", "time,host,text\nnow,a,b\n"), Role::None) << "no numbers";
  EXPECT_EQ(
      role("breakdown.csv", ",rank,idle_time(us),kernel_time(us)\n0,0,81,912\n1,1,80,912\n"),
      Role::None)
      << "several durations are no clock";
  EXPECT_EQ(role("gemm_t.csv", "GPU,M,N,K,dtype,time_us\nH100,64,64,64,bf16,5\n"), Role::Measurements);
}

TEST_F(Recognise, SourcesAreNoTracesAndUnlikeRecordingsNotOneRun) {
  EXPECT_EQ(role("histo.c", "// counts\nint f(int i) { return workers[8]. x ? a : b; }\n"), Role::None);
  EXPECT_EQ(role("peak.c", "#include \"ypu.h\"\n"), Role::TileSource);
  const auto all = recognise_folder(folder_);
  EXPECT_EQ(questions_of(all).size(), 1u);
  const std::string one = file("one.txt", "histo 12 [003] 14.5: 1 mem: 7f00 400100 f+0x2 (x)\n");
  const std::string own = file("two.access", "# lento.access/1\n");
  const auto questions = questions_of({recognise(one), recognise(own)});
  ASSERT_THAT(questions, SizeIs(2));
  EXPECT_THAT(questions[0].command, ElementsAre("memory", "diagnose", one));
  EXPECT_THAT(questions[1].command, ElementsAre("memory", "diagnose", own));
}

TEST_F(Recognise, TwoRecordsOfDataMovementMayBeCompared) {
  const std::string text = "component,kind,peer,bytes,start,end\n";
  const std::string a = file("a.csv", text);
  const std::string b = file("b.csv", text);
  const auto questions = questions_of({recognise(a), recognise(b)});
  ASSERT_THAT(questions, SizeIs(3));
  EXPECT_THAT(questions[2].command, ElementsAre("chip", "compare", a, b));
  EXPECT_FALSE(questions[2].verdict);
}

TEST_F(Recognise, RunsOfOneChipAndMappingAreOneQuestion) {
  const std::string a = file("a.probe", "lento.probe/1 text\n");
  const std::string b = file("b.probe", "lento.probe/1 text\n");
  const auto one = questions_of({recognise(a), recognise(b)});
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_THAT(one[0].command, ElementsAre("chip", "diagnose", a, b));
}

TEST_F(Recognise, ATableOfLinksIsNoTraceOfAccesses) {
  EXPECT_EQ(role("links.csv", "src_router,dst_router,flits,avg_latency_cycles\n0,1,9,3.2\n"), Role::None);
}

TEST_F(Recognise, AProgramAloneIsTold) {
  const auto questions = questions_of({recognise(file(
      "histo",
      "\x7f"
      "ELF\x02\x01"))});
  ASSERT_THAT(questions, SizeIs(1));
  ASSERT_THAT(questions[0].missing, SizeIs(1));
  EXPECT_THAT(questions[0].missing[0], HasSubstr("lento memory record"));
}

TEST_F(Recognise, WhatLiesInAnyFolderIsNothing) {
  EXPECT_EQ(role("README.md", "# A store that can load and fetch\n"), Role::None);
  EXPECT_EQ(role("notes.txt", "load 1 store 2\n"), Role::None);
  EXPECT_EQ(role("archive.zip", "PK\x03\x04 bytes"), Role::None);
  EXPECT_EQ(role("champsim.txt", "how to build it\n"), Role::None);
  EXPECT_EQ(role("empty", ""), Role::None);
  EXPECT_EQ(role("package.json", "{\"name\": \"x\", \"entries\": 1}"), Role::Collectives)
      << "what a dump of the flight recorder looks like; its reader says more";
}

TEST_F(Recognise, OwnAndForeignRecords) {
  EXPECT_EQ(role("run.probe", "lento.probe/1 binary\n"), Role::ChipRecords);
  EXPECT_EQ(role("c.yaml", "schema: lento.chip/1\n"), Role::Chip);
  EXPECT_EQ(role("m.json", R"({"schema": "lento.map/1"})"), Role::Mapping);
  EXPECT_EQ(role("a.access", "# lento.access/1\n"), Role::Accesses);
  EXPECT_EQ(role("trace.json", R"({"schemaVersion": 1, "traceEvents": []})"), Role::Collectives);
  EXPECT_EQ(role("p.ypu", "YPUIMG\r\n"), Role::TileImage);
}

TEST_F(Recognise, AFolderIsReadByNameAndWithoutWaitingForAPipe) {
  file("b.yaml", "schema: lento.chip/1\n");
  file("a.yaml", "schema: lento.workload/1\n");
  file(".hidden.yaml", "schema: lento.chip/1\n");
  ASSERT_EQ(::mkfifo((folder_ + "/c.pipe").c_str(), 0600), 0);  // opened, it would block for ever
  const std::vector<RecognisedFile> files = recognise_folder(folder_);
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[0].role, Role::Workload);
  EXPECT_EQ(files[1].role, Role::Chip);
  EXPECT_THAT(recognise_folder(folder_ + "/nowhere"), IsEmpty());
}

RecognisedFile of(Role role, const std::string& path) {
  return {path, role, {}, {}};
}

TEST(Questions, AChipNeedsItsFileAndItsMapping) {
  const auto alone = questions_of({of(Role::ChipRecords, "r")});
  ASSERT_THAT(alone, SizeIs(1));
  EXPECT_THAT(alone[0].missing, SizeIs(2));
  const auto whole = questions_of({of(Role::Mapping, "m"), of(Role::ChipRecords, "r"), of(Role::Chip, "c")});
  ASSERT_THAT(whole, SizeIs(1));
  EXPECT_THAT(whole[0].missing, IsEmpty());
  EXPECT_THAT(whole[0].command, ElementsAre("chip", "diagnose", "r", "--chip", "c", "--mapping", "m"));
}

TEST_F(Recognise, WaveformsAndTheirMaps) {
  EXPECT_EQ(role("a.vcd", "$comment by hand $end\n"), Role::Waveform);
  EXPECT_EQ(recognise(file("a.fst", std::string("\0\0\0\0\0\0\0\x01\x49\0", 10))).kind.format, "FST");
  EXPECT_EQ(role("m.yaml", "schema: lento.tile-map/1\n"), Role::SignalMap);
  EXPECT_EQ(
      recognise(file("ila.csv", "Sample in Buffer,Sample in Window,TRIGGER,a[3:0]\n")).kind.format,
      "CSV of Vivado");
}

TEST(Questions, AWaveformIsRunThroughAProgram) {
  const auto alone = questions_of({of(Role::Waveform, "w")});
  ASSERT_THAT(alone, SizeIs(1));
  EXPECT_THAT(alone[0].missing, SizeIs(2));
  EXPECT_THAT(
      alone[0].command,
      ElementsAre("tile", "run", "IMAGE", "--unsigned", "--block", "vcd:w", "--map", "MAP"));
  const auto whole =
      questions_of({of(Role::Waveform, "w"), of(Role::TileImage, "p"), of(Role::SignalMap, "m")});
  ASSERT_THAT(whole, SizeIs(2));
  EXPECT_FALSE(whole[0].verdict) << "the run verifies too";
  EXPECT_THAT(whole[1].missing, IsEmpty());
  EXPECT_THAT(
      whole[1].command,
      ElementsAre("tile", "run", "p", "--unsigned", "--block", "vcd:w", "--map", "m"));
}

TEST(Questions, TwoChipsAreADoubt) {
  const auto q = questions_of(
      {of(Role::ChipRecords, "r"), of(Role::Mapping, "m"), of(Role::Chip, "c"), of(Role::Chip, "d")});
  ASSERT_THAT(q, SizeIs(1));
  EXPECT_THAT(q[0].doubtful, Contains(HasSubstr("c and d")));
}

TEST(Questions, ATableThatNamesItsMachinesIsAJobOfItsOwn) {
  const std::vector<std::string> words =
      {"--machine-column", "node", "--time-column", "time", "--time-unit", "s"};
  const RecognisedFile a{"monday.csv", Role::Metrics, {}, words};
  const RecognisedFile b{"tuesday.csv", Role::Metrics, {}, words};
  const auto questions = questions_of({a, b});
  ASSERT_THAT(questions, SizeIs(2));
  EXPECT_THAT(questions[0].uses, ElementsAre("monday.csv"));
  EXPECT_THAT(questions[1].uses, ElementsAre("tuesday.csv"));
}

TEST(Questions, TablesOfOneMachineEachAreOneJob) {
  RecognisedFile a{"n1.csv", Role::Metrics, {}, {"--machine-column", "host", "--time-column", "time"}, "n1"};
  RecognisedFile b = a;
  b.path = "n2.csv";
  b.machine = "n2";
  const auto questions = questions_of({a, b});
  ASSERT_THAT(questions, SizeIs(1));
  EXPECT_THAT(questions[0].uses, ElementsAre("n1.csv", "n2.csv"));
  EXPECT_THAT(questions[0].command, Contains("--machine-column"));
  b.machine = "n1";
  EXPECT_THAT(questions_of({a, b}), SizeIs(2)) << "two days of one machine";
}

TEST(Questions, OnlyAFabricIsTheChipOfTransfers) {
  RecognisedFile chip = of(Role::Chip, "c.yaml");
  chip.kind.format = "lento.chip/1";
  EXPECT_THAT(questions_of({of(Role::Transfers, "t"), chip})[0].command, ElementsAre("chip", "examine", "t"));
  chip.kind.format = "lento.chip/2";
  EXPECT_THAT(
      questions_of({of(Role::Transfers, "t"), chip})[0].command,
      ElementsAre("chip", "examine", "t", "--chip", "c.yaml"));
}

TEST(Questions, MachinesOfAFileEachAreOneJob) {
  RecognisedFile a{"a.csv", Role::Metrics, {}, {"--time-column", "time", "--time-unit", "s"}};
  RecognisedFile b = a;
  b.path = "b.csv";
  RecognisedFile other{"o.csv", Role::Metrics, {}, {"--time-column", "t", "--time-unit", "s"}};
  const auto questions = questions_of({a, other, b});
  ASSERT_THAT(questions, SizeIs(2));
  EXPECT_THAT(questions[0].uses, ElementsAre("a.csv", "b.csv"));
  EXPECT_THAT(questions[1].uses, ElementsAre("o.csv"));
}

TEST(Questions, AProfilersTraceBesideADataSheetIsMeasuredAgainstIt) {
  RecognisedFile trace{"t.json", Role::Collectives, {"telemetry of collectives", "Kineto trace"}, {}};
  ASSERT_THAT(questions_of({trace}), SizeIs(1));
  const auto both = questions_of({trace, of(Role::System, "s.yaml")});
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_THAT(both[1].command, ElementsAre("predict", "--measured", "t.json", "--system", "s.yaml"));
}

TEST(Questions, AWorkloadIsNoVerdict) {
  const auto q = questions_of({of(Role::Workload, "w.yaml")});
  ASSERT_THAT(q, SizeIs(1));
  EXPECT_FALSE(q[0].verdict);
  EXPECT_THAT(q[0].missing, Contains(HasSubstr("h100")));
}

}  // namespace
}  // namespace lento::desk
