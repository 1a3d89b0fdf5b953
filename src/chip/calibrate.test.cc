// From healthy runs of a changed chip to a fit on disk, and to a verdict that rests on it.
#include "chip/calibrate.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "chip/diagnose.h"
#include "chip/fit/fit_file.h"
#include "chip/map/file/map_file.h"
#include "chip/sim/simulate.h"

namespace lento::chip {
namespace {

class ChipCalibration : public testing::Test {
 protected:
  const std::string chip_path_ = "examples/chip/4x4.yaml";
  const std::string map_path_ = "examples/chip/tiny.map.json";
  const spec::Chip file_ = spec::read_chip(chip_path_);
  const Program program_ = expand(read_map(map_path_), file_, "tiny");
  const std::string folder_ = testing::TempDir();

  std::string sketch_of(const Twin& real, uint64_t seed, const std::vector<Fault>& faults = {}) const {
    SketchOptions options;
    options.ops_per_cycle = recorder_rate(file_.core.ops_per_cycle, file_.core.rate_deviation);
    Sketch sketch(plan_shapes(count_patterns(program_, file_), options), options);
    Options run;
    run.inferences = 16;
    run.seed = seed;
    simulate(Model(real.chip, program_, real.own), faults, run, &sketch);
    const std::string path = folder_ + "calibration" + std::to_string(seed) + ".sketch";
    write_sketch(path, sketch);
    return path;
  }
  finding::Diagnosis calibrated(const std::vector<std::string>& records, const std::string& out) const {
    ChipCalibrationOptions options;
    options.records = records;
    options.chip = chip_path_;
    options.mapping = map_path_;
    options.output = out;
    return calibrate_chip(options);
  }
  finding::Diagnosis diagnosed(const std::string& records, const std::string& fit) const {
    ChipDiagnosisOptions options;
    options.records = records;
    options.chip = chip_path_;
    options.mapping = map_path_;
    options.fit_file = fit;
    return diagnose_chip(options);
  }
};

TEST_F(ChipCalibration, AChangedChipIsWrittenAndJudgedByItsFit) {
  Twin real{file_, {}};
  real.chip.core.ops_per_cycle *= 0.8;
  for (int core = 0; core < 16; ++core)
    real.own.cores.push_back(0.9 + 0.2 * core / 15);
  const std::string fit_path = folder_ + "calibration.fit";
  const finding::Diagnosis d = calibrated({sketch_of(real, 1), sketch_of(real, 2)}, fit_path);
  EXPECT_EQ(d.outcome, finding::Outcome::Answer);
  EXPECT_NE(d.verdict.find("cores 1.25"), std::string::npos) << d.verdict;
  const Fit fit = read_fit(fit_path, file_);
  EXPECT_NEAR(
      fit.twin.chip.core.ops_per_cycle,
      0.8 * file_.core.ops_per_cycle,
      0.02 * file_.core.ops_per_cycle);
  EXPECT_EQ(diagnosed(sketch_of(real, 3), fit_path).outcome, finding::Outcome::Healthy);
  Fault slow = fault_of({Part::Core, 9}, Grid(file_));
  slow.factor = 2;
  const finding::Diagnosis faulty = diagnosed(sketch_of(real, 4, {slow}), fit_path);
  ASSERT_EQ(faulty.findings.size(), 1u);
  EXPECT_EQ(faulty.findings[0].subject, "core9");
  EXPECT_NEAR(*faulty.findings[0].factor, 2, 0.2);
}

TEST_F(ChipCalibration, SaysWhatCouldNotBeTold) {
  const finding::Diagnosis d = calibrated({sketch_of({file_, {}}, 5)}, "");
  EXPECT_EQ(d.verdict, "The chip is as its file says.");
  std::string notes;
  for (const std::string& note : d.notes)
    notes += note + "\n";
  EXPECT_NE(notes.find("issue window"), std::string::npos) << notes;
  EXPECT_NE(notes.find("too little passed through them"), std::string::npos) << notes;
}

// A part that is ill while the chip is calibrated must not become what its fit takes for healthy.
TEST_F(ChipCalibration, AnIllPartIsNamedAndNotTaken) {
  Fault slow = fault_of({Part::Core, 5}, Grid(file_));
  slow.factor = 3;
  const std::string fit_path = folder_ + "ill.fit";
  const finding::Diagnosis d = calibrated({sketch_of({file_, {}}, 6, {slow})}, fit_path);
  std::string notes;
  for (const std::string& note : d.notes)
    notes += note + "\n";
  EXPECT_NE(notes.find("core5 is 2.99 times"), std::string::npos) << notes;
  const finding::Diagnosis faulty = diagnosed(sketch_of({file_, {}}, 7, {slow}), fit_path);
  ASSERT_EQ(faulty.findings.size(), 1u);
  EXPECT_EQ(faulty.findings[0].subject, "core5");
}

TEST_F(ChipCalibration, NoRunIsAnError) {
  EXPECT_THROW(calibrated({}, ""), base::Error);
}

}  // namespace
}  // namespace lento::chip
