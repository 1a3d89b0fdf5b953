// The table of perf c2c: a printer here writes what the reader must find again, in every width of its
// columns.
#include "memory/read/c2c_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/test_error.h"

namespace lento::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTitle =
    "=================================================\n"
    "      Shared Cache Line Distribution Pareto\n"
    "=================================================\n#\n";
const std::string kRule = "  -------------------------------------------------------------\n";

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%%", 100 * share);
  return text;
}

// Counts: remote, local, [peer,] then stores; `columns` is 4, 5 or 6.
std::string head_line(const C2cLine& line, int columns, int index) {
  std::string out = kRule + "      " + std::to_string(index) + "  " + std::to_string(line.remote) + "  " +
                    std::to_string(line.local);
  if (columns == 6)
    out += "  " + std::to_string(line.peers);
  out += "  " + std::to_string(line.stores);
  for (int i = columns == 6 ? 4 : 3; i < columns; ++i)
    out += "  0";
  char address[32];
  std::snprintf(address, sizeof address, "  0x%lx\n", static_cast<unsigned long>(line.address));
  return out + address + kRule;
}

std::string row_line(const C2cUse& use, int columns) {
  std::string out = "  " + percent(use.remote) + "  " + percent(use.local);
  if (columns == 6)
    out += "  " + percent(use.peer);
  out += "  " + percent(use.stores);
  for (int i = columns == 6 ? 4 : 3; i < columns; ++i)
    out += "  0.00%";
  char numbers[256];
  std::snprintf(
      numbers,
      sizeof numbers,
      "  0x%x  0  1  4711  0x%lx  %lu  %lu  77%s  %lu  %lu  ",
      use.offset,
      static_cast<unsigned long>(use.pc),
      static_cast<unsigned long>(use.remote_cycles),
      static_cast<unsigned long>(use.local_cycles),
      columns == 6 ? "  5" : "",
      static_cast<unsigned long>(use.records),
      static_cast<unsigned long>(use.cpus));
  return out + numbers + "[.] " + use.symbol + "  " + use.object + "  " + use.source + "  0\n";
}

C2cReport random_report(base::Rng& rng, int columns) {
  C2cReport report;
  for (uint64_t i = 0; i < 1 + rng.below(4); ++i) {
    C2cLine line;
    line.address = (1 + rng.below(1 << 20)) * 64;
    line.remote = rng.below(1000);
    line.local = rng.below(1000);
    line.peers = columns == 6 ? rng.below(1000) : 0;
    line.stores = rng.below(1000);
    for (uint64_t k = 0; k < 1 + rng.below(4); ++k) {
      C2cUse use;
      use.offset = uint32_t(rng.below(64));
      use.pc = 0x400000 + rng.below(1 << 16);
      use.remote = double(rng.below(10001)) / 10000;
      use.local = double(rng.below(10001)) / 10000;
      use.peer = columns == 6 ? double(rng.below(10001)) / 10000 : 0;
      use.stores = double(rng.below(10001)) / 10000;
      use.remote_cycles = rng.below(5000);
      use.local_cycles = rng.below(5000);
      use.records = rng.below(5000);
      use.cpus = rng.below(64);
      use.symbol = "work<int, " + std::to_string(k) + ">(char const*)";
      use.object = "program";
      use.source = "main.cc:" + std::to_string(10 + k);
      line.uses.push_back(use);
    }
    report.lines.push_back(line);
  }
  return report;
}

std::string printed(const C2cReport& report, int columns) {
  std::string out = kTitle;
  int index = 0;
  for (const C2cLine& line : report.lines) {
    out += head_line(line, columns, index++);
    for (const C2cUse& use : line.uses)
      out += row_line(use, columns);
  }
  return out;
}

TEST(C2cReport, WhatIsPrintedIsReadInEveryWidth) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    for (const int columns : {4, 5, 6}) {
      base::Rng rng(seed, "c2c");
      const C2cReport expected = random_report(rng, columns);
      base::ReadReport report;
      const C2cReport found = parse_c2c_report(printed(expected, columns), "r", report);
      EXPECT_EQ(report.skipped, 0U) << seed << " " << columns;
      ASSERT_EQ(found.lines.size(), expected.lines.size());
      for (size_t i = 0; i < found.lines.size(); ++i) {
        const C2cLine& a = found.lines[i];
        const C2cLine& b = expected.lines[i];
        EXPECT_EQ(a.address, b.address);
        EXPECT_EQ(a.taken(), b.remote + b.local + b.peers);
        EXPECT_EQ(a.stores, b.stores);
        ASSERT_EQ(a.uses.size(), b.uses.size());
        for (size_t k = 0; k < a.uses.size(); ++k) {
          EXPECT_EQ(a.uses[k].offset, b.uses[k].offset);
          EXPECT_EQ(a.uses[k].pc, b.uses[k].pc);
          EXPECT_NEAR(a.uses[k].remote, b.uses[k].remote, 1e-9);
          EXPECT_NEAR(a.uses[k].local, b.uses[k].local, 1e-9);
          EXPECT_NEAR(a.uses[k].peer, b.uses[k].peer, 1e-9);
          EXPECT_NEAR(a.uses[k].stores, b.uses[k].stores, 1e-9);
          EXPECT_EQ(a.uses[k].remote_cycles, b.uses[k].remote_cycles);
          EXPECT_EQ(a.uses[k].records, b.uses[k].records);
          EXPECT_EQ(a.uses[k].cpus, b.uses[k].cpus);
          EXPECT_EQ(a.uses[k].symbol, b.uses[k].symbol);
          EXPECT_EQ(a.uses[k].object, b.uses[k].object);
          EXPECT_EQ(a.uses[k].source, b.uses[k].source);
        }
      }
    }
  }
}

