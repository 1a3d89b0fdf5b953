#include "chip/detect/method.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

TEST(Method, DefaultsLieWithinTheirRanges) {
  EXPECT_GE(methods().size(), 7u);
  for (const Method& m : methods()) {
    check({std::string(m.name), std::string(m.name), {}}, {"here"});
    for (const Parameter& p : m.parameters) {
      EXPECT_LE(p.least, p.value) << m.name << " " << p.name;
      EXPECT_GE(p.most, p.value) << m.name << " " << p.name;
    }
  }
}

TEST(Method, ParsesSettingsAndRefusesOthers) {
  const MethodChoice c = parse_method("paper:direction=1,restart=1", {"here"});
  EXPECT_EQ(c.method, "paper");
  EXPECT_EQ(c.values.at("direction"), 1);
  EXPECT_EQ(c.values.at("restart"), 1);
  for (const char* bad : {"papers", "paper:direction", "paper:direction=7", "paper:speed=1", "lento:x=1", ""})
    EXPECT_THROW(parse_method(bad, {"here"}), base::Error) << bad;
}

// An empty sketch says nothing, to any of them.
TEST(Method, NothingRecordedNothingReported) {
  const spec::Chip chip;
  const SketchOptions options;
  const std::vector<SketchShape> shapes(16);
  const Sketch sketch(shapes, options);
  Program program;
  program.first_section.assign(17, 0);
  for (const Method& m : methods()) {
    const MethodResult r = judge({"", std::string(m.name), {}}, sketch, chip, program, {});
    EXPECT_TRUE(r.detection.reported.empty()) << m.name;
  }
}

}  // namespace
}  // namespace lento::chip
