#include "finding/finding.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/test_error.h"
#include "finding/diff.h"

namespace lento::finding {
namespace {

using base::test::error_of;
using ::testing::HasSubstr;

Diagnosis full() {
  Diagnosis d;
  d.scale = "chip";
  d.title = "A title";
  d.verdict = "link5-9 is 10 times slower";
  Finding f{
      "link5-9",   "slow link", "s", 0.9, 10.0, 0.1, TimeWindow{1, 2, "cycles"}, {{"e", 3.5, "x", "src"}},
      "replace it"};
  d.findings = {f};
  d.facts = {{"total", "35.1 M cycles"}};
  d.expectations = {{"step", "time", 1.5, "s", 0.05, "predict"}};
  d.figures = {
      {"mesh", "c",
       MeshFigure{2, 1, "util", {{0, 0, .5, "a"}}, {{0, 0, 1, 0, .3}}, {{{{0, 0}, {1, 0}}, "r"}}, {"core0"}}},
      {"heat", "",
       HeatMapFigure{{"m1"}, {0, 1}, "t", "W", {1, std::numeric_limits<double>::quiet_NaN()}, {"m1"}}},
      {"series", "",
       SeriesFigure{"t", "v", false, true, {{"peers", {0}, {1}, {2}}}, {{"m", {0}, {1}, true, false}}, {3}}},
      {"time", "", TimelineFigure{"t", {{"a", 0, 1, "x", true}}}},
      {"bars", "", BarsFigure{{"a"}, {"s"}, {{1}}, "y"}},
      {"graph", "", GraphFigure{"w", {{"a", "A", 1, true}}, {{"a", "a", 1}}}},
      {"scatter", "", ScatterFigure{"x", "y", true, true, {{"g", {{1, 2, "p", false}}, true}}}},
      {"table", "", TableFigure{{"c"}, {{"v"}}}}};
  d.notes = {"note"};
  d.version = "1";
  d.command = "lento";
  d.seed = 7;
  d.options = {{"o", "1"}};
  d.inputs = {{"chip", "c.yaml", "00"}};
  d.records_taken = 5;
  d.records_skipped = 1;
  d.skip_reasons = {{"bad", 1}};
  return d;
}

Diagnosis read(const std::string& text) {
  return diagnosis_from_json(base::parse_json(text, "d.json"), "d.json");
}

TEST(Diagnosis, EveryFieldSurvivesJson) {
  const std::string text = base::write_json(to_json(full()));
  const Diagnosis back = read(text);
  EXPECT_EQ(base::write_json(to_json(back)), text);
  EXPECT_EQ(back.figures.size(), 8u);
  EXPECT_TRUE(std::isnan(std::get<HeatMapFigure>(back.figures[1].body).values[1]));
  EXPECT_EQ(back.findings[0].evidence[0].value, 3.5);
}

TEST(Diagnosis, RefusesAnotherSchemaByName) {
  EXPECT_THAT(error_of([] { read(R"({"schema":"lento.diagnosis/9"})"); }),
              HasSubstr("found 'lento.diagnosis/9', this lento reads 'lento.diagnosis/2'"));
  EXPECT_THAT(error_of([] { read("{}"); }), HasSubstr("'schema' is missing"));
}

TEST(Diagnosis, RefusesWrongShapesWithTheirPath) {
  EXPECT_THAT(error_of([] { read(R"({"schema":"lento.diagnosis/1","findings":[{"score":"high"}]})"); }),
              HasSubstr("d.json: findings[0].score: error: found text, needed a number"));
  EXPECT_THAT(
      error_of([] { read(R"({"schema":"lento.diagnosis/1","figures":[{"kind":"pie","data":{}}]})"); }),
      HasSubstr("unknown kind of figure 'pie'"));
  EXPECT_THAT(
      error_of([] {
        read(
            R"({"schema":"lento.diagnosis/1","figures":[{"kind":"heat map","data":{"rows":["a"],"columns":[0],"values":[]}}]})");
      }),
      HasSubstr("figures[0]: error: lengths do not agree"));
}

TEST(Findings, SortByScoreThenSubject) {
  std::vector<Finding> findings(3);
  findings[0].subject = "b";
  findings[0].score = .5;
  findings[1].subject = "a";
  findings[1].score = .5;
  findings[2].subject = "c";
  findings[2].score = .9;
  sort_findings(findings);
  EXPECT_EQ(findings[0].subject + findings[1].subject + findings[2].subject, "cab");
}

TEST(Compare, TellsNewWorseGoneAndKept) {
  const auto finding_of = [](const std::string& subject, double factor) {
    Finding f;
    f.subject = subject;
    f.category = "slow core";
    f.factor = factor;
    return f;
  };
  Diagnosis before, after;
  before.findings = {finding_of("core1", 2), finding_of("core2", 2), finding_of("core3", 2)};
  after.findings = {finding_of("core1", 2.1), finding_of("core2", 3), finding_of("core4", 2)};
  before.facts = {{"total", "10 M cycles"}, {"old", "1"}};
  after.facts = {{"total", "12 M cycles"}};
  const Diagnosis d = compare(before, after);
  ASSERT_EQ(d.findings.size(), 2u);
  EXPECT_EQ(d.findings[0].subject, "core2");
  EXPECT_EQ(d.findings[1].subject, "core4");
  EXPECT_EQ(d.verdict, "2 new or worse, 1 gone, 1 as before");
  const auto& facts = std::get<TableFigure>(d.figures[1].body).rows;
  EXPECT_EQ(facts[0][3], "1.2x");
  EXPECT_EQ(facts[1][2], "-");
}

}  // namespace
}  // namespace lento::finding
