// Each kind of fabric from the network to the verdict: mapped, simulated, written, read, judged.
#include <gtest/gtest.h>

#include "base/file.h"
#include "chip/diagnose.h"
#include "chip/map/file/map_file.h"
#include "chip/read/probe_file.h"
#include "chip/sim/simulate.h"
#include "chip/test_mapping.h"

namespace lento::chip {
namespace {

struct Sheet {
  const char* name;
  const char* link;  // a well used one
  const char* core;
};

void PrintTo(const Sheet& sheet, std::ostream* out) {
  *out << sheet.name;
}

class ChipSheets : public testing::TestWithParam<Sheet> {
 protected:
  const std::string file_ = std::string("examples/chip/") + GetParam().name + ".yaml";
  const std::string map_ = testing::TempDir() + GetParam().name + ".map.json";
  const std::string records_ = testing::TempDir() + GetParam().name + ".probe";
  const spec::Chip chip_ = spec::read_chip(file_);

  void SetUp() override {
    test::map_darknet(file_, map_);
  }

  finding::Diagnosis diagnosed(const std::string& slow) const {
    const Program program = expand(read_map(map_), chip_, map_);
    std::vector<Fault> faults;
    if (!slow.empty()) {
      faults.push_back(component(slow, Grid(chip_), {}));
      faults.back().factor = 10;
    }
    Options run;
    run.inferences = 4;
    ProbeWriter writer(
        records_,
        {chip_.name, program.name, uint32_t(chip_.core_count()), run.inferences, chip_.clock_hz});
    simulate(Model(chip_, program), faults, run, &writer);
    writer.commit();
    ChipDiagnosisOptions options;
    options.records = records_;
    options.chip = file_;
    options.mapping = map_;
    return diagnose_chip(options);
  }
};

TEST_P(ChipSheets, ASlowLinkIsNamedAsTheSheetNamesIt) {
  const finding::Diagnosis d = diagnosed(GetParam().link);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, GetParam().link);
}

class SmallSheets : public ChipSheets {};  // those that are judged fast

TEST_P(SmallSheets, ASlowCoreIsNamedByItsPlace) {
  const finding::Diagnosis d = diagnosed(GetParam().core);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, GetParam().core);
}

TEST_P(SmallSheets, AHealthyChipIsHealthy) {
  EXPECT_EQ(diagnosed("").outcome, finding::Outcome::Healthy);
}

std::string name_of(const testing::TestParamInfo<Sheet>& info) {
  return info.param.name;
}

constexpr Sheet kHarvested{"harvested", "noc/link2-1>3-1", "core3-4"};
constexpr Sheet kRoutes{"routes", "noc/link2-1>2-2", "core2-3"};
constexpr Sheet kTwoNetworks{"two_networks", "NOC_1/link2-1>1-1", "core4-2"};
constexpr Sheet kFourChips{"four_chips", "link0/5-1>1/0-1", "chip2/core2-3"};

INSTANTIATE_TEST_SUITE_P(
    Kinds,
    ChipSheets,
    testing::Values(kHarvested, kRoutes, kTwoNetworks, kFourChips),
    name_of);
INSTANTIATE_TEST_SUITE_P(Kinds, SmallSheets, testing::Values(kHarvested, kTwoNetworks), name_of);

}  // namespace
}  // namespace lento::chip
