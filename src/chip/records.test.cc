// Records of data movement through their job: one file or several, counted, written again, judged and played.
#include "chip/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <regex>

#include "base/file.h"
#include "base/test_error.h"
#include "chip/examine.h"
#include "chip/fabric/play.h"
#include "chip/play.h"

namespace lento::chip {
namespace {

using finding::Outcome;
using finding::TableFigure;
using testing::HasSubstr;

constexpr const char* kHealthy = "examples/chip/noc_events.json";
constexpr const char* kSlow = "examples/chip/noc_events_slow.json";

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("lento_records_" + std::to_string(getpid()) + name))
      .string();
}

std::string fact(const finding::Diagnosis& d, const std::string& name) {
  for (const auto& [key, value] : d.facts) {
    if (key == name)
      return value;
  }
  return "not there";
}

const TableFigure& table(const finding::Diagnosis& d, const std::string& title) {
  for (const finding::Figure& f : d.figures) {
    if (f.title == title)
      return std::get<TableFigure>(f.body);
  }
  throw base::Error({}, "no figure " + title);
}

TEST(ChipImport, CountsAreThoseOfItsTables) {
  ChipImportOptions o;
  o.sources.files = {kHealthy};
  const finding::Diagnosis d = chip_import(o);
  EXPECT_EQ(d.outcome, Outcome::Answer);
  uint64_t transfers = 0;
  uint64_t bytes = 0;
  uint64_t waits = 0;
  for (const auto& row : table(d, "Recorded components").rows) {
    transfers += std::stoull(row[3]);
    bytes += std::stoull(row[4]);
    waits += std::stoull(row[5]);
  }
  EXPECT_EQ(fact(d, "transfers"), std::to_string(transfers));
  EXPECT_EQ(fact(d, "bytes"), std::to_string(bytes));
  EXPECT_EQ(fact(d, "waits"), std::to_string(waits));
  EXPECT_EQ(table(d, "Waits").rows.size(), waits);
  EXPECT_GT(waits, 0U);
  for (const auto& row : table(d, "Waits").rows) {
    const bool open = row[6] == "not recorded";
    EXPECT_EQ(open ? "-" : std::to_string(std::stoull(row[6]) - std::stoull(row[5])), row[7]);
  }
  ASSERT_EQ(d.inputs.size(), 1U);
  EXPECT_EQ(d.inputs[0].digest, base::digest(base::read_file(kHealthy)));
}

TEST(ChipImport, WhatIsWrittenIsReadAsTheSame) {
  ChipImportOptions o;
  o.sources.files = {kHealthy};
  o.output = temporary(".records");
  const finding::Diagnosis first = chip_import(o);
  o.sources.files = {o.output};
  o.output = temporary(".again");
  const finding::Diagnosis second = chip_import(o);
  EXPECT_EQ(first.facts, second.facts);
  EXPECT_EQ(base::read_file(temporary(".records")), base::read_file(temporary(".again")));
  std::filesystem::remove(temporary(".records"));
  std::filesystem::remove(temporary(".again"));
}

TEST(ChipImport, FilesOfARunAreOneRecording) {
  RecordSources one{{kHealthy}, "", {}, false};
  RecordSources two{{kHealthy, kSlow}, "", {}, false};
  const Records a = read_records(one);
  const Records b = read_records(two);
  EXPECT_EQ(b.inputs.size(), 2U);
  EXPECT_EQ(count(b.trace).events, 2 * count(a.trace).events);
  EXPECT_THAT(
      base::test::error_of([] {
        read_records({});
      }),
      HasSubstr("no records were given"));
  EXPECT_THROW(read_records({{"/no/such/file"}, "", {}, false}), base::Error);
}

TEST(ChipImport, StrictStopsAtTheFirstBrokenRecord) {
  const std::string path = temporary(".csv");
  base::write_file(path, "component,start\n1-1,5\nx,6\n");
  RecordSources sources{{path}, "", {}, false};
  EXPECT_EQ(read_records(sources).report.skipped, 1U);
  sources.strict = true;
  EXPECT_THAT(
      base::test::error_of([&] {
        read_records(sources);
      }),
      HasSubstr(":3"));
  std::filesystem::remove(path);
}

TEST(ChipCompare, ARunBesideItselfIsHealthyAndBesideASlowOneIsNot) {
  ChipCompareOptions o;
  o.before.files = o.after.files = {kHealthy};
  const finding::Diagnosis same = chip_compare(o);
  EXPECT_EQ(same.outcome, Outcome::Healthy) << same.verdict;
  EXPECT_EQ(fact(same, "cycles, earlier run"), fact(same, "cycles, later run"));
  o.after.files = {kSlow};
  const finding::Diagnosis slower = chip_compare(o);
  ASSERT_EQ(slower.outcome, Outcome::Findings) << slower.verdict;
  EXPECT_GT(*slower.findings[0].factor, 1.2);
  // The table of waits begins with the one that grew most.
  const TableFigure& waits = table(slower, "Waits that became longer");
  double before = INFINITY;
  for (const auto& row : waits.rows) {
    const double more = std::stod(row[4]) - std::stod(row[3]);
    EXPECT_LE(more, before);
    before = more;
  }
  EXPECT_GT(std::stod(waits.rows.at(0)[4]), std::stod(waits.rows.at(0)[3]));
}

