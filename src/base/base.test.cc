#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/test_error.h"
#include "base/units.h"

namespace lento::base {
namespace {

using test::error_of;
using ::testing::HasSubstr;

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("lento_base_test_" + name)).string();
}

TEST(Nearest, CountsSwappedNeighboursAsOneSlip) {
  EXPECT_EQ(nearest("--htlm", {"--help", "--html"}), "--html");
  EXPECT_EQ(nearest("simulat", {"simulate", "sweep"}), "simulate");
  EXPECT_EQ(nearest("xyzzy", {"simulate", "sweep"}), "");
}

TEST(Error, SaysPlaceMessageAndHint) {
  EXPECT_STREQ(
      Error({"a.yaml", 4, 12}, "bad", "try this").what(),
      "a.yaml:4:12: error: bad\n  hint: try this");
  EXPECT_STREQ(Error({"a.json", 0, 0, "layers[3]"}, "bad").what(), "a.json: layers[3]: error: bad");
}

TEST(Error, ListShowsEveryMessage) {
  ErrorList list;
  list.throw_if_any();
  list.add({"f", 1}, "one");
  list.add({"f", 2}, "two");
  EXPECT_EQ(
      error_of([&] {
        list.throw_if_any();
      }),
      "f:1: error: one\nf:2: error: two");
}

TEST(Error, SuggestsTheNearestWord) {
  EXPECT_EQ(suggestion("bandwith", {"bandwidth", "latency"}), "did you mean 'bandwidth'?");
  EXPECT_EQ(suggestion("zzz", {"bandwidth", "latency"}), "one of: bandwidth, latency");
}

TEST(Number, RefusesWhatIsNotExactlyANumber) {
  EXPECT_EQ(parse_int("-12", {"f"}), -12);
  for (const char* bad : {"", "1x", " 1", "1.5", "99999999999999999999"})
    EXPECT_FALSE(try_int(bad)) << bad;
  for (const char* bad : {"nan", "inf", "1e999", "1,5", ""})
    EXPECT_FALSE(try_double(bad)) << bad;
  EXPECT_THAT(
      error_of([] {
        parse_int("7", {"f", 3}, 0, 5);
      }),
      HasSubstr("f:3: error: found 7, needed a number from 0 to 5"));
}

TEST(Units, ReadsAndRefuses) {
  EXPECT_DOUBLE_EQ(parse_quantity("1.2 GHz", Dimension::Frequency, {}), 1.2e9);
  EXPECT_DOUBLE_EQ(parse_quantity("32KiB", Dimension::Bytes, {}), 32768);
  EXPECT_DOUBLE_EQ(parse_quantity("900 GB/s", Dimension::BytesPerTime, {}), 9e11);
  EXPECT_DOUBLE_EQ(parse_quantity("5 %", Dimension::Percent, {}), 0.05);
  EXPECT_THAT(
      error_of([] {
        parse_quantity("32", Dimension::Bytes, {"c.yaml", 2});
      }),
      HasSubstr("c.yaml:2: error: found '32' without a unit"));
  EXPECT_THAT(
      error_of([] {
        parse_quantity("32 GHz", Dimension::Bytes, {});
      }),
      HasSubstr("'GHz' does not fit here"));
  EXPECT_EQ(format_quantity(8192, Dimension::Bytes), "8 KiB");
  EXPECT_EQ(format_quantity(0.00123, Dimension::Time), "1.23 ms");
}

TEST(Units, CompactNumbersKeepTheirSize) {
  EXPECT_EQ(format_compact(9999), "9999");
  EXPECT_EQ(format_compact(12500), "12.5k");
  EXPECT_EQ(format_compact(-3.2e9), "-3.2G");
  EXPECT_EQ(format_compact(1e13), "10T");
}

TEST(Rng, StreamsAreIndependentOfEachOther) {
  Rng a(7, "x");
  Rng b(7, "y");
  Rng a2(7, "x");
  EXPECT_NE(a.next(), b.next());
  Rng fresh(7, "x");
  EXPECT_EQ(fresh.next(), a2.next());
}

TEST(Json, RoundTripKeepsOrderAndKinds) {
  const std::string text = R"({"b":1,"a":[true,null,2.5,"x"],"c":{"n":-3}})";
  EXPECT_EQ(write_json(parse_json(text, "t.json")), text);
}

