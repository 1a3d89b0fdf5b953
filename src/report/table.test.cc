// The numbers of each figure as a table, and what other programs read: CSV and Chrome traces.
#include <gmock/gmock.h>

#include <cmath>

#include "base/json.h"
#include "base/rng.h"
#include "base/scan/csv.h"
#include "report/figures.h"
#include "report/report.h"

namespace lento::report {
namespace {

using namespace finding;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(AsTable, OfAMeshNamesCoresThenLinks) {
  const MeshFigure f{2, 1, "cycles", {{0, 0, 1.5, "core0"}, {1, 0, 2, "core1"}}, {{0, 0, 1, 0, 7}}};
  const TableFigure t = as_table(f);
  EXPECT_THAT(t.columns, ElementsAre("component", "x", "y", "cycles"));
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_THAT(t.rows[1], ElementsAre("core1", "1", "0", "2"));
  EXPECT_THAT(t.rows[2], ElementsAre("link (0,0) to (1,0)", "0", "0", "7"));
}

TEST(AsTable, OfAHeatMapGoesRowByRow) {
  const HeatMapFigure f{{"a", "b"}, {10, 20, 30}, "t", "W", {1, 2, 3, 4, 5, 6}, {}};
  const TableFigure t = as_table(f);
  EXPECT_THAT(t.columns, ElementsAre("row", "t", "W"));
  ASSERT_EQ(t.rows.size(), 6u);
  EXPECT_THAT(t.rows[2], ElementsAre("a", "30", "3"));
  EXPECT_THAT(t.rows[3], ElementsAre("b", "10", "4"));
}

TEST(AsTable, OfSeriesHoldsLinesAndBands) {
  const SeriesFigure f{"t", "v", false, false, {{"peers", {0}, {1}, {2}}}, {{"m", {3, 4}, {5, 6}}}, {}};
  const TableFigure t = as_table(f);
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_THAT(t.rows[1], ElementsAre("m", "4", "6", ""));
  EXPECT_THAT(t.rows[2], ElementsAre("peers", "0", "1", "2"));
}

TEST(AsTable, OfBarsHasAColumnASeries) {
  const BarsFigure f{{"a", "b"}, {"s", "t"}, {{1, 2}, {3, 4}}, "y"};
  const TableFigure t = as_table(f);
  EXPECT_THAT(t.columns, ElementsAre("", "s", "t"));
  EXPECT_THAT(t.rows[0], ElementsAre("a", "1", "3"));
  EXPECT_THAT(t.rows[1], ElementsAre("b", "2", "4"));
}

TEST(AsTable, OfTheOtherKinds) {
  EXPECT_THAT(
      as_table(TimelineFigure{"t", {{"gpu0", 1, 2.5, "gemm"}}}).rows[0],
      ElementsAre("gpu0", "1", "2.5", "gemm"));
  const TableFigure graph = as_table(GraphFigure{"w", {{"a", "A", 1}}, {{"a", "b", 2}}});
  EXPECT_THAT(graph.rows[0], ElementsAre("A", "", "1"));
  EXPECT_THAT(graph.rows[1], ElementsAre("a", "b", "2"));
  const ScatterFigure scatter{"x", "y", false, false, {{"g", {{1, 2, "p"}}}}};
  EXPECT_THAT(as_table(scatter).columns, ElementsAre("group", "label", "x", "y"));
  EXPECT_THAT(as_table(scatter).rows[0], ElementsAre("g", "p", "1", "2"));
}

TEST(AsTable, WhatWasMeasuredHasFourDigitsAndCountsAreExact) {
  const SeriesFigure f{"t", "v", false, false, {}, {{"a", {1234.56, 2}, {1234.56, 1234567}}}, {}};
  EXPECT_THAT(as_table(f).rows[0], ElementsAre("a", "1234.56", "1235", ""));
  EXPECT_THAT(as_table(f).rows[1], ElementsAre("a", "2", "1234567", ""));
  EXPECT_THAT(write_csv(Figure{"t", "", f}), HasSubstr("1234.56,1234.56,"));
}

TEST(AsTable, NeverMoreRowsThanAskedFor) {
  const std::vector<double> many(50, 1);
  HeatMapFigure heat{{"a", "b"}, many, "", "", std::vector<double>(100, 1), {}};
  SeriesFigure series{"", "", false, false, {{"b", many, many, many}}, {{"l", many, many}}, {}};
  TableFigure table{{"c"}, std::vector<std::vector<std::string>>(100, {"x"})};
  for (const FigureBody& body : {FigureBody(heat), FigureBody(series), FigureBody(table)}) {
    EXPECT_EQ(as_table(body).rows.size(), 100u);
    EXPECT_EQ(as_table(body, 7).rows.size(), 7u);
    EXPECT_EQ(as_table(body, 60).rows.size(), 60u);
    EXPECT_EQ(as_table(body, 100).rows.size(), 100u);
  }
}

TEST(WriteCsv, AnyTableReadsBack) {
  base::Rng rng(4, "csv");
  const char* cells[] = {"plain", "a,b", "say \"hi\"", "two\nlines", "", " x ", "é"};
  for (int run = 0; run < 30; ++run) {
    TableFigure t;
    for (uint64_t c = 0; c <= rng.below(4); ++c)
      t.columns.push_back("column " + std::to_string(c) + (c % 2 ? ",\"" : ""));
    for (uint64_t r = rng.below(10); r > 0; --r) {
      t.rows.emplace_back();
      for (size_t c = 0; c < t.columns.size(); ++c)
        t.rows.back().push_back(c == 0 ? "row" : cells[rng.below(std::size(cells))]);
    }
    const std::string path = testing::TempDir() + "report_table.csv";
    base::write_file(path, write_csv({"t", "", t}));
    base::ReadReport report;
    base::CsvReader in(path, report);
    EXPECT_EQ(in.columns(), t.columns);
    for (const auto& row : t.rows) {
      ASSERT_TRUE(in.next());
      EXPECT_EQ(in.row(), row);
    }
    EXPECT_FALSE(in.next());
    std::remove(path.c_str());
  }
}

base::Json trace_of(const std::string& axis, std::vector<TimelineFigure::Span> spans) {
  Diagnosis d;
  d.figures = {{"other", "", TableFigure{}}, {"t", "", TimelineFigure{axis, std::move(spans)}}};
  return base::parse_json(write_trace(d), "trace");
}

TEST(WriteTrace, TimesAreMicrosecondsWhateverTheAxisIsIn) {
  const std::pair<const char*, double> units[] = {
      {"s", 1e6},
      {"time (s)", 1e6},
      {"time s", 1e6},
      {"time (ms)", 1e3},
      {"us", 1},
      {"time (us)", 1},
      {"ns", 1e-3},
      {"cycles", 1},
      {"steps", 1}};
  for (const auto& [axis, scale] : units) {
    const base::Json trace = trace_of(axis, {{"gpu0", 2, 5, "x"}});
    const base::Json& event = trace.at("traceEvents", {}).items().back();
    EXPECT_DOUBLE_EQ(event.at("ts", {}).number({}), 2 * scale) << axis;
    EXPECT_DOUBLE_EQ(event.at("dur", {}).number({}), 3 * scale) << axis;
  }
}

TEST(WriteTrace, OneThreadATrackOneProcessAFigure) {
  Diagnosis d;
  for (int i = 0; i < 2; ++i)
    d.figures.push_back(
        {"f", "", TimelineFigure{"s", {{"a", 0, 1, ""}, {"b", 0, 1, "named"}, {"a", 1, 2, "", true}}}});
  const base::Json trace = base::parse_json(write_trace(d), "trace");
  std::vector<int64_t> threads;
  std::vector<int64_t> processes;
  std::vector<std::string> names;
  for (const base::Json& e : trace.at("traceEvents", {}).items()) {
    if (e.at("ph", {}).string({}) != "X")
      continue;
    threads.push_back(e.at("tid", {}).integer({}));
    processes.push_back(e.at("pid", {}).integer({}));
    names.push_back(e.at("name", {}).string({}) + "/" + e.at("cat", {}).string({}));
  }
  EXPECT_THAT(threads, ElementsAre(1, 2, 1, 1, 2, 1));
  EXPECT_THAT(processes, ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_EQ(names[0], "a/normal");
  EXPECT_EQ(names[1], "named/normal");
  EXPECT_EQ(names[2], "a/blamed");
}

TEST(WriteTrace, ASpanWithoutAnEndIsLeftOut) {
  const base::Json trace = trace_of("s", {{"a", 0, INFINITY, "x"}, {"a", NAN, 1, "x"}, {"a", 0, 1, "x"}});
  size_t spans = 0;
  for (const base::Json& e : trace.at("traceEvents", {}).items())
    spans += e.at("ph", {}).string({}) == "X";
  EXPECT_EQ(spans, 1u);
}

}  // namespace
}  // namespace lento::report
