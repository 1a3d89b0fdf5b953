// The mistakes that once ended in "No machine stands out from its peers."
#include "fleet/diagnose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/file.h"

namespace lento::fleet {
namespace {

using ::testing::HasSubstr;

class File {
 public:
  explicit File(const std::string& text, const std::string& name = "metrics.csv")
      : path_(std::filesystem::temp_directory_path() / ("lento_" + std::to_string(::getpid()) + name)) {
    base::write_file(path_, text);
  }
  ~File() {
    std::filesystem::remove(path_);
  }
  const std::string& path() const {
    return path_;
  }

 private:
  std::string path_;
};

// Eight machines, one metric; number 3 loses a third of it after 600 s.
std::string table(const std::string& machine_column, int seconds, int64_t unit = 1) {
  std::string text = machine_column + ",time,power\n";
  for (int t = 0; t < seconds; ++t) {
    for (int m = 0; m < 8; ++m) {
      const double noise = std::sin(t * 7.3 + m * 3.1) + std::cos(t * 1.7 + m * m);
      const double level = m == 3 && t > 600 ? 60 : 90;
      text += "n" + std::to_string(m) + "," + std::to_string(t * unit) + "," + std::to_string(level + noise) +
              "\n";
    }
  }
  return text;
}

FleetDiagnosisOptions options_of(const File& file) {
  FleetDiagnosisOptions o;
  o.source.csv = {file.path()};
  o.source.columns.machine_column = "machine";
  return o;
}

std::string error_of(const FleetDiagnosisOptions& o) {
  try {
    diagnose_fleet(o);
  } catch (const base::Error& e) {
    return e.what();
  }
  return "";
}

TEST(FleetDiagnosis, NamesThePlantedMachineAndSaysWhatItCovered) {
  const File file(table("machine", 1200));
  const finding::Diagnosis d = diagnose_fleet(options_of(file));
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "n3");
  EXPECT_EQ(d.outcome, finding::Outcome::Findings);
  EXPECT_EQ(d.covered, "1200 s in steps of 1 s, 8 machines, 1 metric (power), 100 % of the samples there");
}

TEST(FleetDiagnosis, AMachineColumnThatIsNotNamedIsGuessedAndTheGuessIsNoted) {
  const File named(table("machine", 1200));
  const finding::Diagnosis expected = diagnose_fleet(options_of(named));
  for (const std::string name : {"machine", "Node", "hostname", "box"}) {
    const File file(table(name, 1200));
    FleetDiagnosisOptions o = options_of(file);
    o.source.columns.machine_column = "";
    const finding::Diagnosis d = diagnose_fleet(o);
    EXPECT_EQ(d.outcome, expected.outcome) << name;
    ASSERT_EQ(d.findings.size(), 1u) << name;
    EXPECT_EQ(d.findings[0].subject, expected.findings[0].subject) << name;
    ASSERT_FALSE(d.notes.empty());
    EXPECT_THAT(d.notes[0], HasSubstr("machine '" + name + "'"));
    EXPECT_THAT(d.notes[0], HasSubstr("--machine-column"));
  }
}

TEST(FleetDiagnosis, ATimeUnitOffByAThousandIsDoubted) {
  const File seconds(table("machine", 900));
  FleetDiagnosisOptions o = options_of(seconds);
  o.source.columns.time_unit = "ms";
  EXPECT_THAT(error_of(o), HasSubstr("--time-unit s"));
  const File milliseconds(table("machine", 900, 2000));
  o = options_of(milliseconds);
  EXPECT_THAT(error_of(o), HasSubstr("--time-unit ms"));
  o.source.columns.time_unit = "ms";
  EXPECT_EQ(error_of(o), "");
}

TEST(FleetDiagnosis, AnExpectationIsAPredictionAndNoOtherDiagnosis) {
  const File file(table("machine", 300));
  const File chip(
      R"({"schema":"lento.diagnosis/2","scale":"chip","outcome":"healthy","covered":"x",)"
      R"("findings":[]})",
      "chip.json");
  FleetDiagnosisOptions o = options_of(file);
  o.expect = chip.path();
  EXPECT_THAT(error_of(o), HasSubstr("lento predict"));
}

TEST(FleetDiagnosis, LabelsThatNoMachineHasAndATimeAfterTheEndAreErrors) {
  const File file(table("machine", 300));
  FleetDiagnosisOptions o = options_of(file);
  o.scan.group_by = {"rack"};
  EXPECT_THAT(error_of(o), HasSubstr("no machine has a label 'rack'"));
  o = options_of(file);
  o.judge_from_s = 300;
  EXPECT_THAT(error_of(o), HasSubstr("300 s is after the end"));
  o.judge_from_s = 200;
  EXPECT_EQ(error_of(o), "");
}

TEST(FleetDiagnosis, NamesThatDifferInCapitalsAreDoubted) {
  std::string text = table("machine", 300);
  for (size_t at = text.find("\nn3,1"); at != std::string::npos; at = text.find("\nn3,1", at + 1))
    text[at + 1] = 'N';
  const File file(text);
  EXPECT_THAT(
      diagnose_fleet(options_of(file)).notes,
      testing::Contains(HasSubstr("n3 and N3 differ in capital")));
}

TEST(FleetDiagnosis, TooFewMachinesOrTooShortAPeriodCannotBeJudged) {
  const File file(table("machine", 20));
  EXPECT_EQ(diagnose_fleet(options_of(file)).outcome, finding::Outcome::CannotJudge);
  FleetDiagnosisOptions o = options_of(file);
  o.scan.min_peers = 9;
  EXPECT_EQ(diagnose_fleet(o).outcome, finding::Outcome::CannotJudge);
}

}  // namespace
}  // namespace lento::fleet
