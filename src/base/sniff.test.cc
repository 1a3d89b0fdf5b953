#include "base/sniff.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace lento::base {
namespace {

using namespace std::string_literals;

TEST(Sniff, OwnFilesSayWhatTheyAre) {
  EXPECT_EQ(describe(kind_of("schema: lento.chip/1\nwidth: 4\n")), "a chip (lento.chip/1)");
  EXPECT_EQ(describe(kind_of(R"({"schema": "lento.map/1", "cores": []})")), "a mapping (lento.map/1)");
  EXPECT_EQ(describe(kind_of("lento.probe/1 binary\n\x01\x02")), "a probe record file (lento.probe/1)");
  EXPECT_EQ(kind_of("lento.nothing/1\n").noun, "text file");
}

TEST(Sniff, ForeignOnesByTheirFirstBytes) {
  EXPECT_EQ(
      describe(kind_of("\x7f"
                       "ELF\x02\x01")),
      "a program (ELF)");
  EXPECT_EQ(describe(kind_of("time,machine,metric,value\n0,a,b,1\n")), "a table (CSV)");
  EXPECT_EQ(describe(kind_of(R"({"traceEvents": []})")), "a trace of a profiler (Chrome trace, JSON)");
  EXPECT_EQ(describe(kind_of("\x08\x07\x12\x07pytorch\x1a\x05"s)), "a network (ONNX)");
  EXPECT_EQ(describe(kind_of("time;machine;power\n0;a;1\n")), "a table (CSV)");
  EXPECT_EQ(describe(kind_of("time\tmachine\n0\ta\n")), "a table (CSV)");
  EXPECT_EQ(kind_of("Words; and more words, as people write them!\n").noun, "text file");
  EXPECT_EQ(kind_of("YPUIMG\r\n\x01"s).noun, "tile image");
  EXPECT_EQ(kind_of("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n").noun, "record of data movement");
  EXPECT_EQ(
      describe(kind_of(R"([{"proc":"NCRISC","sx":1,"sy":2,"timestamp":1000}])")),
      "a record of data movement (NoC events, JSON)");
  EXPECT_EQ(
      describe(kind_of(R"([{"ph": "M", "args": {"name": "core_trace for tile2,0"}}])")),
      "a record of data movement (AI Engine events, JSON)");
  EXPECT_EQ(describe(kind_of("")), "an empty file");
  EXPECT_EQ(describe(kind_of("\n \n")), "a blank file");
  EXPECT_EQ(
      describe(kind_of(R"({"name":"tiny","batch_size":16,"layers":[]})")),
      "a mapping (compact map format, JSON)");
  EXPECT_EQ(describe(kind_of("\x01\x02\x03\xff"s)), "a file of no kind that Lento knows");
}

TEST(Sniff, SourcesObjectsAndLinesOfObjects) {
  EXPECT_EQ(
      describe(kind_of("// the largest value, and how many\nint main(void) {}\n")),
      "a source text (C)");
  EXPECT_EQ(kind_of("#include \"ypu.h\"\nYPU_MAIN {}\n").format, "C, for a tile");
  EXPECT_EQ(kind_of("#include \"ypu.hpp\"\n").format, "C");
  std::string object =
      "\x7f"
      "ELF\x02\x01" +
      std::string(10, '\0') + "\x01" + std::string(10, '\0');
  EXPECT_EQ(describe(kind_of(object)), "an object file (ELF)");
  object[16] = 3;
  EXPECT_EQ(kind_of(object).noun, "program");
  EXPECT_EQ(describe(kind_of("{\"a\": 1}\n{\"a\": 2}\n")), "a table (JSON Lines)");
  EXPECT_EQ(kind_of("{\"a\": 1}\n").noun, "JSON file");
  EXPECT_EQ(kind_of("{\n\"a\": 1}\n").noun, "JSON file");
}

TEST(Sniff, LogsThatOpenLikeJsonOrYamlAreText) {
  for (const char* log :
       {"[rank0]: step 1\n",
        "[transformers] loss is 3\n",
        "[12:01:02] step 1\n",
        "[0] step 1\n",
        "[2026-11-27 10:00:00] step 1\n",
        "run.sh: line 10: lspci: command not found\n",
        "Iteration 1: loss 3\n"})
    EXPECT_EQ(kind_of(log).noun, "text file") << log;
  for (const char* json : {"[{\"a\": 1}]", "[1, 2]", "[ -1.5e3 ,2]", "[\n\"a\"]", "[]", "[true]"})
    EXPECT_EQ(kind_of(json).noun, "JSON file") << json;
  EXPECT_EQ(kind_of("layers:\n  - name: a\n").noun, "settings file");
  EXPECT_EQ(kind_of("tensor_parallel: 8\n").noun, "settings file");
}

TEST(Sniff, LooksIntoCompressedFilesAndNotIntoPipes) {
  const std::string path = ::testing::TempDir() + "sniff." + std::to_string(::getpid()) + ".gz";
  write_file(path, "schema: lento.faults/1\n");
  EXPECT_EQ(kind_of_file(path).noun, "list of faults");
  std::filesystem::remove(path);
  EXPECT_EQ(kind_of_file("/dev/null").noun, "");
  EXPECT_EQ(kind_of_file(path).noun, "");
}

}  // namespace
}  // namespace lento::base
