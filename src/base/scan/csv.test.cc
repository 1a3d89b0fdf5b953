#include "base/scan/csv.h"

#include <gmock/gmock.h>

#include <cstdio>

#include "base/test_error.h"

namespace lento::base {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

class Csv : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    path_ = testing::TempDir() + "csv_test.csv";
    write_file(path_, text);
    return path_;
  }
  ~Csv() override {
    std::remove(path_.c_str());
  }
  std::string path_;
  ReadReport report_;
};

TEST_F(Csv, QuotesLineBreaksAndBothLineEnds) {
  CsvReader in(
      file("\xEF\xBB\xBF"
           "a,b\r\n1,\"x, \"\"y\"\"\nz\"\r\n\r\n2,\n"),
      report_);
  EXPECT_THAT(in.columns(), ElementsAre("a", "b"));
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.row(), ElementsAre("1", "x, \"y\"\nz"));
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.row(), ElementsAre("2", ""));
  EXPECT_FALSE(in.next());
  EXPECT_EQ(report_.taken, 2u);
}

TEST_F(Csv, AnyDelimiterThatTheHeaderShows) {
  for (const std::string delimiter : {",", ";", "\t", "|"}) {
    CsvReader in(
        file(
            "time" + delimiter + "node" + delimiter + "\"a,b;c\"\n1" + delimiter + "\"x,y\"" + delimiter +
            "2.5\n"),
        report_);
    EXPECT_THAT(in.columns(), ElementsAre("time", "node", "a,b;c")) << delimiter;
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.text(1), "x,y");
    EXPECT_EQ(in.number(2), 2.5);
  }
}

TEST_F(Csv, ADecimalCommaIsNoNumber) {
  CsvReader in(file("time;power\n1;2,5\n"), report_);
  ASSERT_TRUE(in.next());
  EXPECT_EQ(in.text(1), "2,5");
  EXPECT_THAT(
      error_of([&] {
        in.number(1);
      }),
      HasSubstr("2,5"));
}

TEST_F(Csv, ATieIsAComma) {
  CsvReader in(file("a,b;c\n1,2\n"), report_);
  EXPECT_THAT(in.columns(), ElementsAre("a", "b;c"));
}

TEST_F(Csv, RaggedRowsAreCounted) {
  CsvReader in(file("a,b\n1\n1,2\n1,2,3\n"), report_);
  ASSERT_TRUE(in.next());
  EXPECT_EQ(in.number(in.require("b")), 2);
  EXPECT_FALSE(in.next());
  EXPECT_EQ(report_.skipped, 2u);
}

TEST_F(Csv, ErrorsSayWhere) {
  EXPECT_THAT(
      error_of([&] {
        CsvReader(file(""), report_);
      }),
      HasSubstr("the table is empty"));
  EXPECT_THAT(
      error_of([&] {
        CsvReader(file("a,a\n"), report_);
      }),
      HasSubstr("occurs twice"));
  CsvReader in(file("time_ms\nfast\n"), report_);
  EXPECT_THAT(
      error_of([&] {
        in.require("time_s");
      }),
      HasSubstr("did you mean 'time_ms'?"));
  ASSERT_TRUE(in.next());
  EXPECT_THAT(
      error_of([&] {
        in.number(0);
      }),
      HasSubstr(":2: "));
  CsvReader open(file("a\n\"x\n"), report_);
  EXPECT_THAT(
      error_of([&] {
        open.next();
      }),
      HasSubstr("not closed"));
}

TEST(CsvLine, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_line({"a", "b,c", "\"d\"", ""}), "a,\"b,c\",\"\"\"d\"\"\",");
}

}  // namespace
}  // namespace lento::base
