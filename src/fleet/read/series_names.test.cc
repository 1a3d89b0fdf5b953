#include "fleet/read/series_names.h"

#include <gtest/gtest.h>

namespace lento::fleet {
namespace {

SeriesNames names() {
  return {{{"machine", "instance"}, {"gpu"}, {"stage"}}, {}};
}

TEST(SeriesNames, MachineDeviceLabelsAndWhereTheyCameFrom) {
  SeriesNames n = names();
  const SeriesName got =
      n.name({{"job", "dcgm"}, {"instance", "node1:9400"}, {"gpu", "3"}, {"stage", "2"}, {"other", "x"}});
  EXPECT_EQ(got.machine, "node1");
  EXPECT_EQ(got.device, "3");
  EXPECT_EQ(got.labels, (LabelList{{"stage", "2"}}));
  ASSERT_EQ(n.scraped().size(), 1u);
  EXPECT_EQ(n.scraped().begin()->first, (ScrapeTarget{"dcgm", "node1:9400"}));
  EXPECT_TRUE(n.name({{"job", "dcgm"}}).machine.empty());
}

TEST(SeriesNames, WhatCameBeforeIsNotParsedAgain) {
  SeriesNames n = names();
  int parsed = 0;
  const auto parse = [&]() -> LabelList {
    ++parsed;
    return {{"machine", parsed == 1 ? "a" : "b"}};
  };
  EXPECT_EQ(n.name("first", parse).machine, "a");
  EXPECT_EQ(n.name("first", parse).machine, "a");
  EXPECT_EQ(n.name("second", parse).machine, "b");
  EXPECT_EQ(parsed, 2);
  EXPECT_EQ(n.remembered(), 2u);
}

// The second of two machines of one short name keeps its full name, in later answers too.
TEST(SeriesNames, TwoDomainsStayApart) {
  SeriesNames n = names();
  const auto host = [](const char* name) {
    return [name]() -> LabelList {
      return {{"machine", name}};
    };
  };
  const std::string first = n.name("1", host("n1.a.example")).machine;
  EXPECT_EQ(n.name("1", host("n1.a.example")).machine, first);
  EXPECT_NE(n.name("2", host("n1.b.example")).machine, first);
}

}  // namespace
}  // namespace lento::fleet
