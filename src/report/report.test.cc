#include "report/report.h"

#include <gmock/gmock.h>

#include <cmath>

#include "report/figures.h"
#include "report/svg.h"

namespace lento::report {
namespace {

using namespace finding;
using ::testing::HasSubstr;
using ::testing::Not;

Diagnosis hostile() {
  const std::string attack = "<script>alert('x')</script>\"><img src=x onerror=y>{{style}}";
  Diagnosis d;
  d.scale = d.title = d.verdict = d.version = d.command = attack;
  d.findings = {
      {attack,
       attack,
       attack,
       .5,
       {},
       {},
       TimeWindow{0, 1, attack},
       {{attack, 1.0, attack, attack}},
       attack}};
  d.facts = d.options = {{attack, attack}};
  d.notes = {attack};
  d.inputs = {{attack, attack, attack}};
  d.skip_reasons = {{attack, 1}};
  d.expectations = {{attack, attack, 1, attack, 0, attack}};
  d.figures = {
      {attack, attack, MeshFigure{1, 1, attack, {{0, 0, 1, attack}}, {}, {{{{0, 0}}, attack}}, {attack}}},
      {attack, attack, HeatMapFigure{{attack}, {0}, attack, attack, {1}, {attack}}},
      {attack,
       attack,
       SeriesFigure{attack, attack, false, false, {{attack, {0}, {0}, {1}}}, {{attack, {0}, {1}}}, {}}},
      {attack, attack, TimelineFigure{attack, {{attack, 0, 1, attack}}}},
      {attack, attack, BarsFigure{{attack}, {attack}, {{1}}, attack}},
      {attack, attack, GraphFigure{attack, {{attack, attack, 1}}, {{attack, attack, 1}}}},
      {attack, attack, ScatterFigure{attack, attack, false, false, {{attack, {{1, 1, attack}}}}}},
      {attack, attack, TableFigure{{attack}, {{attack}}}}};
  return d;
}

TEST(Html, NothingFromADiagnosisBecomesMarkup) {
  const std::string page = write_html(hostile());
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
}

TEST(Html, EveryFigureHasAPictureAndATable) {
  const Diagnosis d = hostile();
  for (const Figure& figure : d.figures) {
    const std::string picture = std::visit(
        [&](const auto& body) {
          return draw(body, "t");
        },
        figure.body);
    const bool is_table = std::holds_alternative<TableFigure>(figure.body);
    EXPECT_EQ(picture.starts_with("<svg"), !is_table);
    EXPECT_FALSE(as_table(figure.body).rows.empty());
  }
}

TEST(Html, EmptyFiguresAndOddNumbersDraw) {
  for (const FigureBody& body :
       {FigureBody(MeshFigure{}),
        FigureBody(HeatMapFigure{}),
        FigureBody(SeriesFigure{}),
        FigureBody(TimelineFigure{}),
        FigureBody(BarsFigure{}),
        FigureBody(GraphFigure{}),
        FigureBody(ScatterFigure{}),
        FigureBody(TableFigure{})}) {
    std::visit(
        [](const auto& f) {
          EXPECT_THAT(draw(f, "t"), Not(HasSubstr("nan")));
        },
        body);
  }
  SeriesFigure odd{"x", "y", true, true, {}, {{"l", {0, 1, INFINITY}, {-1, NAN, 1e300}}}, {}};
  EXPECT_THAT(draw(odd, "t"), Not(HasSubstr("nan")));
}

TEST(Html, LargeHeatMapStaysSmallAndKeepsTheBlamedRow) {
  HeatMapFigure map;
  for (int i = 0; i < 2000; ++i)
    map.rows.push_back("m" + std::to_string(i));
  for (int t = 0; t < 900; ++t)
    map.columns.push_back(t);
  map.values.assign(map.rows.size() * map.columns.size(), 1.0);
  map.blamed = {"m1234"};
  Diagnosis d;
  d.figures = {{"map", "", map}};
  const std::string page = write_html(d);
  EXPECT_LT(page.size(), 2u << 20);
  EXPECT_THAT(page, HasSubstr("m1234"));
}

TEST(Html, AGapInAHeatMapHidesNoNeighbour) {
  HeatMapFigure map;
  map.rows = {"m"};
  for (int t = 0; t < 360; ++t)
    map.columns.push_back(t);
  map.values.assign(360, 1.0);
  Diagnosis whole;
  Diagnosis gap;
  whole.figures = {{"map", "", map}};
  map.values[100] = std::nan("");  // shares its cell with column 101
  gap.figures = {{"map", "", map}};
  const auto cells = [](const Diagnosis& d) {
    const std::string page = write_html(d);
    size_t n = 0;
    for (size_t at = 0; (at = page.find("v-", at)) != std::string::npos; ++at)
      ++n;
    for (size_t at = 0; (at = page.find("h-", at)) != std::string::npos; ++at)
      ++n;
    return n;
  };
  EXPECT_EQ(cells(gap), cells(whole));
}

TEST(Text, ShowsVerdictFindingsAndSkippedRecordsFirst) {
  Diagnosis d;
  d.title = "T";
  d.verdict = "core5 is slow";
  d.findings = {
      {"core5",
       "slow core",
       "why",
       .9,
       3.0,
       {},
       {},
       {{"ratio", 3.0, "x", "records"}, {"second", {}, "", ""}},
       "swap it"}};
  d.records_taken = 9;
  d.records_skipped = 1;
  d.skip_reasons = {{"no time", 1}};
  const std::string text = write_text(d);
  EXPECT_LT(text.find("skipped 1 of 10 records: no time (1)"), text.find("core5 is slow"));
  EXPECT_THAT(text, HasSubstr("1. core5  slow core  3x  score 0.9"));
  EXPECT_THAT(text, HasSubstr("(1 more with --explain)"));
  EXPECT_THAT(write_text(d, {true, false}), HasSubstr("second"));
}

TEST(Export, CsvQuotesAndTraceHoldsEverySpan) {
  const Figure table{"t", "", TableFigure{{"a", "b"}, {{"x,y", "say \"hi\""}}}};
  EXPECT_EQ(write_csv(table), "a,b\n\"x,y\",\"say \"\"hi\"\"\"\n");
  Diagnosis d;
  d.figures = {{"schedule", "", TimelineFigure{"time (ms)", {{"gpu0", 1, 3, "gemm"}, {"gpu1", 2, 4, ""}}}}};
  const std::string trace = write_trace(d);
  EXPECT_THAT(
      trace,
      HasSubstr(R"("ph":"X","name":"gemm","cat":"normal","pid":1,"tid":1,"ts":1000.0,"dur":2000.0)"));
  EXPECT_THAT(trace, HasSubstr(R"("name":"thread_name","pid":1,"tid":2,"args":{"name":"gpu1"})"));
}

TEST(Scale, LogarithmClampsWhatItCannotShow) {
  const Scale scale({1, 1000}, 0, 300, true);
  EXPECT_DOUBLE_EQ(scale(10), 100);
  EXPECT_DOUBLE_EQ(scale(-5), 0);
}

}  // namespace
}  // namespace lento::report
