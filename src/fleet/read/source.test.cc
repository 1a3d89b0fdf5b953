#include "fleet/read/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/test_error.h"

namespace lento::fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string temporary(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  base::write_file(path, text);
  return path;
}

MetricSeries csv(const std::string& text, CsvOptions options, base::ReadReport& report) {
  options.paths = {temporary("fleet.csv.gz", text)};
  return read_csv(options, report);
}

std::string error_of(const std::string& text, const CsvOptions& options) {
  base::ReadReport report;
  return base::test::error_of([&] {
    csv(text, options, report);
  });
}

TEST(Csv, AnyDelimiterGivesTheSame) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text = "node,time,w\n\"a,;1\",0,5\nb,0,6\n\"a,;1\",1,7\nb,1,8\n";
    bool quoted = false;
    for (char& c : text) {
      quoted ^= c == '"';
      if (c == ',' && !quoted)
        c = delimiter;
    }
    base::ReadReport report;
    CsvOptions o;
    o.machine_column = "node";
    const auto s = csv(text, o, report);
    EXPECT_THAT(s.machines, ElementsAre("a,;1", "b")) << delimiter;
    EXPECT_EQ(s.at(0, 1, 1), 8) << delimiter;
    EXPECT_EQ(report.skipped, 0u) << delimiter;
  }
}

TEST(Csv, DatesUnitsAndBlanksAsExportersWriteThem) {
  base::ReadReport report;
  CsvOptions o;
  o.machine_column = "host";
  o.time_column = "timestamp";
  const auto s =
      csv("timestamp, host, power.draw [W]\n2026/11/20 08:00:00.000, a, 639.5 W\n"
          "2026/11/20 08:00:00.000, b, 1.2 kW\n2026/11/20 08:00:01.000, a, [N/A]\n"
          "2026/11/20 08:00:01.000, b, 5 %\n2026/11/20 08:00:01.000, a, 0 W\n7, a, 1 W\n",
          o,
          report);
  EXPECT_THAT(s.machines, ElementsAre("a", "b"));
  EXPECT_THAT(s.metrics, ElementsAre("power.draw [W]"));
  EXPECT_EQ(s.begin_ms, 1'795'161'600'000);
  EXPECT_EQ(s.at(0, 0, 0), 639.5f);
  EXPECT_EQ(s.at(0, 0, 1), 1200);
  EXPECT_EQ(s.at(0, 1, 0), 0);
  EXPECT_EQ(report.reasons["value is not a finite number"], 1u);
  EXPECT_EQ(report.reasons["value has another unit than its column had before"], 1u);
  EXPECT_EQ(report.reasons["time is neither a number nor a date such as 2026-01-31 23:59:59"], 1u);
}

TEST(Csv, JsonLinesGiveTheSame) {
  base::ReadReport report;
  CsvOptions o;
  o.machine_column = "node";
  const auto s =
      csv("{\"time\": \"2026-11-20T08:00:00Z\", \"node\": \"a\", \"w\": 5}\n"
          "{\"node\": \"b\", \"time\": \"2026-11-20T08:00:00Z\", \"w\": 6.5}\n"
          "{\"node\": \"a\", \"time\": \"2026-11-20T08:00:01Z\", \"w\": null}\n"
          "{\"node\": \"b\", \"time\": \"2026-11-20T08:00:01Z\", \"w\": 8}\nnothing\n",
          o,
          report);
  EXPECT_THAT(s.machines, ElementsAre("a", "b"));
  EXPECT_EQ(s.at(0, 0, 1), 6.5f);
  EXPECT_EQ(s.at(0, 1, 1), 8);
  EXPECT_EQ(report.skipped, 1u);
}

TEST(Csv, NothingUsableSaysWhy) {
  CsvOptions o;
  EXPECT_THAT(
      error_of("time,w\nmonday,5\ntuesday,5\n", o),
      HasSubstr("no usable sample: 2 skipped, most because: time is neither a number nor a date"));
}

