#include "chip/detect/method.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

// A method that reports its first setting as the length of the run.
MethodResult judge_by_setting(const MethodCall& call) {
  MethodResult out;
  out.detection.run_cycles = uint64_t(call["cycles"]);
  return out;
}

const std::vector<Method>& known() {
  static const std::vector<Method> list{
      own_method(),
      {"other", "another", {{"cycles", 5, 1, 9, "reported"}, {"unused", 0, 0, 1, ""}}, judge_by_setting}};
  return list;
}

Detection detection_by(const MethodChoice& choice) {
  const Sketch sketch(std::vector<SketchShape>(16), SketchOptions{});
  Program program;
  program.first_section.assign(17, 0);
  return judge(choice, sketch, spec::Chip{}, program, {}).detection;
}

TEST(Method, ParsesSettings) {
  const MethodChoice c = parse_method("other:cycles=3,unused=1", known(), {"here"});
  EXPECT_EQ(c.method, "other");
  EXPECT_EQ(c.label, "other:cycles=3,unused=1");
  EXPECT_EQ(c.values.at("cycles"), 3);
  EXPECT_EQ(c.values.at("unused"), 1);
  EXPECT_EQ(detection_by(c).run_cycles, 3u);
}

TEST(Method, WhatIsNotSetHasItsDefault) {
  EXPECT_EQ(detection_by(parse_method("other", known(), {"here"})).run_cycles, 5u);
  EXPECT_EQ(detection_by(parse_method("other:unused=1", known(), {"here"})).run_cycles, 5u);
}

TEST(Method, EndsOfARangeBelongToIt) {
  for (const char* good : {"other:cycles=1", "other:cycles=9"})
    EXPECT_NO_THROW(parse_method(good, known(), {"here"})) << good;
  for (const char* bad : {"other:cycles=0.99", "other:cycles=9.01"})
    EXPECT_THROW(parse_method(bad, known(), {"here"}), base::Error) << bad;
}

TEST(Method, RefusesWhatIsNotThere) {
  for (const char* bad : {"others", "other:cycles", "other:speed=1", "lento:x=1", "", "other:cycles=x"})
    EXPECT_THROW(parse_method(bad, known(), {"here"}), base::Error) << bad;
  try {
    parse_method("iaso", known(), {"--method"});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("there are lento, other"), std::string::npos) << error.what();
  }
}

TEST(Method, OursIsWhatNobodyChose) {
  EXPECT_TRUE(detection_by({}).reported.empty());
  MethodChoice unchecked;
  unchecked.method = "other";
  EXPECT_THROW(detection_by(unchecked), base::Bug);
}

}  // namespace
}  // namespace lento::chip
