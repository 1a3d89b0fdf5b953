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

}  // namespace
}  // namespace lento::chip
