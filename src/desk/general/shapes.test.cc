// Shapes of reports in which parts, names and units stand where no grammar of one tool says so.
#include <gtest/gtest.h>

#include <algorithm>

#include "desk/general/cells.h"
#include "desk/general/general.h"
#include "desk/general/labels.h"
#include "desk/general/report_lines.h"
#include "desk/general/states.h"
#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

Records read(std::string_view text) {
  const LogReader reader(general_formats());
  Records records;
  reader.read_text(text, "a.txt", records);
  return records;
}

const Series* series_of(const Records& records, std::string_view name, std::string_view device = "") {
  for (const Series& series : records.series())
    if (records.quantities()[series.quantity].name == name &&
        records.subjects()[series.subject].device == device)
      return &series;
  return nullptr;
}

TEST(Shapes, ABulletNamesAServerAndAWordIsItsState) {
  const Records records = read(
      "\xe2\x97\x8f  node3:9000\n   Uptime: offline\n   Drives: 0/4 OK\n\n"
      "\xe2\x97\x8f  node4:9000\n   Uptime: 3 weeks \n   Drives: 4/4 OK\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.host, "node3");
}

TEST(Shapes, AShareOfMembersIsAFaultWhenNothingElseIs) {
  EXPECT_EQ(read("node4:9000\n   Drives: 3/4 OK\n").events().size(), 1u);
  EXPECT_TRUE(read("node4:9000\n   Drives: 4/4 OK\n").events().empty());
}

TEST(Shapes, TheOnlyWordOfAHostIsTheOutputOfACommandThere) {
  const Records records =
      read("node3: 6.8.0-45-generic\nnode4: 6.8.0-45-generic\nnode5: 5.15.0-130-generic\n");
  EXPECT_EQ(records.series().size(), 3u);
  ASSERT_NE(series_of(records, "output"), nullptr);
}

TEST(Shapes, ErrorsBehindTheirNumberBelongToTheNameInFront) {
  EXPECT_EQ(read("mc0: 2 Uncorrected Errors\n").events().size(), 1u);
  EXPECT_TRUE(read("mc0: 0 Uncorrected Errors\nmc0: 7 Corrected Errors\n").events().empty());
}

TEST(Shapes, AnExceptionInADocumentIsAQuestion) {
  const Records records = read(
      "{\"message\": {\"message\": \"FileNotFoundError: no such file\", \"extraInfo\": {\"timestamp\": "
      "\"1\"}}}\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].kind, "unread/state");
}

TEST(Shapes, PairsInOneLineOfABox) {
  const Records records = read(
      "|-----------------------------------|\n|    CUDA OOMs: 0    |  cudaMalloc retries: 512  |\n"
      "|-----------------------------------|\n");
  const Series* retries = series_of(records, "cudaMalloc retries");
  ASSERT_NE(retries, nullptr);
  EXPECT_EQ(retries->rows[0].value, 512);
}

TEST(Shapes, ADocumentBehindTheNameOfItsPart) {
  const Records records = read("osd.3: {\n    \"bytes_per_sec\": 812345678.5,\n    \"iops\": 193.6\n}\n");
  const Series* rate = series_of(records, "bytes_per_sec", "osd.3");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(records.quantities()[rate->quantity].better, Better::Higher);
}

TEST(Shapes, AHeadWithSharesAndUnitsInBrackets) {
  const Records records = read(
      " #bytes #iterations    t_min[usec]    t_typical[usec]    t_avg[usec]   99% percentile[usec] \n"
      " 2       1000          2.71           3.12               3.15          3.40\n");
  const Series* mean = series_of(records, "t_avg[usec]");
  ASSERT_NE(mean, nullptr);
  EXPECT_NEAR(mean->rows[0].value, 3.15e-6, 1e-12);
}

TEST(Shapes, BarsBetweenGroupsOfColumns) {
  const Records records = read(
      "Inter-|   Receive                  |  Transmit\n face |bytes    packets errs drop|bytes    packets "
      "errs drop\n"
      "    lo: 690234 80957 0 0 350447 48546 0 0\n");
  ASSERT_NE(series_of(records, "lo: errs"), nullptr);
}

// Numbers of a locale with decimal commas are no lists and no thousands.
TEST(Shapes, DecimalCommasOfATable) {
  const Records records = read(
      "08:10:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
      "08:20:01        all     12,31      0,00      0,10      7,50      0,00     80,09\n"
      "08:30:01        all     12,31      0,00      0,10      7,50      0,00     80,09\n");
  const Series* waits = series_of(records, "share without all %iowait");
  ASSERT_NE(waits, nullptr);
  EXPECT_NEAR(waits->rows[0].value, 92.5, 1e-9);
  EXPECT_EQ(with_points("0,12 1,345 2,50"), "");
  EXPECT_EQ(with_points("cpus 0,1 2,3 4,5"), "");
}

TEST(Shapes, TheUnitOfATitleIsThatOfItsNumbers) {
  const Records records = read("- Proc.   0 individual time (sec): cpu=        412.7  wall=        413.1\n");
  ASSERT_FALSE(records.series().empty());
  EXPECT_EQ(records.quantities()[records.series()[0].quantity].unit, "s");
}

TEST(Shapes, TheLeastAndTheMostAreNoNumbersOfALine) {
  const auto values = labelled_values("readfile1   120ops/s   0.3ms/op [0.002ms - 71.800ms]");
  EXPECT_EQ(values.size(), 2u);
}

TEST(Shapes, StatesBeforeTheirReasonAndErrorsThatWereFound) {
  EXPECT_EQ(condition_of("FAIL - test discovered HW problems"), Condition::Bad);
  EXPECT_EQ(condition_of("PASS - please verify no corrected errors"), Condition::Good);
  EXPECT_EQ(condition_of("Multiple errors detected since last read"), Condition::Bad);
  EXPECT_EQ(condition_of("No errors detected since last read"), Condition::Good);
}

TEST(Shapes, DatesAndSecondsInFrontOfALine) {
  EXPECT_EQ(without_date("2026/11/20-09:12:11(UTC) Stats: Found 2"), "Stats: Found 2");
  EXPECT_EQ(without_date("65.132: IO Summary: 12 ops"), "IO Summary: 12 ops");
  EXPECT_EQ(without_date("3.5: one"), "3.5: one");
}

TEST(Shapes, TheChoiceInBracketsIsTheSetting) {
  const Records records = read("/sys/kernel/mm/transparent_hugepage/enabled:always madvise [never]\n");
  const Series* setting = series_of(records, "transparent_hugepage/enabled");
  ASSERT_NE(setting, nullptr);
  EXPECT_EQ(setting->rows[0].text, "never");
}

}  // namespace
}  // namespace lento::desk
