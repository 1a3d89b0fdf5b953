#include "spec/yaml.h"

#include <gmock/gmock.h>

#include <sstream>

namespace lento::spec {
namespace {

using base::Dimension;
using ::testing::HasSubstr;

std::string errors_of(const std::string& text) {
  try {
    const YamlNode root = parse_yaml(text, "c.yaml");
    base::ErrorList errors;
    Fields top(root, errors);
    top.schema("lento.test/1");
    double clock = 1;
    double share = 0;
    int width = 0;
    std::string kind = "mesh";
    bool on = false;
    std::vector<const YamlNode*> list;
    top.quantity("clock", clock, Dimension::Frequency);
    top.quantity("share", share, Dimension::Percent, 0, 1);
    top.required_integer("width", width, 1, 8);
    top.choice("topology", kind, {"mesh", "torus"});
    top.boolean("on", on);
    top.list("list", list);
    top.finish();
    errors.throw_if_any();
  } catch (const base::Error& e) {
    return e.what();
  }
  return "";
}

TEST(Yaml, ReadsWhatFits) {
  EXPECT_EQ(
      errors_of("schema: lento.test/1\nwidth: 4\nclock: 1.2 GHz\nshare: 5 %\ntopology: torus\non: "
                "true\nlist: [1, 2]\n"),
      "");
}

TEST(Yaml, ReportsSeveralErrorsInOneRunEachAtItsPlace) {
  const std::string text =
      errors_of("schema: lento.test/2\nwidth: 9\nclok: 1 GHz\ntopology: rign\non: yes\n");
  EXPECT_THAT(text, HasSubstr("c.yaml:1:9: error: found schema 'lento.test/2', needed 'lento.test/1'"));
  EXPECT_THAT(text, HasSubstr("c.yaml:2:8: error: found '9' for 'width', needed a whole number from 1 to 8"));
  EXPECT_THAT(text, HasSubstr("unknown key 'clok'\n  hint: did you mean 'clock'?"));
  EXPECT_THAT(text, HasSubstr("'rign' is not a legal 'topology'"));
  EXPECT_THAT(text, HasSubstr("needed true or false"));
}

TEST(Yaml, AFileOfAnotherKindIsOneErrorNotOneAKey) {
  const std::string text = errors_of("schema: lento.chip/1\nclok: 1 GHz\n");
  EXPECT_THAT(text, HasSubstr("found schema 'lento.chip/1', needed 'lento.test/1'"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("clok")));
}

TEST(Yaml, MissingAndMisplacedThings) {
  EXPECT_THAT(errors_of("schema: lento.test/1\n"), HasSubstr("'width' is missing"));
  EXPECT_THAT(errors_of("- 1\n"), HasSubstr("found a list, needed 'key: value' lines"));
  EXPECT_THAT(errors_of(""), HasSubstr("found nothing"));
  EXPECT_THAT(
      errors_of("schema: lento.test/1\nwidth: 1\nshare: 3\n"),
      HasSubstr("'share' is 3, needed a value from 0 % to 100 %"));
}

TEST(Yaml, RefusesWhatCouldExpandOrRecurse) {
  EXPECT_THAT(errors_of("a: &x [1]\nb: *x\n"), HasSubstr("aliases (*name) are not accepted"));
  EXPECT_THAT(errors_of("a: 1\na: 2\n"), HasSubstr("c.yaml:2:1: error: key 'a' stands twice"));
  EXPECT_THAT(
      errors_of("a: " + std::string(100, '[') + std::string(100, ']')),
      HasSubstr("nested deeper than 64"));
  EXPECT_THAT(errors_of("a: [1\nb: 2\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(errors_of("schema: lento.test/1\nwidth: 4\n---\nwidth: [\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(
      errors_of("schema: lento.test/1\nwidth: 4\n---\nwidth: 5\n"),
      HasSubstr("c.yaml:4:1: error: a second document"));
  std::string many;
  for (int i = 0; i < 300'000; ++i)
    many += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(parse_yaml(many, "c.yaml").members.size(), 300'000u);
}

// One getter on one value of the key "k"; what was read, or the complaint.
template <class T, class Get>
std::string got(const std::string& value, T out, Get get) {
  const YamlNode root = parse_yaml("k: " + value + "\n", "c.yaml");
  base::ErrorList errors;
  Fields fields(root, errors);
  get(fields, out);
  try {
    errors.throw_if_any();
  } catch (const base::Error& e) {
    return e.what();
  }
  std::ostringstream text;
  text << out;
  return text.str();
}

TEST(Fields, IntegersWithinTheirBounds) {
  const auto get = [](Fields& f, int& out) {
    f.integer("k", out, -2, 5);
  };
  EXPECT_EQ(got("-2", 0, get), "-2");
  EXPECT_EQ(got("5", 0, get), "5");
  EXPECT_EQ(got("", 3, get), "3") << "nothing keeps the default";
  for (const char* bad : {"-3", "6", "1.0", "x", "[1]", "{a: 1}", "0x1", "99999999999999999999"})
    EXPECT_THAT(got(bad, 0, get), HasSubstr("needed a whole number from -2 to 5")) << bad;
}

TEST(Fields, BooleansAreTrueOrFalse) {
  const auto get = [](Fields& f, bool& out) {
    f.boolean("k", out);
  };
  EXPECT_EQ(got("true", false, get), "1");
  EXPECT_EQ(got("false", true, get), "0");
  for (const char* bad : {"yes", "on", "1", "True", "[true]"})
    EXPECT_THAT(got(bad, false, get), HasSubstr("needed true or false")) << bad;
}

TEST(Fields, TextIsAScalar) {
  const auto get = [](Fields& f, std::string& out) {
    f.text("k", out);
  };
  EXPECT_EQ(got("\"a: b\"", std::string(), get), "a: b");
  EXPECT_EQ(got("12", std::string(), get), "12");
  EXPECT_THAT(
      got("[a]", std::string(), get),
      HasSubstr("c.yaml:1:4: error: found a list for 'k', needed text"));
  EXPECT_THAT(got("{a: b}", std::string(), get), HasSubstr("found a mapping"));
}

TEST(Fields, QuantitiesWithinTheirBounds) {
  const auto get = [](Fields& f, double& out) {
    f.quantity("k", out, Dimension::Time, 1e-3, 1);
  };
  EXPECT_EQ(got("250 ms", 0.0, get), "0.25");
  EXPECT_EQ(got("1 s", 0.0, get), "1");
  EXPECT_THAT(got("2 s", 0.0, get), HasSubstr("'k' is 2 s, needed a value from 1 ms to 1 s"));
  EXPECT_THAT(got("1 us", 0.0, get), HasSubstr("needed a value from 1 ms"));
  EXPECT_THAT(got("3", 0.0, get), HasSubstr("'k': found '3' without a unit"));
  EXPECT_THAT(got("[1 s]", 0.0, get), HasSubstr("'k': found ''"));
}

TEST(Fields, ListsAndMapsAreToldApart) {
  const YamlNode root = parse_yaml("list: [1, 2]\nmap: {a: 1}\nscalar: x\nnone:\n", "c.yaml");
  const auto complaint = [&](auto use) {
    base::ErrorList errors;
    Fields fields(root, errors);
    use(fields);
    try {
      errors.throw_if_any();
    } catch (const base::Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  for (const char* key : {"map", "scalar"}) {
    EXPECT_THAT(
        complaint([&](Fields& f) {
          std::vector<const YamlNode*> out;
          f.list(key, out);
        }),
        HasSubstr("needed a list"))
        << key;
  }
  for (const char* key : {"list", "scalar"}) {
    EXPECT_THAT(
        complaint([&](Fields& f) {
          EXPECT_EQ(f.map(key), nullptr);
        }),
        HasSubstr("needed 'key: value' lines"))
        << key;
  }
  EXPECT_EQ(
      complaint([&](Fields& f) {
        std::vector<const YamlNode*> out;
        f.list("list", out);
        EXPECT_EQ(out.size(), 2u);
        ASSERT_NE(f.map("map"), nullptr);
        EXPECT_EQ(f.map("none"), nullptr);
        EXPECT_TRUE(f.has("none"));
        EXPECT_FALSE(f.has("absent"));
        f.list("absent", out);
        EXPECT_EQ(out.size(), 2u);
      }),
      "");
}

TEST(Fields, WhatIsRequiredMustHaveAValue) {
  for (const char* text : {"a: 1\n", "a: 1\nk:\n"}) {
    const YamlNode root = parse_yaml(text, "c.yaml");
    base::ErrorList errors;
    Fields fields(root, errors);
    int number = 7;
    double quantity = 7;
    std::string word = "seven";
    fields.required_integer("k", number, 0, 9);
    fields.required_quantity("k", quantity, Dimension::Time);
    fields.required_text("k", word);
    EXPECT_FALSE(errors.empty());
    EXPECT_EQ(number, 7);
    EXPECT_EQ(quantity, 7);
    EXPECT_EQ(word, "seven");
  }
}

TEST(ParseYaml, EveryNodeKnowsItsPlace) {
  const YamlNode root = parse_yaml("a:\n  - x\n  - b: 1\nc: {d: 2}\n", "c.yaml");
  EXPECT_EQ(root.kind, YamlNode::Kind::Map);
  const YamlNode* a = root.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->key, "a");
  EXPECT_EQ(a->items.at(0).where.line, 2);
  EXPECT_EQ(a->items.at(0).where.column, 5);
  EXPECT_EQ(a->items.at(1).find("b")->where.line, 3);
  EXPECT_EQ(root.find("c")->find("d")->text, "2");
  EXPECT_EQ(root.find("d"), nullptr);
}

TEST(ParseYaml, KeysArePlainAndOneDocumentOfBoundedSize) {
  for (const char* bad : {"[a]: 1\n", "{a: 1}: 2\n", "? [x]\n: 1\n"}) {
    EXPECT_THROW(parse_yaml(bad, "c.yaml"), base::Error) << bad;
  }
  EXPECT_THROW(parse_yaml(std::string((16 << 20) + 1, ' '), "c.yaml"), base::Error);
}

}  // namespace
}  // namespace lento::spec
