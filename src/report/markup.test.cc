#include "report/markup.h"

#include <gtest/gtest.h>

#include <limits>

namespace lento::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Escape, WhatIsMarkupIsWrittenOut) {
  EXPECT_EQ(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape("plain é 日"), "plain é 日");
}

TEST(Escape, ControlsAreDroppedLineEndAndTabStay) {
  EXPECT_EQ(escape("a\x01\x1b\n\tb\r"), "a\n\tb");
  EXPECT_EQ(escape(std::string_view("a\0b", 3)), "ab");
  EXPECT_EQ(escape("a\u202eb\xff"), "a\\u202eb\\xff");
}

TEST(Px, OneDecimalAndNoneWhereItIsZero) {
  EXPECT_EQ(px(12), "12");
  EXPECT_EQ(px(12.04), "12");
  EXPECT_EQ(px(12.26), "12.3");
  EXPECT_EQ(px(-0.5), "-0.5");
  EXPECT_EQ(px(kNan), "0");
  EXPECT_EQ(px(kInfinity), "0");
}

TEST(Element, AttributesInTheOrderInWhichTheyWereSet) {
  Element box("rect");
  box.set("class", "core").set("x", 2.5).set("y", 3);
  EXPECT_EQ(box.open(), "<rect class=\"core\" x=\"2.5\" y=\"3\">");
  EXPECT_EQ(box.empty(), "<rect class=\"core\" x=\"2.5\" y=\"3\"/>");
}

TEST(Element, ValuesAndTextAreEscapedMarkupIsNot) {
  Element a("a");
  a.set("href", "\"><b>");
  EXPECT_EQ(a.with_text("1 < 2"), "<a href=\"&quot;&gt;&lt;b&gt;\">1 &lt; 2</a>");
  EXPECT_EQ(Element("p").around("<b>x</b>"), "<p><b>x</b></p>");
  EXPECT_EQ(Element("g").titled("a & b"), "<g><title>a &amp; b</title></g>");
}

TEST(PathData, EachCommandInItsLetter) {
  PathData path;
  EXPECT_TRUE(path.empty());
  path.extend_to(1, 2);
  path.extend_to(3.25, 4);
  path.horizontal_to(5);
  path.vertical_to(6);
  path.horizontal_by(-1.5);
  path.vertical_by(2);
  path.close();
  EXPECT_EQ(path.text(), "M1 2L3.2 4H5V6h-1.5v2z");
  EXPECT_EQ(path_of("mark", path), "<path class=\"mark\" d=\"M1 2L3.2 4H5V6h-1.5v2z\"/>");
}

TEST(PathData, AMoveAlwaysLiftsThePen) {
  PathData path;
  path.extend_to(0, 0);
  path.move_to(1, 1);
  path.line_to(2, 2);
  EXPECT_EQ(path.text(), "M0 0M1 1L2 2");
}

}  // namespace
}  // namespace lento::report
