#include "fleet/read/table_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/test_error.h"
#include "fleet/read/column_names.h"
#include "fleet/read/table_file.h"

namespace lento::fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Table : public testing::Test {
 protected:
  Table()
      : folder_(std::filesystem::path(testing::TempDir()) / ("layout." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Table() override {
    std::filesystem::remove_all(folder_);
  }
  std::string file(const std::string& text, const std::string& name = "t.csv") const {
    const std::string path = (folder_ / name).string();
    base::write_file(path, text);
    return path;
  }
  MetricSeries read(const std::string& text, CsvOptions options = {}) {
    options.paths = {file(text)};
    report_ = {};
    return read_csv(options, report_);
  }
  std::string error_of(const std::string& text, const CsvOptions& options = {}) {
    return base::test::error_of([&] {
      read(text, options);
    });
  }
  std::string options(const std::string& text) const {
    base::ReadReport report;
    TableFile table(file(text), "t.csv");
    const auto& rows = table.sample(report);
    std::string out;
    for (const std::string& word :
         options_of(guess_layout(table.header(), rows, {}, "t", {}), table.header()))
      out += (out.empty() ? "" : " ") + word;
    return out;
  }
  std::filesystem::path folder_;
  base::ReadReport report_;
};

// Two machines with two devices, two metrics and three times, in three shapes.
constexpr const char* kByDevice =
    "node,time,gpu,w,mhz\na,0,0,5,10\na,0,1,6,11\nb,0,0,7,12\nb,0,1,8,13\n"
    "a,10,0,15,20\na,10,1,16,21\nb,10,0,17,22\nb,10,1,18,23\n";

TEST_F(Table, ColumnsAreFoundByNameAndContent) {
  EXPECT_EQ(options(kByDevice), "--machine-column node --device-column gpu --time-column time --time-unit s");
  EXPECT_EQ(
      options("server_id,datetime,w\n1,0,5\n2,0,6\n1,10,5\n2,10,6\n"),
      "--machine-column server_id --time-column datetime --time-unit s");
  EXPECT_EQ(
      options("box,when,w\nn1,2026-11-20 08:00:00,5\nn2,2026-11-20 08:00:00,5\nn3,2026-11-20 08:00:00,6\n"
              "n4,2026-11-20 08:00:00,6\nn1,2026-11-20 08:00:10,6\n"),
      "--machine-column box --time-column when");
  EXPECT_EQ(
      options("node,time,metric,value\na,0,w,5\na,0,mhz,6\nb,0,w,5\nb,0,mhz,6\n"),
      "--machine-column node --metric-column metric --value-column value --time-column time --time-unit s");
  EXPECT_EQ(
      options("_time,host,_measurement,_field,_value\n2026-11-20T08:00:00Z,a,gpu,w,5\n"),
      "--machine-column host --metric-column _measurement --value-column _value --time-column _time");
  EXPECT_EQ(options("time,n1,n2,n3,n4\n0,1,2,3,4\n"), "--wide t --time-column time --time-unit s");
}

TEST_F(Table, ADeviceOrRankIsTheSubjectWhereNoMachineIs) {
  EXPECT_EQ(
      options("time,rank,w\n0,0,5\n0,1,6\n10,0,5\n10,1,6\n"),
      "--machine-column rank --time-column time --time-unit s");
  const auto s = read("time,gpu,w\n0,0,5\n0,1,6\n10,0,5\n10,1,6\n");
  EXPECT_THAT(s.machines, ElementsAre("gpu0", "gpu1"));
}

TEST_F(Table, ARankBesideAMachineIsADeviceOnlyWhereItSeparatesRows) {
  EXPECT_EQ(
      options("node,time,rank,w\na,0,0,5\na,0,1,6\na,10,0,5\na,10,1,6\n"),
      "--machine-column node --device-column rank --time-column time --time-unit s");
  EXPECT_EQ(
      options("node,time,rank,w\na,0,0,5\nb,0,1,6\na,10,0,5\nb,10,1,6\n"),
      "--machine-column node --time-column time --time-unit s");
}

TEST_F(Table, AMetricColumnWithoutValuesIsRefused) {
  CsvOptions o;
  o.metric_column = "mhz";
  EXPECT_THAT(
      error_of("node,time,mhz,watt,util\na,0,1755,5,90\nb,0,1755,5,90\n", o),
      HasSubstr("no column of values"));
}

TEST_F(Table, AnnotationsAreLeftOutAndNamed) {
  const auto s = read(
      "node,time,w,label,step,rank,epoch,part,index,error_code,note,step_time_ms\n"
      "a,0,5,0,1,0,0,1,0,3,x,4\nb,0,5,1,1,1,0,1,1,3,y,4\na,10,6,0,2,0,0,1,2,3,x,4\n");
  EXPECT_THAT(s.metrics, ElementsAre("w", "step_time_ms"));
  ASSERT_EQ(s.notes.size(), 1u);
  for (const char* text :
       {"label (annotation)", "step (annotation)", "rank (annotation)", "--machine-column"})
    EXPECT_THAT(s.notes[0], HasSubstr(text));
  CsvOptions o;
  o.metrics = {"label"};
  EXPECT_THAT(read("node,time,w,label\na,0,5,0\nb,0,5,1\na,10,6,0\n", o).metrics, ElementsAre("label"));
}

TEST_F(Table, LongIsWideAndItsAnnotationsAreLeftOut) {
  const auto wide = read("node,time,w,mhz\na,0,5,10\nb,0,6,11\na,10,7,12\nb,10,8,13\n");
  const auto tidy = read(
      "node,time,metric,value\na,0,w,5\na,0,mhz,10\na,0,label,1\nb,0,w,6\nb,0,mhz,11\n"
      "a,10,w,7\na,10,mhz,12\nb,10,w,8\nb,10,mhz,13\n");
  EXPECT_EQ(tidy.machines, wide.machines);
  EXPECT_EQ(tidy.metrics, wide.metrics);
  EXPECT_EQ(tidy.values, wide.values);
  EXPECT_THAT(tidy.notes.back(), HasSubstr("label"));
}

TEST_F(Table, TwoValuesOfOneCellAreAnErrorAndTheSameTwiceIsNot) {
  EXPECT_THAT(
      error_of("node,time,w\na,0,5\na,0,6\na,10,5\n"),
      testing::AllOf(HasSubstr("two values for one cell: w of a at 0"), HasSubstr("--device-column")));
  EXPECT_EQ(read("node,time,w\na,0,5\na,0,5\na,10,5\n").at(0, 0, 0), 5);
  EXPECT_EQ(report_.skipped, 1u);
}

TEST_F(Table, TimesOfEveryOffice) {
  for (const char* first : {"1760000000", "1760000000000", "1760000000000000", "1760000000000000000"}) {
    const std::string ten = std::string(first).replace(8, 1, "1");
    EXPECT_EQ(
        read("node,time,w\na," + std::string(first) + ",5\na," + ten + ",6\n").begin_ms,
        1'760'000'000'000)
        << first;
  }
  const auto begin = [&](const std::string& one, const std::string& two) {
    return read("node,time,w\na," + one + ",5\na," + two + ",6\n").begin_ms;
  };
  EXPECT_EQ(begin("2026-11-20T09:00:00+01:00", "2026-11-20T09:00:10+01:00"), 1'795'161'600'000);
  EXPECT_EQ(begin("20/11/2026 08:00:00", "20/11/2026 08:00:10"), 1'795'161'600'000);
  EXPECT_EQ(begin("11/20/2026 08:00:00", "11/20/2026 08:00:10"), 1'795'161'600'000);
  EXPECT_EQ(begin("20.11.2026 08:00:00", "20.11.2026 08:00:10"), 1'795'161'600'000);
  EXPECT_EQ(begin("01/11/2026 23:59:55", "02/11/2026 00:00:05"), 1'793'577'595'000) << "day follows day";
  EXPECT_THAT(
      error_of("node,time,w\na,03/04/2026 08:00,5\na,07/08/2026 08:00,6\n"),
      HasSubstr("may have the day or the month first"));
}

TEST_F(Table, DecimalCommasAndUtf16) {
  const auto s = read("node;time;w\na;0;39,71\nb;0;1.522,5 W\na;10;40\n");
  EXPECT_EQ(s.at(0, 0, 0), 39.71f);
  EXPECT_EQ(report_.skipped, 1u) << "a unit among bare numbers";
  std::string utf16 = "\xff\xfe";
  for (const char c : std::string("node\ttime\tw\na\t0\t5\nb\t0\t6\na\t10\t7\nb\t10\t8\n"))
    utf16 += {c, '\0'};
  const auto wide = read(utf16);
  EXPECT_THAT(wide.machines, ElementsAre("a", "b"));
  EXPECT_EQ(wide.at(0, 1, 1), 8);
}

TEST_F(Table, WithoutATimeOrAMetricItIsRefused) {
  EXPECT_THAT(error_of("node,w\na,5\n"), HasSubstr("--time-column"));
  EXPECT_THAT(error_of("node,time,step\na,0,1\n"), HasSubstr("no metric column is left"));
}

TEST(Annotations, AreNamesAndNotMeasurements) {
  for (const char* name : {"label", "Label", "is_anomaly", "global_step", "Unnamed: 0", "local_rank", "uuid"})
    EXPECT_TRUE(names_annotation(name)) << name;
  for (const char* name : {"step_time_ms", "power_w", "nvlink_error_rate", "rank_wait_s", "", "gpu"})
    EXPECT_FALSE(names_annotation(name)) << name;
}

TEST(TableLayout, AnEpochBesideMachinesIsNoMachine) {
  const std::vector<std::string>
      header{"time", "node00", "node01", "node02", "node03", "learning_rate", "cluster"};
  const TableLayout wide =
      guess_layout(header, {{"1", "2", "3", "4", "5", "0.1", "eu"}}, {}, "step_s", {"t"});
  EXPECT_EQ(wide.wide_metric, "step_s");
  const TableRows row{{"1", "2", "3", "4", "5", "0.1", "eu"}};
  EXPECT_EQ(guess_layout(header, row, {}, "3", {"t"}).wide_metric, "value") << "an open file, no name";
  EXPECT_EQ(wide.metrics.size(), 4u);
  EXPECT_EQ(wide.left_out.size(), 2u);
  CsvOptions named;
  named.wide_metric = "step_s";
  EXPECT_EQ(guess_layout(header, {}, named, "t", {"t"}).metrics.size(), 4u);
  const std::vector<std::string> cores{"time", "cpu0", "cpu1", "cpu2", "cpu3", "load"};
  EXPECT_TRUE(guess_layout(cores, {{"1", "2", "3", "4", "5", "6"}}, {}, "host", {"t"}).wide_metric.empty());
}

}  // namespace
}  // namespace lento::fleet
