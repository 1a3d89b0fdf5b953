#include "chip/map/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_error.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  return base::test::error_of([&] {
    require_present(parse_faults(text, "f", {}), "f");
  });
}

TEST(Faults, WhatIsWrittenReadsTheSame) {
  const std::string text =
      "schema: lento.faults/1\nfaults:\n- component: link5-9\n  factor: 1.7\n  start: 5\n"
      "- component: core2\n  factor: 3\n  start: 0\n  end: 900\n  ramp: 10\n  period: 100\n  on: 40\n";
  EXPECT_EQ(write_faults(parse_faults(text, "f", {})), text);
}

TEST(Faults, ReadsOurForm) {
  const auto faults = parse_faults(
      "schema: lento.faults/1\n"
      "faults:\n"
      "  - component: link5-9\n    factor: 10\n    start: 1 s\n    end: 250000000\n"
      "  - component: dram-right-3\n    factor: 2\n    ramp: 100\n    period: 1000\n    on: 400\n",
      "f",
      {});
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].index, 5);
  EXPECT_EQ(faults[0].other, 9);
  EXPECT_EQ(faults[0].begin, 100000000u);
  EXPECT_EQ(faults[0].at(99999999), 1);
  EXPECT_EQ(faults[0].at(100000000), 10);
  EXPECT_EQ(faults[0].at(250000000), 1);
  EXPECT_EQ(faults[1].index, 7);
  EXPECT_EQ(faults[1].at(50), 1.5);
  EXPECT_EQ(faults[1].at(399), 2);
  EXPECT_EQ(faults[1].at(400), 1);
  EXPECT_EQ(faults[1].at(1100), 2);
}

TEST(Faults, ReadsTheReleasedForm) {
  const std::string text =
      R"({"router":[],"link":[{"start_time":1,"end_time":9,"router_id":1,"direction":2,"times":10}],"lsu":[],
          "tpu":[{"start_time":1,"end_time":9,"pe_id":6,"times":10}]})";
  const auto rows = parse_faults(text, "f", {});
  EXPECT_EQ(rows[0].name, "link4-5");  // router 1 is (0, 1), east of it (1, 1)
  EXPECT_EQ(rows[1].name, "core9");    // 6 is (1, 2)
  spec::Chip columns;
  columns.numbering = spec::Numbering::Columns;
  const auto released = parse_faults(text, "f", columns);
  EXPECT_EQ(released[0].name, "link1-5");
  EXPECT_EQ(released[1].name, "core6");
}

TEST(Faults, WhatIsNotThereIsAnErrorInOneRunAndNotApplicableInACampaign) {
  const std::string text = "schema: lento.faults/1\nfaults:\n  - component: core99\n    factor: 2\n";
  EXPECT_FALSE(applicable(parse_faults(text, "f", {})));
  EXPECT_THAT(error_of(text), HasSubstr("the chip has no core99"));
}

TEST(Faults, BadInputIsLocated) {
  const std::string head = "schema: lento.faults/1\nfaults:\n  - component: ";
  EXPECT_THAT(
      error_of(head + "cpu5\n    factor: 2\n"),
      HasSubstr("f:3:16: error: 'cpu5' does not name a component"));
  EXPECT_THAT(error_of(head + "core5\n    factor: -1\n"), HasSubstr("'factor' is -1"));
  EXPECT_THAT(error_of(head + "core5\n    factor: 0.1\n"), HasSubstr("'factor' is 0.1"));
  EXPECT_THAT(error_of(head + "core5\n    factor: 2\n    start: 9\n    end: 3\n"), HasSubstr("ends before"));
  EXPECT_THAT(error_of(head + "core5\n    factor: 2\n    strat: 9\n"), HasSubstr("did you mean 'start'?"));
  EXPECT_THAT(error_of("schema: lento.faults/1\n"), HasSubstr("faults"));
  EXPECT_THAT(error_of("{\"router\":[],\"link\":[],\"lsu\":[]}"), HasSubstr("tpu"));
}