TEST(Csv, LongLayoutWithQuotesLabelsAndGaps) {
  base::ReadReport report;
  CsvOptions o;
  o.machine_column = "node";
  o.label_columns = {"rack"};
  const auto s =
      csv("node,time,rack,w,c\r\n\"a,1\",0,r1,5,\r\nb,0,r2,6,7\n\"a,1\",1,r1,8,9\nb,1,r2,,10\n", o, report);
  EXPECT_THAT(s.machines, ElementsAre("a,1", "b"));
  EXPECT_THAT(s.metrics, ElementsAre("w", "c"));
  EXPECT_EQ(label(s, 1, "rack"), "r2");
  EXPECT_EQ(s.at(0, 1, 0), 8);
  EXPECT_EQ(s.at(1, 0, 0), 9);  // filled from one second later
  EXPECT_EQ(report.skipped, 0u);
}

TEST(Csv, WideLayoutAndMilliseconds) {
  base::ReadReport report;
  CsvOptions o;
  o.wide_metric = "power";
  o.time_column = "ms";
  o.time_unit = "ms";
  const auto s = csv("ms,n1,n2\n0,1,2\n2000,3,4\n4000,5,6\n", o, report);
  EXPECT_THAT(s.machines, ElementsAre("n1", "n2"));
  EXPECT_EQ(s.step_ms, 2000);
  EXPECT_EQ(s.at(0, 2, 1), 6);
}

TEST(Csv, WithoutMachineColumnTheFileIsTheMachine) {
  base::ReadReport report;
  CsvOptions o;
  o.paths = {temporary("web1.csv", "time,x\n0,1\n1,2\n"), temporary("web2.x.csv", "time,x\n0,3\n1,4\n")};
  const auto s = read_csv(o, report);
  EXPECT_THAT(s.machines, ElementsAre("web1", "web2"));
}

// 100 seconds of two machines from `begin`.
std::string run_from(int begin, int seconds = 100) {
  std::string text = "m,time,x\n";
  for (int s = begin; s < begin + seconds; ++s)
    for (const char* machine : {"a", "b"})
      text += std::string(machine) + "," + std::to_string(s) + ",1\n";
  return text;
}

std::string error_of_files(const std::string& first, const std::string& second) {
  base::ReadReport report;
  CsvOptions o;
  o.machine_column = "m";
  o.paths = {temporary("one.csv", first), temporary("two.csv", second)};
  try {
    read_csv(o, report);
  } catch (const base::Error& e) {
    return e.what();
  }
  return {};
}

TEST(Csv, PartsOfOneJobAreReadTogether) {
  EXPECT_EQ(error_of_files(run_from(0), run_from(100)), "");
  EXPECT_EQ(error_of_files(run_from(0), run_from(99 + 3600)), "") << "an hour's pause is a restart";
  EXPECT_EQ(error_of_files("m,time,x\na,0,1\na,1,1\n", "m,time,x\nb,0,1\nb,1,1\n"), "") << "other machines";
  EXPECT_EQ(error_of_files("m,time,x\na,0,1\na,1,1\n", "m,time,y\na,0,1\na,1,1\n"), "") << "another metric";
}

TEST(Csv, AnotherRunOfTheSameMachinesIsRefused) {
  EXPECT_THAT(
      error_of_files(run_from(5000), run_from(0)),
      HasSubstr("two.csv: error: most of its samples lie before"));
  EXPECT_THAT(error_of_files(run_from(0), run_from(0)), HasSubstr("most of its samples"));
  EXPECT_THAT(
      error_of_files(run_from(0), run_from(102 + 3600)),
      HasSubstr("another run of the same machines"));
}

TEST(Csv, DamageIsCountedByReason) {
  base::ReadReport report;
  CsvOptions o;
  o.machine_column = "m";
  csv("m,time,x\na,0,1\na,zero,1\na,1\na,2,nan\na,1,abc\na,3,1\na,0,1\n,4,1\na,\"5,1\n", o, report);
  EXPECT_EQ(report.taken, 2u);
  EXPECT_EQ(report.reasons["time is not a number"], 1u);
  EXPECT_EQ(report.reasons["wrong number of fields"], 1u);
  EXPECT_EQ(report.reasons["value is not a finite number"], 2u);
  EXPECT_EQ(report.reasons["second sample of a machine at the same time"], 1u);
  EXPECT_EQ(report.reasons["machine name is empty"], 1u);
  EXPECT_EQ(report.reasons["a quote is not closed"], 1u);
}

