// A run on a recording says what broke: each promise of an image, broken once, is a finding.
#include "tile/run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "tile/build.h"
#include "tile/connected_tile.h"

namespace lento::tile {
namespace {

namespace fs = std::filesystem;
using finding::Outcome;
using testing::HasSubstr;

// A recording of one 32-bit signal with new data in the cycles named.
class Recording {
 public:
  Recording()
      : folder_(fs::temp_directory_path() / ("lento-run-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    base::write_file(
        in("m.yaml"),
        "schema: lento.tile-map/1\nclock: t.clk\ninputs:\n  - ioreg: 0\n    signal: t.data\n"
        "    valid: t.valid\n");
  }
  ~Recording() {
    fs::remove_all(folder_);
  }
  std::string in(const std::string& name) const {
    return (folder_ / name).string();
  }

  void write(
      const std::vector<int>& gaps,
      const std::string& value = "b101",
      const std::string& quiet = "0v\n") const {
    std::string text =
        "$scope module t $end\n$var wire 1 c clk $end\n$var wire 32 d data $end\n$var wire 1 v valid $end\n"
        "$upscope $end\n$enddefinitions $end\n";
    int time = 0;
    for (const int gap : gaps) {
      for (int i = 0; i < gap; ++i, time += 10) {
        text += "#" + std::to_string(time) + "\n0c\n" + (i == 0 ? "1v\n" : quiet) + value + " d\n";
        text += "#" + std::to_string(time + 5) + "\n1c\n";
      }
    }
    base::write_file(in("run.vcd"), text);
  }

  finding::Diagnosis run(const Image& image, uint32_t queue = 0, bool rtl = false) const {
    base::write_file(in("p.ypu"), write_image(image));
    TileRunOptions options;
    options.load.image = in("p.ypu");
    options.unsigned_image = true;
    options.recording = in("run.vcd");
    options.map = in("m.yaml");
    options.queue = queue;
    options.rtl = rtl;
    return run_tile(options, {});
  }

