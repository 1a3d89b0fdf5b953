#include "report/report.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/json.h"
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
       {},
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
       {},
       {{"ratio", 3.0, "x", "records"}, {"second", {}, "", ""}},
       "swap it"}};
  d.records_taken = 9;
  d.records_skipped = 1;
  d.skip_reasons = {{"no time", 1}};
  const std::string text = write_text(d);
  EXPECT_LT(text.find("skipped 1 of 10 records: no time (1)"), text.find("core5 is slow"));
  EXPECT_THAT(text, HasSubstr("1. core5  slow core  3 times slower  very sure (0.9)"));
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

finding::Diagnosis with_source_lines() {
  finding::Diagnosis d;
  d.scale = "memory";
  d.verdict = "false sharing leads";
  d.version = "1.2.3";
  d.outcome = finding::Outcome::Findings;
  finding::Finding f;
  f.subject = "line 0x800018c0";
  f.category = "false sharing";
  f.summary = "false sharing by 2 CPUs";
  f.score = 0.9;
  f.next_step = "pad";
  f.when = finding::TimeWindow{1715960308.25, 1715960400, "s"};
  f.evidence = {
      {"reads in work src/my count.c:x, at 0x80:17", {}, {}, {}},
      {"CPU 0 in work 0x800004bc < work src/count.c:17", 3.0, {}, {}},
      {"CPU 1 in work 0x800004bc < work src/count.c:17", 3.0, {}, {}},
      {"CPU 2 in main /home/a%b/main.cpp:5)", 3.0, {}, {}}};
  d.findings = {f};
  return d;
}

TEST(Sarif, NamesTheSourceLinesOfTheEvidenceOnce) {
  const base::Json log = base::parse_json(write_sarif(with_source_lines()), "log");
  const base::Json& run = log.at("runs", {}).items()[0];
  const base::Json& result = run.at("results", {}).items()[0];
  EXPECT_EQ(result.string_or("ruleId", "", {}), "memory/false-sharing");
  EXPECT_EQ(result.string_or("level", "", {}), "warning");
  const base::Json& place = result.at("locations", {}).items()[0].at("physicalLocation", {});
  EXPECT_EQ(place.at("artifactLocation", {}).string_or("uri", "", {}), "src/count.c");
  EXPECT_EQ(place.at("region", {}).integer_or("startLine", 0, {}), 17);
  const base::Json& related = result.at("relatedLocations", {});
  ASSERT_EQ(related.size(), 1u);
  const base::Json& second = related.items()[0].at("physicalLocation", {});
  EXPECT_EQ(second.at("artifactLocation", {}).string_or("uri", "", {}), "file:///home/a%25b/main.cpp");
  EXPECT_EQ(second.at("region", {}).integer_or("startLine", 0, {}), 5);
}

TEST(Sarif, ARunThatCannotJudgeIsNoAllClear) {
  finding::Diagnosis d;
  d.scale = "memory";
  finding::cannot_judge(d, "too short", "record longer");
  const base::Json log = base::parse_json(write_sarif(d), "log");
  const base::Json& run = log.at("runs", {}).items()[0];
  EXPECT_EQ(run.at("results", {}).size(), 0u);
  const base::Json& invocation = run.at("invocations", {}).items()[0];
  EXPECT_FALSE(invocation.at("executionSuccessful", {}).boolean({}));
  EXPECT_THAT(write_sarif(d), ::testing::HasSubstr("record longer"));
}

TEST(Sarif, TheSameFindingKeepsItsFingerprint) {
  finding::Diagnosis d = with_source_lines();
  const auto print_of = [](const finding::Diagnosis& one) {
    const base::Json log = base::parse_json(write_sarif(one), "log");
    const base::Json& result = log.at("runs", {}).items()[0].at("results", {}).items()[0];
    return result.at("partialFingerprints", {}).string_or("ruleAndSubject/v1", "", {});
  };
  const std::string before = print_of(d);
  d.findings[0].score = 0.4;
  EXPECT_EQ(print_of(d), before);
  d.findings[0].subject = "line 0x80001900";
  EXPECT_NE(print_of(d), before);
}

TEST(Otlp, OneRecordForTheVerdictAndOneAFinding) {
  const base::Json body = base::parse_json(write_otlp(with_source_lines(), 1700000000000000000), "body");
  const base::Json& logs = body.at("resourceLogs", {}).items()[0];
  const base::Json& records = logs.at("scopeLogs", {}).items()[0].at("logRecords", {});
  ASSERT_EQ(records.size(), 2u);
  const base::Json& finding = records.items()[1];
  EXPECT_EQ(finding.string_or("timeUnixNano", "", {}), "1715960308250000000");
  EXPECT_EQ(finding.string_or("observedTimeUnixNano", "", {}), "1700000000000000000");
  EXPECT_EQ(finding.integer_or("severityNumber", 0, {}), 13);
  EXPECT_EQ(finding.at("body", {}).string_or("stringValue", "", {}), "false sharing by 2 CPUs");
  std::vector<std::string> keys;
  for (const base::Json& attribute : finding.at("attributes", {}).items())
    keys.push_back(attribute.string_or("key", "", {}));
  EXPECT_THAT(keys, ::testing::Contains("lento.finding.evidence"));
  EXPECT_THAT(keys, ::testing::Not(::testing::Contains("lento.finding.factor"))) << "it has none";
}

TEST(Otlp, AnAllClearIsInformationAndATimeOfARecordingIsNoDate) {
  finding::Diagnosis d = with_source_lines();
  d.findings[0].when = finding::TimeWindow{12, 40, "s"};
  const std::string text = write_otlp(d);
  EXPECT_THAT(text, ::testing::HasSubstr("\"timeUnixNano\":\"0\",\"observedTimeUnixNano\":\"0\""));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("INFO")));
  finding::Diagnosis well;
  finding::judged(well, "everything");
  EXPECT_THAT(write_otlp(well), ::testing::HasSubstr("\"severityText\":\"INFO\""));
}

}  // namespace
}  // namespace lento::report
