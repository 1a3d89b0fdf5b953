// Recorded signals, sample by sample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "tile/block/test_edges.h"

namespace lento::tile {
namespace {

const char* const kHeader =
    "$timescale 1ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n$var wire 8 % data [7:0] $end\n"
    "$scope module sub $end $var wire 1 & ok $end $upscope $end\n$upscope $end\n$enddefinitions $end\n";
const char* const kMap =
    "schema: lento.tile-map/1\nclock: top.clk\naddress: top.data\ninputs:\n  - ioreg: 3\n    signal: "
    "top.data\n    at: 8\n"
    "    valid: top.sub.ok\n";

TEST(Vcd, SamplesBeforeEachRisingEdge) {
  const VcdFile file(
      std::string(kHeader) +
      "#0\n0!\nb101 %\n1&\n#5\n1!\nb110 %\n#10\n0!\n0&\n#15\n1!\nbx1 %\nrubbish\n#20\n0!\n");
  base::ReadReport report;
  std::vector<VcdCycle> cycles;
  read_vcd(file.path, parse_signal_map(kMap, "map"), report, [&](const VcdCycle& c) {
    cycles.push_back(c);
    return true;
  });
  ASSERT_EQ(cycles.size(), 2u);
  EXPECT_EQ(cycles[0].valid, 8u);
  EXPECT_EQ(cycles[0].data[3], 5u << 8);
  EXPECT_EQ(cycles[0].address, 5u);
  EXPECT_EQ(cycles[1].valid, 0u);  // ok fell before the second edge
  EXPECT_EQ(cycles[1].address, 6u);
  EXPECT_EQ(report.skipped, 1u);
}

// A recording that begins with a high clock, or stops and goes on ($dumpoff), has no edge there.
TEST(Vcd, OnlyAChangeBetweenZeroAndOneIsAnEdge) {
  const VcdFile file(
      std::string(kHeader) +
      "#0\n1!\nb11 %\n1&\n#5\n0!\n#10\n1!\n#12\n$dumpoff\nx!\nbx %\n$end\n#14\n$dumpon\n1!\nb111 %\n"
      "$end\n#15\n0!\n#20\n1!\n");
  base::ReadReport report;
  std::vector<uint32_t> seen;
  read_vcd(file.path, parse_signal_map(kMap, "map"), report, [&](const VcdCycle& c) {
    seen.push_back(c.address);
    return true;
  });
  EXPECT_EQ(seen, (std::vector<uint32_t>{3, 7}));
}

// Before the first known value (a reset) and after $dumpoff nothing is lost.
TEST(Vcd, UnknownClocksAndValidSignalsAreCounted) {
  const std::string text =
      std::string(kHeader) +
      "#0\n0!\nx&\n#5\n1!\n#10\n0!\n1&\n#15\n1!\n#20\n0!\nx&\n#25\n1!\n#30\n0!\n0&\n#35\nx!\n"
      "#40\n0!\n#45\n$dumpoff\nx!\nx&\n$end\n#50\n$dumpon\n0!\n0&\n$end\n1?\n#55\n1!\n";
  const VcdFile file(text);
  base::ReadReport report;
  const VcdReading out = read_vcd(file.path, parse_signal_map(kMap, "map"), report, [](const VcdCycle&) {
    return true;
  });
  EXPECT_EQ(out.unknown_valids, 1u);
  EXPECT_EQ(out.unknown_clocks, 1u);
  EXPECT_EQ(report.reasons.at("a change of an identifier that the header does not declare"), 1u);
}

// A gated clock is x and 0 by turns until its enable is set. Nothing is lost before its first edge.
TEST(Vcd, AClockIsUnknownBeforeItsFirstEdge) {
  VcdReading out;
  edges_of(std::string(kHeader) + "#0\n0!\n#5\nx!\n#10\n0!\n#15\n1!\n#20\n0!\n", kMap, &out);
  EXPECT_EQ(out.unknown_clocks, 0u);
}

// Between the second and the third edge, 3 cycles were not recorded. Before the first edge nothing is missed.
TEST(Vcd, TimesWithoutRecordingAreCounted) {
  const std::string text = std::string(kHeader) +
                           "$dumpoff\nx!\nx&\n$end\n#3\n$dumpon\n0!\n0&\n$end\n#5\n1!\n#10\n0!\n1&\n#15\n1!"
                           "\n#16\n$dumpoff\nx!\nx&\n"
                           "$end\n#46\n$dumpon\n0!\n1&\n$end\n#55\n1!\n#60\n0!\n0&\n#65\n1!\n#70\n0!\n1&\n#"
                           "75\n1!\n#76\n$dumpoff\nx!\n$end\n";
  const auto map = [](const std::string& tap) {
    return kTop + "clock: top.clk\ninputs:\n  - {ioreg: 0, signal: top.sub.ok, tap: {equals: 1, " + tap +
           "}}\n";
  };
  VcdReading out;
  EXPECT_EQ(edges_of(text, map("when: rising, take: time"), &out), "0:0,0 1:1,0 0:0,0 0:0,0 1:4,0 ");
  EXPECT_EQ(out.off.times, 1u);
  EXPECT_EQ(out.off.begin, 16u);
  EXPECT_EQ(out.off.end, 46u);
  EXPECT_EQ(out.off.cycles, 3);
  EXPECT_EQ(edges_of(text, map("take: gap")), "0:0,0 1:1,0 0:0,0 0:0,0 1:2,0 ") << "no gap spans it";
}

TEST(Vcd, ReadsEveryChangeOfALine) {
  const auto read = [](const std::string& changes, base::ReadReport& report) {
    const VcdFile file(kHeader + changes);
    std::string seen;
    read_vcd(file.path, parse_signal_map(kMap, "map"), report, [&](const VcdCycle& c) {
      seen += std::to_string(c.valid) + ":" + std::to_string(c.address) + " ";
      return true;
    });
    return seen;
  };
  base::ReadReport by_line;
  base::ReadReport together;
  const std::string lines = "#0\n$dumpvars\n0!\nb101 %\n1&\n$end\n#5\n1!\n#10\n0!\nb110 %\n#15\n1!\n";
  const std::string joined =
      "#0 $dumpvars 0! b101 % 1& $end\n$comment 1! b1\n % $end #5 1! #10 0! b110 % r1.5 x\n#15 1!\n";
  EXPECT_EQ(read(lines, by_line), "8:5 8:6 ");
  EXPECT_EQ(read(joined, together), "8:5 8:6 ");
  EXPECT_EQ(by_line.skipped + together.skipped, 0u);
  EXPECT_EQ(by_line.taken, together.taken);
  base::ReadReport damaged;
  read("#5 1! b101\n% 0! rest\n", damaged);
  EXPECT_EQ(damaged.skipped, 3u) << "a vector without its signal, the lone signal, no value";
}

TEST(Vcd, StopsWhenItsUserHasEnough) {
  const VcdFile file(std::string(kHeader) + "#0 0!\n#5 1!\n#10 0!\n#15 1!\n#20\n");
  base::ReadReport report;
  int edges = 0;
  const VcdReading reading = read_vcd(file.path, parse_signal_map(kMap, "map"), report, [&](const VcdCycle&) {
    return ++edges < 1;
  });
  EXPECT_FALSE(reading.whole);
  EXPECT_EQ(edges, 1);
}

TEST(Vcd, RefusesWhatIsNotThere) {
  const auto reason = [](const std::string& text, const std::string& map) -> std::string {
    const VcdFile file(text);
    base::ReadReport report;
    try {
      read_vcd(file.path, parse_signal_map(map, "map"), report, [](const VcdCycle&) {
        return true;
      });
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(
      reason(
          kHeader,
          "schema: lento.tile-map/1\nclock: top.clkk\ninputs:\n  - {ioreg: 0, signal: top.data}\n"),
      testing::HasSubstr("top.clk"));
  EXPECT_THAT(
      reason("$scope module top $end\n$var port 1 <0 clk $end\n$enddefinitions $end\n", kMap),
      testing::HasSubstr("$dumpvars in place of $dumpports"));
  EXPECT_THAT(reason("$scope module top", kMap), testing::HasSubstr("ends inside"));
  EXPECT_THAT(reason("hello", kMap), testing::HasSubstr("not a VCD header"));
  EXPECT_THAT(reason(kHeader, "schema: lento.tile-map/1\nclock: top.clk\n"), testing::HasSubstr("no inputs"));
}

TEST(Vcd, BitsOfABusAreOneValue) {
  const std::string header =
      "$scope module t $end\n$var wire 1 ! clk $end\n$var wire 1 a v [1] $end\n$var wire 1 b v [0] $end\n"
      "$var wire 66 w w [65:0] $end\n$enddefinitions $end\n";
  const std::string map =
      kTop + "clock: t.clk\ninputs:\n  - {ioreg: 0, signal: t.v}\n  - {ioreg: 1, signal: 't.w[65:63]'}\n";
  EXPECT_EQ(
      edges_of(
          header + "#0 0! 1a 0b\nb101 w\n#5 1!\n#6 0! Ha\n1b\nb11" + std::string(64, '0') + " w\n#9 1!\n",
          map),
      "3:2,0 3:3,6 ");
}

TEST(Vcd, EachInputHasItsClockAndEdge) {
  const std::string header =
      "$scope module t $end\n$var wire 1 ! clk $end\n$var wire 1 f fast $end\n$var wire 4 d d [3:0] $end\n"
      "$enddefinitions $end\n";
  const std::string changes =
      "#0 0! 0f b1 d\n#10 1!\n#12 1f b10 d\n#14 0f\n#15 0!\n#17 1f b11 d\n#20 1! 0f b100 d\n#25 0!\n";
  const auto map = [](const std::string& clock, const std::string& own) {
    return kTop + "clock: " + clock + "\ninputs:\n  - {ioreg: 0, signal: t.d" + own + "}\n";
  };
  EXPECT_EQ(edges_of(header + changes, map("t.clk", "")), "1:1,0 1:3,0 ");
  EXPECT_EQ(edges_of(header + changes, map("{signal: t.clk, edge: falling}", "")), "1:2,0 1:4,0 ");
  EXPECT_EQ(edges_of(header + changes, map("{signal: t.clk, edge: both}", "")), "1:1,0 1:2,0 1:3,0 1:4,0 ");
  EXPECT_EQ(edges_of(header + changes, map("t.clk", ", clock: t.fast")), "0:0,0 o20/1:1,0 o70/1:2,0 0:0,0 ");
  EXPECT_EQ(
      edges_of(header + changes, map("t.clk", ", clock: {signal: t.fast, edge: both}")),
      "0:0,0 o20/1:1,0 o40/1:2,0 o70/1:2,0 0:0,0 o0/1:3,0 ");
}

// LiteScope writes `$scope dumped_signals` and `$unscope`; signals behind it belong to the scope around it.
TEST(Vcd, AScopeWithoutATypeIsAScope) {
  const std::string header =
      "$scope module t $end\n$scope dumped $end\n$var wire 1 d data $end\n$unscope $end\n"
      "$var wire 1 ! clk $end\n$upscope $end\n$enddefinitions $end\n";
  const std::string map = kTop + "clock: t.clk\ninputs:\n  - {ioreg: 0, signal: t.dumped.data}\n";
  EXPECT_NE(edges_of(header + "#0\n1d\n0!\n#5\n1!\n", map), "");
}

TEST(Vcd, TheTriggerAndEveryInputHaveValidSignals) {
  const std::string header =
      "$scope module t $end\n$var wire 1 ! clk $end\n$var wire 8 p pc $end\n$var wire 1 v v $end\n"
      "$var wire 1 r r $end\n$enddefinitions $end\n#0 0! b1 p\n1v 0r\n#5 1!\n#6 0! 1r\n#9 1!\n#10 0! xv\n#12 "
      "1!\n";
  const VcdFile file(header);
  base::ReadReport report;
  std::string seen;
  const std::string map = kTop +
                          "clock: t.clk\naddress: {signal: t.pc, valid: t.v}\ninputs:\n"
                          "  - {ioreg: 0, signal: t.pc, valid: [t.v, t.r]}\n";
  read_vcd(file.path, parse_signal_map(map, "map"), report, [&](const VcdCycle& c) {
    seen += std::to_string(c.has_address) + std::to_string(c.valid) + " ";
    return true;
  });
  EXPECT_EQ(seen, "10 11 00 ");
}

// One IOReg for each kind of tap on the values 1 2 2 3 3 1 2, the fifth of which is not valid.
TEST(Vcd, TapsPassEventsAndCountThem) {
  std::string text =
      "$scope module t $end\n$var wire 1 ! clk $end\n$var wire 4 d d $end\n$var wire 1 v v $end\n"
      "$enddefinitions $end\n";
  const std::vector<std::string> values = {"1", "10", "10", "11", "11", "1", "10"};
  for (size_t i = 0; i < values.size(); ++i) {
    text += "#" + std::to_string(10 * i) + "\n0!\nb" + values[i] + " d\n" + (i == 4 ? "0v" : "1v") + "\n#" +
            std::to_string(10 * i + 5) + "\n1!\n";
  }
  const auto seen = [&](const std::string& tap) {
    return edges_of(
        text,
        kTop + "clock: t.clk\ninputs:\n  - {ioreg: 0, signal: t.d, valid: t.v, tap: {" + tap + "}}\n");
  };
  EXPECT_EQ(seen("equals: 2"), "0:0,0 1:2,0 1:2,0 0:0,0 0:0,0 0:0,0 1:2,0 ");
  EXPECT_EQ(seen("equals: 2, when: rising, take: count"), "0:0,0 1:1,0 0:0,0 0:0,0 0:0,0 0:0,0 1:2,0 ");
  EXPECT_EQ(seen("equals: 2, when: falling, take: time"), "0:0,0 0:0,0 0:0,0 1:3,0 0:0,0 0:0,0 0:0,0 ");
  EXPECT_EQ(seen("equals: 2, take: gap"), "0:0,0 1:1,0 1:1,0 0:0,0 0:0,0 0:0,0 1:4,0 ");
  EXPECT_EQ(seen("equals: 2, take: gap, peak: true"), "0:0,0 1:1,0 0:0,0 0:0,0 0:0,0 0:0,0 1:4,0 ");
  EXPECT_EQ(seen("when: change"), "0:0,0 1:2,0 0:0,0 1:3,0 0:0,0 1:1,0 1:2,0 ");
  EXPECT_EQ(seen("mask: 2, equals: 2, when: rising"), "0:0,0 1:2,0 0:0,0 0:0,0 0:0,0 0:0,0 1:2,0 ");
  EXPECT_EQ(seen("mask: 0x2, equals: 0x2, when: rising"), seen("mask: 2, equals: 2, when: rising"));
  EXPECT_THROW(seen("when: rising"), base::Error);
  EXPECT_THROW(seen("equals: 4, mask: 3"), base::Error);
}

TEST(Fst, IsReadAsItsVcdAndDamageIsAnError) {
  if (std::system("command -v vcd2fst >/dev/null") != 0)
    GTEST_SKIP() << "gtkwave is not installed";
  std::string text =
      "$timescale 1ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n$var wire 8 % data [7:0] $end\n"
      "$scope module sub $end\n$var wire 1 & ok $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n";
  for (int i = 0; i < 2000; ++i) {
    text += "#" + std::to_string(10 * i) + "\n0!\nb" + std::string(1 + i % 8, '1') + " %\n1&\n#" +
            std::to_string(10 * i + 5) + "\n1!\n";
  }
  const VcdFile file(text);
  const std::string path = file.path + ".fst";
  ASSERT_EQ(std::system(("vcd2fst " + file.path + " " + path + " >/dev/null").c_str()), 0);
  const auto cycles = [](const std::string& from) {
    base::ReadReport report;
    std::vector<uint32_t> out;
    read_vcd(from, parse_signal_map(kMap, "map"), report, [&](const VcdCycle& c) {
      out.push_back(c.address);
      return true;
    });
    return out;
  };
  EXPECT_EQ(cycles(path), cycles(file.path));
  EXPECT_EQ(cycles(path).size(), 2000u);
  const std::string whole = base::read_file(path);
  for (size_t keep = 16; keep < whole.size(); keep += whole.size() / 16) {
    base::write_file(path, whole.substr(0, keep));
    EXPECT_THROW(cycles(path), base::Error) << keep;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lento::tile