 private:
  fs::path folder_;
};

Image echo() {
  return shipped_build("echo.c").image;
}

const finding::Finding* finding_of(const finding::Diagnosis& d, const std::string& category) {
  for (const finding::Finding& f : d.findings) {
    if (f.category == category)
      return &f;
  }
  return nullptr;
}

TEST(TileRun, WhatHoldsIsHealthy) {
  Recording recording;
  recording.write(std::vector<int>(50, 8));
  const finding::Diagnosis d = recording.run(echo());
  EXPECT_EQ(d.outcome, Outcome::Healthy) << d.verdict;
  EXPECT_THAT(d.verdict, HasSubstr("50 of 50 inputs were processed"));
}

TEST(TileRun, InputsWithUnknownBitsAreAFinding) {
  Recording recording;
  recording.write(std::vector<int>(50, 8), "b1x1");
  const finding::Diagnosis d = recording.run(echo());
  const finding::Finding* found = finding_of(d, "unknown bits");
  ASSERT_NE(found, nullptr) << d.verdict;
  EXPECT_THAT(found->summary, HasSubstr("50 of 50 inputs"));
}

TEST(TileRun, AValidSignalThatIsUnknownIsAFinding) {
  Recording recording;
  recording.write(std::vector<int>(50, 8), "b101", "xv\n");
  const finding::Diagnosis d = recording.run(echo());
  const finding::Finding* found = finding_of(d, "unknown bits");
  ASSERT_NE(found, nullptr) << d.verdict;
  EXPECT_THAT(found->summary, HasSubstr("x or z at 350 edges"));
  EXPECT_THAT(found->summary, testing::Not(HasSubstr("clock")));
}

// The echo reads IOReg 0. Here main starts by IOReg 1, whose values come together with those of IOReg 0, or
// one edge later.
TEST(TileRun, AnIORegThatIsReadButNotTakenIsAFinding) {
  Recording recording;
  recording.write(std::vector<int>(50, 8));
  Image image = echo();
  image.input_mask = 2;
  const auto found_with = [&](const std::string& inputs) {
    base::write_file(recording.in("m.yaml"), "schema: lento.tile-map/1\nclock: t.clk\ninputs:\n" + inputs);
    const finding::Diagnosis d = recording.run(image);
    const finding::Finding* found = finding_of(d, "untaken input");
    return found ? found->summary : "";
  };
  const std::string together = "  - {ioreg: 1, signal: t.data, valid: t.valid}\n";
  const std::string later = "  - {ioreg: 1, signal: t.valid, tap: {equals: 1, when: falling}}\n";
  const std::string sparse = "  - {ioreg: 0, signal: t.data, valid: t.valid}\n";
  EXPECT_EQ(found_with(together + sparse), "");
  EXPECT_EQ(found_with(later + "  - {ioreg: 0, signal: t.data}\n"), "") << "it has data at every edge";
  EXPECT_THAT(found_with(later + sparse), HasSubstr("50 of its 50 values came at edges without"));
  EXPECT_THAT(found_with(together), HasSubstr("no signal"));
}

TEST(TileRun, ARecordingThatWasOffIsAFinding) {
  Recording recording;
  recording.write(std::vector<int>(50, 8));
  std::string text = base::read_file(recording.in("run.vcd"));
  text.insert(text.find("#2005\n"), "#2001\n$dumpoff\nxc\n$end\n#2004\n$dumpon\n0c\n$end\n");
  base::write_file(recording.in("run.vcd"), text);
  const finding::Diagnosis d = recording.run(echo());
  EXPECT_THAT(d.verdict, HasSubstr("was off ($dumpoff) from #2001 to #2004"));
}

// An input of another clock at the edge of the block's clock comes in the same tile cycle when that is free.
TEST(TileRun, EdgesAtOnceShareATileCycleThatIsFree) {
  const Image image = echo();
  const auto first_arrival = [&](bool foreign, uint32_t own) {
    ConnectedTile tile({0, 4, "", false, nullptr}, image);
    tile.load(1000);
    VcdCycle edge;
    edge.valid = own;
    tile.feed(edge);
    edge.valid = 1;
    edge.foreign = true;
    if (foreign)
      tile.feed(edge);
    tile.finish(1000);
    return tile.arrivals().last.value_or(0);
  };
  const uint64_t of_block = first_arrival(false, 1);
  EXPECT_EQ(first_arrival(true, 0), of_block);
  EXPECT_EQ(first_arrival(true, 1), of_block + 1);
}

// Eighteen inputs in a row overflow the queue, although main has time enough over the recording.
TEST(TileRun, ABurstIsNotAProgramThatFallsBehind) {
  Recording recording;
  std::vector<int> gaps(18, 1);
  gaps.push_back(4000);
  recording.write(gaps);
  finding::Diagnosis d = recording.run(echo());
  ASSERT_NE(finding_of(d, "drops"), nullptr) << d.verdict;
  EXPECT_THAT(finding_of(d, "drops")->next_step, HasSubstr("holds the longest burst"));
  recording.write(std::vector<int>(60, 1));
  d = recording.run(echo());
  EXPECT_THAT(finding_of(d, "drops")->next_step, HasSubstr("main takes longer than inputs are apart"));
}

// A run that writes a waveform steps through the cycles that another run passes over at rest.
TEST(TileRun, RestIsTheSameAsItsCycles) {
  const Recording recording;
  const Image image = shipped_build("values.c").image;
  const auto outcome = [&](const std::string& wave) {
    ConnectedTile tile({2, 16, wave, true, nullptr}, image);
    tile.load(1000);
    for (int i = 0; i < 400; ++i) {
      VcdCycle edge;
      edge.valid = i % 7 == 0 || i % 50 < 9 ? image.input_mask : 0;
      edge.data[0] = uint32_t(i);
      edge.foreign = i % 3 == 1;
      edge.offset = 0.4;
      tile.feed(edge);
    }
    tile.finish(100'000);
    const TileCounters& c = tile.unit().counters();
    return std::tuple(
        tile.output(),
        c.cycles,
        c.active_cycles,
        c.inputs,
        c.total_dropped(),
        tile.mean_gap(),
        tile.longest_hole(),
        tile.longest_queue(),
        tile.arrivals().least,
        tile.cycle_of(1),
        tile.unit().status());
  };
  const auto stepped = outcome(recording.in("wave.vcd"));
  EXPECT_EQ(outcome(""), stepped);
  EXPECT_FALSE(std::get<0>(stepped).empty());
}

TEST(TileRun, InputsSoonerThanDeclaredAreCounted) {
  Recording recording;
  std::vector<int> gaps(50, 8);
  gaps[10] = gaps[20] = 7;
  recording.write(gaps);
  const finding::Diagnosis d = recording.run(echo());
  EXPECT_EQ(d.outcome, Outcome::Findings);
  const finding::Finding* rate = finding_of(d, "arrival rate");
  ASSERT_TRUE(rate);
  EXPECT_THAT(rate->summary, HasSubstr("2 inputs of 50 came sooner than the declared 8 cycles"));
  EXPECT_THAT(rate->next_step, HasSubstr("YPU_ARRIVAL(7)"));
}

TEST(TileRun, UndeclaredDropsAreCounted) {
  Recording recording;
  recording.write(std::vector<int>(60, 2));
  const finding::Diagnosis d = recording.run(echo());
  const finding::Finding* drops = finding_of(d, "drops");
  ASSERT_TRUE(drops);
  EXPECT_THAT(drops->summary, HasSubstr("of 60 inputs"));
  EXPECT_FALSE(finding_of(recording.run(echo(), 64), "drops")) << "a queue keeps them";
  EXPECT_THAT(drops->next_step, HasSubstr("--queue"));
  Image declared = echo();
  declared.drops_declared = true;
  const finding::Diagnosis still = recording.run(declared);
  ASSERT_TRUE(finding_of(still, "drops")) << "a result that misses inputs is never an all-clear";
  EXPECT_THAT(still.verdict, HasSubstr("not to be trusted"));
}

TEST(TileRun, AnEndlessMainIsAFindingAndUnverified) {
  Recording recording;
  recording.write({8, 8, 8});
  Image image = echo();
  image.code.replace(image.main_entry, 4, std::string("\x6f\0\0\0", 4));  // jumps to itself
  const finding::Diagnosis d = recording.run(image);
  EXPECT_TRUE(finding_of(d, "endless"));
  const finding::Finding* unverified = finding_of(d, "unverified");
  ASSERT_TRUE(unverified);
  EXPECT_THAT(unverified->summary, HasSubstr("unbounded loop"));
}

TEST(TileRun, TheVerdictHoldsTheWholeViolation) {
  const Recording recording;
  recording.write(std::vector<int>(50, 8));
  Image image = echo();
  image.arrival_cycles = 2;
  EXPECT_THAT(
      recording.run(image).verdict,
      HasSubstr("inputs come every 2: drops are possible but not declared. "));
}

TEST(TileRun, AFaultAndTooMuchOutputAreFindings) {
  Recording recording;
  recording.write(std::vector<int>(50, 8));
  Image image = echo();
  image.output_bytes = 1;
  image.output_cycles = 1000;
  EXPECT_TRUE(finding_of(recording.run(image), "output rate"));
  image = echo();
  image.code.replace(image.main_entry, 4, std::string("\xff\xff\xff\xff", 4));
  EXPECT_TRUE(finding_of(recording.run(image), "fault"));
}

// Fast inputs, some lost, some that wait, and a finish that sends bytes at the end.
TEST(TileRun, TheRtlDoesTheSameInEveryCycle) {
  if (std::system("verilator --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "verilator is not installed";
  Recording recording;
  recording.write({8, 3, 2, 40, 1, 1, 1, 1, 1, 1, 1, 1, 9, 300});
  const finding::Diagnosis d = recording.run(shipped_build("values.c").image, 2, true);
  EXPECT_FALSE(finding_of(d, "rtl")) << finding_of(d, "rtl")->summary;
  const auto fact =
      std::ranges::find(d.facts, "RTL under Verilator", &std::pair<std::string, std::string>::first);
  ASSERT_NE(fact, d.facts.end());
  EXPECT_THAT(fact->second, HasSubstr("the same in all"));
  EXPECT_THROW(recording.run(echo(), 5, true), base::Error) << "the RTL's queue has four places";
}

TEST(TileRun, WithoutInputsThereIsNoVerdict) {
  Recording recording;
  recording.write({8, 8});
  Image image = echo();
  image.input_mask = 1u << 7;
  EXPECT_EQ(recording.run(image).outcome, Outcome::CannotJudge);
}

}  // namespace
}  // namespace lento::tile
