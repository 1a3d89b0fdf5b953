// Verdicts from recorded transfers on the repository's two small examples: a healthy program, and the same
// with everything from one DRAM port five times slower.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_error.h"
#include "chip/examine.h"
#include "chip/play.h"
#include "chip/records.h"

namespace lento::chip {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kHealthy = "examples/chip/noc_events.json";
constexpr const char* kSlow = "examples/chip/noc_events_slow.json";

RecordSources one(const char* file) {
  RecordSources sources;
  sources.files = {file};
  return sources;
}

TEST(ChipImport, CountsAndWrites) {
  ChipImportOptions options{one(kHealthy), testing::TempDir() + "/import.records"};
  const finding::Diagnosis d = chip_import(options);
  EXPECT_EQ(d.outcome, finding::Outcome::Answer);
  EXPECT_THAT(d.facts, Contains(Pair("events", "88")));
  EXPECT_THAT(d.facts, Contains(Pair("bytes", "98304")));
  ChipImportOptions again{one(options.output.c_str()), ""};
  EXPECT_EQ(chip_import(again).facts, d.facts);
}

TEST(ChipPlay, StandsBesideTheMeasuredTime) {
  ChipPlayOptions options;
  options.sources = one(kHealthy);
  const finding::Diagnosis d = chip_play(options);
  EXPECT_EQ(d.outcome, finding::Outcome::Answer);
  EXPECT_THAT(d.facts, Contains(Pair("measured", "1746 cycles")));
  ASSERT_EQ(d.figures.size(), 3U);
}

TEST(ChipExamine, HealthyIsHealthyAndSlowIsNamed) {
  EXPECT_EQ(chip_examine({one(kHealthy)}).outcome, finding::Outcome::Healthy);
  const finding::Diagnosis d = chip_examine({one(kSlow)});
  ASSERT_EQ(d.outcome, finding::Outcome::Findings);
  EXPECT_EQ(d.findings[0].subject, "dram0-1");
  EXPECT_EQ(d.findings[0].category, "slow memory port");
}

// One damaged size among 16 waits makes the others look like an error of the model, and is no all-clear.
TEST(ChipExamine, ADamagedSizeIsNoAllClear) {
  const std::string path = testing::TempDir() + "/damaged.json";
  std::string text = base::read_file(kSlow, 1 << 20);
  const size_t record = text.find(R"("num_bytes":2048,"type":"READ","timestamp":1488})");
  ASSERT_NE(record, std::string::npos);
  text[record + 12] = '6';
  base::write_file(path, text);
  const finding::Diagnosis d = chip_examine({one(path.c_str())});
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge) << d.verdict;
  EXPECT_THAT(d.reason, HasSubstr("dram0-1"));
}

TEST(ChipCompare, NamesWhatBecameSlower) {
  const finding::Diagnosis d = chip_compare({one(kHealthy), one(kSlow)});
  ASSERT_EQ(d.outcome, finding::Outcome::Findings);
  EXPECT_EQ(d.findings[0].subject, "dram0-1");
  EXPECT_EQ(chip_compare({one(kHealthy), one(kHealthy)}).outcome, finding::Outcome::Healthy);
}

TEST(ChipCompare, OtherProgramsCannotBeJudged) {
  const std::string path = testing::TempDir() + "/other.json";
  base::write_file(path, R"([{"proc":"B","sx":1,"sy":1,"timestamp":0,"zone":"K","zone_phase":"begin"}])");
  const finding::Diagnosis d = chip_compare({one(kHealthy), one(path.c_str())});
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("not runs of one program"));
}

TEST(ChipExamine, NothingRepeatsIsNoVerdict) {
  const std::string path = testing::TempDir() + "/zones.json";
  base::write_file(path, R"([{"proc":"B","sx":1,"sy":1,"timestamp":0,"zone":"K","zone_phase":"begin"}])");
  const finding::Diagnosis d = chip_examine({one(path.c_str())});
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_FALSE(d.remedy.empty());
}

TEST(ChipRecords, NoFileIsAnError) {
  EXPECT_THAT(
      base::test::error_of([] {
        read_records({});
      }),
      HasSubstr("no records"));
}

}  // namespace
}  // namespace lento::chip
