#include "chip/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chip/map/binary_tree.h"
#include "chip/model/draws.h"
#include "chip/model/runs.h"
#include "chip/model/unexplained.h"

namespace lento::chip {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A tree of 15 cores on the default chip, learnt once for all tests.
class ModelTest : public testing::Test {
 protected:
  struct Learnt {
    spec::Chip chip;
    Program program = expand(map_binary_tree({.depth = 4, .size = 192, .passes = 24}, chip), chip, "tree");
    ChipModel model = learn({chip, program, 2}, {.draws = 16});
  };
  static const Learnt& learnt() {
    static const Learnt it;
    return it;
  }
  static std::vector<ProbeRecord> run(const std::vector<Fault>& faults, uint64_t seed) {
    return simulated_records(learnt().model.setup, learnt().model.setup.twin(), faults, seed);
  }
  static Fault slow(const Component& part, double factor, double begin, double end) {
    Fault fault = fault_of(part, Grid(learnt().chip));
    fault.factor = factor;
    fault.begin = uint64_t(begin * learnt().model.dictionary.run_cycles);
    fault.end = uint64_t(end * learnt().model.dictionary.run_cycles);
    return fault;
  }
  static std::vector<std::string> classes(const ModelVerdict& v) {
    std::vector<std::string> out;
    for (const ClassDifference& c : v.classes)
      out.push_back(c.what);
    return out;
  }
};

TEST_F(ModelTest, AHealthyRunGainsLittleFromAnyPart) {
  for (uint64_t seed = 100; seed < 106; ++seed) {
    auto records = run({}, seed);
    const ModelVerdict v = judge(learnt().model, records);
    EXPECT_LT(v.most_gain(), learnt().model.threshold);
    EXPECT_THAT(classes(v), IsEmpty());
    EXPECT_THAT(v.notes, IsEmpty());
    EXPECT_FALSE(v.clock_map.differs());
    EXPECT_EQ(v.clocks.grain, 1U);
    EXPECT_EQ(v.seen, 1);
  }
}

TEST_F(ModelTest, ASlowCoreIsConfirmedWithItsFactor) {
  for (const double factor : {1.5, 3.0, 10.0}) {
    const Fault fault = slow({Part::Core, 5}, factor, 0.2, 0.6);
    auto records = run({fault}, 7);
    const ModelVerdict v = judge(learnt().model, records);
    const Confirmation c =
        confirm(learnt().model, v, {Part::Core, 5}, double(fault.begin), double(fault.end));
    EXPECT_TRUE(c.agrees()) << factor;
    EXPECT_NEAR(c.test.factor(), factor, 0.1 * factor);
    const Confirmation other =
        confirm(learnt().model, v, {Part::Core, 6}, double(fault.begin), double(fault.end));
    EXPECT_FALSE(other.agrees());
  }
}

// Student's t gives each far record a small weight, and still these few gain more than any healthy part.
TEST_F(ModelTest, AFewVerySlowOperationsAreSeen) {
  const Fault fault = slow({Part::Core, 5}, 10, 0.3, 0.36);
  auto records = run({fault}, 41);
  const ModelVerdict v = judge(learnt().model, records);
  const PartTest* const found = v.suspicious(kTolerance);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->component, (Component{Part::Core, 5}));
  EXPECT_NEAR(found->begin, 0.3, 0.1);
}

// Records at the edges of the interval are slow under one seed alone. They add no noise to the others.
TEST_F(ModelTest, AShortFaultThatIsSimulatedIsLikelierThanNone) {
  const Dictionary& d = learnt().model.dictionary;
  const Fault fault = slow({Part::Core, 5}, 3, 0.3, 0.36);
  auto records = run({fault}, 41);
  const ModelVerdict v = judge(learnt().model, records);
  const LearnSetup& setup = learnt().model.setup;
  const SimulatedShift shift = simulated_shift(d, setup, setup.twin(), {fault});
  Likelihood beside = *v.likelihood;
  beside.expect(shift.mean, shift.noise);
  EXPECT_GT(2 * (beside.fit().log_likelihood - v.none.log_likelihood), learnt().model.threshold);
}

