#include "spec/yaml.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace lento::spec
