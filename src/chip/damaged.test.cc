// A healthy chip stays healthy when its file is damaged in one place or its counter ran before the run.
#include <gtest/gtest.h>

#include "chip/diagnose.h"
#include "chip/read/probe_file.h"
#include "chip/simulation.h"

namespace lento::chip {
namespace {

constexpr const char* kChip = "examples/chip/4x4.yaml";
constexpr const char* kMapping = "examples/chip/tiny.map.json";

class DamagedRecords : public testing::Test {
 protected:
  void SetUp() override {
    ChipSimulationOptions run;
    run.chip = kChip;
    run.mapping = kMapping;
    run.inferences = 8;
    run.records = path_;
    simulate_chip(run, {});
    base::ReadReport report;
    ProbeReader reader(path_, report);
    header_ = reader.header();
    ProbeRecord r;
    while (reader.next(r))
      records_.push_back(r);
    healthy_ = diagnose(records_);
  }
  finding::Diagnosis diagnose(const std::vector<ProbeRecord>& records) const {
    ProbeWriter writer(path_, header_);
    for (const ProbeRecord& r : records)
      writer.write(r);
    writer.commit();
    ChipDiagnosisOptions options;
    options.records = path_;
    options.chip = kChip;
    options.mapping = kMapping;
    return diagnose_chip(options);
  }

  const std::string path_ = testing::TempDir() + "damaged.probe";
  ProbeHeader header_;
  std::vector<ProbeRecord> records_;
  finding::Diagnosis healthy_;
};

TEST_F(DamagedRecords, OneSpoiltOperationAccusesNobody) {
  ASSERT_TRUE(healthy_.findings.empty()) << healthy_.verdict;
  for (size_t i = 3; i < records_.size(); i += records_.size() / 5) {
    std::vector<ProbeRecord> spoilt = records_;
    size_t at = i;
    while (spoilt[at].kind != ProbeKind::Compute)
      ++at;
    spoilt[at].begin = 0;
    spoilt[at].work = 0;
    spoilt[at].end += 100'000;
    const finding::Diagnosis d = diagnose(spoilt);
    EXPECT_TRUE(d.findings.empty()) << d.verdict;
    EXPECT_EQ(d.outcome, healthy_.outcome) << d.verdict;
  }
}

TEST_F(DamagedRecords, AFreeRunningCounterChangesNothing) {
  for (const uint64_t start : {uint64_t{1'000'000'000}, uint64_t{1} << 32, uint64_t{1} << 40}) {
    std::vector<ProbeRecord> shifted = records_;
    for (ProbeRecord& r : shifted) {
      r.begin += start;
      r.end += start;
    }
    const finding::Diagnosis d = diagnose(shifted);
    EXPECT_EQ(d.outcome, healthy_.outcome) << d.verdict;
    EXPECT_EQ(d.verdict, healthy_.verdict);
  }
}

TEST_F(DamagedRecords, AFileThatIsMostlyImpossibleIsNotJudged) {
  std::vector<ProbeRecord> broken = records_;
  for (size_t i = 0; i < broken.size(); i += 3)
    broken[i].begin = broken[i].end + 1;
  const finding::Diagnosis d = diagnose(broken);
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge) << d.verdict;
  EXPECT_TRUE(d.findings.empty());
}

}  // namespace
}  // namespace lento::chip
