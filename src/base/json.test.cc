#include "base/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "base/test_error.h"

namespace lento::base {
namespace {

using test::error_of;
using testing::HasSubstr;
using testing::Not;

Json parsed(std::string_view text) {
  return parse_json(text, "t.json");
}

std::string complaint(std::string_view text) {
  return error_of([&] {
    parsed(text);
  });
}

// A random value, `depth` levels of containers at most.
Json drawn(Rng& rng, int depth) {
  switch (rng.below(depth > 0 ? 7 : 5)) {
    case 0:
      return {};
    case 1:
      return rng.below(2) == 0;
    case 2:
      return int64_t(rng.next()) >> rng.below(64);
    case 3:
      return (rng.uniform() - 0.5) * std::pow(10, rng.uniform(-200, 200));
    case 4: {
      std::string text;
      const char* pieces[] = {"a", "\"", "\\", "\n", "\t", "/", "é", "日", "\x01", "\x7f", "😀", "</script>"};
      for (uint64_t i = rng.below(8); i > 0; --i)
        text += pieces[rng.below(std::size(pieces))];
      return text;
    }
    case 5: {
      Json list = Json::array();
      for (uint64_t i = rng.below(5); i > 0; --i)
        list.push(drawn(rng, depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (uint64_t i = rng.below(5); i > 0; --i)
        object.set("k" + std::to_string(rng.below(100)), drawn(rng, depth - 1));
      return object;
    }
  }
}

void expect_same(const Json& a, const Json& b) {
  ASSERT_EQ(a.is_int(), b.is_int());
  ASSERT_EQ(a.is_object(), b.is_object());
  ASSERT_EQ(a.is_array(), b.is_array());
  ASSERT_EQ(a.size(), b.size());
  if (a.is_number()) {
    EXPECT_EQ(a.number({}), b.number({}));
  }
  if (a.is_string()) {
    EXPECT_EQ(a.string({}), b.string({}));
  }
  if (a.is_bool()) {
    EXPECT_EQ(a.boolean({}), b.boolean({}));
  }
  for (size_t i = 0; i < a.items().size(); ++i)
    expect_same(a.items()[i], b.items()[i]);
  for (size_t i = 0; i < a.members().size(); ++i) {
    EXPECT_EQ(a.members()[i].first, b.members()[i].first);
    expect_same(a.members()[i].second, b.members()[i].second);
  }
}

TEST(Json, AnyValueReadsBackAsItWas) {
  Rng rng(21, "json");
  for (int i = 0; i < 300; ++i) {
    const Json value = drawn(rng, 4);
    const int indent = i % 2 ? 2 : -1;
    const Json back = parsed(write_json(value, indent));
    expect_same(value, back);
    EXPECT_EQ(write_json(back, indent), write_json(value, indent));
  }
}

TEST(Json, WholeNumbersKeepEveryBit) {
  for (const int64_t value : {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    const Json back = parsed(write_json(Json(value)));
    EXPECT_TRUE(back.is_int());
    EXPECT_EQ(back.integer({}), value);
  }
  EXPECT_TRUE(Json(uint64_t(std::numeric_limits<int64_t>::max())).is_int());
  EXPECT_FALSE(Json(uint64_t(std::numeric_limits<int64_t>::max()) + 1).is_int());
  EXPECT_EQ(Json(uint64_t{1} << 63).number({}), 0x1p63);
}

TEST(Json, NumbersWithPointOrExponentAreReal) {
  EXPECT_TRUE(parsed("1").is_int());
  EXPECT_FALSE(parsed("1.0").is_int());
  EXPECT_FALSE(parsed("1e2").is_int());
  EXPECT_TRUE(parsed("1.0").is_number());
  EXPECT_FALSE(parsed("true").is_number());
}

TEST(Json, WhatIsNotFiniteIsWrittenAsNull) {
  EXPECT_EQ(write_json(Json(std::nan(""))), "null");
  EXPECT_EQ(write_json(Json(std::numeric_limits<double>::infinity())), "null");
}

TEST(Json, WrittenTextHoldsNoControlCharacter) {
  const std::string text = write_json(Json("a\x1b[31m\x07\x7f\xc2\x9b z\n"));
  for (const char c : text)
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << int(c);
  EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));
  EXPECT_EQ(parsed(text).string({}), "a\x1b[31m\x07\x7f\xc2\x9b z\n");
}

TEST(Json, LettersBesideTheControlsStay) {
  // U+00A0 and é share their first byte with the C1 controls.
  EXPECT_EQ(write_json(Json("\xc2\xa0\xc3\xa9")), "\"\xc2\xa0\xc3\xa9\"");
  EXPECT_EQ(write_json(Json("\x7f")), "\"\\u007f\"");
  EXPECT_EQ(write_json(Json("\xc2\x80\xc2\x9f")), "\"\\u0080\\u009f\"");
}

TEST(Json, BrokenTextIsWrittenWithTheReplacementCharacter) {
  EXPECT_EQ(write_json(Json("a\xff z")), "\"a\xEF\xBF\xBD z\"");
}

TEST(Json, SetReplacesInPlaceAndKeepsTheOrder) {
  Json value;
  value.set("b", 1).set("a", 2).set("b", 3);
  EXPECT_EQ(write_json(value), R"({"b":3,"a":2})");
  EXPECT_EQ(value.size(), 2u);
  Json list;
  list.push(1).push("x");
  EXPECT_EQ(write_json(list), R"([1,"x"])");
  EXPECT_EQ(list.size(), 2u);
}

TEST(Json, LookingIntoAnotherKindFindsNothing) {
  EXPECT_EQ(Json(1).find("a"), nullptr);
  EXPECT_TRUE(Json(1).items().empty());
  EXPECT_TRUE(Json("x").members().empty());
  EXPECT_EQ(Json(1).size(), 0u);
  EXPECT_EQ(Json::object().find("a"), nullptr);
}

TEST(Json, EveryKindIsNamedWhenAnotherIsNeeded) {
  const Location where{"f", 0, 0, "p"};
  const std::pair<Json, const char*> kinds[] = {
      {Json(), "null"},
      {Json(true), "a boolean"},
      {Json(1.5), "a number"},
      {Json("x"), "text"},
      {Json::array(), "an array"},
      {Json::object(), "an object"}};
  for (const auto& [value, kind] : kinds) {
    const std::string found = "f: p: error: found " + std::string(kind) + ", needed ";
    const auto expect = [&, &v = value](auto read, bool fits, const char* needed) {
      const std::string message = error_of([&] {
        read(v);
      });
      EXPECT_EQ(message, fits ? "no error" : found + needed);
    };
    expect(
        [&](const Json& v) {
          v.boolean(where);
        },
        value.is_bool(),
        "true or false");
    expect(
        [&](const Json& v) {
          v.number(where);
        },
        value.is_number(),
        "a number");
    expect(
        [&](const Json& v) {
          v.string(where);
        },
        value.is_string(),
        "text");
    expect(
        [&](const Json& v) {
          v.array(where);
        },
        value.is_array(),
        "an array");
    expect(
        [&](const Json& v) {
          v.object(where);
        },
        value.is_object(),
        "an object");
  }
}

TEST(Json, IntegersFromWholeRealsInsideTheirBounds) {
  EXPECT_EQ(Json(3.0).integer({}), 3);
  EXPECT_EQ(Json(-2e6).integer({}), -2000000);
  for (const double bad : {0.5, 1e19, -1e19})
    EXPECT_THAT(
        error_of([&] {
          Json(bad).integer({"f"});
        }),
        HasSubstr("needed a whole number"))
        << bad;
  EXPECT_EQ(Json(1).integer({}, 1, 4), 1);
  EXPECT_EQ(Json(4).integer({}, 1, 4), 4);
  for (const int bad : {0, 5})
    EXPECT_THAT(
        error_of([&] {
          Json(bad).integer({"f"}, 1, 4);
        }),
        HasSubstr("needed a number from 1 to 4"));
}

TEST(Json, DefaultsForAbsentMembersOnly) {
  const Json value = parsed(R"({"n":2.5,"i":7,"s":"x"})");
  const Location where{"f"};
  EXPECT_EQ(value.number_or("n", 1, where), 2.5);
  EXPECT_EQ(value.number_or("m", 1, where), 1);
  EXPECT_EQ(value.integer_or("i", 1, where), 7);
  EXPECT_EQ(value.integer_or("j", 1, where), 1);
  EXPECT_EQ(value.string_or("s", "y", where), "x");
  EXPECT_EQ(value.string_or("t", "y", where), "y");
  EXPECT_THAT(
      error_of([&] {
        value.number_or("s", 1, where);
      }),
      HasSubstr("f: s: error: found text, needed a number"));
}

TEST(Json, AMissingMemberIsNamedWithItsNearestNeighbour) {
  const Json value = parsed(R"({"layers":1})");
  EXPECT_THAT(
      error_of([&] {
        value.at("layer", {"f"});
      }),
      HasSubstr("'layer' is missing\n  hint: is 'layers' meant for it?"));
  EXPECT_THAT(
      error_of([&] {
        value.at("bandwidth", {"f"});
      }),
      Not(HasSubstr("hint")));
  EXPECT_THAT(
      error_of([&] {
        Json(3).at("a", {"f"});
      }),
      HasSubstr("found a number, needed an object"));
}

TEST(Json, PathsGrowWithKeysAndIndices) {
  const Location a = child(Location{"f"}, "layers");
  const Location b = child(a, size_t{3});
  const Location c = child(b, "name");
  EXPECT_EQ(a.path, "layers");
  EXPECT_EQ(b.path, "layers[3]");
  EXPECT_EQ(c.path, "layers[3].name");
  EXPECT_EQ(c.file, "f");
}

TEST(ParseJson, RefusesWhatIsNotExactlyOneValue) {
  for (const char* text :
       {"",
        " ",
        "1 2",
        "{} x",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "'x'",
        "nul",
        "NaN",
        "01",
        "1.",
        "+1",
        "\"\x01\"",
        "\"\\x\"",
        "[1",
        "\"abc",
        "\xff"})
    EXPECT_THAT(complaint(text), HasSubstr("t.json")) << text;
}

TEST(ParseJson, NestingUpToTheLimit) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(complaint(nested(256)), "no error");
  EXPECT_THAT(complaint(nested(257)), HasSubstr("nested deeper than 256"));
}

TEST(ParseJson, TheSameKeyInAnotherObjectIsFine) {
  EXPECT_EQ(complaint(R"({"a":{"a":1},"b":[{"a":2},{"a":3}]})"), "no error");
  EXPECT_THAT(complaint(R"([{"x":0},{"a":{"b":1,"b":2}}])"), HasSubstr("key 'b' stands twice"));
}

TEST(ParseJson, DamageIsLocatedByLineAndColumn) {
  EXPECT_THAT(complaint("{\"a\": tru}"), HasSubstr("t.json:1:10: "));
  EXPECT_THAT(complaint("{\n  \"a\": 1\n  \"b\": 2}"), HasSubstr("t.json:3:"));
  EXPECT_THAT(
      error_of([] {
        parse_json("{\n\"a\":}", "t.json", 41);
      }),
      HasSubstr("t.json:42:5: "));
}

TEST(ParseJson, EscapesAreUndone) {
  EXPECT_EQ(parsed(R"("\u0041\n\"\\\/\u00e9\ud83d\ude00")").string({}), "A\n\"\\/é😀");
}

TEST(WriteJson, IndentsByLevels) {
  const Json value = parsed(R"({"a":[1,2]})");
  EXPECT_EQ(write_json(value, 2), "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
}

}  // namespace
}  // namespace lento::base