TEST(Csv, TheRestOfAQuotedFieldIsNoMachine) {
  base::ReadReport report;
  CsvOptions o;
  o.machine_column = "m";
  const MetricSeries s = csv("m,time,x\na,0,1\n\"two\nlines\",0,1\na,1,1\n\"b,1,1\na,2,1\n", o, report);
  EXPECT_THAT(s.machines, ElementsAre("a"));
  EXPECT_EQ(report.taken, 3u);
  EXPECT_EQ(report.reasons["a quote is not closed"], 2u);
  EXPECT_EQ(report.reasons["the rest of a quoted field"], 1u);
}

TEST(Csv, RowsMayComeInAnyOrderAndAnIndexIsNoMetric) {
  CsvOptions o;
  o.machine_column = "m";
  base::ReadReport report;
  const auto rising = csv(",m,time,x\n0,a,0,5\n1,b,0,6\n2,a,1,7\n3,b,1,8\n4,a,2,9\n5,b,2,10\n", o, report);
  const auto falling = csv(",m,time,x\n4,a,2,9\n5,b,2,10\n2,a,1,7\n3,b,1,8\n0,a,0,5\n1,b,0,6\n", o, report);
  EXPECT_THAT(rising.metrics, ElementsAre("x"));
  EXPECT_EQ(falling.metrics, rising.metrics);
  EXPECT_EQ(falling.values, rising.values);
  EXPECT_EQ(report.skipped, 0u);
}

TEST(Csv, WrongColumnsAreLocatedWithTheNearestName) {
  CsvOptions o;
  o.machine_column = "nod";
  EXPECT_THAT(
      error_of("node,time,x\na,0,1\n", o),
      testing::AllOf(HasSubstr(":1"), HasSubstr("'nod'"), HasSubstr("node")));
  o.machine_column = "node";
  EXPECT_THAT(error_of("node,time,x,x\na,0,1,1\n", o), HasSubstr("appears twice"));
  EXPECT_THAT(error_of("node,time,x\n", o), HasSubstr("no usable sample"));
  EXPECT_THAT(error_of("", o), HasSubstr("empty"));
  EXPECT_THAT(error_of("<html>\n<body>\n", o), HasSubstr("not in the header"));
}

TEST(OpenMetrics, SamplesWithLabelsEscapesAndBothTimeUnits) {
  base::ReadReport report;
  OpenMetricsOptions o;
  o.path = temporary(
      "m.txt",
      "# HELP x y\nDCGM_FI_DEV_GPU_UTIL{gpu=\"0\",Hostname=\"h\\\"1\",rack=\"r\"} 40 1700000000000\n"
      "DCGM_FI_DEV_GPU_UTIL{gpu=\"1\",Hostname=\"h\\\"1\"} 60 1700000000.000\nbad{\nx 1\n# EOF\n");
  o.label_names = {"rack"};
  const auto s = read_openmetrics(o, report);
  EXPECT_THAT(s.machines, ElementsAre("h\"1"));
  EXPECT_EQ(label(s, 0, "rack"), "r");
  EXPECT_EQ(s.begin_ms, 1700000000000);
  EXPECT_EQ(s.at(1, 0, 0), 50);
  EXPECT_EQ(report.skipped, 2u);
}

TEST(OpTrace, WorkersAndStages) {
  base::ReadReport report;
  const std::string path = temporary(
      "t.csv",
      "dp_rank,stage,step,op,seq_id,mb_id,start_us,dur_us\n"
      "0,0,7,forward-compute,0,0,0,2000\n0,0,7,forward-compute,0,1,5,4000\n"
      "1,0,8,forward-compute,0,0,1000000,1000\n0,0,7,forward-send,0,0,0,9\nx\n");
  const auto s = read_op_trace(path, report);
  EXPECT_THAT(s.machines, ElementsAre("dp0-stage0", "dp1-stage0"));
  EXPECT_THAT(s.metrics, ElementsAre("forward-compute_ms"));
  EXPECT_EQ(label(s, 0, "stage"), "0");
  EXPECT_EQ(s.at(0, 0, 0), 3);
  EXPECT_EQ(report.skipped, 1u);
}

}  // namespace
}  // namespace lento::fleet
