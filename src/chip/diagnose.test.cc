#include "chip/diagnose.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "chip/detect/path.h"
#include "chip/map/file/map_file.h"
#include "chip/read/probe_file.h"
#include "chip/replay.h"
#include "chip/sim/simulate.h"

namespace lento::chip {
namespace {

class ChipDiagnosis : public testing::Test {
 protected:
  static constexpr const char* kChip = "examples/chip/4x4.yaml";
  static constexpr const char* kMapping = "examples/chip/tiny.map.json";

  const spec::Chip chip_ = spec::read_chip(kChip);
  const Program program_ = expand(read_map(kMapping), chip_, kMapping);
  const std::string file_ = testing::TempDir() + "chip_diagnosis.probe";

  // A run written to the file; what it names when it is read again.
  void simulate_to_file(const std::vector<Fault>& faults, uint64_t seed) {
    Options run;
    run.inferences = 8;
    run.seed = seed;
    ProbeHeader head{"4x4", program_.name, 16, run.inferences, chip_.clock_hz};
    ProbeWriter writer(file_, head);
    simulate(Model(chip_, program_), faults, run, &writer);
    writer.commit();
  }
  ChipDiagnosisOptions options() const {
    ChipDiagnosisOptions o;
    o.records = file_;
    o.chip = kChip;
    o.mapping = kMapping;
    return o;
  }
  static int simulated(const finding::Diagnosis& d) {
    for (const auto& [what, value] : d.facts)
      if (what == "runs simulated to judge it")
        return std::atoi(value.c_str());
    return -1;
  }
  std::vector<Fault> slow(const Component& component, double factor) const {
    Fault f = fault_of(component, Grid(chip_));
    f.factor = factor;
    return {f};
  }
};

TEST_F(ChipDiagnosis, NamesASlowCoreAndSaysWhatItLookedAt) {
  simulate_to_file(slow({Part::Core, 5}, 5), 3);
  const finding::Diagnosis d = diagnose_chip(options());
  ASSERT_EQ(d.outcome, finding::Outcome::Findings);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "core5");
  EXPECT_NEAR(*d.findings[0].factor, 5, 0.25);
  EXPECT_EQ(d.inputs.size(), 3u);  // records, chip, mapping
  EXPECT_GT(simulated(d), 0);
  EXPECT_LE(simulated(d), 12);
}

TEST_F(ChipDiagnosis, AHealthyRunIsHealthyAndNotMerelyEmpty) {
  simulate_to_file({}, 3);
  const finding::Diagnosis d = diagnose_chip(options());
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_NE(d.covered.find("16 cores"), std::string::npos) << d.covered;
  EXPECT_EQ(simulated(d), 0);
}

TEST_F(ChipDiagnosis, ARecorderThatHoldsNothingIsNotHealthy) {
  ProbeWriter(file_, {"4x4", program_.name, 16, 1, chip_.clock_hz}).commit();
  EXPECT_EQ(diagnose_chip(options()).outcome, finding::Outcome::CannotJudge);
}

TEST_F(ChipDiagnosis, TheSameRunIsJudgedByTheSameNoiseAndAnotherByOther) {
  simulate_to_file({}, 3);
  ChipDiagnosisOptions o = options();
  o.sketch_out = testing::TempDir() + "chip_diagnosis.sketch";
  diagnose_chip(o);
  const Sketch one = read_sketch(o.sketch_out);
  simulate_to_file({}, 4);
  diagnose_chip(o);
  const Sketch other = read_sketch(o.sketch_out);
  EXPECT_EQ(replay_seed(one, 1), replay_seed(one, 1));
  EXPECT_NE(replay_seed(one, 1), replay_seed(one, 2));
  EXPECT_NE(replay_seed(one, 1), replay_seed(other, 1));
}

// What is remembered of one twin must not answer for another.
TEST_F(ChipDiagnosis, ReplaysOfATwinFollowItsParts) {
  simulate_to_file({}, 3);
  ChipDiagnosisOptions o = options();
  o.sketch_out = testing::TempDir() + "chip_diagnosis.sketch";
  diagnose_chip(o);
  const Sketch sketch = read_sketch(o.sketch_out);
  const ReplayOf replays = sketch_replays(program_, sketch, 1, {});
  Twin slow{chip_, {}};
  slow.own.cores.assign(16, 1);
  slow.own.cores[5] = 2;
  const uint64_t healthy = replays({chip_, {}})({}, 0).end_cycles();
  EXPECT_GT(replays(slow)({}, 0).end_cycles(), healthy);
  EXPECT_EQ(replays({chip_, {}})({}, 0).end_cycles(), healthy);
}

}  // namespace
}  // namespace lento::chip