TEST(Faults, EveryReleasedFileIsReadAndSortedOut) {
  int there = 0;
  int absent = 0;
  for (int i = 1; i <= 152; ++i) {
    const std::string path = test::shared_chip("faults/fail") + std::to_string(i) + ".json";
    if (!test::readable(path))
      continue;
    applicable(read_faults(path, {})) ? ++there : ++absent;
  }
  if (there + absent == 0)
    GTEST_SKIP() << "the shared fault files are not there";
  EXPECT_EQ(there + absent, 102);
  EXPECT_GT(there, 50);
  EXPECT_GT(absent, 20);
}

TEST(Fault, HoldsFromItsBeginUpToItsEnd) {
  Fault fault;
  fault.factor = 5;
  fault.begin = 100;
  fault.end = 200;
  for (const uint64_t inside : {100, 150, 199})
    EXPECT_EQ(fault.at(inside), 5) << inside;
  for (const uint64_t outside : {0, 99, 200, 1000})
    EXPECT_EQ(fault.at(outside), 1) << outside;
}

TEST(Fault, RisesInAStraightLine) {
  Fault fault;
  fault.factor = 9;
  fault.begin = 1000;
  fault.ramp = 400;
  for (uint64_t since = 0; since <= 400; since += 50)
    EXPECT_DOUBLE_EQ(fault.at(1000 + since), 1 + 8 * double(since) / 400);
  EXPECT_EQ(fault.at(100000), 9);
  EXPECT_EQ(fault.at(999), 1);
}

TEST(Fault, ComesAndGoes) {
  Fault fault;
  fault.factor = 2;
  fault.begin = 10;
  fault.period = 100;
  fault.on = 30;
  uint64_t slow = 0;
  for (uint64_t now = 10; now < 1010; ++now) {
    slow += fault.holds(now);
    EXPECT_EQ(fault.holds(now), (now - 10) % 100 < 30) << now;
    EXPECT_EQ(fault.at(now), fault.holds(now) ? 2 : 1) << now;
  }
  EXPECT_EQ(slow, 300u);
}

TEST(Component, EveryPartOfAChipIsFoundByItsName) {
  spec::Chip chip;
  chip.width = 3;
  chip.height = 2;
  const Grid grid(chip);
  for (int core = 0; core < grid.core_count(); ++core) {
    const std::pair<std::string, Part> names[] = {
        {grid.core_name(core), Part::Core},
        {grid.router_name(core), Part::Router},
        {grid.memory_unit_name(core), Part::MemoryUnit}};
    for (const auto& [name, part] : names) {
      const Fault fault = component(name, grid, {});
      EXPECT_TRUE(fault.exists()) << name;
      EXPECT_EQ(fault.part, part) << name;
      EXPECT_EQ(fault.index, core) << name;
      EXPECT_EQ(fault.name, name);
      EXPECT_EQ(fault.factor, 1) << name;
    }
  }
  for (int id = 0; id < grid.link_count(); ++id) {
    const Fault fault = component(grid.link_name(id), grid, {});
    EXPECT_EQ(fault.part, Part::Link);
    EXPECT_EQ(fault.index, grid.link(id).from);
    EXPECT_EQ(fault.other, grid.link(id).to);
  }
  for (int port = 0; port < grid.port_count(); ++port) {
    const Fault fault = component(grid.port_name(port), grid, {});
    EXPECT_EQ(fault.part, Part::DramPort);
    EXPECT_EQ(fault.index, port);
  }
  for (const char* absent : {"core6", "router99", "lsu6", "link0-5", "link0-9", "dram-left-2"})
    EXPECT_FALSE(component(absent, grid, {}).exists()) << absent;
  for (const char* wrong : {"", "core", "corex", "cpu1", "link1", "dram-top-0", "core-1"})
    EXPECT_THROW(component(wrong, grid, {"f"}), base::Error) << wrong;
}

}  // namespace
}  // namespace lento::chip
