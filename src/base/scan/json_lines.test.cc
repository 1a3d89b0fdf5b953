#include "base/scan/json_lines.h"

#include <gmock/gmock.h>

#include <cstdio>

#include "base/scan/csv.h"
#include "base/test_error.h"

namespace lento::base {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

class JsonLinesTest : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    path_ = testing::TempDir() + "lines_test.jsonl";
    write_file(path_, text);
    return path_;
  }
  ~JsonLinesTest() override {
    std::remove(path_.c_str());
  }
  std::string path_;
  ReadReport report_;
};

TEST_F(JsonLinesTest, ColumnsAreTheKeysAndOrderIsTheirs) {
  CsvReader in(
      file("\xEF\xBB\xBF{\"node\": \"a\", \"power\": {\"w\": 510.25}}\r\n\n"
           "{\"power\": {\"w\": 1e3, \"ok\": true}, \"node\": \"b\", \"tags\": [1, \"x\"]}\n"
           "{\"node\": null}\n"),
      report_);
  EXPECT_TRUE(in.is_json_lines());
  EXPECT_THAT(in.columns(), ElementsAre("node", "power.w", "power.ok", "tags"));
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.row(), ElementsAre("a", "510.25", "", ""));
  EXPECT_EQ(in.number(1), 510.25);
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.row(), ElementsAre("b", "1000", "true", "[1,\"x\"]"));
  EXPECT_EQ(in.where(0).line, 3);
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.row(), ElementsAre("", "", "", ""));
  EXPECT_FALSE(in.next());
  EXPECT_EQ(report_.taken, 3u);
  EXPECT_EQ(report_.skipped, 0u);
}

TEST_F(JsonLinesTest, NumbersKeepTheirValue) {
  CsvReader in(file("{\"t\": 1715960308411000123, \"x\": 0.1}\n"), report_);
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.row(), ElementsAre("1715960308411000123", "0.1"));
}

TEST_F(JsonLinesTest, DamagedLinesAreCountedByReason) {
  std::string text = "{\"a\": 1}\n{\"a\": 2\n[3]\n";
  for (size_t i = 0; i < JsonLines::kColumnLines; ++i)
    text += "{\"a\": 4}\n";
  CsvReader in(file(text + "{\"b\": 5}\n"), report_);
  size_t rows = 0;
  while (in.next())
    ++rows;
  EXPECT_EQ(rows, 1 + JsonLines::kColumnLines);
  EXPECT_EQ(report_.reasons["a line that is no JSON object"], 2u);
  EXPECT_EQ(report_.reasons["a key that none of the first 100 objects has"], 1u);
  EXPECT_EQ(report_.first_skip.line, 2);
}

TEST_F(JsonLinesTest, ADocumentOverManyLinesIsRefusedWithAWayOut) {
  const std::string error = error_of([&] {
    CsvReader(file("{\n  \"a\": 1\n}\n"), report_);
  });
  EXPECT_THAT(error, HasSubstr("the first line is no JSON object"));
  EXPECT_THAT(error, HasSubstr("jq -c"));
}

TEST(JsonLine, NumbersStayNumbersAndAllElseIsText) {
  EXPECT_EQ(
      json_line({"a", "b", "c", "d", "e", "f"}, {"1.5e-06", "", "x \"y\"", "007", "nan", "-3"}),
      R"({"a":1.5e-06,"b":null,"c":"x \"y\"","d":"007","e":"nan","f":-3})");
  for (const char* word : {"1.", ".5", "+1", "01", "1e", "0x10", "inf", "-"})
    EXPECT_EQ(json_line({"v"}, {word}), "{\"v\":\"" + std::string(word) + "\"}");
}

}  // namespace
}  // namespace lento::base
