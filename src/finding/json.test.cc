// What is written reads back, whatever a diagnosis holds; what is damaged is refused with the path of the
// field.
#include "base/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "base/test_error.h"
#include "finding/finding.h"

namespace lento::finding {
namespace {

using base::Json;
using base::Rng;
using base::test::error_of;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Diagnosis read(const std::string& text) {
  return diagnosis_from_json(base::parse_json(text, "d.json"), "d.json");
}

std::string complaint(const std::string& text) {
  return error_of([&] {
    read(text);
  });
}

// A diagnosis of version 2 that holds `members` besides its schema.
std::string with(const std::string& members) {
  return R"({"schema":"lento.diagnosis/2",)" + members + "}";
}

// Random content of every field; a text is never empty where empty means absent.
class Drawn {
 public:
  explicit Drawn(uint64_t seed)
      : rng_(seed, "diagnosis") {
  }

  Diagnosis diagnosis() {
    Diagnosis d;
    d.scale = text();
    d.title = text();
    d.verdict = text();
    d.outcome = Outcome(rng_.below(4));
    d.reason = text();
    d.remedy = text();
    d.covered = text();
    d.findings = list<Finding>([&] {
      return finding();
    });
    d.facts = d.options = list<std::pair<std::string, std::string>>([&] {
      return std::pair(text(), text());
    });
    d.expectations = list<Expectation>([&] {
      return Expectation{text(), text(), number(), text(), number(), text()};
    });
    d.figures = {figure(0), figure(1), figure(2), figure(3), figure(4), figure(5), figure(6), figure(7)};
    d.notes = texts();
    d.version = text();
    d.command = text();
    if (flip())
      d.seed = rng_.next() >> 1;
    d.inputs = list<Input>([&] {
      return Input{text(), text(), text()};
    });
    d.records_taken = rng_.below(1000000);
    d.records_skipped = rng_.below(1000000);
    d.skip_reasons = {{text(), rng_.below(100)}};
    return d;
  }

 private:
  bool flip() {
    return rng_.below(2) == 0;
  }
  int small() {
    return int(rng_.below(4));
  }
  double number() {
    return rng_.normal() * std::pow(10, double(rng_.below(20)) - 10);
  }
  double gap_or_number() {
    return flip() ? std::nan("") : number();
  }
  std::string text() {
    const char* words[] = {"core5", "a \"quote\"", "日本", "<b>", "line\nbreak", "x"};
    return words[rng_.below(std::size(words))];
  }
  std::vector<std::string> texts() {
    return list<std::string>([&] {
      return text();
    });
  }
  std::vector<double> numbers(size_t count) {
    std::vector<double> out(count);
    for (double& v : out)
      v = gap_or_number();
    return out;
  }
  template <class T, class Make>
  std::vector<T> list(Make make) {
    std::vector<T> out;
    for (uint64_t i = rng_.below(4); i > 0; --i)
      out.push_back(make());
    return out;
  }

  Finding finding() {
    Finding f;
    f.subject = text();
    f.category = text();
    f.summary = text();
    f.score = rng_.uniform();
    if (flip())
      f.factor = number();
    if (flip())
      f.lost_share = rng_.uniform();
    if (flip())
      f.when = TimeWindow{number(), number(), text()};
    if (flip())
      f.where = Place{text(), text(), text()};
    f.evidence = list<Evidence>([&] {
      return Evidence{text(), flip() ? std::optional(number()) : std::nullopt, text(), text()};
    });
    f.next_step = text();
    return f;
  }

