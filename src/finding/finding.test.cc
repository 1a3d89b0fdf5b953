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
      "link5-9",
      "slow link",
      "s",
      0.9,
      10.0,
      0.1,
      TimeWindow{1, 2, "cycles"},
      Place{"host1", "3", "1"},
      {{"e", 3.5, "x", "src"}},
      "replace it"};
  d.findings = {f};
  d.facts = {{"total", "35.1 M cycles"}};
  d.expectations = {{"step", "time", 1.5, "s", 0.05, "predict"}};
  d.figures = {
      {"mesh",
       "c",
       MeshFigure{2, 1, "util", {{0, 0, .5, "a"}}, {{0, 0, 1, 0, .3}}, {{{{0, 0}, {1, 0}}, "r"}}, {"core0"}}},
      {"heat",
       "",
       HeatMapFigure{{"m1"}, {0, 1}, "t", "W", {1, std::numeric_limits<double>::quiet_NaN()}, {"m1"}}},
      {"series",
       "",
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
  EXPECT_THAT(
      error_of([] {
        read(R"({"schema":"lento.diagnosis/9"})");
      }),
      HasSubstr("found 'lento.diagnosis/9', this lento reads 'lento.diagnosis/2'"));
  EXPECT_THAT(
      error_of([] {
        read("{}");
      }),
      HasSubstr("'schema' is missing"));
}

TEST(Diagnosis, RefusesWrongShapesWithTheirPath) {
  EXPECT_THAT(
      error_of([] {
        read(R"({"schema":"lento.diagnosis/1","findings":[{"score":"high"}]})");
      }),
      HasSubstr("d.json: findings[0].score: error: found text, needed a number"));
  EXPECT_THAT(
      error_of([] {
        read(R"({"schema":"lento.diagnosis/1","figures":[{"kind":"pie","data":{}}]})");
      }),
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
  Diagnosis before;
  Diagnosis after;
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

TEST(Outcome, FindingsOrHealthyByWhatWasFound) {
  Diagnosis d;
  judged(d, "16 cores over 2 s");
  EXPECT_EQ(d.outcome, Outcome::Healthy);
  EXPECT_EQ(d.covered, "16 cores over 2 s");
  d.findings.resize(1);
  judged(d, "15 cores");
  EXPECT_EQ(d.outcome, Outcome::Findings);
  EXPECT_EQ(d.covered, "15 cores");
}

TEST(Outcome, AnAllClearThatDoesNotSayWhatWasLookedAtIsABug) {
  Diagnosis d;
  EXPECT_THROW(judged(d, ""), base::Bug);
}

TEST(Outcome, WhatCannotBeJudgedAccusesNobody) {
  Diagnosis d;
  d.findings.resize(2);
  cannot_judge(d, "one CPU alone", "record all CPUs", "1 of 8 CPUs");
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
  EXPECT_TRUE(d.findings.empty());
  EXPECT_EQ(d.verdict, "Cannot judge: one CPU alone");
  EXPECT_EQ(d.reason, "one CPU alone");
  EXPECT_EQ(d.remedy, "record all CPUs");
  EXPECT_EQ(d.covered, "1 of 8 CPUs");
}

TEST(Outcome, EachSurvivesJsonByItsName) {
  for (const Outcome o : {Outcome::Answer, Outcome::Findings, Outcome::Healthy, Outcome::CannotJudge}) {
    Diagnosis d;
    d.outcome = o;
    const base::Json json = to_json(d);
    EXPECT_EQ(json.at("outcome", {}).string({}), name(o));
    EXPECT_EQ(diagnosis_from_json(json, "d").outcome, o);
  }
  EXPECT_THAT(
      error_of([] {
        read(R"({"schema":"lento.diagnosis/2","outcome":"fine"})");
      }),
      HasSubstr("unknown outcome 'fine'"));
}

TEST(Outcome, AFileOfVersionOneHasItFromItsFindings) {
  EXPECT_EQ(
      read(R"({"schema":"lento.diagnosis/1","findings":[{"subject":"a"}]})").outcome,
      Outcome::Findings);
  EXPECT_EQ(read(R"({"schema":"lento.diagnosis/1"})").outcome, Outcome::Answer);
}

TEST(Outcome, FindingsAreAlwaysThereInJson) {
  EXPECT_NE(to_json({}).find("findings"), nullptr);
  EXPECT_EQ(to_json({}).find("notes"), nullptr);
}

TEST(ReadReport, CountsAndReasonsAddUp) {
  base::ReadReport report;
  report.taken = 7;
  report.skip({}, "no time");
  report.skip({}, "no time");
  Diagnosis d;
  d.records_taken = 10;
  d.records_skipped = 1;
  add_read_report(d, report);
  EXPECT_EQ(d.records_taken, 17u);
  EXPECT_EQ(d.records_skipped, 3u);
  EXPECT_THAT(d.skip_reasons, ::testing::ElementsAre(::testing::Pair("no time", 2)));
}

Finding slow(const std::string& subject, const std::string& category, double factor) {
  Finding f;
  f.subject = subject;
  f.category = category;
  f.factor = factor;
  return f;
}

TEST(Compare, WorseBeginsAtATenthMore) {
  Diagnosis before;
  Diagnosis after;
  before.findings = {slow("a", "slow core", 2)};
  after.findings = {slow("a", "slow core", 2.19)};
  EXPECT_TRUE(compare(before, after).findings.empty());
  after.findings[0].factor = 2.21;
  EXPECT_EQ(compare(before, after).findings.size(), 1u);
  after.findings[0].factor.reset();
  EXPECT_TRUE(compare(before, after).findings.empty());
}

TEST(Compare, TheSameSubjectInAnotherCategoryIsNew) {
  Diagnosis before;
  Diagnosis after;
  before.findings = {slow("a", "slow core", 2)};
  after.findings = {slow("a", "slow memory unit", 2)};
  const Diagnosis d = compare(before, after);
  EXPECT_EQ(d.verdict, "1 new or worse, 1 gone, 0 as before");
  const auto& rows = std::get<TableFigure>(d.figures[0].body).rows;
  EXPECT_THAT(rows[0], ::testing::ElementsAre("a", "slow memory unit", "-", "2x", "new"));
  EXPECT_THAT(rows[1], ::testing::ElementsAre("a", "slow core", "2x", "-", "gone"));
}

TEST(Compare, ShowsWhatAFindingIsMeasuredBy) {
  Diagnosis before;
  Diagnosis after;
  after.findings = {slow("a", "c", 3), slow("b", "c", 1), slow("z", "c", 1)};
  after.findings[1].factor.reset();
  after.findings[1].lost_share = 0.125;
  after.findings[2].factor.reset();
  before.findings = {after.findings[0]};
  const Diagnosis d = compare(before, after);
  const auto& rows = std::get<TableFigure>(d.figures[0].body).rows;
  EXPECT_THAT(rows[0], ::testing::ElementsAre("a", "c", "3x", "3x", "kept"));
  EXPECT_EQ(rows[1][3], "12.5 %");
  EXPECT_EQ(rows[2][3], "seen");
}

TEST(Compare, FactsOfOtherUnitsHaveNoRatio) {
  Diagnosis before;
  Diagnosis after;
  before.facts = {{"a", "35 M cycles"}, {"b", "2 s"}, {"c", "0 s"}, {"d", "fast"}, {"e", "x"}};
  after.facts = {{"a", "1.2 G cycles"}, {"b", "3 s"}, {"c", "1 s"}, {"d", "fast"}, {"e", "y"}, {"new", "1"}};
  const Diagnosis d = compare(before, after);
  const auto& rows = std::get<TableFigure>(d.figures[1].body).rows;
  EXPECT_EQ(rows[0][3], "");
  EXPECT_EQ(rows[1][3], "1.5x");
  EXPECT_EQ(rows[2][3], "");
  EXPECT_EQ(rows[3][3], "same");
  EXPECT_EQ(rows[4][3], "");
  EXPECT_THAT(rows[5], ::testing::ElementsAre("new", "-", "1", ""));
  EXPECT_EQ(rows.size(), 6u);
}

TEST(Compare, OutcomeTitleAndScale) {
  Diagnosis before;
  Diagnosis after;
  before.title = "Monday";
  after.title = "Tuesday";
  before.scale = after.scale = "chip";
  const Diagnosis same = compare(before, after);
  EXPECT_EQ(same.outcome, Outcome::Healthy);
  EXPECT_EQ(same.title, "Comparison: Monday -> Tuesday");
  EXPECT_EQ(same.scale, "chip");
  EXPECT_EQ(same.covered, "0 findings before, 0 after");
  cannot_judge(after, "no peers", "name machines");
  const Diagnosis unknown = compare(before, after);
  EXPECT_EQ(unknown.outcome, Outcome::CannotJudge);
  EXPECT_EQ(unknown.reason, "the present verdict: no peers");
  EXPECT_EQ(unknown.remedy, "name machines");
  EXPECT_EQ(compare(after, before).reason, "the former verdict: no peers");
}

Diagnosis with(FigureBody body) {
  Diagnosis d;
  d.figures.push_back({"f", "", std::move(body)});
  return d;
}

void expect_fault(FigureBody body, const std::string& part) {
  EXPECT_THAT(
      error_of([&] {
        check_shapes(with(std::move(body)), {"d.json"});
      }),
      HasSubstr(part));
}

TEST(Shapes, LengthsMustAgree) {
  EXPECT_NO_THROW(check_shapes(full(), {"d.json"}));
  expect_fault(HeatMapFigure{{"m"}, {0, 1}, "t", "W", {1}, {}}, "values must be rows times columns");
  expect_fault(
      SeriesFigure{"t", "v", false, true, {}, {{"m", {0, 1}, {1}, true, false}}, {}},
      "x and y of a line");
  expect_fault(SeriesFigure{"t", "v", false, true, {{"p", {0}, {}, {1}}}, {}, {}}, "x, low and high");
  expect_fault(SeriesFigure{"t", "v", false, true, {{"p", {0}, {1}, {}}}, {}, {}}, "x, low and high");
  expect_fault(BarsFigure{{"a"}, {"s", "t"}, {{1}}, "y"}, "one list of values for each series");
  expect_fault(BarsFigure{{"a", "b"}, {"s"}, {{1}}, "y"}, "one value for each category");
  expect_fault(TableFigure{{"a", "b"}, {{"1"}}}, "one cell for each column");
}

TEST(Shapes, AMeshHoldsItsCores) {
  const auto mesh = [](int width, int height, int x, int y) {
    return MeshFigure{width, height, "u", {{x, y, 1, "c"}}, {}, {}, {}};
  };
  EXPECT_NO_THROW(check_shapes(with(mesh(4096, 4096, 4095, 4095)), {"d"}));
  for (const auto& [x, y] : {std::pair{2, 0}, {0, 3}, {-1, 0}, {0, -1}})
    expect_fault(mesh(2, 3, x, y), "a core lies outside the mesh");
  expect_fault(mesh(4097, 1, 0, 0), "at most 4096");
  expect_fault(mesh(1, 4097, 0, 0), "at most 4096");
  expect_fault(mesh(-1, 1, 0, 0), "at most 4096");
}

}  // namespace
}  // namespace lento::finding
