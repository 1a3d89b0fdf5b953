#include "report/html_parts.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "report/report.h"
#include "report/test_picture.h"

namespace lento::report {
namespace {

using namespace finding;
using test::elements_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A diagnosis with every part filled, each text the same.
Diagnosis filled(const std::string& text) {
  Diagnosis d;
  d.scale = d.title = d.verdict = d.version = d.command = d.remedy = d.covered = text;
  d.outcome = Outcome::Findings;
  d.findings = {
      {text, text, text, 0.5, 2.0, 0.1, TimeWindow{0, 1, text}, {}, {{text, 1.0, text, text}}, text}};
  d.facts = d.options = {{text, text}};
  d.notes = {text};
  d.seed = 1;
  d.inputs = {{text, text, text}};
  d.records_skipped = 1;
  d.skip_reasons = {{text, 1}};
  d.expectations = {{text, text, 1, text, 0, text}};
  d.figures = {
      {text, text, MeshFigure{2, 1, text, {{0, 0, 1, text}}, {{0, 0, 1, 0, 1}}, {{{{0, 0}}, text}}, {text}}},
      {text, text, HeatMapFigure{{text}, {0}, text, text, {1}, {text}}},
      {text, text, SeriesFigure{text, text, false, false, {{text, {0}, {0}, {1}}}, {{text, {0}, {1}}}, {1}}},
      {text, text, TimelineFigure{text, {{text, 0, 1, text}}}},
      {text, text, BarsFigure{{text}, {text}, {{1}}, text}},
      {text, text, GraphFigure{text, {{text, text, 1}}, {{text, text, 1}}}},
      {text, text, ScatterFigure{text, text, false, false, {{text, {{1, 1, text}}}}}},
      {text, text, TableFigure{{text}, {{text}}}}};
  return d;
}

std::vector<std::string> names_of(const std::string& markup) {
  std::vector<std::string> names;
  for (const auto& e : elements_of(markup)) {
    std::string name = e.name;
    for (const auto& [attribute, value] : e.attributes)
      name += " " + attribute;
    names.push_back(name);
  }
  return names;
}

std::string sections(const Diagnosis& d, const Place& place = {}) {
  return sections_html(d, shown_figures(d), place);
}

TEST(Sections, NoTextBecomesAnElementOrAnAttribute) {
  const auto harmless = names_of(sections(filled("x")));
  for (const char* attack :
       {"<b>",
        "</td>",
        "\" onload=\"x",
        "' y='",
        "-->",
        "]]>",
        "&lt;",
        "{{main}}",
        "<!--",
        "</svg>",
        "\n<i>"})
    EXPECT_EQ(names_of(sections(filled(attack))), harmless) << attack;
}

TEST(Page, NoTextBecomesMarkupOrAPlace) {
  const auto tags = [](const std::string& page) {
    return std::ranges::count(page, '<');
  };
  const auto harmless = tags(write_html(filled("x")));
  for (const char* attack : {"<b>", "</script>", "{{script}}", "{{style}}", "<title>", "</style><script>"})
    EXPECT_EQ(tags(write_html(filled(attack))), harmless) << attack;
}

TEST(Sections, EveryIdIsThereOnceAndEveryLinkHasItsTarget) {
  Diagnosis d = filled("x");
  d.findings.resize(5, d.findings[0]);
  const std::string all = sections(d, {2, "h-", 0}) + sections(d, {3, "c1-", 20});
  std::set<std::string> ids;
  for (const auto& e : elements_of(all)) {
    if (e.attributes.contains("id")) {
      EXPECT_TRUE(ids.insert(e.attributes.at("id")).second) << e.attributes.at("id");
    }
  }
  for (const auto& e : elements_of(all)) {
    if (e.attributes.contains("href")) {
      EXPECT_TRUE(ids.contains(e.attributes.at("href").substr(1))) << e.attributes.at("href");
    }
  }
}

TEST(Sections, HeadingsAreOfTheirPlace) {
  for (const int level : {2, 3}) {
    std::set<std::string> headings;
    for (const auto& e : elements_of(sections(filled("x"), {level, "p-", 0}))) {
      if (e.name.size() == 2 && e.name[0] == 'h')
        headings.insert(e.name);
    }
    EXPECT_EQ(headings, (std::set{"h" + std::to_string(level), "h" + std::to_string(level + 1)}));
  }
}

TEST(Sections, FiguresAreNumberedFromTheFirst) {
  std::vector<std::string> numbers;
  for (const auto& e : elements_of(sections(filled("x"), {2, "h-", 5}))) {
    if (e.name == "figure")
      numbers.push_back(e.attributes.at("data-figure"));
  }
  EXPECT_THAT(numbers, testing::ElementsAre("5", "6", "7", "8", "9", "10", "11", "12"));
}

TEST(Sections, TwoHundredFindingsAreShownTheOthersCounted) {
  Diagnosis d;
  d.outcome = Outcome::Findings;
  d.findings.resize(203);
  const std::string html = sections(d);
  EXPECT_EQ(test::with_class(html, "finding").size(), 200u);
  EXPECT_THAT(html, HasSubstr("3 more are in the JSON form."));
  d.findings.resize(200);
  EXPECT_THAT(sections(d), Not(HasSubstr("in the JSON form")));
}

TEST(Sections, FourHundredRowsOfATable) {
  Diagnosis d;
  d.figures = {
      {"t", "", HeatMapFigure{{"m"}, std::vector<double>(401, 0), "", "", std::vector<double>(401, 1), {}}}};
  const auto rows = [](const std::string& html) {
    return std::ranges::count_if(
               elements_of(html),
               [](const auto& e) {
                 return e.name == "td";
               }) /
           3;
  };
  EXPECT_EQ(rows(sections(d)), 400);
  EXPECT_THAT(sections(d), HasSubstr("Table (first 400 rows)"));
  auto& map = std::get<HeatMapFigure>(d.figures[0].body);
  map.columns.resize(400);
  map.values.resize(400);
  EXPECT_EQ(rows(sections(d)), 400);
  EXPECT_THAT(sections(d), Not(HasSubstr("first 400")));
}

TEST(Sections, SilenceIsNotAnAllClear) {
  Diagnosis d;
  cannot_judge(d, "too little", "more");
  EXPECT_THAT(sections(d), AllOf(HasSubstr("Nothing was judged"), Not(HasSubstr("Nothing stands out"))));
  Diagnosis healthy;
  judged(healthy, "all");
  EXPECT_THAT(
      sections(healthy),
      AllOf(HasSubstr("Nothing stands out"), Not(HasSubstr("Nothing was judged"))));
}

TEST(Sections, EvidenceIsFoldedAndTheReachOfAnAllClearIsNot) {
  const std::string found = sections(filled("x"));
  EXPECT_THAT(found, HasSubstr("<details class=\"part\"><summary><h2 id=\"h-evidence\">"));
  Diagnosis healthy;
  judged(healthy, "all");
  EXPECT_THAT(sections(healthy), Not(HasSubstr("class=\"part\"")));
}

TEST(Sections, AFindingSaysWhenInItsUnit) {
  Diagnosis d;
  d.outcome = Outcome::Findings;
  d.findings.resize(2);
  d.findings[0].when = TimeWindow{0.1, 1e9, "s"};
  const auto cards = test::with_class(sections(d), "finding");
  EXPECT_EQ(cards.at(0).number("data-begin"), 0.1);
  EXPECT_EQ(cards.at(0).number("data-end"), 1e9);
  EXPECT_EQ(cards.at(0).attributes.at("data-unit"), "s");
  EXPECT_FALSE(cards.at(1).attributes.contains("data-begin"));
}

TEST(Page, WhatIsCalmAndWhatIsBad) {
  for (const Outcome outcome : {Outcome::Answer, Outcome::Healthy, Outcome::Findings, Outcome::CannotJudge}) {
    Diagnosis d;
    d.verdict = "v";
    d.outcome = outcome;
    const bool calm = outcome == Outcome::Answer || outcome == Outcome::Healthy;
    const std::string page = write_html(d);
    EXPECT_EQ(page.find("class=\"verdict bad\"") == std::string::npos, calm) << name(outcome);
  }
}

TEST(Page, ReachesForNothingOutside) {
  const std::string page = write_html(filled("x"));
  for (const char* outside : {" src=", "@import", "url(", "<link", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST(Story, ChaptersFollowOneAnother) {
  Story story{
      "title",
      "lead",
      {{"one", "text", {"a <b", "c"}, filled("x")}, {"two", "text", {}, filled("x")}}};
  const std::string page = write_html(story);
  EXPECT_THAT(page, HasSubstr("<h2 id=\"c1\">1. one</h2>"));
  EXPECT_THAT(page, HasSubstr("<h2 id=\"c2\">2. two</h2>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#c2\">two</a>"));
  EXPECT_THAT(page, HasSubstr("a &lt;b\nc\n</pre>"));
  // Eight figures before those of the second chapter.
  EXPECT_THAT(page, HasSubstr("id=\"c1-fig7\""));
  EXPECT_THAT(page, HasSubstr("id=\"c2-fig8\""));
}

TEST(Facts, NoneAreNoList) {
  EXPECT_EQ(pairs_html({}, "facts"), "");
  EXPECT_EQ(
      pairs_html({{"a", "<b"}}, "facts"),
      "<dl class=\"facts\"><div><dt>a</dt><dd>&lt;b</dd></div></dl>");
}

TEST(Fill, EachPlaceOnceAndNothingInsideWhatWasPutIn) {
  EXPECT_EQ(fill("<{{a}}|{{b}}|{{a}}>", {{"a", "{{b}}"}, {"b", "2"}}), "<{{b}}|2|{{b}}>");
  EXPECT_EQ(fill("nothing", {}), "nothing");
  EXPECT_THROW(fill("{{a}}", {}), base::Bug);
}

}  // namespace
}  // namespace lento::report