  Figure figure(size_t kind) {
    const size_t n = rng_.below(4);
    switch (kind) {
      case 0:
        return {
            text(),
            text(),
            MeshFigure{
                4,
                4,
                text(),
                {{small(), small(), number(), text()}},
                {{small(), small(), small(), small(), number()}},
                {{{{small(), small()}, {small(), small()}}, text()}},
                texts()}};
      case 1: {
        HeatMapFigure f{texts(), numbers(n), text(), text(), {}, texts()};
        f.values = numbers(f.rows.size() * n);
        return {text(), text(), f};
      }
      case 2:
        return {
            text(),
            text(),
            SeriesFigure{
                text(),
                text(),
                flip(),
                flip(),
                {{text(), numbers(n), numbers(n), numbers(n)}},
                {{text(), numbers(n), numbers(n), flip(), flip()}},
                numbers(n)}};
      case 3:
        return {text(), text(), TimelineFigure{text(), {{text(), number(), number(), text(), flip()}}}};
      case 4: {
        BarsFigure f{texts(), texts(), {}, text()};
        for (size_t i = 0; i < f.series.size(); ++i)
          f.values.push_back(numbers(f.categories.size()));
        return {text(), text(), f};
      }
      case 5:
        return {
            text(),
            text(),
            GraphFigure{text(), {{text(), text(), number(), flip()}}, {{text(), text(), number()}}}};
      case 6:
        return {
            text(),
            text(),
            ScatterFigure{
                text(),
                text(),
                flip(),
                flip(),
                {{text(), {{number(), number(), text(), flip()}}, flip()}}}};
      default: {
        TableFigure f{texts(), {}};
        f.rows = {std::vector<std::string>(f.columns.size(), text())};
        return {text(), text(), f};
      }
    }
  }

  Rng rng_;
};

TEST(DiagnosisJson, WhateverItHoldsReadsBack) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Diagnosis d = Drawn(seed).diagnosis();
    const std::string text = base::write_json(to_json(d));
    const Diagnosis back = read(text);
    EXPECT_EQ(base::write_json(to_json(back)), text) << seed;
    EXPECT_EQ(back.findings.size(), d.findings.size());
    EXPECT_EQ(back.seed, d.seed);
    EXPECT_EQ(back.outcome, d.outcome);
    EXPECT_EQ(back.facts, d.facts);
    EXPECT_EQ(back.skip_reasons, d.skip_reasons);
    EXPECT_EQ(back.records_taken, d.records_taken);
    for (size_t i = 0; i < d.figures.size(); ++i)
      EXPECT_EQ(back.figures[i].body.index(), d.figures[i].body.index());
  }
}

TEST(DiagnosisJson, OptionalNumbersTellAbsentFromZero) {
  Diagnosis d;
  d.findings.resize(2);
  d.findings[0].factor = 0;
  d.findings[0].lost_share = 0;
  d.findings[0].when = TimeWindow{};
  d.seed = 0;
  const Diagnosis back = read(base::write_json(to_json(d)));
  EXPECT_EQ(back.findings[0].factor, 0);
  EXPECT_EQ(back.findings[0].lost_share, 0);
  EXPECT_TRUE(back.findings[0].when);
  EXPECT_EQ(back.seed, 0u);
  EXPECT_FALSE(back.findings[1].factor);
  EXPECT_FALSE(back.findings[1].lost_share);
  EXPECT_FALSE(back.findings[1].when);
}

TEST(DiagnosisJson, EverySeedIsKept) {
  for (const uint64_t seed :
       {uint64_t{1},
        uint64_t{1} << 53,
        (uint64_t{1} << 53) + 1,
        uint64_t(INT64_MAX),
        uint64_t(INT64_MAX) + 1,
        UINT64_MAX}) {
    Diagnosis d;
    d.seed = seed;
    EXPECT_EQ(read(base::write_json(to_json(d))).seed, seed);
  }
}

TEST(DiagnosisJson, EmptyTextsAndListsAreLeftOut) {
  const Json json = to_json(Diagnosis{});
  for (const auto& [key, value] : json.members())
    EXPECT_TRUE(
        key == "schema" || key == "findings" || key == "outcome" || key == "records_taken" ||
        key == "records_skipped")
        << key;
}

TEST(DiagnosisJson, GapsAreNull) {
  Diagnosis d;
  d.figures = {{"t", "", HeatMapFigure{{"m"}, {0, 1}, "", "", {std::nan(""), 2}, {}}}};
  const std::string text = base::write_json(to_json(d));
  EXPECT_THAT(text, HasSubstr("[null,2.0]"));
  const Diagnosis parsed = read(text);
  const auto& back = std::get<HeatMapFigure>(parsed.figures[0].body);
  EXPECT_TRUE(std::isnan(back.values[0]));
  EXPECT_EQ(back.values[1], 2);
}

TEST(DiagnosisJson, UnknownMembersAreForTheVersionsToCome) {
  EXPECT_EQ(complaint(with(R"("outcome":"healthy","later":{"a":[1]})")), "no error");
}

