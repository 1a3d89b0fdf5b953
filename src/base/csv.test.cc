#include "base/csv.h"

#include <gmock/gmock.h>

#include <cstdio>

namespace lento::base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Csv : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    path_ = testing::TempDir() + "csv_test.csv";
    write_file(path_, text);
    return path_;
  }
  ~Csv() override { std::remove(path_.c_str()); }
  std::string path_;
  ReadReport report_;
};

TEST_F(Csv, QuotesLineBreaksAndBothLineEnds) {
  CsvReader in(file("\xEF\xBB\xBF"
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

TEST_F(Csv, RaggedRowsAreCounted) {
  CsvReader in(file("a,b\n1\n1,2\n1,2,3\n"), report_);
  ASSERT_TRUE(in.next());
  EXPECT_EQ(in.number(in.require("b")), 2);
  EXPECT_FALSE(in.next());
  EXPECT_EQ(report_.skipped, 2u);
}

std::string message(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST_F(Csv, ErrorsSayWhere) {
  EXPECT_THAT(message([&] { CsvReader(file(""), report_); }), HasSubstr("the table is empty"));
  EXPECT_THAT(message([&] { CsvReader(file("a,a\n"), report_); }), HasSubstr("occurs twice"));
  CsvReader in(file("time_ms\nfast\n"), report_);
  EXPECT_THAT(message([&] { in.require("time_s"); }), HasSubstr("did you mean 'time_ms'?"));
  ASSERT_TRUE(in.next());
  EXPECT_THAT(message([&] { in.number(0); }), HasSubstr(":2: "));
  CsvReader open(file("a\n\"x\n"), report_);
  EXPECT_THAT(message([&] { open.next(); }), HasSubstr("not closed"));
}

TEST(CsvLine, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_line({"a", "b,c", "\"d\"", ""}), "a,\"b,c\",\"\"\"d\"\"\",");
}

}  // namespace
}  // namespace lento::base
