// Recorded signals, sample by sample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "tile/block/vcd.h"

namespace lento::tile {
namespace {

struct VcdFile {
  std::string path =
      (std::filesystem::temp_directory_path() / ("lento-" + std::to_string(::getpid()) + ".vcd")).string();
  explicit VcdFile(const std::string& text) {
    base::write_file(path, text);
  }
  ~VcdFile() {
    std::filesystem::remove(path);
  }
};

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
  read_vcd(file.path, parse_vcd_map(kMap, "map"), report, [&](const VcdCycle& c) {
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

TEST(Vcd, ReadsEveryChangeOfALine) {
  const auto read = [](const std::string& changes, base::ReadReport& report) {
    const VcdFile file(kHeader + changes);
    std::string seen;
    read_vcd(file.path, parse_vcd_map(kMap, "map"), report, [&](const VcdCycle& c) {
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
  EXPECT_FALSE(read_vcd(file.path, parse_vcd_map(kMap, "map"), report, [&](const VcdCycle&) {
    return ++edges < 1;
  }));
  EXPECT_EQ(edges, 1);
}

TEST(Vcd, RefusesWhatIsNotThere) {
  const auto reason = [](const std::string& text, const std::string& map) -> std::string {
    const VcdFile file(text);
    base::ReadReport report;
    try {
      read_vcd(file.path, parse_vcd_map(map, "map"), report, [](const VcdCycle&) {
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
  EXPECT_THAT(reason("$scope module top", kMap), testing::HasSubstr("ends inside"));
  EXPECT_THAT(reason("hello", kMap), testing::HasSubstr("not a VCD header"));
  EXPECT_THAT(reason(kHeader, "schema: lento.tile-map/1\nclock: top.clk\n"), testing::HasSubstr("no inputs"));
}

}  // namespace
}  // namespace lento::tile