TEST(DiagnosisJson, OfVersionOneIsReadAndWrittenAsVersionTwo) {
  const Diagnosis d = read(R"({"schema":"lento.diagnosis/1","verdict":"v"})");
  EXPECT_EQ(d.outcome, Outcome::Answer);
  EXPECT_EQ(to_json(d).at("schema", {}).string({}), "lento.diagnosis/2");
}

TEST(DiagnosisJson, AnotherSchemaIsRefusedByItsPath) {
  EXPECT_THAT(
      complaint(R"({"schema":"lento.diagnosis/3"})"),
      HasSubstr("d.json: schema: error: found 'lento.diagnosis/3', this lento reads 'lento.diagnosis/2'"));
  EXPECT_THAT(complaint(R"({"schema":2})"), HasSubstr("d.json: schema: error: found a number"));
  EXPECT_THAT(complaint("{}"), HasSubstr("'schema' is missing"));
  EXPECT_THAT(complaint("[]"), HasSubstr("found an array, needed an object"));
  EXPECT_LT(complaint(R"({"schema":")" + std::string(9000, 'x') + "\"}").size(), 300u);
}

TEST(DiagnosisJson, AWrongKindIsToldWithItsPath) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("title":3)", "d.json: title: error: found a number, needed text"},
      {R"("findings":{})", "d.json: findings: error: found an object, needed an array"},
      {R"("findings":[3])", "d.json: findings[0]: error: found a number, needed an object"},
      {R"("findings":[{},{"score":"x"}])", "d.json: findings[1].score: error: found text, needed a number"},
      {R"("findings":[{"evidence":[{},{"value":true}]}])",
       "d.json: findings[0].evidence[1].value: error: found a boolean, needed a number"},
      {R"("findings":[{"when":{"begin":[]}}])", "d.json: findings[0].when.begin: error: found an array"},
      {R"("facts":[["a"]])", "d.json: facts[0]: error: needed an array of two"},
      {R"("facts":[["a","b","c"]])", "d.json: facts[0]: error: needed an array of two"},
      {R"("facts":[["a",1]])", "d.json: facts[0][1]: error: found a number, needed text"},
      {R"("seed":-1)", "d.json: seed: error: found -1, needed a number from 0"},
      {R"("records_taken":1.5)", "d.json: records_taken: error: found a number, needed a whole number"},
      {R"("notes":["a",null])", "d.json: notes[1]: error: found null, needed text"},
      {R"("outcome":"fine")", "d.json: outcome: error: unknown outcome 'fine'"},
      {R"("figures":[{"kind":"pie","data":{}}])", "figures[0].data: error: unknown kind of figure 'pie'"},
      {R"("figures":[{"data":{}}])", "d.json: figures[0]: error: 'kind' is missing"},
      {R"("figures":[{"kind":"table"}])", "d.json: figures[0]: error: 'data' is missing"},
      {R"("figures":[{"kind":"mesh","data":{"width":1000001}}])",
       "figures[0].data.width: error: found 1000001, needed a number from -1000000 to 1000000"},
      {R"("figures":[{"kind":"mesh","data":{"routes":[{"hops":[[1]]}]}}])",
       "figures[0].data.routes[0].hops[0]: error: needed an array of two"}};
  for (const auto& [members, message] : cases)
    EXPECT_THAT(complaint(with(members)), HasSubstr(message)) << members;
}

TEST(DiagnosisJson, AFigureIsReadAsItsKindSays) {
  const char* kinds[] = {"mesh", "heat map", "series", "timeline", "bars", "graph", "scatter", "table"};
  for (size_t i = 0; i < std::size(kinds); ++i) {
    const std::string figure =
        R"({"title":"t","caption":"c","kind":")" + std::string(kinds[i]) + R"(","data":{}})";
    const Diagnosis d = read(with("\"figures\":[" + figure + "]"));
    EXPECT_EQ(d.figures[0].body.index(), i) << kinds[i];
    EXPECT_EQ(d.figures[0].title, "t");
    EXPECT_EQ(d.figures[0].caption, "c");
  }
}

TEST(DiagnosisJson, DefaultsOfAbsentFields) {
  const Diagnosis d = read(with(R"("findings":[{"when":{}}],"expectations":[{}])"));
  EXPECT_EQ(d.findings[0].when->unit, "s");
  EXPECT_EQ(d.expectations[0].unit, "s");
  EXPECT_EQ(d.findings[0].score, 0);
}

}  // namespace
}  // namespace lento::finding
