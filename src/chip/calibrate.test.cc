// From healthy runs of a changed chip to a corrected chip file, and to a verdict that rests on it.
#include "chip/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "chip/diagnose.h"
#include "chip/map/file/map_file.h"
#include "chip/read/probe_file.h"
#include "chip/sim/simulate.h"

namespace lento::chip {
namespace {

using testing::HasSubstr;

class ChipCalibration : public testing::Test {
 protected:
  const std::string chip_path_ = "examples/chip/4x4.yaml";
  const std::string map_path_ = "examples/chip/tiny.map.json";
  const spec::Chip file_ = spec::read_chip(chip_path_);
  const Program program_ = expand(read_map(map_path_), file_, "tiny");
  const std::string folder_ = testing::TempDir();

  std::string records_of(const Twin& real, uint64_t seed, const std::vector<Fault>& faults = {}) const {
    const std::string path = folder_ + "calibration" + std::to_string(seed) + ".probe";
    Options run;
    run.inferences = 8;
    run.seed = seed;
    ProbeWriter writer(path, {file_.name, program_.name, 16, run.inferences, file_.clock_hz});
    simulate(Model(real.chip, program_, real.own), faults, run, &writer);
    writer.commit();
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
  finding::Diagnosis diagnosed(const std::string& records, const std::string& chip) const {
    ChipDiagnosisOptions options;
    options.records = records;
    options.chip = chip;
    options.mapping = map_path_;
    return diagnose_chip(options);
  }
  Fault slow_core(int core, double factor) const {
    Fault slow = fault_of({Part::Core, core}, Grid(file_));
    slow.factor = factor;
    return slow;
  }
};

TEST_F(ChipCalibration, AChangedChipIsWrittenAndJudgedByItsFile) {
  Twin real{file_, {}};
  real.chip.core.ops_per_cycle *= 0.8;
  const std::string measured = folder_ + "measured.yaml";
  const finding::Diagnosis d = calibrated({records_of(real, 1), records_of(real, 2)}, measured);
  EXPECT_EQ(d.outcome, finding::Outcome::Answer);
  EXPECT_THAT(d.verdict, HasSubstr("cores 1.25"));
  const double rate = spec::read_chip(measured).core.ops_per_cycle;
  EXPECT_NEAR(rate, 0.8 * file_.core.ops_per_cycle, 0.02 * file_.core.ops_per_cycle);
  EXPECT_EQ(diagnosed(records_of(real, 3), measured).outcome, finding::Outcome::Healthy);
  const finding::Diagnosis faulty = diagnosed(records_of(real, 4, {slow_core(9, 2)}), measured);
  ASSERT_EQ(faulty.findings.size(), 1u);
  EXPECT_EQ(faulty.findings[0].subject, "core9");
  EXPECT_NEAR(*faulty.findings[0].factor, 2, 0.2);
}

TEST_F(ChipCalibration, AChipLikeItsFileIsLeftAsItIs) {
  const finding::Diagnosis d = calibrated({records_of({file_, {}}, 5)}, "");
  EXPECT_EQ(d.verdict, "The chip is as its file says.");
  EXPECT_THAT(d.notes.back(), HasSubstr("not fitted"));
}

// A part that is slow while the chip is calibrated must not become a property of the chip.
TEST_F(ChipCalibration, ASlowPartIsNamedAndNotTaken) {
  const std::string measured = folder_ + "ill.yaml";
  const finding::Diagnosis d = calibrated({records_of({file_, {}}, 6, {slow_core(5, 3)})}, measured);
  EXPECT_THAT(d.notes, testing::Contains(HasSubstr("core5 is about 3 times")));
  const finding::Diagnosis faulty = diagnosed(records_of({file_, {}}, 7, {slow_core(5, 3)}), measured);
  ASSERT_EQ(faulty.findings.size(), 1u);
  EXPECT_EQ(faulty.findings[0].subject, "core5");
}

TEST_F(ChipCalibration, ASketchIsNotFitted) {
  ChipDiagnosisOptions options;
  options.records = records_of({file_, {}}, 8);
  options.chip = chip_path_;
  options.mapping = map_path_;
  options.sketch_out = folder_ + "calibration.sketch";
  diagnose_chip(options);
  const std::string measured = folder_ + "none.yaml";
  EXPECT_EQ(calibrated({options.sketch_out}, measured).outcome, finding::Outcome::CannotJudge);
  EXPECT_FALSE(std::filesystem::exists(measured));
}

TEST_F(ChipCalibration, NoRunIsAnError) {
  EXPECT_THROW(calibrated({}, ""), base::Error);
}

}  // namespace
}  // namespace lento::chip