TEST(C2cReport, TotalsStandBeforeTheTable) {
  base::ReadReport report;
  const C2cReport r = parse_c2c_report(
      "            Trace Event Information\n  Total records                     :      12345\n"
      "  Load Operations                   :       6000\n  Store Operations : 300\n"
      "  Load Local HITM : 20\n  Load Remote HITM : 30\n  Load HIT Local Peer : 4\n  Load HIT Remote Peer : "
      "5\n"
      "  Unable to parse data source : 7\n  Something : x\n" +
          kTitle + "  Total records : 99\n",
      "r",
      report);
  EXPECT_EQ(r.records, 12345U);
  EXPECT_EQ(r.loads, 6000U);
  EXPECT_EQ(r.stores, 300U);
  EXPECT_EQ(r.local, 20U);
  EXPECT_EQ(r.remote, 30U);
  EXPECT_EQ(r.peers, 9U);
  EXPECT_EQ(r.unparsed, 7U);
  EXPECT_EQ(report.skipped, 1U);  // inside the table it is no row
}

TEST(C2cReport, LinesBelowARowAreItsCallers) {
  base::Rng rng(1, "c2c");
  C2cReport report = random_report(rng, 4);
  report.lines.resize(1);
  report.lines[0].uses.resize(1);
  std::string text =
      printed(report, 4) + "            |\n            ---worker\n               |--62.50%--start_thread\n";
  for (int i = 0; i < 100; ++i)
    text += "               |\n               frame" + std::to_string(i) + "\n";
  base::ReadReport read;
  const C2cReport found = parse_c2c_report(text, "r", read);
  const auto& callers = found.lines.at(0).uses.at(0).callers;
  ASSERT_EQ(callers.size(), 64U);  // no more are kept
  EXPECT_EQ(callers[0], "worker");
  EXPECT_EQ(callers[1], "start_thread");
  EXPECT_EQ(callers[2], "frame0");
  EXPECT_EQ(read.skipped, 0U);
}

std::string reason_of(const std::string& rows) {
  base::ReadReport report;
  parse_c2c_report(kTitle + rows, "r", report);
  return report.reasons.empty() ? "" : report.reasons.begin()->first;
}

TEST(C2cReport, RowsThatAreNoneAreSkippedWithTheirReason) {
  base::Rng rng(2, "c2c");
  const C2cReport one = random_report(rng, 4);
  const std::string row = row_line(one.lines[0].uses[0], 4);
  const std::string head = head_line(one.lines[0], 4, 0);
  EXPECT_EQ(reason_of(head + row), "");
  EXPECT_EQ(reason_of(row), "a row that belongs to no line");
  EXPECT_EQ(reason_of(kRule + "  0  1  2\n" + kRule), "no head of a line: index, counts, address");
  EXPECT_EQ(
      reason_of(kRule + "  0  1  x  3  4  0x40\n" + kRule),
      "no head of a line: index, counts, address");
  // A head that is none leaves its rows to nobody, not to the line before.
  EXPECT_EQ(reason_of(head + row + kRule + "  0  1\n" + kRule + row), "a row that belongs to no line");
  EXPECT_EQ(
      reason_of(head + "  101.00%  0.00%  0.00%  0.00%  0x0  0  1  0x40  1  1  1  1  1  [.] a  b  c\n"),
      "no row of the table");
  EXPECT_EQ(
      reason_of(head + "  1.00%  0.00%  0.00%  0.00%  0x1000  0  1  0x40  1  1  1  1  1  [.] a  b  c\n"),
      "no row of the table");
  EXPECT_EQ(
      reason_of(head + "  1.00%  0.00%  0.00%  0.00%  0x10  0  1  0x40  1  1\n"),
      "no row of the table");
}

TEST(C2cReport, AnotherTextIsRefusedWithTheCommandThatWritesOne) {
  base::ReadReport report;
  EXPECT_FALSE(is_c2c_report("cpu cycle pc\n"));
  EXPECT_TRUE(is_c2c_report(kTitle));
  EXPECT_THAT(
      base::test::error_of([&] {
        parse_c2c_report("cpu cycle pc\n", "x.txt", report);
      }),
      testing::AllOf(HasSubstr("x.txt"), HasSubstr("perf c2c report --stdio")));
}

}  // namespace
}  // namespace lento::memory
