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

}  // namespace
}  // namespace lento::chip
