#include "base/scan/lines.h"

#include <gtest/gtest.h>

namespace lento::base {
namespace {

TEST(TakeLine, WithAndWithoutALineEndAtTheLast) {
  std::string_view text = "a\n\nb";
  EXPECT_EQ(take_line(text), "a");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "b");
  EXPECT_TRUE(text.empty());
  text = "c\n";
  EXPECT_EQ(take_line(text), "c");
  EXPECT_TRUE(text.empty());
}

TEST(TakeLine, CarriageReturnsOfTextOnly) {
  std::string_view text = "a\r\nb\r";
  EXPECT_EQ(take_line(text), "a\r");
  EXPECT_EQ(take_text_line(text), "b");
  text = "\r\n";
  EXPECT_EQ(take_text_line(text), "");
}

}  // namespace
}  // namespace lento::base
