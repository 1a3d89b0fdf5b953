#include "chip/map/probe_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

TEST(ProbePlan, CostsAreThoseOfTheChip) {
  const spec::Chip chip;
  const Probe sketch = named_plan("full").probes[0];
  EXPECT_EQ(record_cost(sketch, chip), 71u);  // two clock reads, 40 bytes at 128 a cycle, one insertion
  Probe list = sketch;
  list.structure = Probe::Structure::List;
  list.place = Probe::Place::After;
  EXPECT_EQ(record_cost(list, chip), 11u);
}

TEST(ProbePlan, GeneratedPlansProbeOnlyWhatCanFire) {
  const ProbePlan plan = generate_plan(test::two_layers());
  EXPECT_TRUE(plan.covers(Probe::Type::Compute, 0));
  EXPECT_TRUE(plan.covers(Probe::Type::Compute, 1));
  EXPECT_FALSE(plan.covers(Probe::Type::Communication, 0));  // nobody sends to layer 0
  EXPECT_TRUE(plan.covers(Probe::Type::Communication, 1));
  const auto costs = cost_table(plan, {0, 1}, {});
  EXPECT_EQ(costs[1 * 2 + 0], -1);
  EXPECT_EQ(costs[1 * 2 + 1], 71);
}

TEST(ProbePlan, WrittenAndReadBackIsTheSame) {
  const ProbePlan plan = generate_plan(test::two_layers());
  EXPECT_EQ(write_plan(parse_plan(write_plan(plan), "p")), write_plan(plan));
}

TEST(ProbePlan, BadInputIsLocated) {
  try {
    parse_plan("schema: lento.probes/1\nprobes:\n  - type: comm\n    layers: [x]\n", "p.yaml");
    FAIL();
  } catch (const base::Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("p.yaml:3:11"));
    EXPECT_THAT(e.what(), testing::HasSubstr("list of layer ids"));
  }
  EXPECT_THROW(named_plan("all"), base::Error);
}

TEST(ProbePlan, NamedPlansCoverWhatTheirNameSays) {
  using Type = Probe::Type;
  const std::tuple<const char*, bool, bool, bool> plans[] = {
      {"full", true, true, true},
      {"communication", false, true, false},
      {"compute", true, false, false},
      {"none", false, false, false}};
  for (const auto& [name, compute, communication, memory] : plans) {
    const ProbePlan plan = named_plan(name);
    for (const int layer : {0, 7}) {
      EXPECT_EQ(plan.covers(Type::Compute, layer), compute) << name;
      EXPECT_EQ(plan.covers(Type::Communication, layer), communication) << name;
      EXPECT_EQ(plan.covers(Type::InputOutput, layer), memory) << name;
    }
  }
}

TEST(ProbePlan, AProbeOfSomeLayersCoversThoseAlone) {
  ProbePlan plan;
  Probe probe;
  probe.layers = {2, 5};
  plan.probes = {probe};
  for (int layer = 0; layer < 8; ++layer)
    EXPECT_EQ(plan.covers(Probe::Type::Compute, layer), layer == 2 || layer == 5) << layer;
  EXPECT_FALSE(plan.covers(Probe::Type::Communication, 2));
}

TEST(ProbePlan, ARecordCostsItsClocksItsBytesAndItsInsertion) {
  spec::Chip chip;
  chip.probe.clock_read_cycles = 100;
  chip.probe.record_bytes = 1000;
  chip.probe.sketch_insert_cycles = 7;
  chip.core.scratchpad_bytes_per_cycle = 64;
  const uint32_t bytes = 16;  // 1000 / 64, rounded up
  Probe probe;
  for (const auto& [place, clocks] :
       {std::pair{Probe::Place::Before, 1u},
        std::pair{Probe::Place::After, 1u},
        std::pair{Probe::Place::Around, 2u}}) {
    probe.place = place;
    probe.structure = Probe::Structure::List;
    EXPECT_EQ(record_cost(probe, chip), 100 * clocks + bytes);
    probe.structure = Probe::Structure::Sketch;
    EXPECT_EQ(record_cost(probe, chip), 100 * clocks + bytes + 7);
  }
}

}  // namespace
}  // namespace lento::chip
