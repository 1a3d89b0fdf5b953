#include "lab/chip/table.h"

#include <gtest/gtest.h>

#include <set>

#include "lab/chip/data_set.h"
#include "spec/fabric_sheet.h"

namespace lento::chip {
namespace {

RunResult result(std::vector<std::string> truth, std::vector<std::string> reported, uint64_t hits = 100) {
  RunResult r;
  r.workload = "w";
  r.method = "m";
  r.factor = 10;
  r.truth = std::move(truth);
  r.reported = r.ranked = std::move(reported);
  r.hits = hits;
  return r;
}

TEST(Table, CountsByBothRules) {
  Tally t;
  t.add(result({"core1"}, {"core1"}));
  t.add(result({"core1"}, {"core1", "core2"}));  // named, and one spurious
  t.add(result({"link0-1"}, {"core2"}));         // missed, and one spurious
  t.add(result({"link0-1"}, {}));
  t.add(result({"core3"}, {}, 0));         // touches nothing
  t.add(result({"core3"}, {"core3"}, 9));  // few events
  t.add(result({}, {}));
  t.add(result({}, {"core9"}));
  EXPECT_EQ(t.right, 1u);
  EXPECT_EQ(t.cases, 4u);
  EXPECT_EQ(t.cores, 2u);
  EXPECT_EQ(t.links_right, 0u);
  EXPECT_EQ(t.few_right, 1u);
  EXPECT_EQ(t.untouched, 1u);
  EXPECT_EQ(t.alarms, 1u);
  EXPECT_EQ(t.paper.true_positive, 3u);
  EXPECT_EQ(t.paper.true_negative, 2u);  // fixed, whatever the clean runs show
  EXPECT_EQ(t.paper.false_positive, 2u);
  EXPECT_EQ(t.paper.false_negative, 2u);
  EXPECT_DOUBLE_EQ(t.precision(), 0.5);
  EXPECT_DOUBLE_EQ(t.recall(), 0.5);
}

// Table III, SLOTH on DarkNet-19: 90 found, 37 missed, 22 spurious, 152 negatives -> 80.40 %, 12.64 %.
TEST(Table, PaperCountGivesTableThree) {
  Tally t;
  for (int i = 0; i < 90; ++i)
    t.add(result({"core1"}, {"core1"}));
  for (int i = 0; i < 22; ++i)
    t.add(result({"core1"}, {"core2"}));
  for (int i = 0; i < 15; ++i)
    t.add(result({"core1"}, {}));
  for (int i = 0; i < 152; ++i)
    t.add(result({}, {}));
  EXPECT_NEAR(t.paper.accuracy(), 0.8040, 1e-4);
  EXPECT_NEAR(t.paper.false_alarm_rate(), 0.1264, 1e-4);
}

TEST(Table, FirstAndFirstThree) {
  Tally t;
  RunResult r = result({"link5-9"}, {});
  r.ranked = {"core6", "link5-9", "core5"};
  t.add(r);
  EXPECT_EQ(t.first, 0u);
  EXPECT_EQ(t.first_three, 1u);
  r.truth = {"core6"};
  t.add(r);
  EXPECT_EQ(t.first, 1u);
}

TEST(Table, TwoFaultsNeedTwoReports) {
  Tally t;
  t.add(result({"core1", "core2"}, {"core2", "core1"}));
  t.add(result({"core1", "core2"}, {"core1"}));
  t.add(result({"core1", "core2"}, {"core1", "core2", "core3"}));
  EXPECT_EQ(t.right, 1u);
}

TEST(Table, TrainingCasesAreKeptApart) {
  RunResult trained = result({"core1"}, {"core1"});
  trained.training = true;
  const std::vector<RunResult> all{trained, result({"core1"}, {})};
  EXPECT_EQ(tally(all).begin()->second.cases, 1u);
  EXPECT_EQ(tally(all).begin()->second.right, 0u);
  EXPECT_EQ(tally(all, true).begin()->second.right, 1u);
}

TEST(Table, ResultsSurviveTheJournal) {
  RunResult r = result({"link1-2"}, {"core1", "router3"});
  r.overlap = 0.25;
  r.recorder = "raw";
  r.scores = {0.5, 0.25};
  r.numbers = {{"cycles", 12}};
  const RunResult back = run_result_from_json(to_json(r), {"j"});
  EXPECT_EQ(base::write_json(to_json(back)), base::write_json(to_json(r)));
}

TEST(Table, ScoresMustBeOfTheRankedComponents) {
  RunResult r = result({"link1-2"}, {"core1"});
  r.scores = {};
  EXPECT_THROW(run_result_from_json(to_json(r), {"j"}), base::Error);
}

TEST(DataSet, KindsRangesAndSplit) {
  spec::Chip chip;
  DataSetOptions options;
  options.run_cycles = 500'000'000;
  const auto cases = draw_cases(Grid(chip), options);
  ASSERT_EQ(cases.size(), 152u);
  int cores = 0;
  int training = 0;
  double mean = 0;
  for (const Case& c : cases) {
    ASSERT_EQ(c.faults.size(), 1u);
    const Fault& f = c.faults[0];
    EXPECT_TRUE(f.exists());
    EXPECT_LT(f.begin, options.run_cycles);
    EXPECT_LE(f.end - f.begin, 1'000'000'000u);
    cores += f.part == Part::Core;
    training += c.training;
    mean += double(f.end - f.begin) / 152;
  }
  EXPECT_EQ(cores, 106);
  EXPECT_EQ(training, 51);
  EXPECT_NEAR(mean, 5e8, 1e8);  // uniform up to 10 s; the deviation of the mean is 0.23e8
  options.together = 2;
  for (const Case& c : draw_cases(Grid(chip), options))
    EXPECT_NE(c.faults[0].name, c.faults[1].name);
}

TEST(DataSet, LinksOfANetworkAndLinksBetweenChipsAreDrawnApart) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 3);
  sheet.computes = true;
  sheet.tiles[0] = spec::TileKind::Dram;
  spec::join_chips(sheet, 2, false);
  const Grid grid(spec::chip_of(sheet));
  DataSetOptions options;
  options.cores = 0;
  options.links = 20;
  options.chip_links = 7;
  options.run_cycles = 1000;
  int between = 0;
  for (const Case& c : draw_cases(grid, options))
    between += grid.link(grid.link_between(c.faults[0].index, c.faults[0].other)).joint >= 0 ? 1 : 0;
  EXPECT_EQ(between, 7);
  EXPECT_EQ(draw_cases(Grid(spec::Chip{}), options).size(), 20u);  // one chip has none of them
}

}  // namespace
}  // namespace lento::chip
