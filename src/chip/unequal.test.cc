// A sheet of unequal cores and clocks from the network to the verdict: what the file declares is no fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "chip/chip_file.h"
#include "chip/diagnose.h"
#include "chip/map/file/map_file.h"
#include "chip/read/probe_file.h"
#include "chip/simulation.h"
#include "chip/test_mapping.h"

namespace lento::chip {
namespace {

class UnequalChips : public testing::Test {
 protected:
  const std::string file_ = "examples/chip/unequal.yaml";
  const std::string map_ = testing::TempDir() + "unequal.map.json";
  const std::string records_ = testing::TempDir() + "unequal.probe";

  void SetUp() override {
    test::map_darknet(file_, map_);
  }

  void simulate(const std::string& slow, const std::string& chip) const {
    ChipSimulationOptions run;
    run.chip = chip;
    run.mapping = map_;
    run.inferences = 4;
    run.records = records_;
    if (!slow.empty()) {
      run.faults = testing::TempDir() + "unequal.faults.yaml";
      base::write_file(
          run.faults,
          "schema: lento.faults/1\nfaults:\n  - {component: \"" + slow + "\", factor: 10, start: 9000000}\n");
    }
    ASSERT_TRUE(simulate_chip(run, {}).has_value());
  }

  finding::Diagnosis diagnosed(bool replay) const {
    ChipDiagnosisOptions options;
    options.records = records_;
    options.chip = file_;
    options.mapping = map_;
    options.replay = replay;
    return diagnose_chip(options);
  }

  finding::Diagnosis of_run(const std::string& slow) const {
    simulate(slow, file_);
    return diagnosed(true);
  }
};

TEST_F(UnequalChips, WhatIsDeclaredIsHealthy) {
  EXPECT_EQ(of_run("").outcome, finding::Outcome::Healthy);
}

TEST_F(UnequalChips, ALinkOfTheSlowerChipIsNamed) {
  const finding::Diagnosis d = of_run("chip1/noc/link1-0>2-0");
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_THAT(d.findings[0].subject, testing::HasSubstr("chip1/noc/link1-0>2-0"));
}

TEST_F(UnequalChips, WithoutSimulationTheyAreNotJudged) {
  simulate("", file_);
  EXPECT_THROW(diagnosed(false), base::Error);
}

// The class's core and the slow chip's core, in their own times.
TEST_F(UnequalChips, ACoreSlowerThanItsClassAndClockIsNamed) {
  for (const std::string slow : {"chip0/core2-1", "chip1/core2-1", "chip1/core1-0"}) {
    const finding::Diagnosis d = of_run(slow);
    ASSERT_EQ(d.findings.size(), 1u) << slow;
    EXPECT_EQ(d.findings[0].subject, slow);
  }
}

TEST_F(UnequalChips, RecordsSayChipAndClock) {
  simulate("", file_);
  base::ReadReport report;
  ProbeReader reader(records_, report);
  EXPECT_EQ(reader.header().chips, 2u);
  EXPECT_EQ(reader.header().cores, 12u);
  EXPECT_EQ(reader.header().ports, 4u);
  EXPECT_EQ(reader.header().clocks_hz, (std::vector<double>{1e8, 8e7}));
  ProbeRecord record;
  while (reader.next(record)) {
  }
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_GT(report.taken, 1000u);
}

TEST_F(UnequalChips, TheReleasedModelRefusesThem) {
  ChipSimulationOptions run;
  run.chip = file_;
  run.mapping = map_;
  run.released = true;
  EXPECT_THROW(simulate_chip(run, {}), base::Error);
}

TEST(ChipFile, AnEqualChipDeclaresNothing) {
  EXPECT_EQ(read_chip_file("examples/chip/4x4.yaml").twin.own, Deviations{});
  EXPECT_EQ(read_chip_file("examples/chip/four_chips.yaml").twin.own, Deviations{});
  EXPECT_FALSE(read_chip_file("examples/chip/unequal.yaml").twin.own.cores.empty());
}

}  // namespace
}  // namespace lento::chip
