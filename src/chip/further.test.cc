// Several runs of a chip from records to the verdict: a link that one run does not show.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "chip/detect/path.h"
#include "chip/diagnose.h"
#include "chip/map/binary_tree.h"
#include "chip/map/file/map_file.h"
#include "chip/read/probe_file.h"
#include "chip/sim/simulate.h"

namespace lento::chip {
namespace {

class FurtherRuns : public testing::Test {
 protected:
  const spec::Chip chip_;
  const std::string folder_ = testing::TempDir() + "further_";
  const Mapping mapping_ = map_binary_tree({.depth = 4, .size = 192, .passes = 24}, chip_);
  const Program program_ = expand(mapping_, chip_, "tree");

  void SetUp() override {
    base::write_file(folder_ + "chip.yaml", spec::write_chip(chip_));
    base::write_file(folder_ + "map.json", write_map(mapping_));
  }

  std::string recorded(double factor, uint64_t seed, uint32_t inferences = 2) const {
    const Grid grid(chip_);
    Fault fault = fault_of(link_component(grid, grid.find_link(5, 6)), grid);
    fault.factor = factor;
    Options run;
    run.inferences = inferences;
    run.seed = seed;
    const std::string path = folder_ + std::to_string(seed) + ".probe";
    ProbeWriter writer(
        path,
        {chip_.name, mapping_.name, uint32_t(chip_.core_count()), inferences, chip_.clock_hz});
    simulate(Model(chip_, program_), {fault}, run, &writer);
    writer.commit();
    return path;
  }

  finding::Diagnosis judged(double factor, int further) const {
    ChipDiagnosisOptions options;
    options.records = recorded(factor, 60);
    for (int i = 1; i <= further; ++i)
      options.further.push_back(recorded(factor, uint64_t(60 + i)));
    options.chip = folder_ + "chip.yaml";
    options.mapping = folder_ + "map.json";
    options.models = folder_ + "models";
    return diagnose_chip(options);
  }
};

TEST_F(FurtherRuns, TogetherShowWhatOneDoesNot) {
  EXPECT_TRUE(judged(1.2, 0).findings.empty());
  const finding::Diagnosis d = judged(1.2, 7);
  ASSERT_EQ(d.findings.size(), 1U);
  EXPECT_EQ(d.findings[0].subject, "link5-6");
  EXPECT_EQ(d.findings[0].category, "slow link");
  EXPECT_NEAR(*d.findings[0].factor, 1.2, 0.1);
  EXPECT_EQ(d.outcome, finding::Outcome::Findings);
  EXPECT_EQ(d.inputs.size(), 10U);
}

TEST_F(FurtherRuns, OfAHealthyChipStayHealthy) {
  const finding::Diagnosis d = judged(1, 7);
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_NE(d.verdict.find("slower over the whole run would not pass as healthy"), std::string::npos);
}

// People give runs in order of time, so that the fault is in the last one.
TEST_F(FurtherRuns, AFaultInALaterRunIsNamedWithItsRun) {
  ChipDiagnosisOptions options;
  const std::string slow = recorded(5, 91);
  options.records = recorded(1, 90);
  options.further = {slow};
  options.chip = folder_ + "chip.yaml";
  options.mapping = folder_ + "map.json";
  options.models = folder_ + "models";
  const finding::Diagnosis d = diagnose_chip(options);
  ASSERT_EQ(d.outcome, finding::Outcome::Findings) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "link5-6");
  EXPECT_NE(d.verdict.find(slow), std::string::npos);
  EXPECT_NE(d.covered.find("2 runs"), std::string::npos);
}

TEST_F(FurtherRuns, OfAnotherLengthAreLeftOutWithANote) {
  ChipDiagnosisOptions options;
  options.records = recorded(1, 80);
  options.further = {recorded(1, 81, 3)};
  options.chip = folder_ + "chip.yaml";
  options.mapping = folder_ + "map.json";
  options.models = folder_ + "models";
  const finding::Diagnosis d = diagnose_chip(options);
  EXPECT_TRUE(std::ranges::any_of(d.notes, [](const std::string& note) {
    return note.find("3 inferences") != std::string::npos;
  }));
  options.model = false;
  EXPECT_THROW(diagnose_chip(options), base::Error);
}

}  // namespace
}  // namespace lento::chip