// A link that is slow all the time fills queues as other buffers would. Its factor comes from simulation.
TEST_F(ModelTest, ASlowLinkIsNoOtherSettingAndHasItsFactor) {
  const Grid grid(learnt().chip);
  for (const double factor : {3.0, 10.0}) {
    const Fault fault = slow(link_component(grid, grid.find_link(5, 6)), factor, 0, 2);
    auto records = run({fault}, 21);
    const ModelVerdict v = judge(learnt().model, records);
    EXPECT_THAT(v.notes, IsEmpty()) << factor;
    const FactorFit fit =
        factors_of(learnt().model, v, {{component_of(fault), std::log(factor) / 2, 0, kForever}}, true);
    ASSERT_EQ(fit.parts.size(), 1U);
    EXPECT_LT(fit.deviation.at(0), 0.2);
    EXPECT_NEAR(fit.parts[0].log_factor, std::log(factor), 2.5 * fit.deviation.at(0));
    EXPECT_GT(fit.solution.log_likelihood, v.none.log_likelihood + learnt().model.threshold);
    EXPECT_EQ(not_explained(learnt().model, v, fit.solution, fit.parts[0]), "");
  }
}

// The first guess of both ends is far off. A part serves records in a few layers alone, and its ends are
// sought from gap to gap between them.
TEST_F(ModelTest, EndsOfAStretchComeFromTheRecordsOfThePart) {
  const Grid grid(learnt().chip);
  const double cycles = learnt().model.dictionary.run_cycles;
  for (const Component& part : {Component{Part::Core, 5}, link_component(grid, grid.find_link(5, 6))}) {
    const Fault fault = slow(part, 4, 0.2, 0.5);
    auto records = run({fault}, 21);
    const ModelVerdict v = judge(learnt().model, records);
    const SlowPart guess{part, 2, uint64_t(0.35 * cycles), uint64_t(0.6 * cycles)};
    const FactorFit fit = factors_of(learnt().model, v, {guess}, true);
    EXPECT_NEAR(double(fit.parts.at(0).begin), double(fault.begin), 0.05 * cycles);
    EXPECT_NEAR(double(fit.parts[0].end), double(fault.end), 0.05 * cycles);
    EXPECT_NEAR(fit.parts[0].log_factor, std::log(4), std::max(0.02, 2.5 * fit.deviation.at(0)));
  }
}

// Links that differ by more than those of healthy chips, and transfers further off, are the file's fault.
TEST_F(ModelTest, WhatNoHealthyChipShowsIsNotExplained) {
  auto records = run({}, 30);
  const ModelVerdict v = judge(learnt().model, records);
  EXPECT_EQ(not_explained(learnt().model, v, v.none, {{Part::Link, 0, 1}, 1}), "");
  Solution apart = v.none;
  apart.spread[1] = 1.1 * learnt().model.unlike_spread[1];
  EXPECT_THAT(
      not_explained(learnt().model, v, apart, {{Part::Router, 1}, 0.1}),
      AllOf(StartsWith("links still differ"), HasSubstr("messages from core")));
  EXPECT_EQ(not_explained(learnt().model, v, apart, {{Part::Core, 1}, 0.1}), "");
  Solution far = v.none;
  far.deviance[0] = 4 * learnt().model.deviance[0];
  EXPECT_THAT(
      not_explained(learnt().model, v, far, {{Part::Core, 1}, 1}),
      StartsWith("operations are 2 times as far from the file"));
  EXPECT_EQ(not_explained(learnt().model, v, far, {{Part::DramPort, 1}, 1}), "");
}

// The file says mesh, and the chip is a torus or routes along columns first.
TEST_F(ModelTest, AChipWithOtherRoutesIsNotTakenForASlowPart) {
  const LearnSetup& file = learnt().model.setup;
  for (const SheetError error : {SheetError::Topology, SheetError::ColumnsFirst}) {
    const auto other = with_error(error, file.chip, file.program);
    ASSERT_TRUE(other);
    const LearnSetup there{other->chip, other->program, file.inferences};
    auto records = simulated_records(there, there.twin(), {}, 30);
    const ModelVerdict v = judge(learnt().model, records);
    EXPECT_THAT(
        not_explained(learnt().model, v, v.none, {{Part::Link, 0, 1}, 1}),
        StartsWith(std::string("the records are more like those of ") + name_of(error, file.chip)));
  }
}

