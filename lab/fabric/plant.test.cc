// The planting recipe on a trace small enough to follow by hand, and families of names.
#include "lab/fabric/plant.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chip/fabric/test_program.h"
#include "lab/fabric/fit.h"

namespace lento::chip {
namespace {

TEST(Plant, LaterStampsMoveWithTheWait) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 1);
  sheet.core_memory.read_cycles = 100;
  const Fabric fabric(sheet);
  TransferTrace trace;
  test::add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}}, 2, 2, 3200, 0, 10, 500);
  PlayOptions options;
  options.issue = Issue::Stamps;
  const Played played = play(fabric, trace, options);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < played.transfers.size(); ++i)
    all.push_back(i);
  const Planted same = plant(fabric, trace, played, slow_transfers(all, 1));
  EXPECT_EQ(same.moved, 0U);
  const Planted slow = plant(fabric, trace, played, slow_transfers(all, 10));
  EXPECT_EQ(slow.moved, 2U);
  const auto &before = trace.streams[0].records, &after = slow.trace.streams[0].records;
  const uint64_t shift = after[3].end - before[3].end;
  EXPECT_GT(shift, 0U);
  EXPECT_EQ(after[2].begin, before[2].begin);          // issued before the first wait's end
  EXPECT_EQ(after[4].begin, before[4].begin + shift);  // and after it
}

// Three readers of two peers each, recorded by the fabric itself.
struct Recorded {
  spec::FabricSheet sheet = spec::mesh_fabric(4, 2);
  TransferTrace trace;
  Played played;

  Recorded() {
    sheet.core_memory.read_cycles = 100;
    test::add_reader(trace, {0, 0, 0}, {Place{0, 1, 0}, Place{0, 2, 0}}, 2, 12, 1024, 0, 10, 400);
    test::add_reader(trace, {0, 3, 0}, {Place{0, 2, 0}, Place{0, 1, 1}}, 2, 12, 1024, 0, 10, 400);
    test::add_reader(trace, {0, 0, 1}, {Place{0, 1, 1}, Place{0, 2, 1}}, 2, 12, 1024, 0, 10, 400);
    PlayOptions options;
    options.issue = Issue::Stamps;
    played = play(Fabric(sheet), trace, options);
  }
};

TEST(Plant, ASlowServerMovesOnlyWhatFollowsIt) {
  const Recorded r;
  const Fabric fabric(r.sheet);
  ASSERT_GT(fabric.server_count(), 0);
  uint32_t most = 0;
  for (int id = 0; id < fabric.server_count(); ++id) {
    const std::string name = fabric.server_name(id);
    const Planted same = plant_server(fabric, r.trace, r.played, name, 1);
    EXPECT_EQ(same.moved, 0U) << name;
    const Planted slow = plant_server(fabric, r.trace, r.played, name, 20);
    EXPECT_LE(slow.beyond, slow.moved + r.played.waits.size()) << name;
    most = std::max(most, slow.moved);
    for (size_t s = 0; s < r.trace.streams.size(); ++s) {
      for (size_t i = 0; i < r.trace.streams[s].records.size(); ++i)
        EXPECT_GE(slow.trace.streams[s].records[i].begin, r.trace.streams[s].records[i].begin) << name;
    }
  }
  EXPECT_GT(most, 0U);
}

TEST(PlantCases, TheUntouchedTraceComesFirstAndIsNotAccused) {
  const Recorded r;
  PlantPlan plan;
  plan.factors = {5};
  plan.per_kind = 2;
  const std::vector<PlantCase> cases = plant_cases(Fabric(r.sheet), "t.json", r.trace, plan);
  ASSERT_FALSE(cases.empty());
  EXPECT_EQ(cases[0].kind, "none");
  EXPECT_FALSE(cases[0].accused);
  for (size_t i = 1; i < cases.size(); ++i) {
    EXPECT_FALSE(cases[i].planted.empty());
    EXPECT_EQ(cases[i].factor, 5);
    EXPECT_EQ(cases[i].counted, cases[i].beyond >= plan.least_moved);
    EXPECT_LE(cases[i].exact, cases[i].accused);
    EXPECT_FALSE(cases[i].exact && cases[i].among);
  }
}

TEST(PlantCases, SameSeedSameCases) {
  const Recorded r;
  PlantPlan plan;
  plan.factors = {2};
  plan.per_kind = 1;
  plan.time_error = 0.1;
  const auto names = [&](uint64_t seed) {
    plan.seed = seed;
    std::vector<std::pair<std::vector<std::string>, uint32_t>> out;
    for (const PlantCase& c : plant_cases(Fabric(r.sheet), "t.json", r.trace, plan))
      out.emplace_back(c.planted, c.moved);
    return out;
  };
  EXPECT_EQ(names(1), names(1));
}

TEST(PlantCases, AServerOfUsualSpeedMovesNothingAndIsNotJudged) {
  const Recorded r;
  PlantPlan plan;
  plan.model = PlantModel::Server;
  plan.factors = {1, 20};
  plan.per_kind = 3;
  uint32_t most = 0;
  for (const PlantCase& c : plant_cases(Fabric(r.sheet), "t.json", r.trace, plan)) {
    if (c.kind == "none")
      continue;
    EXPECT_FALSE(c.same) << "only transfers can be planted in another class";
    if (c.factor == 20)
      most = std::max(most, c.moved);
    else
      EXPECT_FALSE(c.moved || c.counted || c.judged || c.accused) << c.kind;
  }
  EXPECT_GT(most, 0U);
}

TEST(Plant, FamiliesAreWhatIsRead) {
  EXPECT_EQ(family_of("1x2_BLOCK_TO_2x4_HEIGHT"), "1x2_BLOCK");
  EXPECT_EQ(family_of("DRAM_TO_8x1_HEIGHT"), "DRAM_TO_HEIGHT");
}

}  // namespace
}  // namespace lento::chip