TEST(Json, ErrorsSayWhere) {
  EXPECT_THAT(
      error_of([] {
        parse_json("{\"a\":1,\n\"b\":}", "t.json");
      }),
      HasSubstr("t.json:2:5: error: not valid JSON"));
  EXPECT_THAT(
      error_of([] {
        parse_json(R"({"a":1,"a":2})", "t.json");
      }),
      HasSubstr("'a' stands twice"));
  EXPECT_THAT(
      error_of([] {
        parse_json(std::string(300, '['), "t.json");
      }),
      HasSubstr("nested deeper"));
  const Json value = parse_json(R"({"layers":[{"name":3}]})", "t.json");
  EXPECT_THAT(
      error_of([&] {
        const Location here = child(child(Location{"t.json"}, "layers"), size_t{0});
        value.at("layers", {"t.json"}).items()[0].at("name", here).string(child(here, "name"));
      }),
      HasSubstr("t.json: layers[0].name: error: found a number, needed text"));
}

TEST(File, EveryCompressionReadsBack) {
  std::string text;
  for (int64_t i = 0; i < 50000; ++i)
    text += "line " + std::to_string(i * i) + "\n";
  for (const char* ending : {"", ".gz", ".xz", ".zst"}) {
    const std::string path = temporary(std::string("roundtrip") + ending);
    write_file(path, text);
    EXPECT_EQ(read_file(path), text) << ending;
    InputStream in(path);
    std::string_view line;
    int64_t lines = 0;
    while (in.line(line))
      ++lines;
    EXPECT_EQ(lines, 50000) << ending;
    std::filesystem::remove(path);
  }
}

TEST(File, TruncatedCompressionIsAnError) {
  for (const char* ending : {".gz", ".xz", ".zst"}) {
    const std::string path = temporary(std::string("cut") + ending);
    write_file(path, std::string(100000, 'x') + "end");
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 6);
    EXPECT_THAT(
        error_of([&] {
          read_file(path);
        }),
        HasSubstr("error:"))
        << ending;
    std::filesystem::remove(path);
  }
}

TEST(File, NothingAppearsWithoutCommit) {
  const std::string path = temporary("atomic");
  {
    OutputFile out(path);
    out.write("half");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THAT(
      error_of([] {
        read_file("/nowhere/at/all");
      }),
      HasSubstr("/nowhere/at/all: error: cannot open"));
}

TEST(OutputFile, WritesWhereItIsTold) {
  const std::string folder = testing::TempDir() + "lento_out." + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  write_file(folder + "/real", "old");
  std::filesystem::create_symlink("real", folder + "/link");
  write_file(folder + "/link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
  EXPECT_EQ(read_file(folder + "/real"), "new");
  std::filesystem::create_symlink("/dev/null", folder + "/null");
  write_file(folder + "/null", "gone");
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/null"));
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
  std::filesystem::remove_all(folder);
}

TEST(Digest, InPiecesIsThatOfTheWhole) {
  const std::string text = "what was read, eight bytes at a time or one";
  for (const size_t piece : {1, 3, 7, 8, 9, 64}) {
    Digest d;
    for (size_t i = 0; i < text.size(); i += piece)
      d.add(std::string_view(text).substr(i, piece));
    EXPECT_EQ(d.text(), digest(text)) << piece;
  }
}

TEST(InputStream, LooksAheadAndCountsWhatItReads) {
  const std::string path = testing::TempDir() + "lento_peek." + std::to_string(::getpid());
  write_file(path, "first\nsecond\n");
  Digest d;
  InputStream in(path);
  in.count_into(d);
  EXPECT_EQ(in.peek(3), "fir");
  EXPECT_EQ(in.peek(100), "first\nsecond\n");
  std::string_view line;
  ASSERT_TRUE(in.line(line));
  EXPECT_EQ(line, "first");
  EXPECT_EQ(read_all(in, 100), "second\n");
  EXPECT_EQ(d.text(), digest("first\nsecond\n"));
  std::filesystem::remove(path);
}

TEST(Parallel, FillsEverySlotAndRethrowsTheFirstFailure) {
  std::vector<size_t> slots(1000);
  parallel_for(slots.size(), 4, [&](size_t i) {
    slots[i] = i + 1;
  });
  for (size_t i = 0; i < slots.size(); ++i)
    EXPECT_EQ(slots[i], i + 1);
  EXPECT_THAT(
      error_of([] {
        parallel_for(10, 2, [](size_t i) {
          throw Error({}, "at " + std::to_string(i));
        });
      }),
      HasSubstr("at 0"));
}

}  // namespace
}  // namespace lento::base
