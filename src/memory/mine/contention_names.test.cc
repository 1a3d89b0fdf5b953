// What findings and figures call code, lines and items.
#include "memory/mine/contention_names.h"

#include <gtest/gtest.h>

#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using Kind = Items::Kind;

class NamesOf : public ::testing::Test {
 protected:
  NamesOf() {
    naming_.space.add_data({0, 0x4000, 0x4010, "hits", ""});
    naming_.space.add_data({0, 0x4010, 0x4020, "total", ""});
    naming_.space.add_code({0, 0x1000, 0x1100, "work", ""});
  }
  Use use(uint32_t offset, uint64_t excess) {
    Use u;
    u.offset = offset;
    u.excess = excess;
    return u;
  }
  std::string item(Kind kind, uint32_t cpu, uint64_t value) {
    return naming_.names.item(naming_.windows.items.of(kind, cpu, value));
  }
  test::Naming naming_;
};

TEST_F(NamesOf, CodeIsAFunctionAndItsAddress) {
  EXPECT_EQ(naming_.names.place(0, 0x1004), "work 0x1004");
  EXPECT_EQ(naming_.names.place(0, 0x2004), "code at 0x2000 0x2004");
}

TEST_F(NamesOf, InlinedFramesFollow) {
  naming_.space.add_source({0, 0x1000, 0x1008, "work", "main.c", 12});
  EXPECT_EQ(naming_.names.place(0, 0x1004), "work 0x1004 < work main.c:12");
}

TEST_F(NamesOf, DataIsAVariableOrItsAddress) {
  EXPECT_EQ(naming_.names.data(0, 0x4000), "hits");
  EXPECT_EQ(naming_.names.data(0, 0x5000), "0x5000");
}

TEST_F(NamesOf, ALineNamesWhatWasUsedCostliestFirst) {
  Line line;
  line.address = 0x4000;
  line.uses = {use(0, 10), use(4, 5), use(0x10, 30), use(0x30, 99)};
  EXPECT_EQ(naming_.names.line(line), "line 0x4000 (total, hits, hits +4)");
  line.uses = {use(0x30, 99)};
  EXPECT_EQ(naming_.names.line(line), "line 0x4000");
}

TEST_F(NamesOf, ALineNamesFourVariablesAtMost) {
  Line line;
  line.address = 0x8000;
  for (uint32_t i = 0; i < 6; ++i) {
    naming_.space.add_data({0, 0x8000 + 8 * i, 0x8008 + 8 * i, "v" + std::to_string(i), ""});
    line.uses.push_back(use(8 * i, 1));
    line.uses.push_back(use(8 * i, 1));
  }
  EXPECT_EQ(naming_.names.line(line), "line 0x8000 (v0, v1, v2, v3)");
}

TEST_F(NamesOf, ProcessesAreNamedWhereTheyAreKnown) {
  naming_.space.note_process(3, 4711, "server");
  EXPECT_EQ(naming_.names.process(3), " in pid 4711 (server)");
  EXPECT_EQ(naming_.names.process(2), "");
}

TEST_F(NamesOf, ItemsCarryTheirCpu) {
  const uint32_t work = naming_.functions.of(0, 0x1000);
  EXPECT_EQ(item(Kind::Function, 0, work), "work");
  EXPECT_EQ(item(Kind::CpuFunction, 12, work), "CPU12_work");
  EXPECT_EQ(item(Kind::Type, 0, uint64_t(memory::AccessType::Store)), "store");
  EXPECT_EQ(item(Kind::CpuType, 2, uint64_t(memory::AccessType::Atomic)), "CPU2_atomic");
  EXPECT_EQ(item(Kind::Latency, 0, 3), "lat_30_40");
  EXPECT_EQ(item(Kind::CpuLatency, 7, 0), "CPU7_lat_0_10");
  naming_.windows.hot.resize(2);
  naming_.windows.hot[1].key.block = 0x81;
  EXPECT_EQ(item(Kind::Line, 0, 1), "line 0x4080");
}

// The last bin holds all latencies from 250 on, whatever the width.
TEST_F(NamesOf, TheLastBinIsOpen) {
  EXPECT_EQ(item(Kind::Latency, 0, 24), "lat_240_250");
  EXPECT_EQ(item(Kind::Latency, 0, 25), "lat_250_inf");
  naming_.options.bins = 100;
  EXPECT_EQ(item(Kind::Latency, 0, 1), "lat_100_200");
  EXPECT_EQ(item(Kind::Latency, 0, 2), "lat_200_inf");
}

TEST_F(NamesOf, PatternsTellWhereTheirFunctionsAre) {
  const uint32_t work = naming_.functions.of(0, 0x1000);
  const std::vector<uint32_t> items = {
      naming_.windows.items.of(Kind::Function, 0, work),
      naming_.windows.items.of(Kind::Latency, 0, 5)};
  EXPECT_EQ(naming_.names.pattern(items, {}), "work, lat_50_60");
  EXPECT_EQ(
      naming_.names.pattern(items, {{work, 0x1004, 0x1040}, {work + 1, 0, 0}}),
      "work [0x1004, 0x1040], lat_50_60");
}

}  // namespace
}  // namespace lento::memory