// A clock that runs slower, and one that drifts, are a finding about the chip and undone in the records.
TEST_F(ModelTest, AnotherClockIsTheWholeChips) {
  auto records = run({}, 8);
  const auto plain = records;
  for (ProbeRecord& r : records) {
    r.begin = r.begin * 5 / 4;
    r.end = r.end * 5 / 4;
  }
  const ModelVerdict v = judge(learnt().model, records);
  EXPECT_THAT(classes(v), ElementsAre("the whole chip"));
  EXPECT_NEAR(v.clock, 1.25, 0.05);
  EXPECT_TRUE(v.clock_map.differs());
  EXPECT_NEAR(double(records.back().end), double(plain.back().end), 0.05 * double(plain.back().end));
  EXPECT_NEAR(v.clock_map.to_recorder(v.clock_map.to_file(12'345)), 12'345, 1);
}

TEST_F(ModelTest, ASlowerClassIsNamedAsSuch) {
  Twin twin = learnt().model.setup.twin();
  twin.chip.core.ops_per_cycle /= 1.3;
  for (uint64_t seed = 9; seed < 15; ++seed) {
    auto records = simulated_records(learnt().model.setup, twin, {}, seed);
    const ModelVerdict v = judge(learnt().model, records);
    EXPECT_THAT(classes(v), ElementsAre("all cores"));
    EXPECT_NEAR(v.classes.at(0).factor, 1.3, 0.05);
    EXPECT_THAT(v.notes, IsEmpty());
    EXPECT_EQ(v.suspicious(kTolerance), nullptr);
  }
}

TEST_F(ModelTest, CountersThatStartAnywhereAndWrapAreAligned) {
  auto records = run({}, 10);
  const auto plain = records;
  for (ProbeRecord& r : records) {
    const uint64_t start = UINT32_MAX - 20'000 * (r.core + 1);
    r.begin = (r.begin + start) & UINT32_MAX;
    r.end = (r.end + start) & UINT32_MAX;
    if (r.end < r.begin)  // as the reader mends a counter that wraps within a record
      r.end += uint64_t{1} << 32;
  }
  const Clocks clocks = align_clocks(records, learnt().model.dictionary);
  EXPECT_GE(clocks.wrapped, 8);  // the others work for less than a counter has left
  EXPECT_EQ(clocks.aligned, 15);
  const double width = 0.05 * learnt().model.dictionary.run_cycles;
  for (size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(records[i].end - records[i].begin, plain[i].end - plain[i].begin);
    ASSERT_NEAR(double(records[i].begin), double(plain[i].begin), width);
  }
}

TEST_F(ModelTest, ACoarseTimerIsSeenAndSmoothed) {
  auto records = run({}, 11);
  for (ProbeRecord& r : records) {
    r.begin -= r.begin % 64;
    r.end -= r.end % 64;
  }
  const ModelVerdict v = judge(learnt().model, records);
  EXPECT_EQ(v.clocks.grain, 64U);
  EXPECT_LT(v.most_gain(), learnt().model.threshold);
}

TEST_F(ModelTest, RecordsOfAnotherMappingAreCounted) {
  auto records = run({}, 12);
  for (size_t i = 0; i < records.size(); i += 2)
    records[i].work += 1;
  const ModelVerdict v = judge(learnt().model, records);
  EXPECT_EQ(v.strange, (records.size() + 1) / 2);
  EXPECT_NEAR(v.seen, 0.5, 0.01);
}

// One run does not show a link this little slower, and several do. Healthy runs add up to nothing.
TEST_F(ModelTest, SeveralRunsAddEvidence) {
  const Grid grid(learnt().chip);
  const Component part = link_component(grid, grid.find_link(5, 6));
  const auto together = [&](const std::vector<Fault>& faults) {
    std::vector<ModelVerdict> runs;
    for (uint64_t seed = 40; seed < 48; ++seed) {
      auto records = run(faults, seed);
      runs.push_back(judge(learnt().model, records));
    }
    return parts_in_runs(learnt().model, runs);
  };
  const std::vector<PartInRuns> found = together({slow(part, 1.2, 0, 2)});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().component, part);
  EXPECT_GT(found.front().certain_after, 1);
  for (const PartInRuns& healthy : together({}))
    EXPECT_EQ(healthy.certain_after, 0);
}

// Thresholds come from draws that differ from the file in all that is nobody's fault.
TEST_F(ModelTest, HealthyDrawsDifferFromOneAnotherAndRepeat) {
  const auto one = healthy_draw(learnt().model.setup, 1);
  EXPECT_EQ(one.back().end, healthy_draw(learnt().model.setup, 1).back().end);
  EXPECT_NE(one.back().end, healthy_draw(learnt().model.setup, 2).back().end);
}

}  // namespace
}  // namespace lento::chip
