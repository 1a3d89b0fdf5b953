// Records: layouts of C structs and the rows that bytes are decoded to.
#include "tile/record.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"

namespace lento::tile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string reason(const std::string& text, const std::string& name = "") {
  try {
    parse_record(text, "p.h", name);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Record, FieldsHaveTheirTypesAndPlaces) {
  const RecordLayout layout = parse_record(
      "#include <stdint.h>\n#define N 3 /* bins */\nstruct other { int a; };\n"
      "typedef struct { uint32_t when; int16_t a, b; // two\n unsigned char bin[N]; char pad; float f; } "
      "row_t;\n",
      "p.h",
      "row_t");
  EXPECT_EQ(layout.bytes, 16u);
  ASSERT_EQ(layout.fields.size(), 6u);
  EXPECT_EQ(layout.fields[2].offset, 6u);
  EXPECT_EQ(layout.fields[3].length, 3u);
  const std::string bytes("\x01\0\0\x80\xff\xff\x02\0\x07\x08\xff\0\0\0\xc0\x3f\x01\x02", 18);
  const RecordRows rows = decode_rows(layout, bytes, [](uint64_t end) {
    return 100 + end;
  });
  EXPECT_THAT(rows.columns, ElementsAre("cycle", "when", "a", "b", "bin[0]", "bin[1]", "bin[2]", "pad", "f"));
  ASSERT_EQ(rows.rows.size(), 1u);
  EXPECT_THAT(rows.rows[0], ElementsAre(116, 2147483649.0, -1, 2, 7, 8, 255, 0, 1.5));
  EXPECT_EQ(rows.rest_bytes, 2u);
  EXPECT_EQ(figures_of(layout, rows).size(), 3u) << "table, time line, histogram";
}

TEST(Record, RowsAreWrittenByTheEndOfThePath) {
  const RecordLayout layout = parse_record("struct hit { uint16_t x; uint16_t y; };", "p.h", "hit");
  const RecordRows rows = decode_rows(layout, std::string("\x01\0\x02\0\x03\0\x04\0", 8), [](uint64_t end) {
    return end;
  });
  const auto written = [&](const std::string& end) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("lento-rows-" + std::to_string(::getpid()) + end))
            .string();
    write_rows(path, layout, rows);
    const std::string text = base::read_file(path);
    std::filesystem::remove(path);
    return text;
  };
  EXPECT_EQ(written(".csv"), "cycle,x,y\n4,1,2\n8,3,4\n");
  EXPECT_EQ(
      written(".json"),
      "[\n{\"cycle\": 4, \"x\": 1, \"y\": 2},\n{\"cycle\": 8, \"x\": 3, \"y\": 4}\n]\n");
  EXPECT_THAT(written(".trace.json"), HasSubstr("\"ts\": 8, \"args\": {\"x\": 3, \"y\": 4}}"));
}

TEST(Record, WhatHasNoCertainLayoutIsRefused) {
  EXPECT_THAT(reason("struct a { uint8_t x; uint32_t y; };"), HasSubstr("8 bytes with them, 5 without"));
  EXPECT_EQ(reason("struct __attribute__ { uint8_t x; };"), "");
  EXPECT_EQ(reason("struct a { uint8_t x; uint32_t y; } __attribute__((packed));"), "");
  EXPECT_THAT(reason("struct a { uint32_t x : 3; };"), HasSubstr("bit fields"));
  EXPECT_THAT(reason("struct a { foo_t x; };"), HasSubstr("no type of fixed size"));
  EXPECT_THAT(reason("struct a { uint32_t x[M]; };"), HasSubstr("no length"));
  EXPECT_THAT(reason("struct a { uint32_t x[5000]; };"), HasSubstr("no length"));
  EXPECT_THAT(reason("struct a { uint32_t x[4000]; };"), HasSubstr("4096 bytes"));
  EXPECT_THAT(reason("struct alarm { int x; };", "alarn"), HasSubstr("alarm"));
  EXPECT_THAT(reason("struct a { int x;"), HasSubstr("does not end"));
  EXPECT_THAT(reason("/* struct a { int x; };"), HasSubstr("there is no"));
  EXPECT_THAT(reason("struct a { };"), HasSubstr("no fields"));
}

}  // namespace
}  // namespace lento::tile