// All times as they are, or all waits longer: by 5 % nobody can say, by 50 % the chip is slower as a whole.
TEST(ChipCompare, ARunThatIsSlowerAsAWholeIsAFinding) {
  for (const double factor : {1.05, 1.5}) {
    const std::string path = temporary(".slower");
    std::string text = base::read_file(kHealthy);
    const std::regex stamp("\"timestamp\": ?([0-9]+)");
    std::string changed;
    auto from = text.cbegin();
    for (std::sregex_iterator at(text.begin(), text.end(), stamp), end; at != end; ++at) {
      changed.append(from, text.cbegin() + at->position());
      changed += "\"timestamp\": " + std::to_string(uint64_t(factor * std::stod((*at)[1])));
      from = text.cbegin() + at->position() + at->length();
    }
    changed.append(from, text.cend());
    base::write_file(path, changed);
    ChipCompareOptions o;
    o.before.files = {kHealthy};
    o.after.files = {path};
    const finding::Diagnosis d = chip_compare(o);
    if (factor < 1.1) {
      EXPECT_EQ(d.outcome, Outcome::Healthy) << d.verdict;
    } else {
      ASSERT_EQ(d.outcome, Outcome::Findings) << d.verdict;
      EXPECT_EQ(d.findings[0].subject, "all transfers");
      EXPECT_NEAR(d.findings[0].factor.value_or(0), factor, 0.1);
      EXPECT_EQ(d.findings.size(), 1U);
    }
    std::filesystem::remove(path);
  }
}

std::string profile(double slow) {
  std::string out =
      "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"
      "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], zone name, type\n";
  for (uint64_t core = 0; core < 16; ++core)
    for (uint64_t i = 0; i < 12; ++i) {
      const uint64_t begin = 77 * core + 20'000 * i;
      const uint64_t taken = 9'000 + (core * 37 + i * 53) % 101;
      const std::string head =
          "0," + std::to_string(core % 4) + "," + std::to_string(core / 4) + ",TRISC_0,1,";
      out += head + std::to_string(begin) + ",MATH,ZONE_START\n";
      out += head + std::to_string(begin + (core == 6 ? uint64_t(slow * double(taken)) : taken)) +
             ",MATH,ZONE_END\n";
    }
  return out;
}

// A profile of zones has no transfer. Cores that ran the same zones are compared with one another.
TEST(ChipExamine, ASlowCoreIsNamedFromAProfileOfZones) {
  const std::string slow = temporary(".slow.csv");
  const std::string healthy = temporary(".healthy.csv");
  base::write_file(slow, profile(1.3));
  base::write_file(healthy, profile(1));
  ChipExamineOptions o;
  o.sources.files = {healthy};
  EXPECT_EQ(chip_examine(o).outcome, Outcome::Healthy);
  o.sources.files = {slow};
  ChipCompareOptions both;
  both.before.files = {healthy};
  both.after.files = {slow};
  for (const finding::Diagnosis& d : {chip_examine(o), chip_compare(both)}) {
    ASSERT_EQ(d.outcome, Outcome::Findings) << d.verdict;
    ASSERT_EQ(d.findings.size(), 1U);
    EXPECT_EQ(d.findings[0].subject, "core 2-1");
    EXPECT_NEAR(d.findings[0].factor.value_or(0), 1.3, 0.02);
  }
  std::filesystem::remove(slow);
  std::filesystem::remove(healthy);
}

TEST(ChipCompare, RunsOfDifferentProgramsAreNotJudged) {
  const std::string path = temporary(".other");
  base::write_file(path, "component,kind,peer,bytes,start,end\n1-1,read,2-2,64,10,20\n");
  ChipCompareOptions o;
  o.before.files = {kHealthy};
  o.after.files = {path};
  const finding::Diagnosis d = chip_compare(o);
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_FALSE(d.remedy.empty());
  std::filesystem::remove(path);
}

TEST(ChipExamine, NothingThatRepeatsIsNothingToJudge) {
  const std::string path = temporary(".single");
  base::write_file(
      path,
      R"([{"proc":"B","noc":"NOC_0","sx":1,"sy":1,"dx":2,"dy":1,"num_bytes":64,"type":"READ","timestamp":5},
          {"proc":"B","sx":1,"sy":1,"type":"READ_BARRIER_START","timestamp":6},
          {"proc":"B","sx":1,"sy":1,"type":"READ_BARRIER_END","timestamp":90}])");
  ChipExamineOptions o;
  o.sources.files = {path};
  const finding::Diagnosis d = chip_examine(o);
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_TRUE(d.findings.empty());
  EXPECT_FALSE(d.reason.empty());
  std::filesystem::remove(path);
}

// Reads between sixteen cores of a wormhole as a table of anybody's: both times of each, no waits.
std::string table_of_reads(double slow) {
  TransferTrace trace;
  trace.network_id("noc");
  for (int core = 0; core < 16; ++core) {
    TransferStream& stream = trace.streams.emplace_back();
    stream.core = {0, 1 + core % 4, 1 + core / 4};
    stream.processor = trace.name_id("");
    for (uint64_t i = 0; i < 24; ++i) {
      TransferRecord& record = stream.records.emplace_back();
      record.kind = TransferKind::Read;
      record.begin = i * 700 + uint64_t(core) * 13;
      record.end = record.begin + 100'000;  // not waited for
      record.bytes = 2048;
      record.peer = {0, int(1 + (stream.core.x + i) % 4), int(1 + (stream.core.y + i / 4) % 4)};
    }
  }
  const Fabric fabric(spec::read_fabric("wormhole"));
  PlayOptions options;
  options.issue = Issue::Stamps;
  options.noise_cv = 0.1;
  options.slow = {{fabric.link(0, fabric.component({0, 2, 2}), fabric.component({0, 3, 2})), slow}};
  const Played played = play(fabric, trace, options);
  std::string out = "tile;op;other;size;from;to\n";
  for (const PlayedWait& wait : played.waits) {
    const TransferStream& stream = trace.streams[wait.stream];
    const TransferRecord& record = stream.records[wait.record];
    out += to_string(stream.core) + ";read;" + to_string(record.peer) + ";2048;" +
           std::to_string(record.begin) + ";" + std::to_string(uint64_t(wait.end)) + "\n";
  }
  return out;
}

TEST(ChipExamine, ATableOfSingleTransfersWithBothTimesIsJudged) {
  ChipExamineOptions o;
  o.sources.columns = {"tile", "op", "other", "size", "from", "to", "layer"};
  o.sources.files = {temporary(".csv")};
  base::write_file(o.sources.files[0], table_of_reads(1));
  EXPECT_EQ(chip_examine(o).outcome, Outcome::Healthy);
  base::write_file(o.sources.files[0], table_of_reads(5));
  const finding::Diagnosis slow = chip_examine(o);
  ASSERT_EQ(slow.findings.size(), 1U);
  EXPECT_THAT(slow.findings[0].subject, HasSubstr("2-2>3-2"));
  std::filesystem::remove(o.sources.files[0]);
}

TEST(ChipPlay, SaysWhatAHealthyChipShouldTake) {
  ChipPlayOptions o;
  o.sources.files = {kHealthy};
  const finding::Diagnosis d = chip_play(o);
  EXPECT_EQ(d.outcome, Outcome::Answer);
  const double predicted = std::stod(fact(d, "predicted"));
  const double measured = std::stod(fact(d, "measured"));
  EXPECT_NEAR(std::stod(fact(d, "difference")), 100 * (predicted / measured - 1), 0.06);
  // Each wait of the records is played.
  Records records = read_records(o.sources);
  EXPECT_EQ(table(d, "Waits").rows.size(), groups_of(records.trace).size());
  for (const auto& row : table(d, "Waits").rows)
    EXPECT_LE(std::stod(row[3]), std::stod(row[4]));
  o.use_stamps = true;
  EXPECT_EQ(chip_play(o).options.back().second, "recorded");
}

TEST(ChipPlay, ASlowRunIsPredictedAsTheHealthyOne) {
  ChipPlayOptions healthy;
  healthy.sources.files = {kHealthy};
  ChipPlayOptions slow;
  slow.sources.files = {kSlow};
  const finding::Diagnosis a = chip_play(healthy);
  const finding::Diagnosis b = chip_play(slow);
  EXPECT_NEAR(std::stod(fact(a, "predicted")) / std::stod(fact(b, "predicted")), 1, 0.02);
  EXPECT_GT(std::stod(fact(b, "measured")), std::stod(fact(a, "measured")));
}

TEST(ChipPlay, TransfersToWhereNothingIsAreToldNotTimed) {
  const std::string path = temporary(".outside");
  base::write_file(
      path,
      "component,kind,peer,bytes,start,end\n1-1,read,200-200,64,10,20\n1-1,compute,,0,30,40\n");
  ChipPlayOptions o;
  o.sources.files = {path};
  EXPECT_EQ(fact(chip_play(o), "transfers not played"), "1");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lento::chip
